// Counters that other programs wrote for a region of code or a GPU kernel: PAPI-HL, LIKWID, perf
// stat, Nsight Compute.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridge/reading.hpp"

namespace ridge::import {

struct CounterRegion {
    std::string name;   ///< region, or kernel
    std::string where;  ///< "thread 0", "device 0 stream 7", "cpu 3"; empty: all together
    std::int64_t calls = 1;
    std::optional<double> time_s;
    bool profiled_time = false;  ///< taken while counters were on: no efficiency may rest on it
    std::map<std::string, Reading>
        counters;                            ///< by the writer's names, in base units (B, s, count)
    std::map<std::string, Reading> derived;  ///< "flops", "tensor_flops", "dram_bytes"...
};

struct CounterFile {
    std::string format;  ///< "perf stat", "LIKWID CSV"...
    std::vector<CounterRegion> regions;
    std::int64_t damaged = 0;        ///< lines or values that cannot be read
    std::vector<std::string> notes;  ///< one line each
};

/// `--locale` of a file whose numbers do not tell: "1,234" is 1234 or 1.234.
enum class NumberLocale { automatic, point, comma };

// Each takes the whole text and throws Error bad_input naming `file` when nothing can be read.
[[nodiscard]] CounterFile read_perf_stat(const std::string& text, const std::string& file);
[[nodiscard]] CounterFile read_papi_hl(const std::string& text, const std::string& file);
[[nodiscard]] CounterFile read_likwid(const std::string& text, const std::string& file);
[[nodiscard]] CounterFile read_nsight_compute(const std::string& text, const std::string& file,
                                              NumberLocale locale = NumberLocale::automatic);

/// Sets `derived` from what a region counted: FLOPs by the weights of lanes and multiply-adds,
/// bytes of DRAM by 64-byte transfers, instructions per cycle. A total is refused where its parts
/// are missing. Sums that are impossible (more than 8 instructions per cycle) are unavailable.
void derive(CounterRegion& region);

/// Fields of one line of CSV, RFC 4180; the separator may be another.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line, char separator = ',');
/// Lines without their ends; a quoted field may contain some.
[[nodiscard]] std::vector<std::string_view> text_lines(std::string_view text);

}  // namespace ridge::import
