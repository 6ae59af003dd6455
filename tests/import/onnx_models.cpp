#include "tests/import/onnx_models.hpp"

namespace ridge::test {

OnnxModel::OnnxModel(std::int64_t opset) {
    model.set_ir_version(8);
    model.set_producer_name("test");
    auto* import = model.add_opset_import();
    import->set_domain("");
    import->set_version(opset);
    model.mutable_graph()->set_name("graph");
}

std::string OnnxModel::input(const std::string& name, const std::vector<std::int64_t>& sizes,
                             const std::vector<std::string>& names) {
    auto* info = model.mutable_graph()->add_input();
    info->set_name(name);
    auto* type = info->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape();
    std::size_t symbol = 0;
    for (const std::int64_t size : sizes) {
        auto* dim = type->mutable_shape()->add_dim();
        if (size >= 0)
            dim->set_dim_value(size);
        else
            dim->set_dim_param(names.at(symbol++));
    }
    return name;
}

std::string OnnxModel::weight(const std::vector<std::int64_t>& sizes) {
    auto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w" + std::to_string(next_++));
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : sizes) tensor->add_dims(size);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    return tensor->name();
}

std::string OnnxModel::integers(const std::vector<std::int64_t>& values) {
    auto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("i" + std::to_string(next_++));
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor->add_int64_data(value);
    return tensor->name();
}

std::string OnnxModel::number(float value) {
    auto* tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("f" + std::to_string(next_++));
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_float_data(value);
    return tensor->name();
}

std::string OnnxModel::node(const std::string& op, const std::vector<std::string>& inputs,
                            std::size_t outputs, const std::string& domain) {
    auto* added = model.mutable_graph()->add_node();
    added->set_op_type(op);
    added->set_domain(domain);
    added->set_name(op + "_" + std::to_string(next_++));
    for (const auto& input : inputs) added->add_input(input);
    for (std::size_t i = 0; i < outputs; ++i) added->add_output("t" + std::to_string(next_++));
    return added->output(0);
}

std::string OnnxModel::output(std::size_t index) const {
    return model.graph().node(model.graph().node_size() - 1).output(static_cast<int>(index));
}

onnx::AttributeProto& OnnxModel::attribute(const std::string& name) {
    auto* graph = model.mutable_graph();
    auto* added = graph->mutable_node(graph->node_size() - 1)->add_attribute();
    added->set_name(name);
    return *added;
}

OnnxModel& OnnxModel::set(const std::string& name, std::int64_t value) {
    auto& added = attribute(name);
    added.set_type(onnx::AttributeProto::INT);
    added.set_i(value);
    return *this;
}

OnnxModel& OnnxModel::set(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& added = attribute(name);
    added.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) added.add_ints(value);
    return *this;
}

OnnxModel& OnnxModel::set(const std::string& name, float value) {
    auto& added = attribute(name);
    added.set_type(onnx::AttributeProto::FLOAT);
    added.set_f(value);
    return *this;
}

OnnxModel& OnnxModel::set(const std::string& name, const std::string& value) {
    auto& added = attribute(name);
    added.set_type(onnx::AttributeProto::STRING);
    added.set_s(value);
    return *this;
}

std::string OnnxModel::conv(const std::string& in, std::int64_t ic, std::int64_t oc,
                            std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                            bool bias, std::int64_t groups) {
    std::vector<std::string> inputs{in, weight({oc, ic / groups, kernel, kernel})};
    if (bias) inputs.push_back(weight({oc}));
    const std::string out = node("Conv", inputs);
    set("kernel_shape", std::vector{kernel, kernel});
    set("strides", std::vector{stride, stride});
    set("pads", std::vector{padding, padding, padding, padding});
    set("group", groups);
    return out;
}

std::string OnnxModel::batch_normalization(const std::string& in, std::int64_t channels) {
    return node("BatchNormalization", {in, weight({channels}), weight({channels}),
                                       weight({channels}), weight({channels})});
}

std::string OnnxModel::pool(const std::string& op, const std::string& in, std::int64_t kernel,
                            std::int64_t stride, std::int64_t padding, bool ceil) {
    const std::string out = node(op, {in});
    set("kernel_shape", std::vector{kernel, kernel});
    set("strides", std::vector{stride, stride});
    set("pads", std::vector{padding, padding, padding, padding});
    if (ceil) set("ceil_mode", std::int64_t{1});
    return out;
}

std::string OnnxModel::gemm(const std::string& in, std::int64_t ic, std::int64_t oc) {
    const std::string out = node("Gemm", {in, weight({oc, ic}), weight({oc})});
    set("transB", std::int64_t{1});
    return out;
}

std::string OnnxModel::linear(const std::string& in, std::int64_t ic, std::int64_t oc) {
    const std::string product = node("MatMul", {in, weight({ic, oc})});
    return node("Add", {weight({oc}), product});
}

std::string OnnxModel::loss(const std::string& in) {
    const std::string labels = input("labels", {-1}, {"N"});
    const std::string out = node("SoftmaxCrossEntropyLoss", {in, labels});
    set("reduction", std::string("mean"));
    return out;
}

std::string OnnxModel::bytes() const {
    onnx::ModelProto complete = model;
    auto* graph = complete.mutable_graph();
    graph->add_output()->set_name(graph->node(graph->node_size() - 1).output(0));
    return complete.SerializeAsString();
}

OnnxModel alexnet_model(std::int64_t opset) {
    OnnxModel m(opset);
    const auto relu = [&](const std::string& in) { return m.node("Relu", {in}); };
    const auto lrn = [&](const std::string& in) {
        const std::string out = m.node("LRN", {in});
        m.set("size", std::int64_t{5});
        return out;
    };
    std::string x = m.input("x", {-1, 3, 227, 227}, {"N"});
    x = m.pool("MaxPool", lrn(relu(m.conv(x, 3, 96, 11, 4, 0, true))), 3, 2, 0);
    x = m.pool("MaxPool", lrn(relu(m.conv(x, 96, 256, 5, 1, 2, true, 2))), 3, 2, 0);
    x = relu(m.conv(x, 256, 384, 3, 1, 1, true));
    x = relu(m.conv(x, 384, 384, 3, 1, 1, true, 2));
    x = m.pool("MaxPool", relu(m.conv(x, 384, 256, 3, 1, 1, true, 2)), 3, 2, 0);
    x = m.node("Flatten", {x});
    x = m.node("Dropout", {relu(m.gemm(x, 9216, 4096)), m.number(0.5F)});
    x = m.node("Dropout", {relu(m.gemm(x, 4096, 4096)), m.number(0.5F)});
    m.loss(m.gemm(x, 4096, 1000));
    return m;
}

OnnxModel vgg16_model(std::int64_t opset) {
    OnnxModel m(opset);
    std::string x = m.input("x", {-1, 3, 224, 224}, {"N"});
    std::int64_t channels = 3;
    for (const std::int64_t block : {64, 128, 256, 512, 512}) {
        for (int i = 0; i < (block < 256 ? 2 : 3); ++i) {
            x = m.node("Relu", {m.conv(x, channels, block, 3, 1, 1, true)});
            channels = block;
        }
        x = m.pool("MaxPool", x, 2, 2, 0);
    }
    x = m.node("Reshape", {x, m.integers({0, -1})});
    x = m.node("Dropout", {m.node("Relu", {m.gemm(x, 25088, 4096)}), m.number(0.5F)});
    x = m.node("Dropout", {m.node("Relu", {m.gemm(x, 4096, 4096)}), m.number(0.5F)});
    m.loss(m.gemm(x, 4096, 1000));
    return m;
}

OnnxModel resnet50_model(std::int64_t opset) {
    OnnxModel m(opset);
    std::string x = m.input("x", {-1, 3, 224, 224}, {"N"});
    const auto conv_bn = [&](const std::string& in, std::int64_t ic, std::int64_t oc,
                             std::int64_t kernel, std::int64_t stride) {
        return m.batch_normalization(m.conv(in, ic, oc, kernel, stride, kernel / 2, false), oc);
    };
    const auto relu = [&](const std::string& in) { return m.node("Relu", {in}); };
    x = m.pool("MaxPool", relu(conv_bn(x, 3, 64, 7, 2)), 3, 2, 1);
    std::int64_t channels = 64;
    const std::vector<std::pair<int, std::int64_t>> stages{{3, 64}, {4, 128}, {6, 256}, {3, 512}};
    for (const auto& [blocks, width] : stages)
        for (int block = 0; block < blocks; ++block) {
            const std::int64_t stride = block == 0 && width > 64 ? 2 : 1;
            const std::string before = x;
            const std::string shortcut =
                block == 0 ? conv_bn(before, channels, 4 * width, 1, stride) : before;
            std::string y = relu(conv_bn(before, channels, width, 1, stride));
            y = relu(conv_bn(y, width, width, 3, 1));
            y = conv_bn(y, width, 4 * width, 1, 1);
            x = relu(m.node("Add", {shortcut, y}));
            channels = 4 * width;
        }
    x = m.node("Flatten", {m.node("GlobalAveragePool", {x})});
    m.loss(m.gemm(x, 2048, 1000));
    return m;
}

OnnxModel mobilenet_model(std::int64_t opset) {
    OnnxModel m(opset);
    std::string x = m.input("x", {-1, 3, 224, 224}, {"N"});
    const auto unit = [&](const std::string& in, std::int64_t ic, std::int64_t oc,
                          std::int64_t kernel, std::int64_t stride, std::int64_t groups) {
        const std::string conv = m.conv(in, ic, oc, kernel, stride, kernel / 2, false, groups);
        return m.node("Relu", {m.batch_normalization(conv, oc)});
    };
    x = unit(x, 3, 32, 3, 2, 1);
    std::int64_t channels = 32;
    const std::vector<std::pair<std::int64_t, std::int64_t>> layers{
        {64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
        {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
    for (const auto& [width, stride] : layers) {
        x = unit(x, channels, channels, 3, stride, channels);
        x = unit(x, channels, width, 1, 1, 1);
        channels = width;
    }
    x = m.node("Flatten", {m.node("GlobalAveragePool", {x})});
    m.loss(m.gemm(x, 1024, 1000));
    return m;
}

}  // namespace ridge::test
