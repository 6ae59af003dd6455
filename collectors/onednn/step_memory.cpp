#include "collectors/onednn/step_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectors/onednn/formats.hpp"
#include "ridge/error.hpp"

namespace ridge::onednn {

Memory::Memory(std::uint64_t seed)
    : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_), seed_(seed) {}

TensorId Memory::add(const Md& md) {
    Tensor tensor;
    tensor.md = md;
    tensor.slot = arena_.reserve(md.get_size());
    tensors_.push_back(std::move(tensor));
    return static_cast<TensorId>(tensors_.size()) - 1;
}

TensorId Memory::view(TensorId of, const Md& md) {
    Tensor tensor;
    tensor.md = md;
    tensor.slot = slot(of);
    tensors_.push_back(std::move(tensor));
    return static_cast<TensorId>(tensors_.size()) - 1;
}

void Memory::fill(TensorId tensor, step::Fill fill) {
    at(tensor).fill = fill;
    at(tensor).seed = next_seed();
}

std::uint32_t Memory::next_seed() {
    return static_cast<std::uint32_t>(seed_ * 1000003U) + seeds_given_++;
}

TensorId Memory::add_labels(std::int64_t images, std::int64_t classes) {
    const TensorId labels = add(plain_md({images}, dnnl::memory::data_type::s32));
    at(labels).label_classes = classes;
    at(labels).seed = next_seed();
    return labels;
}

void Memory::need_scratchpad(std::size_t bytes) {
    scratchpad_ = std::max(scratchpad_, bytes);
}

void Memory::name(const std::string& layer, const std::string& role, TensorId tensor) {
    names_[{layer, role}] = tensor;
}

Bytes Memory::staging() const {
    std::size_t largest = 0;
    for (const Tensor& tensor : tensors_)
        if (tensor.fill) largest = std::max(largest, elements_of(tensor.md) * sizeof(float));
    return Bytes(static_cast<double>(largest));
}

void Memory::allocate(int threads) {
    scratchpad_slot_ = arena_.reserve(scratchpad_);
    arena_.allocate(threads);
    int slots = 0;
    for (TensorId i = 0; i < static_cast<TensorId>(tensors_.size()); ++i) {
        Tensor& tensor = at(i);
        tensor.memory.emplace(tensor.md, engine_, arena_.address(tensor.slot));
        slots = std::max(slots, tensor.slot + 1);
    }
    writes_.assign(static_cast<std::size_t>(slots), 1);
    for (TensorId i = 0; i < static_cast<TensorId>(tensors_.size()); ++i) fill_in(i);
}

void Memory::fill_in(TensorId id) {
    Tensor& tensor = at(id);
    if (tensor.label_classes > 0) {
        const auto labels =
            step::make_labels(elements_of(tensor.md), tensor.label_classes, tensor.seed);
        std::memcpy(arena_.address(tensor.slot), labels.data(),
                    labels.size() * sizeof(labels.front()));
    } else if (tensor.fill) {
        auto values = step::make_values(elements_of(tensor.md), *tensor.fill, tensor.seed);
        copy_in(id, values);
    }
}

void Memory::copy_in(TensorId tensor, std::vector<float>& values) const {
    const Md plain = plain_md(dims_of(md(tensor)), dnnl::memory::data_type::f32);
    dnnl::memory from(plain, engine_, values.data());
    dnnl::memory to = memory(tensor);
    dnnl::stream stream = stream_;
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
}

dnnl::memory Memory::scratchpad_memory(const Md& md) const {
    return {md, engine_, arena_.address(scratchpad_slot_)};
}

std::size_t Memory::padded_elements(TensorId tensor) const {
    return md(tensor).get_size() / dnnl::memory::data_type_size(type_of(md(tensor)));
}

TensorId Memory::find(std::string_view layer, std::string_view tensor) const {
    const auto found = names_.find(std::pair(std::string(layer), std::string(tensor)));
    if (found != names_.end()) return found->second;
    throw job_failed("reading a tensor of the step",
                     fmt::format("layer '{}' has no tensor '{}'; it has {}", layer, tensor,
                                 fmt::join(tensors(layer), ", ")));
}

std::vector<std::string> Memory::tensors(std::string_view layer) const {
    std::vector<std::string> roles;
    for (const auto& [key, tensor] : names_)
        if (key.first == layer) roles.push_back(key.second);
    return roles;
}

std::vector<float> Memory::read(std::string_view layer, std::string_view tensor) const {
    const TensorId id = find(layer, tensor);
    std::vector<float> values(elements_of(md(id)));
    const Md plain = plain_md(dims_of(md(id)), dnnl::memory::data_type::f32);
    dnnl::memory from = memory(id);
    dnnl::memory to(plain, engine_, values.data());
    dnnl::stream stream = stream_;
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return values;
}

void Memory::write(std::string_view layer, std::string_view tensor,
                   const std::vector<float>& values) {
    const TensorId id = find(layer, tensor);
    if (values.size() != elements_of(md(id)))
        throw job_failed("writing a tensor of the step",
                         fmt::format("'{}' of layer '{}' has {} elements, {} were given", tensor,
                                     layer, elements_of(md(id)), values.size()));
    std::vector<float> copy = values;
    copy_in(id, copy);
    ++writes(id);
}

}  // namespace ridge::onednn
