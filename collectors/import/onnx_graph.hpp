// An ONNX graph without protobuf: what shape inference and the layers need of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge::import {

using OnnxShape = std::vector<std::int64_t>;

struct OnnxTensor {
    OnnxShape shape;
    DataType type = DataType::f32;
    bool constant = false;  ///< a weight, or computed from weights only
    /// Values of small constants: integers decide shapes, numbers decide attributes.
    std::optional<std::vector<std::int64_t>> integers;
    std::optional<std::vector<double>> numbers;
    [[nodiscard]] double elements() const;
};

struct OnnxNode {
    std::string op, domain, name;
    std::vector<std::string> inputs, outputs;  ///< an optional one that is absent is ""
    std::map<std::string, std::vector<std::int64_t>> integers;
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> words;
    std::map<std::string, OnnxTensor> tensors;

    [[nodiscard]] std::int64_t integer(const std::string& attribute, std::int64_t fallback) const;
    [[nodiscard]] std::optional<std::vector<std::int64_t>> list(const std::string& attribute) const;
    [[nodiscard]] std::string word(const std::string& attribute, const std::string& fallback) const;
    [[nodiscard]] double number(const std::string& attribute, double fallback) const;
    [[nodiscard]] std::string input(std::size_t index) const;  ///< "" when absent
    /// "node 'conv1' (Conv)"
    [[nodiscard]] std::string title() const;
};

/// One dimension of a graph input: a size, a name, or neither.
struct OnnxDim {
    std::optional<std::int64_t> size;
    std::string name;
};
struct OnnxInput {
    std::string name;
    std::vector<OnnxDim> dims;
    DataType type = DataType::f32;
};

struct OnnxGraph {
    std::string name, producer;
    std::int64_t opset = 0;
    std::vector<OnnxInput> inputs;  ///< without those that are weights
    std::vector<std::string> outputs;
    std::vector<OnnxNode> nodes;                ///< in topological order, as ONNX demands
    std::map<std::string, OnnxTensor> tensors;  ///< weights; shape inference adds the others
};

/// Infers the shapes of one node's outputs by other means; nothing when it cannot.
class OnnxShapeSource {
public:
    virtual ~OnnxShapeSource() = default;
    [[nodiscard]] virtual std::optional<std::vector<OnnxShape>> infer(const OnnxNode& node,
                                                                      const OnnxGraph& graph) = 0;
};

/// Reads a serialised model. Throws Error bad_input naming `file` for anything that is none, and
/// Error not_possible when this build has no libonnx.
[[nodiscard]] OnnxGraph read_onnx(const std::string& bytes, const std::string& file);
/// Shape inference of the onnx library (opset 17 at most; operators of later ones as of 17).
[[nodiscard]] std::unique_ptr<OnnxShapeSource> library_shapes();

}  // namespace ridge::import
