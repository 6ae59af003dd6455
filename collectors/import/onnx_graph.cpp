#include "collectors/import/onnx_graph.hpp"

namespace ridge::import {

double OnnxTensor::elements() const {
    double product = 1;
    for (const std::int64_t size : shape) product *= static_cast<double>(size);
    return product;
}

std::int64_t OnnxNode::integer(const std::string& attribute, std::int64_t fallback) const {
    const auto found = integers.find(attribute);
    return found == integers.end() || found->second.empty() ? fallback : found->second.front();
}

std::optional<std::vector<std::int64_t>> OnnxNode::list(const std::string& attribute) const {
    const auto found = integers.find(attribute);
    if (found == integers.end()) return std::nullopt;
    return found->second;
}

std::string OnnxNode::word(const std::string& attribute, const std::string& fallback) const {
    const auto found = words.find(attribute);
    return found == words.end() ? fallback : found->second;
}

double OnnxNode::number(const std::string& attribute, double fallback) const {
    const auto found = numbers.find(attribute);
    return found == numbers.end() ? fallback : found->second;
}

std::string OnnxNode::input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : std::string();
}

std::string OnnxNode::title() const {
    const std::string& shown = !name.empty() ? name : outputs.empty() ? op : outputs.front();
    return "node '" + shown + "' (" + op + ")";
}

}  // namespace ridge::import
