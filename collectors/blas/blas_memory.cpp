#include "collectors/blas/blas_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ridge/error.hpp"

namespace ridge::blas {

void BlasMemory::add(const std::string& layer, const std::string& role, std::size_t elements,
                     step::Fill fill, std::uint32_t seed) {
    tensors_[{layer, role}] = {arena_.reserve(elements * sizeof(float)), elements, fill, seed};
}

void BlasMemory::need_columns(std::size_t elements) {
    columns_ = std::max(columns_, elements);
}

Bytes BlasMemory::columns_size() const {
    return Bytes(static_cast<double>(columns_ * sizeof(float)));
}

void BlasMemory::allocate(int threads) {
    columns_slot_ = arena_.reserve(columns_ * sizeof(float));
    arena_.allocate(threads);
    for (const auto& [key, tensor] : tensors_) {
        const auto values = step::make_values(tensor.elements, tensor.fill, tensor.seed);
        std::copy(values.begin(), values.end(), at(tensor.slot));
    }
}

float* BlasMemory::data(const std::string& layer, const std::string& role) const {
    const auto found = tensors_.find({layer, role});
    return found == tensors_.end() ? nullptr : at(found->second.slot);
}

float* BlasMemory::columns() const {
    return at(columns_slot_);
}

const BlasMemory::Tensor& BlasMemory::find(std::string_view layer, std::string_view tensor) const {
    const auto found = tensors_.find({std::string(layer), std::string(tensor)});
    if (found != tensors_.end()) return found->second;
    throw job_failed("reading a tensor of the step",
                     fmt::format("layer '{}' has no tensor '{}'; it has {}", layer, tensor,
                                 fmt::join(tensors(layer), ", ")));
}

std::vector<std::string> BlasMemory::tensors(std::string_view layer) const {
    std::vector<std::string> roles;
    for (const auto& [key, tensor] : tensors_)
        if (key.first == layer) roles.push_back(key.second);
    return roles;
}

std::vector<float> BlasMemory::read(std::string_view layer, std::string_view tensor) const {
    const Tensor& found = find(layer, tensor);
    return {at(found.slot), at(found.slot) + found.elements};
}

void BlasMemory::write(std::string_view layer, std::string_view tensor,
                       const std::vector<float>& values) {
    const Tensor& found = find(layer, tensor);
    if (values.size() != found.elements)
        throw job_failed("writing a tensor of the step",
                         fmt::format("'{}' of layer '{}' has {} elements, {} were given", tensor,
                                     layer, found.elements, values.size()));
    std::copy(values.begin(), values.end(), at(found.slot));
}

}  // namespace ridge::blas
