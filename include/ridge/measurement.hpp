// What a collector found out about one row (a pass of a layer, or a reorder around it) and about
// the run it belongs to. These structs are what the run store keeps and what everything behind
// the collectors reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/reading.hpp"
#include "ridge/units.hpp"

namespace ridge {

/// State of the caches when a sample starts. in_step: the layers of the step run in order, each
/// finds what the ones before it left.
enum class CacheState { cold, warm, in_step };
[[nodiscard]] std::string_view to_string(CacheState state);
[[nodiscard]] std::optional<CacheState> cache_state_from_string(std::string_view word);

/// One execution (or a batch of equal ones, divided) with the probes around it.
struct Sample {
    int visit = 0;           ///< round in which it was taken
    Seconds time;            ///< of one execution at the quiet clock: raw_time x (core clock of
                             ///< the sample, slowest core / RunInfo::quiet_clock)
    Seconds raw_time;        ///< as the clock read
    int executions = 1;      ///< executions that raw_time averages
    double fma_level = 0;    ///< FMAs per cycle relative to the quiet level: worse of the probes
                             ///< before and after, slowest core
    double issue_level = 0;  ///< instructions per cycle, likewise
    bool quiet = false;      ///< both probes, before and after, on all cores used
};

/// Robust summary of the samples of one row.
struct TimeSummary {
    Seconds time;     ///< low quantile of quiet samples, or the least of all when there are too few
    Seconds spread;   ///< from the smallest of the samples used for `time` to `time` itself
    Seconds raw_min;  ///< smallest raw sample
    Seconds median;   ///< of all samples, raw: what an ordinary timer would report
    int samples = 0;
    int quiet_samples = 0;
    bool settled = false;      ///< enough quiet samples of several visits agree at the minimum
    bool upper_bound = false;  ///< fewer than 4 quiet samples: `time` includes disturbance
};

/// Identity of a row within a run.
struct RowKey {
    std::string layer;  ///< name in the network
    Pass pass = Pass::forward;
    std::string part;  ///< "" for the layer's own work, else e.g. "reorder src"
    auto operator<=>(const RowKey&) const = default;
};

struct Measurement {
    RowKey key;
    int ordinal = 0;  ///< position in the step
    LayerKind kind = LayerKind::convolution;
    std::string problem;  ///< to_line() of the layer
    DataType dtype = DataType::f32;
    std::string implementation;  ///< library's name of the kernel, or "ridge:..." for ours
    std::string formats;         ///< "src:aBcd16b wei:... dst:..."
    TimeSummary time;
    std::optional<Seconds> creation;    ///< primitive creation, JIT included
    std::optional<Seconds> first_call;  ///< first execution
    std::optional<Bytes> scratchpad;
    std::map<std::string, Reading> counters;  ///< PAPI's names where PAPI has one
};

/// Time of the whole step: two clock reads around it, nothing inside.
struct StepTime {
    TimeSummary time;
    Seconds interval_low, interval_high;  ///< of the estimate, 90 %
    std::string method;  ///< how `time.time` follows from the repetitions, in words
};

/// Where and how a run was made.
struct Environment {
    std::string cpu_model, kernel, hostname_hash, governor, virtualisation;
    std::vector<std::string> cpu_flags;
    std::string library, library_version, library_isa;
    int threads = 1;
    std::vector<int> cpus;  ///< binding: thread i runs on cpus[i]
    std::string ridge_version, compiler;
};

struct RunInfo {
    std::int64_t id = 0;  ///< given by the store
    std::string network;
    std::int64_t batch = 1;
    int threads = 1;
    DataType dtype = DataType::f32;
    CacheState state = CacheState::warm;
    std::string library = "onednn";  ///< onednn or openblas
    std::string machine;             ///< name of the machine file whose quiet levels were used
    FlopsPerSecond quiet_fma;        ///< levels that judged the samples (see QuietLevels)
    InstructionsPerSecond quiet_issue;
    Hertz quiet_clock;       ///< core clock to which times are normalised, at this thread count
    std::string started_at;  ///< ISO 8601, UTC
    bool complete = false;
    Environment environment;
    std::string protocol;           ///< one line: rounds, thresholds, stop rule
    std::string counters = "none";  ///< where Measurement::counters come from: none, traced or
                                    ///< hardware
    std::string simulated_caches;   ///< describe_caches() of the caches that bytes were simulated
                                    ///< with; empty: none were
    std::string command;            ///< reproduction line
};

struct Run {
    RunInfo info;
    std::vector<Measurement> rows;  ///< in step order
    std::optional<StepTime> step;
};

}  // namespace ridge
