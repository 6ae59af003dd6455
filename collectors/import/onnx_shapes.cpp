#include "collectors/import/onnx_shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "collectors/import/onnx_operators.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

constexpr std::int64_t largest_size = 1'000'000'000;
constexpr double most_elements = 9e15;

void check(const OnnxShape& shape, const std::string& where) {
    double product = 1;
    for (const std::int64_t size : shape) {
        if (size < 0 || size > largest_size)
            throw bad_input(where, fmt::format("sizes from 0 to {}", largest_size),
                            fmt::format("{}", size));
        product *= static_cast<double>(size);
    }
    if (product > most_elements)
        throw bad_input(where, "a tensor of less than 9e15 elements",
                        fmt::format("{}", fmt::join(shape, "x")));
}

OnnxShape shape_of_input(const OnnxInput& input, const OnnxSizes& sizes, const std::string& file) {
    OnnxShape shape;
    for (std::size_t i = 0; i < input.dims.size(); ++i) {
        const OnnxDim& dim = input.dims[i];
        const auto given = sizes.dims.find(dim.name);
        if (!dim.name.empty() && given != sizes.dims.end())
            shape.push_back(given->second);
        else if (i == 0 && sizes.batch > 0)
            shape.push_back(sizes.batch);
        else if (dim.size)
            shape.push_back(*dim.size);
        else
            throw bad_input(fmt::format("{}: input '{}'", file, input.name),
                            dim.name.empty()
                                ? "a size for each dimension"
                                : fmt::format("a size for '{0}' (--dim {0}=N)", dim.name),
                            "none");
    }
    check(shape, fmt::format("{}: input '{}'", file, input.name));
    return shape;
}

/// Inputs that a node reads and that have no shape yet.
void require_inputs(const OnnxNode& node, const OnnxGraph& graph, const std::string& file) {
    for (const std::string& input : node.inputs)
        if (!input.empty() && !graph.tensors.contains(input))
            throw bad_input(file + ": " + node.title(), "inputs that a node before it makes",
                            "'" + input + "'");
}

bool all_constant(const OnnxNode& node, const OnnxGraph& graph) {
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
        return input.empty() || graph.tensors.at(input).constant;
    });
}

}  // namespace

std::vector<std::string> infer_shapes(OnnxGraph& graph, const OnnxSizes& sizes,
                                      const std::string& file, OnnxShapeSource* others) {
    std::set<std::string> unused;
    for (const auto& [name, size] : sizes.dims) unused.insert(name);
    for (const OnnxInput& input : graph.inputs) {
        for (const OnnxDim& dim : input.dims) unused.erase(dim.name);
        OnnxTensor tensor;
        tensor.shape = shape_of_input(input, sizes, file);
        tensor.type = input.type;
        graph.tensors[input.name] = std::move(tensor);
    }
    if (!unused.empty())
        throw bad_input("--dim", "a dimension that an input of the model has",
                        "'" + *unused.begin() + "'");

    std::vector<std::string> unknown;
    for (const OnnxNode& node : graph.nodes) {
        const std::string where = file + ": " + node.title();
        require_inputs(node, graph, file);
        std::vector<OnnxTensor> outputs;
        const OnnxContext context{node, graph, where};
        if (const OnnxOperator* known = find_operator(node)) {
            outputs = known->infer(context);
        } else if (const auto inferred = others ? others->infer(node, graph) : std::nullopt) {
            for (const OnnxShape& shape : *inferred) outputs.emplace_back().shape = shape;
        } else {
            unknown.push_back(node.op);
            OnnxTensor like;
            if (!node.input(0).empty()) like.shape = graph.tensors.at(node.input(0)).shape;
            outputs.assign(node.outputs.size(), like);
        }
        fold_constants(context, outputs);
        const bool constant =
            !node.inputs.empty() ? all_constant(node, graph) : node.op.starts_with("Constant");
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty()) continue;
            if (graph.tensors.contains(node.outputs[i]))
                throw bad_input(where, "outputs that nothing else makes",
                                "'" + node.outputs[i] + "'");
            OnnxTensor tensor = i < outputs.size() ? outputs[i] : OnnxTensor{};
            check(tensor.shape, where);
            tensor.constant = constant || tensor.integers.has_value();
            graph.tensors[node.outputs[i]] = std::move(tensor);
        }
    }
    return unknown;
}

}  // namespace ridge::import
