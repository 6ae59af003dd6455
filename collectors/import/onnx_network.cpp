#include "collectors/import/onnx_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "collectors/import/onnx_operators.hpp"
#include "core/files.hpp"
#include "model/workload/network_file.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// Only another name or another view of the same bytes.
constexpr std::array aliases{"Reshape", "Flatten", "Identity", "Squeeze", "Unsqueeze"};
/// Known, but without arithmetic worth a kind of its own: they stream their tensors.
constexpr std::array results_only{"Gather",   "Slice",           "Split", "Expand", "Tile",
                                  "Constant", "ConstantOfShape", "Shape", "Size"};

class Builder {
public:
    Builder(OnnxGraph graph, const OnnxSizes& sizes, std::string file)
        : graph_(std::move(graph)), file_(std::move(file)) {
        const auto others = library_shapes();
        for (const auto& op : infer_shapes(graph_, sizes, file_, others.get()))
            ++result_.unknown[op];
        if (sizes.batch > 0) {
            batch_ = sizes.batch;
        } else if (!graph_.inputs.empty()) {
            const OnnxShape& shape = graph_.tensors.at(graph_.inputs.front().name).shape;
            batch_ = shape.empty() ? 1 : std::max<std::int64_t>(1, shape.front());
        }
        for (const OnnxInput& input : graph_.inputs) value_of_[input.name] = "data";
        for (const OnnxNode& node : graph_.nodes)
            for (const std::string& input : node.inputs) ++readers_[input];
        for (const std::string& output : graph_.outputs) ++readers_[output];
    }

    OnnxNetwork build() {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
            if (!fused_.contains(i)) add(i);
        if (layers_.empty())
            throw bad_input(file_, "at least one operator that moves data", "none");
        Network network;
        network.name = std::filesystem::path(file_).stem().string();
        network.description = fmt::format(
            "ONNX, opset {}{}", graph_.opset,
            graph_.producer.size() > 1 ? ", made by " + graph_.producer : std::string());
        network.source = file_;
        network.batch = batch_;
        network.layers = std::move(layers_);
        connect(std::move(network));
        return std::move(result_);
    }

private:
    [[nodiscard]] const OnnxTensor& tensor(const std::string& name) const {
        const auto found = graph_.tensors.find(name);
        if (found == graph_.tensors.end())
            throw bad_input(file_, "a tensor that is made before it is read", "'" + name + "'");
        return found->second;
    }
    /// The layer whose output holds a tensor.
    [[nodiscard]] const std::string& maker_of(const std::string& name) const {
        const auto found = value_of_.find(name);
        if (found == value_of_.end())
            throw bad_input(file_, "an activation that a layer makes", "'" + name + "'");
        return found->second;
    }
    [[nodiscard]] int readers_of(const std::string& name) const {
        const auto found = readers_.find(name);
        return found == readers_.end() ? 0 : found->second;
    }
    [[nodiscard]] bool is_weight(const std::string& name) const {
        return name.empty() || tensor(name).constant;
    }

    /// Activations among the inputs, in order, each once per use.
    [[nodiscard]] std::vector<std::string> activations(const OnnxNode& node) const {
        std::vector<std::string> result;
        for (const std::string& input : node.inputs)
            if (!is_weight(input)) result.push_back(input);
        return result;
    }

    void add(std::size_t index) {
        const OnnxNode& node = graph_.nodes[index];
        if (node.outputs.empty()) return;
        const auto inputs = activations(node);
        if (node.outputs.front().empty()) {  // only a second output is asked for
            if (!inputs.empty()) add_other(node, inputs);
            return;
        }
        // Computed once from weights, or a shape that is known before anything runs.
        if (tensor(node.outputs.front()).constant || inputs.empty()) return;
        if (std::find(aliases.begin(), aliases.end(), node.op) != aliases.end()) {
            value_of_[node.outputs.front()] = maker_of(inputs.front());
            return;
        }
        const bool ours = node.domain.empty() || node.domain == "ai.onnx";
        if (ours && add_known(index)) return;
        add_other(node, inputs);
    }

    /// False when the operator, or this use of it, has no kind of its own.
    bool add_known(std::size_t index) {
        const OnnxNode& node = graph_.nodes[index];
        const std::string& op = node.op;
        if (op == "Conv") return add_convolution(node);
        if (op == "Gemm") return add_gemm(node);
        if (op == "MatMul") return add_matmul(index);
        if (op == "MaxPool" || op == "AveragePool" || op == "GlobalAveragePool" ||
            op == "GlobalMaxPool")
            return add_pooling(node);
        if (op == "BatchNormalization") return add_image(node, "bnorm", "");
        if (op == "LRN") return add_lrn(node);
        if (op == "Relu" || is_relu_n(node)) return add_in_place(node, "eltwise", "");
        if (op == "Tanh") return add_image(node, "eltwise", ",alg=tanh");
        if (op == "Sigmoid") return add_image(node, "eltwise", ",alg=logistic");
        if (op == "Dropout") return add_dropout(node);
        if (op == "Softmax" || op == "LogSoftmax") return add_softmax(node);
        if (op == "SoftmaxCrossEntropyLoss") return add_loss(node);
        if (op == "Add" || op == "Sum") return add_sum(node);
        if (op == "Concat") return add_concat(node);
        if (op == "Attention") return add_attention(node);
        return false;
    }

    /// ReLU6 and its like: a clip from below at 0.
    [[nodiscard]] bool is_relu_n(const OnnxNode& node) const {
        if (node.op != "Clip") return false;
        if (node.numbers.contains("min")) return node.number("min", 1) == 0;
        const std::string low = node.input(1);
        return !low.empty() && tensor(low).numbers && tensor(low).numbers->size() == 1 &&
               tensor(low).numbers->front() == 0;
    }

    [[nodiscard]] std::string where(const OnnxNode& node) const {
        return file_ + ": " + node.title();
    }

    /// A layer from its line; `inputs` are the activations that it reads.
    void add_layer(const OnnxNode& node, const std::string& line,
                   const std::vector<std::string>& inputs, const std::string& suffix = "") {
        Layer layer;
        try {
            layer = parse_layer(line);
        } catch (const Error& error) {
            throw Error(error.code(), where(node) + ": " + error.what());
        }
        layer.dtype = type_of(inputs.front());
        layer.name = unique_name(node, suffix);
        NetworkLayer added{layer, {}, training_passes(layer)};
        for (const std::string& input : inputs) added.from.push_back(maker_of(input));
        for (const std::string& output : node.outputs) value_of_[output] = layer.name;
        places_.push_back(where(node));
        layers_.push_back(std::move(added));
    }

    [[nodiscard]] DataType type_of(const std::string& name) const {
        const DataType type = tensor(name).type;
        const bool floating = type == DataType::f64 || type == DataType::f16 ||
                              type == DataType::bf16 || type == DataType::f32;
        return floating ? type : DataType::f32;
    }

    std::string unique_name(const OnnxNode& node, const std::string& suffix) {
        std::string name = node.name.empty() ? node.outputs.front() : node.name;
        for (char& c : name)
            if (c < ' ' || c > '~' || c == '"') c = '_';
        if (name.empty() || name == "data") name = node.op;
        name += suffix;
        std::string result = name;
        for (int n = 2; !names_.insert(result).second; ++n) result = fmt::format("{}.{}", name, n);
        return result;
    }

    /// mb, ic, ih, iw of a tensor; dimensions between the second and the last are joined.
    [[nodiscard]] std::string image(const std::string& name) const {
        const OnnxShape& shape = tensor(name).shape;
        const auto at = [&](std::size_t i) { return i < shape.size() ? shape[i] : 1; };
        std::string text = fmt::format("mb{}ic{}", at(0), at(1));
        if (shape.size() < 3) return text;
        std::int64_t rows = 1;
        for (std::size_t i = 2; i + 1 < shape.size(); ++i) rows *= shape[i];
        return text + fmt::format("ih{}iw{}", rows, shape.back());
    }

    [[nodiscard]] bool is_empty(const std::string& name) const {
        return tensor(name).elements() == 0;
    }

    bool add_convolution(const OnnxNode& node) {
        const OnnxShape &in = tensor(node.inputs[0]).shape, &wei = tensor(node.inputs[1]).shape,
                        &out = tensor(node.outputs[0]).shape;
        if (in.size() > 4 || is_weight(node.inputs[0]) || is_empty(node.outputs[0])) return false;
        const std::string place = where(node);
        const OnnxWindows w = windows_of({node, graph_, place}, {wei.begin() + 2, wei.end()});
        add_layer(
            node,
            fmt::format("conv:mb{}g{}ic{}oc{}{},asymmetric=1{}", in[0], node.integer("group", 1),
                        in[1], out[1], windows(in, out, w), node.input(2).empty() ? ",bias=0" : ""),
            {node.inputs[0]});
        return true;
    }

    /// One spatial dimension is a width.
    static std::string windows(const OnnxShape& in, const OnnxShape& out, const OnnxWindows& w) {
        std::string text;
        const std::size_t rank = w.kernel.size();
        for (std::size_t i = 0; i < 2; ++i) {
            const char dimension = i == 0 ? 'h' : 'w';
            if (rank == 1 && i == 0) {
                text += "ih1oh1kh1sh1dh0ph0";
                continue;
            }
            const std::size_t at = rank == 1 ? 0 : i;
            text += fmt::format("i{0}{1}o{0}{2}k{0}{3}s{0}{4}d{0}{5}p{0}{6}", dimension, in[at + 2],
                                out[at + 2], w.kernel[at], w.strides[at], w.dilations[at] - 1,
                                w.before[at]);
        }
        return text;
    }

    bool add_gemm(const OnnxNode& node) {
        if (is_weight(node.inputs[0]) || is_empty(node.outputs[0])) return false;
        OnnxShape a = tensor(node.inputs[0]).shape;
        if (node.integer("transA", 0) != 0) std::swap(a[0], a[1]);
        const std::int64_t columns = tensor(node.outputs[0]).shape[1];
        if (is_weight(node.inputs[1]))
            add_layer(node,
                      fmt::format("ip:mb{}ic{}oc{}{}", a[0], a[1], columns,
                                  node.input(2).empty() ? ",bias=0" : ""),
                      {node.inputs[0]});
        else
            add_layer(node, fmt::format("matmul:{}x{}:{}x{}", a[0], a[1], a[1], columns),
                      {node.inputs[0], node.inputs[1]});
        return true;
    }

    /// A product with weights is an inner product, with the bias that is added right behind it.
    bool add_matmul(std::size_t index) {
        const OnnxNode& node = graph_.nodes[index];
        const OnnxShape &a = tensor(node.inputs[0]).shape, &b = tensor(node.inputs[1]).shape;
        if (a.size() < 2 || b.size() < 2 || is_empty(node.outputs[0])) return false;
        const auto rows = [](const OnnxShape& shape, std::size_t last) {
            double product = 1;
            for (std::size_t i = 0; i + last < shape.size(); ++i)
                product *= static_cast<double>(shape[i]);
            return static_cast<std::int64_t>(product);
        };
        if (is_weight(node.inputs[1]) && b.size() == 2) {
            const auto bias = bias_behind(index, b[1]);
            add_layer(
                node,
                fmt::format("ip:mb{}ic{}oc{}{}", rows(a, 1), a.back(), b[1], bias ? "" : ",bias=0"),
                {node.inputs[0]});
            if (bias) {
                fused_.insert(*bias);
                value_of_[graph_.nodes[*bias].outputs[0]] = layers_.back().layer.name;
            }
            return true;
        }
        const std::int64_t products = rows(tensor(node.outputs[0]).shape, 2);
        const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
        std::vector<std::string> inputs = activations(node);
        const std::string line =
            products == 1   ? fmt::format("matmul:{}x{}:{}x{}", m, k, k, n)
            : b.size() == 2 ? fmt::format("matmul:{}x{}:{}x{}", products * m, k, k, n)
                            : fmt::format("matmul:{0}x{1}x{2}:{0}x{2}x{3}", products, m, k, n);
        add_layer(node, line, inputs);
        return true;
    }

    /// The node that adds a row of weights to the only use of this node's result.
    [[nodiscard]] std::optional<std::size_t> bias_behind(std::size_t index,
                                                         std::int64_t columns) const {
        const std::string& result = graph_.nodes[index].outputs[0];
        if (readers_of(result) != 1) return std::nullopt;
        for (std::size_t i = index + 1; i < graph_.nodes.size(); ++i) {
            const OnnxNode& node = graph_.nodes[i];
            const auto at = std::find(node.inputs.begin(), node.inputs.end(), result);
            if (at == node.inputs.end()) continue;
            if (node.op != "Add" || node.inputs.size() != 2) return std::nullopt;
            const std::string& other = node.inputs[at == node.inputs.begin() ? 1 : 0];
            const bool row = is_weight(other) && tensor(other).shape == OnnxShape{columns};
            return row ? std::optional(i) : std::nullopt;
        }
        return std::nullopt;
    }

    bool add_pooling(const OnnxNode& node) {
        const OnnxShape &in = tensor(node.inputs[0]).shape, &out = tensor(node.outputs[0]).shape;
        if (in.size() > 4 || is_empty(node.outputs[0])) return false;
        std::string algorithm = "max";
        if (node.op.find("Average") != std::string::npos)
            algorithm = node.integer("count_include_pad", 0) != 0 ? "avg_p" : "avg_np";
        OnnxWindows w;
        if (node.op.starts_with("Global")) {
            w.kernel.assign(in.begin() + 2, in.end());
            w.strides = w.dilations = OnnxShape(w.kernel.size(), 1);
            w.before = OnnxShape(w.kernel.size(), 0);
        } else {
            const std::string place = where(node);
            w = windows_of({node, graph_, place}, node.list("kernel_shape").value_or(OnnxShape{}));
        }
        add_layer(
            node,
            fmt::format("pool:mb{}ic{}{},alg={}", in[0], in[1], windows(in, out, w), algorithm),
            {node.inputs[0]});
        return true;
    }

    bool add_image(const OnnxNode& node, const char* driver, const std::string& attributes) {
        if (is_empty(node.inputs[0])) return false;
        add_layer(node, fmt::format("{}:{}{}", driver, image(node.inputs[0]), attributes),
                  {node.inputs[0]});
        return true;
    }

    /// Training frameworks overwrite what only these layers read.
    bool add_in_place(const OnnxNode& node, const char* driver, const std::string& attributes) {
        return add_image(node, driver,
                         attributes + (may_overwrite(node.inputs[0]) ? ",inplace=1" : ""));
    }

    /// The input of nobody else, and its producer does not need it for its own gradient.
    [[nodiscard]] bool may_overwrite(const std::string& input) const {
        if (readers_of(input) != 1) return false;
        const std::string& producer = maker_of(input);
        for (const NetworkLayer& entry : layers_) {
            if (entry.layer.name != producer) continue;
            const Layer& layer = entry.layer;
            return layer.kind != LayerKind::softmax && layer.kind != LayerKind::split &&
                   (layer.kind != LayerKind::eltwise || layer.algorithm == Algorithm::relu);
        }
        return false;
    }

    bool add_lrn(const OnnxNode& node) {
        const auto decimal = [](double value) {
            std::string text = fmt::format("{:.9f}", value);
            while (text.ends_with('0')) text.pop_back();
            return text.ends_with('.') ? text + "0" : text;
        };
        return add_image(
            node, "lrn",
            fmt::format("ls{}alpha{}beta{}k{}", node.integer("size", 5),
                        decimal(node.number("alpha", 1e-4)), decimal(node.number("beta", 0.75)),
                        decimal(node.number("bias", 1))));
    }

    bool add_dropout(const OnnxNode& node) {
        double ratio = node.number("ratio", 0.5);
        if (!node.input(1).empty() && tensor(node.input(1)).numbers &&
            tensor(node.input(1)).numbers->size() == 1)
            ratio = tensor(node.input(1)).numbers->front();
        return add_in_place(node, "dropout",
                            ratio == 0.5 ? "" : fmt::format(",ratio={:.6g}", ratio));
    }

    /// Softmax over one dimension; before opset 13 over all dimensions from the axis on.
    bool add_softmax(const OnnxNode& node) {
        const OnnxShape& shape = tensor(node.inputs[0]).shape;
        if (shape.empty() || is_empty(node.inputs[0])) return false;
        const std::string place = where(node);
        const bool joined = graph_.opset < 13;
        const OnnxContext context{node, graph_, place};
        const std::size_t axis = context.axis(node.integer("axis", joined ? 1 : -1), shape.size());
        double row = static_cast<double>(shape[axis]);
        for (std::size_t i = axis + 1; joined && i < shape.size(); ++i)
            row *= static_cast<double>(shape[i]);
        add_layer(node,
                  fmt::format("softmax:mb{}ic{}",
                              static_cast<std::int64_t>(tensor(node.inputs[0]).elements() / row),
                              static_cast<std::int64_t>(row)),
                  {node.inputs[0]});
        return true;
    }

    bool add_loss(const OnnxNode& node) {
        const OnnxShape& shape = tensor(node.inputs[0]).shape;
        if (shape.size() < 2 || is_empty(node.inputs[0])) return false;
        const auto rows = static_cast<std::int64_t>(tensor(node.inputs[0]).elements() /
                                                    static_cast<double>(shape[1]));
        add_layer(node, fmt::format("softmax:mb{}ic{},loss=1", rows, shape[1]), {node.inputs[0]});
        return true;
    }

    bool add_sum(const OnnxNode& node) {
        const auto inputs = activations(node);
        if (inputs.size() < 2 || inputs.size() != node.inputs.size()) return false;
        for (const std::string& input : inputs)
            if (tensor(input).shape != tensor(inputs.front()).shape || is_empty(input))
                return false;
        add_layer(node,
                  fmt::format("sum:{}{}", image(inputs.front()),
                              inputs.size() > 2 ? fmt::format(",inputs={}", inputs.size()) : ""),
                  inputs);
        return true;
    }

    bool add_concat(const OnnxNode& node) {
        const auto inputs = activations(node);
        const OnnxShape& shape = tensor(node.outputs[0]).shape;
        if (inputs.size() != node.inputs.size() || inputs.size() < 2 || shape.size() < 2 ||
            shape.size() > 4 || is_empty(node.outputs[0]))
            return false;
        const std::int64_t axis = node.integer("axis", 1);
        if (axis != 1 && axis != 1 - static_cast<std::int64_t>(shape.size())) return false;
        std::string channels;
        for (const std::string& input : inputs) {
            if (tensor(input).shape[1] == 0) return false;
            channels += fmt::format("{}{}", channels.empty() ? "" : "+", tensor(input).shape[1]);
        }
        add_layer(
            node,
            fmt::format("concat:mb{}ih{}iw{},inputs={}", shape[0], shape.size() > 3 ? shape[2] : 1,
                        shape.size() > 2 ? shape.back() : 1, channels),
            inputs);
        return true;
    }

    /// Two batched products with a softmax between (opset 23).
    bool add_attention(const OnnxNode& node) {
        const OnnxShape &q = tensor(node.inputs[0]).shape, &k = tensor(node.inputs[1]).shape,
                        &out = tensor(node.outputs[0]).shape;
        if (activations(node).size() < 3 || is_empty(node.outputs[0])) return false;
        const bool apart = q.size() == 4;
        const std::int64_t heads = apart ? q[1] : node.integer("q_num_heads", 1);
        const std::int64_t key_heads = apart ? k[1] : node.integer("kv_num_heads", heads);
        const std::int64_t rows = q[q.size() - 2], columns = k[k.size() - 2];
        if (heads < 1 || key_heads < 1 || columns < 1) return false;
        const std::int64_t depth = apart ? q[3] : q[2] / heads,
                           width = apart ? out[3] : out[2] / heads;
        const std::int64_t products = q[0] * heads;
        if (depth < 1 || width < 1) return false;
        add_layer(node,
                  fmt::format("matmul:{0}x{1}x{2}:{0}x{2}x{3}", products, rows, depth, columns),
                  {node.inputs[0], node.inputs[1]}, ".qk");
        add_layer(node, fmt::format("softmax:mb{}ic{}", products * rows, columns),
                  {node.outputs[0]}, ".softmax");
        add_layer(node,
                  fmt::format("matmul:{0}x{1}x{2}:{0}x{2}x{3}", products, rows, columns, width),
                  {node.outputs[0], node.inputs[2]}, ".av");
        return true;
    }

    /// Everything else moves the bytes of its activations, and nothing is known of its arithmetic.
    void add_other(const OnnxNode& node, const std::vector<std::string>& inputs) {
        double written = 0, read = 0;
        for (const std::string& output : node.outputs)
            if (!output.empty() && readers_.contains(output)) written += tensor(output).elements();
        for (const std::string& input : inputs) read += tensor(input).elements();
        if (std::find(results_only.begin(), results_only.end(), node.op) != results_only.end())
            read = written;
        if (!(read > 0) || !(written > 0)) {
            for (const std::string& output : node.outputs)
                value_of_[output] = maker_of(inputs.front());
            return;  // an empty tensor, or nobody reads the result
        }
        const auto in = static_cast<std::int64_t>(read), out = static_cast<std::int64_t>(written);
        const std::int64_t mb = in % batch_ == 0 && out % batch_ == 0 ? batch_ : 1;
        std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
        for (char& c : op)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '-';
        // `other` reads one tensor: all activations as one.
        add_layer(node, fmt::format("other:mb{}ic{}oc{},op={}", mb, in / mb, out / mb, op),
                  {inputs.front()});
        for (std::size_t i = 1; i < inputs.size(); ++i)
            layers_.back().from.push_back(maker_of(inputs[i]));
        ++result_.bytes_only[op];
    }

    /// Graphs of images only are checked like network files; those that reshape cannot be.
    void connect(Network network) {
        try {
            result_.network = workload::connect(network, places_);
        } catch (const Error&) {
            result_.chained = false;
            result_.network = workload::connect_unchecked(std::move(network));
            result_.network.chained = false;
        }
    }

    OnnxGraph graph_;
    std::string file_;
    std::int64_t batch_ = 1;
    std::map<std::string, std::string> value_of_;  ///< tensor to the layer that makes it
    std::map<std::string, int> readers_;
    std::set<std::size_t> fused_;
    std::set<std::string> names_;
    std::vector<NetworkLayer> layers_;
    std::vector<std::string> places_;
    OnnxNetwork result_;
};

}  // namespace

OnnxNetwork onnx_network(OnnxGraph graph, const OnnxSizes& sizes, const std::string& file) {
    return Builder(std::move(graph), sizes, file).build();
}

OnnxNetwork load_onnx_network(const std::string& path, const OnnxSizes& sizes) {
    return onnx_network(read_onnx(read_file(path, std::size_t{1} << 31), path), sizes, path);
}

}  // namespace ridge::import
