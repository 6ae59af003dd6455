#include "collectors/papi/known_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "collectors/probe/arena.hpp"
#include "collectors/probe/compute_kernels.hpp"
#include "collectors/probe/memory_kernels.hpp"

namespace ridge::papi {
namespace {

constexpr double instructions_wanted = 1e6;

KnownWork work_of(const probe::ComputeKernel& kernel) {
    const auto turns = static_cast<std::int64_t>(instructions_wanted / kernel.instructions);
    auto state = std::make_shared<probe::KernelState>();
    // Values that neither grow beyond the format nor become denormal: 1 x 0 + what was there.
    probe::fill(*state, kernel, 1, 0, 1);
    KnownWork work;
    work.name = fmt::format("{} {} {}", to_string(kernel.isa), to_string(kernel.dtype),
                            kernel.fma ? "multiply-adds" : "additions and multiplications");
    work.precision = to_string(kernel.dtype);
    work.expected = static_cast<double>(turns) * kernel.flops_per_turn();
    work.lanes = kernel.lanes;
    work.fma = kernel.fma;
    work.run = [state, turns, loop = kernel.throughput] {
        loop(turns, state->x, state->y, state->accumulators);
    };
    return work;
}

}  // namespace

std::vector<KnownWork> known_flops(const probe::CpuFeatures& cpu) {
    std::vector<KnownWork> work;
    for (const probe::ComputeKernel& kernel : probe::compute_kernels()) {
        if (kernel.dtype != DataType::f32 && kernel.dtype != DataType::f64) continue;
        if (cpu.supports(kernel.isa, kernel.fma, kernel.dtype)) work.push_back(work_of(kernel));
    }
    return work;
}

std::vector<KnownWork> known_streams(const probe::CpuFeatures& cpu, double bytes) {
    std::vector<KnownWork> work;
    if (bytes > probe::available_memory().value() / 2) return work;
    const auto arena = std::make_shared<probe::Arena>(Bytes(bytes));
    std::fill_n(arena->data(), arena->size(), std::byte{0});
    const Isa isa = probe::memory_widths(cpu).front();
    for (const probe::MemoryKernel& kernel : probe::memory_kernels()) {
        const bool read = kernel.kind == AccessKind::read;
        const bool write = kernel.kind == AccessKind::write && kernel.non_temporal;
        if (kernel.isa != isa || !(read || write)) continue;
        const auto arrays =
            probe::lay_out(kernel.kind, arena->data(), static_cast<std::int64_t>(arena->size()));
        KnownWork one;
        one.name = fmt::format("a stream of {} over {:.0f} MB", read ? "reads" : "writes",
                               static_cast<double>(arrays.bytes) / 1e6);
        one.precision = read ? "dram_read_bytes" : "dram_written_bytes";
        one.expected = static_cast<double>(arrays.bytes);
        one.run = [arena, arrays, loop = kernel.loop] {
            probe::ReadSums sums;
            loop(arrays, 1, sums);
        };
        work.push_back(std::move(one));
    }
    return work;
}

}  // namespace ridge::papi
