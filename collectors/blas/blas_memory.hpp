// Tensors of the layers that BLAS runs: single precision, plain order.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collectors/step/arena.hpp"
#include "collectors/step/values.hpp"
#include "ridge/kernel.hpp"

namespace ridge::blas {

class BlasMemory : public StepMemory {
public:
    /// Plans a tensor that starts with `fill`. Precondition: not allocated yet.
    void add(const std::string& layer, const std::string& role, std::size_t elements,
             step::Fill fill, std::uint32_t seed);
    void need_columns(std::size_t elements);

    [[nodiscard]] Bytes planned() const { return arena_.planned(); }
    [[nodiscard]] Bytes columns_size() const;
    /// Maps and fills.
    void allocate(int threads);

    /// Null for a tensor that was not planned.
    [[nodiscard]] float* data(const std::string& layer, const std::string& role) const;
    [[nodiscard]] float* columns() const;

    [[nodiscard]] std::vector<std::string> tensors(std::string_view layer) const override;
    [[nodiscard]] std::vector<float> read(std::string_view layer,
                                          std::string_view tensor) const override;
    void write(std::string_view layer, std::string_view tensor,
               const std::vector<float>& values) override;

private:
    struct Tensor {
        int slot = -1;
        std::size_t elements = 0;
        step::Fill fill;
        std::uint32_t seed = 0;
    };
    [[nodiscard]] const Tensor& find(std::string_view layer, std::string_view tensor) const;
    [[nodiscard]] float* at(int slot) const {
        return reinterpret_cast<float*>(arena_.address(slot));
    }

    step::Arena arena_;
    std::map<std::pair<std::string, std::string>, Tensor> tensors_;
    std::size_t columns_ = 0;
    int columns_slot_ = -1;
};

}  // namespace ridge::blas
