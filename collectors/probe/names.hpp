// What figures are called: in progress, in findings, when two probes are compared.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ridge/machine.hpp"

namespace ridge::probe {

/// "1 thread", "2 threads".
[[nodiscard]] inline std::string count_threads(int threads) {
    return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

/// "avx512 FMA f32, 2 threads".
[[nodiscard]] inline std::string name_of(const ComputeCeiling& ceiling) {
    const bool has_both_forms = ceiling.isa <= Isa::avx512;
    return fmt::format("{}{} {}, {}", to_string(ceiling.isa),
                       !has_both_forms ? ""
                       : ceiling.fma   ? " FMA"
                                       : " mul+add",
                       to_string(ceiling.dtype), count_threads(ceiling.threads));
}

/// "L3 copy (non-temporal), 2 threads".
[[nodiscard]] inline std::string name_of(std::string_view level, const Bandwidth& bandwidth) {
    return fmt::format("{} {}{}, {}", level, to_string(bandwidth.kind),
                       bandwidth.non_temporal ? " (non-temporal)" : "",
                       count_threads(bandwidth.threads));
}

/// "DRAM latency".
[[nodiscard]] inline std::string name_of_latency(std::string_view level) {
    return fmt::format("{} latency", level);
}

/// "parallel region, 2 threads".
[[nodiscard]] inline std::string name_of_region(int threads) {
    return "parallel region, " + count_threads(threads);
}

}  // namespace ridge::probe
