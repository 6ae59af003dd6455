// Ceilings of a machine for one thread count and data type, where each row of a run lies under
// them, and the verdict: what bounds it, by which numbers, and what would be gained at the roof.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridge/machine.hpp"
#include "ridge/measurement.hpp"
#include "ridge/units.hpp"

namespace ridge {

struct ComputeRoof {
    std::string name;  ///< "AVX-512 FMA"
    FlopsPerSecond rate;
};
struct BandwidthRoof {
    std::string level;  ///< "L2"
    BytesPerSecond rate;
    Bytes capacity;      ///< usable by this run's threads; infinity-free: DRAM has its size or 0
    FlopsPerByte ridge;  ///< where it meets the highest compute roof
};
/// Roofs are sorted: compute from the highest, bandwidth from the nearest level.
struct Roofline {
    int threads = 1;
    DataType dtype = DataType::f32;
    std::vector<ComputeRoof> compute;
    std::vector<BandwidthRoof> bandwidth;
    Seconds call_overhead;  ///< parallel region + empty primitive
};
[[nodiscard]] Roofline make_roofline(const Machine& machine, DataType dtype, int threads);

enum class Bound { compute, memory, overhead, balanced, undetermined };
[[nodiscard]] std::string_view to_string(Bound bound);

/// One resource's least time for a row.
struct Term {
    std::string resource;  ///< "compute", "L1", "L2", "L3", "DRAM", "overhead"
    Seconds time;          ///< least time that this resource needs
    double share = 0;      ///< time / measured time: 1 means at the roof
};

/// A row with everything a view needs; text, JSON, figures and the report print this and nothing
/// else.
struct RowAnalysis {
    Measurement row;
    Flops useful_flops;  ///< 0 for kinds without arithmetic
    Bytes bytes;         ///< minimum traffic, or simulated when known
    Source bytes_source = Source::algorithmic;
    Bytes footprint;
    std::string level;                      ///< memory level the footprint fits in
    std::optional<FlopsPerByte> intensity;  ///< nothing when bytes or FLOPs are 0
    std::optional<FlopsPerSecond> rate;     ///< attained, nothing for zero-FLOP rows
    BytesPerSecond traffic_rate;            ///< bytes / time
    std::optional<FlopsPerSecond> roof;     ///< min(peak, intensity x bandwidth of `level`)
    double attained = 0;                    ///< least time by the binding roof / measured time
    std::vector<Term> terms;                ///< sorted, longest first
    Bound bound = Bound::undetermined;
    std::string bound_level;         ///< level for memory (and both sides for balanced)
    std::string runner_up;           ///< resource of the second longest term
    Seconds saved_at_roof;           ///< measured time - least time, >= 0
    double share_of_step = 0;        ///< of the summed row times
    std::string verdict;             ///< one sentence with the numbers that prove it
    std::vector<std::string> flags;  ///< "above roof: ...", "upper bound", "reference kernel"...
};

struct RunAnalysis {
    RunInfo info;
    Roofline roofline;
    std::vector<RowAnalysis> rows;
    Seconds sum;  ///< of row times
    std::optional<StepTime> step;
    std::optional<double> sum_over_step;
    double convolution_share = 0;  ///< of the summed row times, reorders of convolutions included
};
[[nodiscard]] RunAnalysis analyse(const Run& run, const Machine& machine);

}  // namespace ridge
