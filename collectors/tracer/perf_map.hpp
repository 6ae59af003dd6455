// The list of generated functions that a just-in-time compiler writes for `perf`:
// /tmp/perf-PID.map, lines "ADDRESS SIZE NAME", both numbers in hexadecimal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::tracer {

struct PerfMapEntry {
    std::uint64_t address = 0, bytes = 0;
    std::string name;
    bool operator==(const PerfMapEntry&) const = default;
};

/// One line; false for a line that is no entry.
[[nodiscard]] bool parse_perf_map_line(const std::string& line, PerfMapEntry& entry);

/// All entries of this process, in the order in which they were written; none without a file.
[[nodiscard]] std::vector<PerfMapEntry> read_perf_map();

}  // namespace ridge::tracer
