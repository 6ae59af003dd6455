// The memory of a step: first every tensor is planned, then all of it is mapped at once, so that a
// step that does not fit is refused before anything is allocated, and every run of a program gets
// the same cache sets.
//
// Placing rule: the arena starts on a 2 MiB boundary in transparent huge pages, at the same address
// in each run where the kernel grants it. Tensor i starts 27 i mod 64 cache lines after a 4 KiB
// boundary: tensors that a kernel reads together begin in different L1 sets, and a load does not
// look like the store before it (the core compares the low 12 address bits first). Slots keep
// 64-byte alignment.
#pragma once

#include <cstddef>
#include <vector>

#include "ridge/units.hpp"

namespace ridge::step {

class Arena {
public:
    /// Plans `bytes` and returns the slot. Precondition: not allocated yet.
    int reserve(std::size_t bytes);
    /// Bytes of the mapping that allocate() will make.
    [[nodiscard]] Bytes planned() const;
    /// Maps the memory and touches it first in parallel: thread t of T writes zeros to the t-th
    /// of T parts of every slot, as kernels divide their work. Throws Error job_failed.
    void allocate(int threads);

    [[nodiscard]] std::byte* address(int slot) const { return base_ + slots_[index(slot)].offset; }
    [[nodiscard]] std::size_t size(int slot) const { return slots_[index(slot)].size; }
    /// Share of the mapping in huge pages; 0 when the kernel does not say.
    [[nodiscard]] double huge_page_share() const;

    Arena() = default;
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

private:
    struct Slot {
        std::size_t offset = 0, size = 0;
    };
    static std::size_t index(int slot) { return static_cast<std::size_t>(slot); }

    std::vector<Slot> slots_;
    std::size_t end_ = 0;
    std::byte* base_ = nullptr;
    void* mapping_ = nullptr;
    std::size_t mapping_size_ = 0;
};

}  // namespace ridge::step
