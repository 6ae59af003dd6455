// The tensors of a step: planned while primitives are created, mapped together, filled once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectors/onednn/version.hpp"
#include "collectors/step/arena.hpp"
#include "collectors/step/values.hpp"
#include "ridge/kernel.hpp"

namespace ridge::onednn {

/// A tensor of the step; several may look at the same memory through different descriptors.
using TensorId = int;
inline constexpr TensorId no_tensor = -1;

class Memory : public StepMemory {
public:
    explicit Memory(std::uint64_t seed);

    // Planning.
    TensorId add(const Md& md);
    /// Another descriptor on the memory of `of`.
    TensorId view(TensorId of, const Md& md);
    /// The tensor starts with these values; others start with zeros.
    void fill(TensorId tensor, step::Fill fill);
    /// A seed of its own for each caller. They are counted in the order of the network's layers, so
    /// that values do not depend on the formats that the library chose.
    [[nodiscard]] std::uint32_t next_seed();
    /// One s32 label per image in [0, classes).
    TensorId add_labels(std::int64_t images, std::int64_t classes);
    /// The scratchpad all primitives share holds at least `bytes`.
    void need_scratchpad(std::size_t bytes);
    /// What read() and write() call this tensor; a later name replaces an earlier one.
    void name(const std::string& layer, const std::string& role, TensorId tensor);

    [[nodiscard]] const Md& md(TensorId tensor) const { return at(tensor).md; }
    [[nodiscard]] int slot(TensorId tensor) const { return at(tensor).slot; }
    [[nodiscard]] Bytes planned() const { return arena_.planned(); }
    [[nodiscard]] Bytes scratchpad() const { return Bytes(static_cast<double>(scratchpad_)); }
    /// Memory beside the arena while values are filled in: the largest plain copy.
    [[nodiscard]] Bytes staging() const;

    /// Maps and fills.
    void allocate(int threads);

    // After allocate().
    [[nodiscard]] const dnnl::memory& memory(TensorId tensor) const { return *at(tensor).memory; }
    [[nodiscard]] dnnl::memory scratchpad_memory(const Md& md) const;
    [[nodiscard]] void* data(TensorId tensor) const { return arena_.address(at(tensor).slot); }
    [[nodiscard]] void* scratchpad_data() const { return arena_.address(scratchpad_slot_); }
    /// Elements of the tensor's memory, padding included.
    [[nodiscard]] std::size_t padded_elements(TensorId tensor) const;
    /// How often kernels that do not work in place have written this memory.
    [[nodiscard]] std::uint64_t& writes(TensorId tensor) {
        return writes_[static_cast<std::size_t>(at(tensor).slot)];
    }

    [[nodiscard]] const dnnl::engine& engine() const { return engine_; }
    [[nodiscard]] const dnnl::stream& stream() const { return stream_; }

    [[nodiscard]] std::vector<std::string> tensors(std::string_view layer) const override;
    [[nodiscard]] std::vector<float> read(std::string_view layer,
                                          std::string_view tensor) const override;
    void write(std::string_view layer, std::string_view tensor,
               const std::vector<float>& values) override;

private:
    struct Tensor {
        Md md;
        int slot = -1;
        std::optional<step::Fill> fill;
        std::uint32_t seed = 0;          ///< of fill and labels
        std::int64_t label_classes = 0;  ///< labels when positive
        std::optional<dnnl::memory> memory;
    };
    Tensor& at(TensorId tensor) { return tensors_[static_cast<std::size_t>(tensor)]; }
    const Tensor& at(TensorId tensor) const { return tensors_[static_cast<std::size_t>(tensor)]; }
    [[nodiscard]] TensorId find(std::string_view layer, std::string_view tensor) const;
    void fill_in(TensorId tensor);
    void copy_in(TensorId tensor, std::vector<float>& values) const;

    dnnl::engine engine_;
    dnnl::stream stream_;
    step::Arena arena_;
    std::uint64_t seed_;
    std::uint32_t seeds_given_ = 0;
    std::vector<Tensor> tensors_;
    std::vector<std::uint64_t> writes_;
    std::map<std::pair<std::string, std::string>, TensorId, std::less<>> names_;
    std::size_t scratchpad_ = 0;
    int scratchpad_slot_ = -1;
};

}  // namespace ridge::onednn
