// A whole ONEDNN_VERBOSE log: what it holds, summed up by problem, in memory that does not grow
// with the log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectors/import/byte_stream.hpp"
#include "collectors/import/verbose_line.hpp"

namespace ridge::import {

/// What the fields of a record say; see docs/formats.md, "ONEDNN_VERBOSE".
struct VerboseRecord {
    std::string engine, kind, implementation, propagation, tensors, attributes, auxiliary, problem;
};

/// All executions and creations that say the same but for their times.
struct VerboseGroup {
    VerboseRecord record;
    std::int64_t executions = 0, untimed = 0;
    double sum_ms = 0, least_ms = 0;  ///< of the timed ones
    double create_ms = 0;             ///< creations, nested ones not: they are within others
    double longest_create_ms = 0;     ///< that without the cache, where both occur
    std::int64_t creations = 0;
    double flops = 0;  ///< useful FLOPs of one execution of a product; 0 for all else
    bool reference = false;
};

/// One execution, in the order of the log.
struct VerboseEvent {
    std::uint32_t group = 0;
    float time_ms = -1;  ///< below 0: the line has no time
};

struct VerboseLog {
    // Every line is one of these.
    std::int64_t lines = 0, timed = 0, untimed = 0, creations = 0, info = 0, graph = 0, other = 0,
                 noise = 0, damaged = 0;
    std::int64_t lost = 0;  ///< records that another one interrupted within the line
    std::uint64_t bytes = 0;
    bool decimal_comma = false;
    bool last_time_cut = false;  ///< the text ends within a number, which is not used
    bool harness = false;        ///< benchdnn ran the primitives: most reorders are its own

    // Times, each kind apart.
    double exec_ms = 0;       ///< all executions of primitives, the two below among them
    double reorder_ms = 0;    ///< reorders
    double reference_ms = 0;  ///< reference kernels, reorders not
    double create_ms = 0;
    double graph_ms = 0;  ///< partitions of oneDNN Graph; their primitives may be listed as well
    double flops = 0;     ///< useful FLOPs of the products (convolution, inner product, matmul)
    std::int64_t cache_hits = 0, cache_misses = 0;

    // What the library says of itself; empty or 0 where it does not.
    std::vector<std::string> versions;  ///< "2.6.0"; several logs may be joined
    std::string isa, runtime;
    int threads = 0;

    std::vector<VerboseGroup> groups;
    std::vector<VerboseEvent> events;  ///< the first `most_events`
    bool events_cut = false;           ///< there were more
    std::int64_t ungrouped = 0;        ///< executions beyond `most_groups` problems
    double ungrouped_ms = 0;           ///< within exec_ms
    std::map<std::string, std::int64_t> unknown_kinds;  ///< kinds that Ridgepoint has no model of
};

inline constexpr std::size_t most_events = std::size_t{1} << 20;
inline constexpr std::size_t most_groups = 20'000;

/// Reads to the end. Damage costs the line it is in and is counted. Throws Error bad_input when the
/// stream cannot be read.
[[nodiscard]] VerboseLog read_verbose_log(ByteStream& bytes);

/// Throws Error bad_input with a hint when there is nothing in the log to work with.
void require_executions(const VerboseLog& log, const std::string& name);

}  // namespace ridge::import
