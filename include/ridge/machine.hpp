// What a machine can do: compute ceilings, memory levels, overheads, and how quiet it gets. Made by
// `ridge machine probe` or written by hand with sources; every number knows where it came from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/reading.hpp"
#include "ridge/units.hpp"

namespace ridge {

/// A number of the machine file. `spread` is (max-min)/median over the probe's repetitions;
/// negative when there was no repetition. `note` holds a citation or what a check found.
struct Figure {
    double value = 0;
    Source source = Source::given;
    double spread = -1;
    std::string note;
    bool operator==(const Figure&) const = default;
};

/// Instruction set of a compute ceiling, narrowest first. f32 lanes: 1, 4, 8, 16. The last two are
/// a GPU's: simt are its ordinary lanes, tensor its matrix units (tensor or matrix cores).
enum class Isa { scalar, sse, avx2, avx512, avx512_bf16, avx512_vnni, amx, simt, tensor };
[[nodiscard]] std::string_view to_string(Isa isa);
[[nodiscard]] std::optional<Isa> isa_from_string(std::string_view word);

/// Highest rate of one instruction kind on `threads` threads, in operations/s (2 per multiply-add).
struct ComputeCeiling {
    Isa isa = Isa::scalar;
    bool fma = false;
    DataType dtype = DataType::f32;
    int threads = 1;
    Figure flops_per_s;
    /// Clock from a chain of dependent operations of the same kind, interleaved with the
    /// throughput kernel: latency (cycles) x chain rate. Hz. Absent on hand-written files.
    std::optional<Figure> chain_clock_hz;
    /// Units x lanes x 2 x clock by the datasheet of this microarchitecture, when known. FLOP/s.
    std::optional<Figure> datasheet_flops_per_s;
    /// What a long matrix product keeps up, when it is known to be less than the ceiling (power
    /// limit, clock under load). FLOP/s.
    std::optional<Figure> sustained_flops_per_s = std::nullopt;
    bool operator==(const ComputeCeiling&) const = default;
};

enum class AccessKind { read, write, copy, triad };
[[nodiscard]] std::string_view to_string(AccessKind kind);
[[nodiscard]] std::optional<AccessKind> access_kind_from_string(std::string_view word);

/// Bytes that the program moves per second; the hidden write-allocate read of a normal store is
/// not counted, as STREAM does not.
struct Bandwidth {
    AccessKind kind = AccessKind::read;
    bool non_temporal = false;
    int threads = 1;
    Figure bytes_per_s;
    bool operator==(const Bandwidth&) const = default;
};

/// How a cache behaves beyond its size, for the memory simulator (ridge/cachesim.hpp has the words
/// and checks them). What is absent takes the simulator's default.
struct CacheBehaviour {
    std::optional<std::string> policy;             ///< lru, tree_plru, qlru_..., srrip, random
    std::optional<std::string> inclusion;          ///< non_inclusive, inclusive, exclusive
    std::optional<std::string> write_policy;       ///< write_back, write_through
    std::optional<std::string> prefetcher;         ///< none, next_line, stream
    std::optional<bool> hashed;                    ///< set index mixes the upper address bits
    std::optional<double> write_allocate_evasion;  ///< share of full-line store misses not read
    std::optional<int> sector_bytes;
    bool operator==(const CacheBehaviour&) const = default;
};

/// L1, L2, L3 (caches) or DRAM.
struct MemoryLevel {
    std::string name;
    std::optional<Figure> capacity_bytes;            ///< per instance; DRAM: installed
    std::optional<Figure> effective_capacity_bytes;  ///< where the latency sweep leaves the level
    int line_bytes = 64;
    int ways = 0;                     ///< 0: unknown
    int shared_by = 1;                ///< threads of this machine that share one instance
    std::optional<Figure> latency_s;  ///< load to use, dependent loads
    std::vector<Bandwidth> bandwidths;
    CacheBehaviour behaviour;
    bool operator==(const MemoryLevel&) const = default;
};

/// Fixed costs that no data size removes.
struct Overheads {
    std::map<int, Figure> parallel_region_s;  ///< by thread count
    std::optional<Figure> empty_primitive_s;  ///< one library call on a tiny tensor, 1 thread
    /// A legacy SSE instruction between wide ones with dirty upper halves: the round trip.
    std::optional<Figure> sse_transition_s;
    bool operator==(const Overheads&) const = default;
};

/// The levels at which this machine counts as undisturbed. They are constants of the machine and
/// only ever rise (see docs/model.md, "Quiet").
struct QuietLevels {
    FlopsPerSecond fma;           ///< best confirmed rate of the FMA probe on one core
    InstructionsPerSecond issue;  ///< best confirmed rate of the issue-width probe on one core
    int windows = 0;              ///< separate windows that confirmed them
    bool provisional = true;      ///< true until at least 3 windows agreed
    Hertz clock;  ///< best confirmed core clock, from a chain of dependent instructions; fma /
                  ///< clock and issue / clock are what an undisturbed core does in a cycle
    bool operator==(const QuietLevels&) const = default;
};

/// What a machine is besides its ceilings when it is a GPU. A multiprocessor (NVIDIA: SM, AMD: CU)
/// counts as a core with one thread: Machine::cores and threads are the number of them.
struct Gpu {
    std::string chip;     ///< die: boards with the same chip are variants of one device
    std::string family;   ///< architecture whose kernels it runs: "pascal", "ampere", "gcn"
    int f32_lanes = 0;    ///< multiply-adds of f32 that a multiprocessor starts in a cycle
    int max_threads = 0;  ///< resident threads of a multiprocessor
    Figure base_clock_hz, boost_clock_hz;
    Figure shared_bytes;    ///< scratchpad that the blocks of a multiprocessor can use
    Figure register_bytes;  ///< register file of a multiprocessor
    std::optional<Figure> board_power_w;
    bool operator==(const Gpu&) const = default;
};

struct Machine {
    std::string name;
    std::string description;
    std::string cpu_model, vendor;  ///< of a GPU: the board and its maker
    int sockets = 1, cores = 1, threads = 1;
    bool virtualised = false;
    std::vector<std::string> isa_flags;  ///< of those Ridgepoint can use
    std::string probed_at;               ///< ISO 8601, UTC; empty for hand-written files
    std::vector<ComputeCeiling> compute;
    std::vector<MemoryLevel> levels;  ///< nearest first, DRAM last
    Overheads overheads;
    std::optional<QuietLevels> quiet;
    std::optional<Gpu> gpu;
    bool operator==(const Machine&) const = default;
};

/// A shipped machine by name, "local" for the file of this machine, or a YAML path.
/// Throws Error bad_input (file, key, expected, found) on a typo or an impossible number.
[[nodiscard]] Machine load_machine(std::string_view name_or_path);
/// Writes aside and renames. The file can be read back to an equal Machine.
void save_machine(const Machine& machine, const std::string& path);
/// Checks of a machine: one line for each thing that cannot be (a level smaller than the one
/// before it, a ceiling that falls with more threads, a peak beyond its datasheet...).
[[nodiscard]] std::vector<std::string> lint(const Machine& machine);
/// Applies `key=value` or `key=2x` ("dram.bandwidth=2x", "l2.capacity=2MiB", "compute=0.5x").
/// What it changes becomes `given` with a note. Throws Error bad_input with the list of keys.
void apply_what_if(Machine& machine, std::string_view assignment);
/// Keys that apply_what_if takes on this machine, with what they change.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> what_if_keys(const Machine& machine);
/// $XDG_DATA_HOME/ridge/machine.yaml: where `probe` writes and "local" is read from.
[[nodiscard]] std::string local_machine_path();
struct MachineEntry {
    std::string name, description, path;
};
[[nodiscard]] std::vector<MachineEntry> shipped_machines();

/// Rate of one kind of ceiling at a thread count. Between probed thread counts it is linear;
/// beyond the largest it stays there; below the smallest it is proportional to the threads.
[[nodiscard]] std::optional<FlopsPerSecond> ceiling(const Machine& machine, Isa isa, bool fma,
                                                    DataType dtype, int threads);
/// Highest compute ceiling for a data type at a thread count (see ceiling). Nothing when the
/// machine has none for the type.
[[nodiscard]] std::optional<FlopsPerSecond> peak(const Machine& machine, DataType dtype,
                                                 int threads);
/// Bandwidth of a level at a thread count, linear between probed counts and constant beyond them.
/// Below the smallest probed count a private level scales with the threads; a shared one keeps its
/// value, which is then an upper bound. Nothing when the file has no such figure.
[[nodiscard]] std::optional<BytesPerSecond> bandwidth(const MemoryLevel& level, AccessKind kind,
                                                      int threads, bool non_temporal = false);
/// Capacity that `threads` threads, one per core, reach together: one instance for each group of
/// `shared_by` hardware threads in use, the effective capacity where it was probed.
[[nodiscard]] std::optional<Bytes> usable_capacity(const Machine& machine, const MemoryLevel& level,
                                                   int threads);

}  // namespace ridge
