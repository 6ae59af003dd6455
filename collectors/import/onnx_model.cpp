// Serialised ONNX models by the onnx library: protobuf, and its shape inference for operators that
// Ridgepoint does not know itself.

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <set>

#include "collectors/import/onnx_graph.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

using Proto = onnx::TensorProto;

DataType type_of(std::int64_t type) {
    switch (type) {
        case Proto::DOUBLE:
            return DataType::f64;
        case Proto::FLOAT16:
            return DataType::f16;
        case Proto::BFLOAT16:
            return DataType::bf16;
        case Proto::INT8:
            return DataType::s8;
        case Proto::UINT8:
        case Proto::BOOL:
            return DataType::u8;
        case Proto::INT32:
            return DataType::s32;
        default:
            return DataType::f32;
    }
}

/// Larger tensors are data, not shapes; the weights may well be in other files that are not here.
constexpr double most_values = 4096;

template <class T, class Field>
std::vector<T> values_of(const Proto& proto, const Field& field, std::size_t count) {
    std::vector<T> values;
    using Stored = std::remove_cvref_t<decltype(field.Get(0))>;
    const std::string& raw = proto.raw_data();
    if (!raw.empty() && raw.size() == count * sizeof(Stored)) {
        for (std::size_t i = 0; i < count; ++i) {
            Stored value;
            std::memcpy(&value, raw.data() + i * sizeof(Stored), sizeof(Stored));
            values.push_back(static_cast<T>(value));
        }
    } else if (raw.empty() && static_cast<std::size_t>(field.size()) == count) {
        for (const auto value : field) values.push_back(static_cast<T>(value));
    }
    return values;
}

OnnxTensor read_tensor(const Proto& proto, const std::string& where) {
    OnnxTensor tensor;
    tensor.type = type_of(proto.data_type());
    tensor.constant = true;
    for (const std::int64_t size : proto.dims()) {
        if (size < 0 || size > 1'000'000'000'000)
            throw bad_input(where, "sizes of a tensor", fmt::format("{}", size));
        tensor.shape.push_back(size);
    }
    const double elements = tensor.elements();
    if (elements > most_values || proto.data_location() == Proto::EXTERNAL) return tensor;
    const auto count = static_cast<std::size_t>(elements);
    const auto keep_integers = [&](const auto& field) {
        auto values = values_of<std::int64_t>(proto, field, count);
        if (values.size() == count) tensor.integers = std::move(values);
    };
    const auto keep_numbers = [&](const auto& field) {
        auto values = values_of<double>(proto, field, count);
        if (values.size() == count) tensor.numbers = std::move(values);
    };
    switch (proto.data_type()) {
        case Proto::INT64:
            keep_integers(proto.int64_data());
            break;
        case Proto::INT32:
            keep_integers(proto.int32_data());
            break;
        case Proto::FLOAT:
            keep_numbers(proto.float_data());
            break;
        case Proto::DOUBLE:
            keep_numbers(proto.double_data());
            break;
        default:
            break;
    }
    return tensor;
}

OnnxNode read_node(const onnx::NodeProto& proto, const std::string& file) {
    OnnxNode node;
    node.op = proto.op_type();
    node.domain = proto.domain();
    node.name = proto.name();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    for (const auto& attribute : proto.attribute()) {
        const std::string& name = attribute.name();
        if (attribute.has_i()) node.integers[name] = {attribute.i()};
        if (attribute.ints_size() > 0)
            node.integers[name].assign(attribute.ints().begin(), attribute.ints().end());
        if (attribute.has_f()) node.numbers[name] = static_cast<double>(attribute.f());
        if (attribute.has_s()) node.words[name] = attribute.s();
        if (attribute.has_t())
            node.tensors[name] = read_tensor(attribute.t(), file + ": " + node.title());
    }
    return node;
}

OnnxInput read_input(const onnx::ValueInfoProto& proto) {
    OnnxInput input;
    input.name = proto.name();
    const auto& tensor = proto.type().tensor_type();
    input.type = type_of(tensor.elem_type());
    for (const auto& dim : tensor.shape().dim()) {
        OnnxDim& added = input.dims.emplace_back();
        if (dim.has_dim_value()) added.size = dim.dim_value();
        if (dim.has_dim_param()) added.name = dim.dim_param();
    }
    return input;
}

onnx::ModelProto parse(const std::string& bytes, const std::string& file) {
    // Its own messages would stand beside the error that says the same.
    google::protobuf::SetLogHandler(nullptr);
    onnx::ModelProto model;
    google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::io::CodedInputStream coded(&stream);
    if (bytes.size() >= (std::size_t{1} << 31) || !model.ParseFromCodedStream(&coded) ||
        !coded.ConsumedEntireMessage())
        throw bad_input(file, "a serialised ONNX model of less than 2 GiB",
                        fmt::format("{} bytes that are none", bytes.size()));
    if (model.graph().node_size() == 0)
        throw bad_input(file, "a graph with at least one node", "none");
    return model;
}

/// One node at a time: a model of its own around it, with the shapes that are known.
class LibraryShapes final : public OnnxShapeSource {
public:
    std::optional<std::vector<OnnxShape>> infer(const OnnxNode& node,
                                                const OnnxGraph& graph) override {
        // The library keeps schemas of ONNX's own operators only.
        if (!node.domain.empty() && node.domain != "ai.onnx") return std::nullopt;
        onnx::ModelProto model;
        model.set_ir_version(8);
        auto* opset = model.add_opset_import();
        opset->set_domain("");
        opset->set_version(std::clamp<std::int64_t>(graph.opset, 7, newest_opset));
        auto* own = model.mutable_graph();
        own->set_name("one");
        std::set<std::string> added;
        for (const std::string& input : node.inputs)
            if (!input.empty() && added.insert(input).second)
                add_input(*own, input, graph.tensors.at(input));
        add_node(*own, node);
        try {
            onnx::shape_inference::InferShapes(model);
        } catch (const std::exception&) {
            return std::nullopt;
        }
        return shapes_of(node, *own);
    }

private:
    static constexpr std::int64_t newest_opset = 17;

    static int type_of_input(const OnnxTensor& tensor) {
        if (tensor.integers) return Proto::INT64;
        return Proto::FLOAT;
    }

    static void add_input(onnx::GraphProto& graph, const std::string& name,
                          const OnnxTensor& tensor) {
        if (tensor.integers) {
            auto* constant = graph.add_initializer();
            constant->set_name(name);
            constant->set_data_type(Proto::INT64);
            for (const std::int64_t size : tensor.shape) constant->add_dims(size);
            for (const std::int64_t value : *tensor.integers) constant->add_int64_data(value);
        }
        auto* info = graph.add_input();
        info->set_name(name);
        auto* type = info->mutable_type()->mutable_tensor_type();
        type->set_elem_type(type_of_input(tensor));
        type->mutable_shape();
        for (const std::int64_t size : tensor.shape)
            type->mutable_shape()->add_dim()->set_dim_value(size);
    }

    static void add_node(onnx::GraphProto& graph, const OnnxNode& node) {
        auto* added = graph.add_node();
        added->set_op_type(node.op);
        for (const std::string& input : node.inputs) added->add_input(input);
        for (const std::string& output : node.outputs) added->add_output(output);
        for (const auto& [name, values] : node.integers) {
            auto* attribute = added->add_attribute();
            attribute->set_name(name);
            // A list of one and a number look alike here; numbers are the more frequent.
            if (values.size() == 1) {
                attribute->set_type(onnx::AttributeProto::INT);
                attribute->set_i(values.front());
            } else {
                attribute->set_type(onnx::AttributeProto::INTS);
                for (const std::int64_t value : values) attribute->add_ints(value);
            }
        }
        for (const auto& [name, value] : node.words) {
            auto* attribute = added->add_attribute();
            attribute->set_name(name);
            attribute->set_type(onnx::AttributeProto::STRING);
            attribute->set_s(value);
        }
    }

    static std::optional<std::vector<OnnxShape>> shapes_of(const OnnxNode& node,
                                                           const onnx::GraphProto& graph) {
        std::vector<OnnxShape> shapes;
        for (const std::string& output : node.outputs) {
            const auto found = std::find_if(
                graph.value_info().begin(), graph.value_info().end(),
                [&](const onnx::ValueInfoProto& info) { return info.name() == output; });
            if (found == graph.value_info().end()) return std::nullopt;
            OnnxShape shape;
            if (!found->type().tensor_type().has_shape()) return std::nullopt;
            for (const auto& dim : found->type().tensor_type().shape().dim()) {
                if (!dim.has_dim_value()) return std::nullopt;
                shape.push_back(dim.dim_value());
            }
            shapes.push_back(std::move(shape));
        }
        return shapes;
    }
};

}  // namespace

OnnxGraph read_onnx(const std::string& bytes, const std::string& file) {
    const onnx::ModelProto model = parse(bytes, file);
    OnnxGraph graph;
    graph.name = model.graph().name();
    graph.producer = model.producer_name() + " " + model.producer_version();
    for (const auto& opset : model.opset_import())
        if (opset.domain().empty() || opset.domain() == "ai.onnx") graph.opset = opset.version();
    for (const auto& weight : model.graph().initializer())
        graph.tensors[weight.name()] = read_tensor(weight, file + ": '" + weight.name() + "'");
    for (const auto& input : model.graph().input())
        if (!graph.tensors.contains(input.name())) graph.inputs.push_back(read_input(input));
    for (const auto& output : model.graph().output()) graph.outputs.push_back(output.name());
    for (const auto& node : model.graph().node()) graph.nodes.push_back(read_node(node, file));
    return graph;
}

std::unique_ptr<OnnxShapeSource> library_shapes() {
    return std::make_unique<LibraryShapes>();
}

}  // namespace ridge::import
