// Loops that read, write, copy or combine arrays as fast as one instruction set allows. Bytes are
// counted as STREAM does: what the program loads and stores, not the read that a normal store
// causes before its line can be written. Real traffic beyond the cache is therefore between 1 and
// 2 times the counted bytes of a write, 1 and 3/2 of a copy, 1 and 4/3 of a triad (some processors
// avoid the read under load).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectors/probe/cpu_features.hpp"
#include "ridge/machine.hpp"

namespace ridge::probe {

/// Arrays of `bytes` each: a is written, b and c are read. Aligned to 64 bytes, `bytes` a positive
/// multiple of memory_block, no overlap.
struct MemoryArrays {
    std::byte* a = nullptr;
    const std::byte* b = nullptr;
    const std::byte* c = nullptr;
    std::int64_t bytes = 0;
};

inline constexpr std::int64_t memory_block = 512;
/// The value stored by the write kernel, and the factor of the triad a = b + factor * c (f32).
inline constexpr float write_value = 1.5f;
inline constexpr float triad_factor = 0.25f;

/// Goes over the arrays `passes` (> 0) times. The read kernels leave the exclusive or of all
/// vectors that each of their eight registers loaded in `sums`, one register after the other.
struct alignas(64) ReadSums {
    std::byte bytes[memory_block] = {};
};
using MemoryLoop = void (*)(MemoryArrays arrays, std::int64_t passes, ReadSums& sums);

struct MemoryKernel {
    Isa isa;  ///< sse, avx2 or avx512: width of the loads and stores
    AccessKind kind;
    bool non_temporal;
    MemoryLoop loop;
};

[[nodiscard]] std::span<const MemoryKernel> memory_kernels();

/// Widths that the processor has and that are worth trying, widest first: 512 bits are not always
/// the fastest (Zen 4 reads its L1 five percent faster in halves), 128 only where there is no
/// other.
[[nodiscard]] std::vector<Isa> memory_widths(const CpuFeatures& cpu);
/// 128, 256 or 512.
[[nodiscard]] int bits_of(Isa isa);

/// Arrays that a kind of access goes over: read and write 1, copy 2, triad 3.
[[nodiscard]] int arrays_of(AccessKind kind);

/// Lays the arrays of a kind into `total` bytes at `memory`, each as large as possible.
/// Precondition: total >= 3 * memory_block.
[[nodiscard]] MemoryArrays lay_out(AccessKind kind, std::byte* memory, std::int64_t total);

}  // namespace ridge::probe
