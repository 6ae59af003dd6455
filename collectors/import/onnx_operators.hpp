// What is known of ONNX operators: the shapes of their outputs and the values of those that shapes
// depend on. To add an operator, add a line to the table in onnx_operators.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectors/import/onnx_graph.hpp"
#include "ridge/error.hpp"

namespace ridge::import {

struct OnnxContext {
    const OnnxNode& node;
    const OnnxGraph& graph;
    const std::string& where;  ///< file and node, for errors

    [[nodiscard]] bool has(std::size_t input) const;
    /// Throws Error bad_input when the input is absent.
    [[nodiscard]] const OnnxTensor& in(std::size_t input) const;
    /// The values of an input that must be constant; throws Error bad_input when they are not
    /// known.
    [[nodiscard]] const std::vector<std::int64_t>& values(std::size_t input) const;
    /// An axis from -rank to rank - 1 as 0 to rank - 1. Throws Error bad_input.
    [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;
    /// bad_input at this node.
    [[nodiscard]] Error wrong(std::string_view expected, std::string_view found) const;
};

struct OnnxOperator {
    std::string_view op;
    std::vector<OnnxTensor> (*infer)(const OnnxContext& context);
};
/// Nothing for an operator that is not in the table, or of another domain than ONNX's own.
[[nodiscard]] const OnnxOperator* find_operator(const OnnxNode& node);

/// Sets the integers of outputs that are known from those of the inputs (shapes and arithmetic on
/// them).
void fold_constants(const OnnxContext& context, std::vector<OnnxTensor>& outputs);

/// Strides, dilations, padding and kernel of a convolution or pooling, one entry per dimension.
struct OnnxWindows {
    std::vector<std::int64_t> kernel, strides, dilations, before, after;
    bool ceil = false;
};
[[nodiscard]] OnnxWindows windows_of(const OnnxContext& context, const OnnxShape& kernel);

}  // namespace ridge::import
