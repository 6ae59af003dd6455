// Builds ONNX models node by node with the onnx library, as exporters write them: weights as
// initializers without values, shapes left to be inferred.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::test {

class OnnxModel {
public:
    explicit OnnxModel(std::int64_t opset);

    /// A graph input; sizes below 0 are symbolic, named by `names` in order.
    std::string input(const std::string& name, const std::vector<std::int64_t>& sizes,
                      const std::vector<std::string>& names = {});
    /// A weight whose values are in another file.
    std::string weight(const std::vector<std::int64_t>& sizes);
    std::string integers(const std::vector<std::int64_t>& values);
    std::string number(float value);
    /// A node; returns the name of its first output.
    std::string node(const std::string& op, const std::vector<std::string>& inputs,
                     std::size_t outputs = 1, const std::string& domain = "");
    /// Attributes of the latest node.
    OnnxModel& set(const std::string& name, std::int64_t value);
    OnnxModel& set(const std::string& name, const std::vector<std::int64_t>& values);
    OnnxModel& set(const std::string& name, float value);
    OnnxModel& set(const std::string& name, const std::string& value);
    [[nodiscard]] std::string output(std::size_t index) const;  ///< of the latest node

    std::string conv(const std::string& in, std::int64_t ic, std::int64_t oc, std::int64_t kernel,
                     std::int64_t stride, std::int64_t padding, bool bias, std::int64_t groups = 1);
    std::string batch_normalization(const std::string& in, std::int64_t channels);
    std::string pool(const std::string& op, const std::string& in, std::int64_t kernel,
                     std::int64_t stride, std::int64_t padding, bool ceil = false);
    std::string gemm(const std::string& in, std::int64_t ic, std::int64_t oc);
    /// x W + b as exporters write a linear layer of a sequence.
    std::string linear(const std::string& in, std::int64_t ic, std::int64_t oc);
    std::string loss(const std::string& in);

    [[nodiscard]] std::string bytes() const;
    onnx::ModelProto model;

private:
    onnx::AttributeProto& attribute(const std::string& name);
    int next_ = 0;
};

[[nodiscard]] OnnxModel alexnet_model(std::int64_t opset);
[[nodiscard]] OnnxModel vgg16_model(std::int64_t opset);
[[nodiscard]] OnnxModel resnet50_model(std::int64_t opset);
[[nodiscard]] OnnxModel mobilenet_model(std::int64_t opset);

}  // namespace ridge::test
