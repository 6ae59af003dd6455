// Ceilings of a machine for one thread count and data type, where each row of a run lies under
// them, and the verdict: what bounds it, by which numbers, and what would be gained at the roof.
// The equations are in docs/model.md, "Roofline" and "Verdicts".
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
    Isa isa = Isa::scalar;
    bool fma = false;
    FlopsPerSecond rate;
    Source source = Source::given;
};

/// Bandwidth of one kind of access at the run's thread count.
struct KindRate {
    AccessKind kind = AccessKind::read;
    bool non_temporal = false;
    BytesPerSecond rate;
};

struct BandwidthRoof {
    std::string level;    ///< "L2"
    BytesPerSecond rate;  ///< highest of `kinds`: the line that is drawn
    Source source = Source::given;
    std::vector<KindRate> kinds;    ///< all that the machine file has; a row is held against the
                                    ///< one of its own mix of reads and writes
    std::optional<Bytes> capacity;  ///< usable by this run's threads; nothing when unknown
    std::optional<FlopsPerByte> ridge;  ///< where `rate` meets the highest compute roof; nothing
                                        ///< when the data type has no compute roof
};

/// Roofs are sorted: compute from the highest, bandwidth from the nearest level. Levels without
/// any bandwidth in the machine file are left out.
struct Roofline {
    int threads = 1;
    DataType dtype = DataType::f32;
    std::vector<ComputeRoof> compute;  ///< empty when the file has no ceiling for the data type
    std::vector<BandwidthRoof> bandwidth;
    std::optional<Seconds> call_overhead;  ///< parallel region + empty primitive
    /// One change between wide vectors and legacy SSE and back; nothing when unknown.
    std::optional<Seconds> sse_transition;
    Source sse_transition_source = Source::given;
};
[[nodiscard]] Roofline make_roofline(const Machine& machine, DataType dtype, int threads);

enum class Bound { compute, memory, overhead, transitions, balanced, undetermined };
[[nodiscard]] std::string_view to_string(Bound bound);

/// What one resource has to do for a row.
struct Term {
    std::string resource;  ///< "compute", "overhead", "SSE/AVX transitions", or the name of a
                           ///< memory level
    std::string ceiling;   ///< what it is held against: "AVX-512 FMA", "copy", "call"
    Seconds time;          ///< least time for the useful work at the machine's ceiling
    Seconds busy;          ///< least time for the work as this implementation is known to do it
                           ///< (padded channels, narrower instruction set); equals `time` mostly
    double share = 0;      ///< busy / measured time: 1 means at the roof
    std::optional<Bytes> bytes;               ///< memory levels: bytes between it and the core
    std::optional<BytesPerSecond> bandwidth;  ///< memory levels: the ceiling's rate
    Source bytes_source = Source::algorithmic;
};

/// Bytes that crossed into the caches nearer than `level`, and back.
struct LevelBytes {
    std::string level;
    Bytes bytes;
    bool traced = false;  ///< of the real kernel; else of the loops of a plain implementation
};

/// A row with everything a view needs; text, JSON, figures and the report print this and nothing
/// else.
struct RowAnalysis {
    Measurement row;
    Flops useful_flops;  ///< 0 for kinds without arithmetic
    /// Executed FLOPs as counted, or why there are none to trust (AMX and bf16 dot products are
    /// in no counter).
    Reading executed_flops = Reading::unavailable("not counted");
    Bytes minimum_bytes;  ///< each byte that the pass must read or write, once
    Bytes bytes;          ///< traffic at `level`
    Source bytes_source = Source::algorithmic;
    Bytes footprint;
    std::string level;  ///< memory level with the longest term; empty when nothing is known
    std::optional<FlopsPerByte> intensity;    ///< useful_flops / bytes; nothing when either is 0
    std::optional<FlopsPerSecond> rate;       ///< attained, nothing for zero-FLOP rows
    BytesPerSecond traffic_rate;              ///< bytes / time
    std::optional<BytesPerSecond> bandwidth;  ///< ceiling of `level` for this row's accesses
    std::string bandwidth_kind;               ///< "read", "copy (non-temporal)"...
    std::optional<FlopsPerSecond> peak;       ///< highest compute roof of the row's data type
    std::optional<FlopsPerSecond> roof;       ///< min(peak, intensity x bandwidth)
    double attained = 0;                      ///< longest `time` of the terms / measured time
    std::vector<Term> terms;                  ///< sorted by `busy`, longest first
    Bound bound = Bound::undetermined;
    std::string bound_level;         ///< level for memory; "A and B" for balanced; else empty
    std::string runner_up;           ///< resource of the second longest term; may be empty
    Seconds saved_at_roof;           ///< measured time - longest `time` of the terms, >= 0
    double share_of_step = 0;        ///< of the summed row times
    std::string verdict;             ///< one sentence with the numbers that prove it
    std::vector<std::string> flags;  ///< "above roof: ...", "upper bound: ...", "reference
                                     ///< kernel: ..."; each starts with its kind and a colon
    /// By the memory simulator, nearest level first; empty: not simulated. Nothing else of the row
    /// depends on them.
    std::vector<LevelBytes> simulated;
};

/// Rows of one implementation that are not, or not wholly, traced and simulated.
struct CoverageGap {
    std::string implementation;
    std::string reason;     ///< of the first of them
    bool analytic = false;  ///< FLOPs and bytes follow from the dimensions; else there are none
    bool partly = false;    ///< generated code does the rest
    double share = 0;       ///< of the rows' time
    std::vector<RowKey> rows;
};

/// Shares of the rows' time by where FLOPs and bytes come from; they add up to 1.
struct Coverage {
    double traced = 0;    ///< counted in the executed code, bytes simulated from its stream
    double analytic = 0;  ///< from the layer's dimensions
    double none = 0;
    std::vector<CoverageGap> gaps;  ///< largest first
};

struct RunAnalysis {
    RunInfo info;
    std::string machine;  ///< name of the machine whose roofs were used
    Roofline roofline;    ///< of the run's data type; a row of another type has its own roofs
    std::vector<RowAnalysis> rows;
    Seconds sum;  ///< of row times
    std::optional<StepTime> step;
    std::optional<double> sum_over_step;
    double convolution_share = 0;  ///< of the summed row times, reorders of convolutions included
    Coverage coverage;
};
/// A row whose verdict fails contradictions() gets none, and the flag "contradiction: ...".
[[nodiscard]] RunAnalysis analyse(const Run& run, const Machine& machine);

/// Compares the verdict of a row with every other column, each recomputed from what a reader of
/// the table sees; one line per contradiction, empty when there is none.
[[nodiscard]] std::vector<std::string> contradictions(const RowAnalysis& row);

}  // namespace ridge
