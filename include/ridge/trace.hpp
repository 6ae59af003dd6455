// The stream of memory touches of a program, as runs of cache lines: what the tracer, the trace
// readers and the generators produce and what the simulator consumes. Neither side knows the other.
//
// Single accesses are never listed. "read 100 consecutive lines from 0x1000 (64-byte lines)" is
//
//   LineRun{.line = 0x40, .count = 100, .stride = 1, .bytes = 64, .kind = TouchKind::load}
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// What a touch does to the line. modify is a load and a store by one instruction; store_nt goes
/// around the caches; prefetch brings the line in without being a demand access.
enum class TouchKind : std::uint8_t { load, store, modify, store_nt, prefetch, fetch };
inline constexpr int touch_kinds = 6;
[[nodiscard]] std::string_view to_string(TouchKind kind);

/// `count` touches of lines line, line + stride, line + 2 stride...; each stands for `repeats`
/// consecutive accesses to bytes [offset, offset + bytes) of its line. Where offset + bytes passes
/// the end of the line, each touch goes on into the following lines.
/// The union of the bytes of repeated accesses is kept, their order within the line is not: it
/// changes nothing in a cache.
struct LineRun {
    std::uint64_t line = 0;     ///< address / line size of the stream
    std::uint32_t count = 1;    ///< at least 1
    std::int32_t stride = 1;    ///< lines
    std::uint16_t repeats = 1;  ///< accesses per touch, at least 1
    std::uint16_t offset = 0;   ///< first byte within the line
    std::uint16_t bytes = 0;    ///< bytes per touch, 1 to 4096
    TouchKind kind = TouchKind::load;
    std::uint8_t thread = 0;  ///< of the traced program, from 0

    bool operator==(const LineRun&) const = default;
};
static_assert(sizeof(LineRun) == 24, "a chunk of 4096 runs fits in the cache beside the tags");

/// Largest single access that a trace may hold (an xsave area is the longest known one).
inline constexpr int max_access_bytes = 4096;
/// Runs that a source hands over at a time.
inline constexpr std::size_t runs_per_chunk = 4096;

/// A named range of addresses, for traffic per tensor.
struct Region {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool operator==(const Region&) const = default;
};

/// What is known about a stream before its first run.
struct TraceInfo {
    int line_bytes = 64;
    int threads = 1;
    std::string origin;  ///< "lackey", "csv", "generator copy", "tracer"... with its parameters
    std::vector<Region> regions;  ///< disjoint; empty when unknown
};

/// Takes runs. Called with chunks in program order; runs of several threads are already
/// interleaved in the order in which they reach shared levels.
class RunSink {
public:
    virtual ~RunSink() = default;
    virtual void consume(std::span<const LineRun> chunk) = 0;
};

/// The loop around a stream that is one: iteration i of the uniform ones does what the first does,
/// with the lines of each region moved on.
struct OuterLoop {
    std::uint64_t iterations = 0;     ///< of the whole stream
    std::uint64_t uniform = 0;        ///< the first ones; those behind them may differ
    std::uint64_t step = 1;           ///< iterations after which all regions moved by whole lines
    std::vector<std::int64_t> shift;  ///< lines per step, for each of TraceInfo::regions
};

/// Gives runs. replay() may be called again and gives the same stream again.
class RunSource {
public:
    virtual ~RunSource() = default;
    [[nodiscard]] virtual const TraceInfo& info() const = 0;
    /// Throws Error bad_input for a damaged stream, after every run before the damage was handed
    /// over.
    virtual void replay(RunSink& sink) = 0;
    /// For a source that knows its loop, so that nobody has to look for it; replay_part() then
    /// gives iterations [first, last) alone.
    [[nodiscard]] virtual std::optional<OuterLoop> outer_loop() const { return std::nullopt; }
    virtual void replay_part(RunSink& /*sink*/, std::uint64_t /*first*/, std::uint64_t /*last*/) {}
};

/// Collects runs and hands them to a sink in chunks; the rest goes with flush().
class RunBuffer {
public:
    explicit RunBuffer(RunSink& sink) : sink_(sink) { runs_.reserve(runs_per_chunk); }
    void push(const LineRun& run) {
        runs_.push_back(run);
        if (runs_.size() == runs_per_chunk) flush();
    }
    void flush() {
        if (!runs_.empty()) sink_.consume(runs_);
        runs_.clear();
    }

private:
    RunSink& sink_;
    std::vector<LineRun> runs_;
};

}  // namespace ridge
