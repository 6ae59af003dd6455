// Accesses per second of this simulator, of Cachegrind and of lackey on the same stream: the
// instruction fetches and data accesses of one program, through the same three caches.
//
//   build/release/bench/bench_against_valgrind
//
// Valgrind's start is not counted: each of its times is that of the program minus that of the same
// program with no work to do. Ours replays the program's own binary trace, file included, and must
// find the counts that Cachegrind finds.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "ridge/cachesim.hpp"
#include "ridge/trace_file.hpp"

namespace ridge {
namespace {

constexpr int work = 10;  ///< products of 64 x 64 matrices: 26 million accesses

CacheSpec level(const char* name, std::uint64_t bytes, int ways) {
    CacheSpec spec;
    spec.name = name;
    spec.capacity_bytes = bytes;
    spec.ways = ways;
    spec.write_policy = WritePolicy::untracked;
    return spec;
}

HierarchySpec caches() {
    HierarchySpec spec;
    spec.convention = Convention::cachegrind;
    spec.instruction = level("I1", 32768, 8);
    spec.levels = {level("D1", 32768, 8), level("LL", 1 << 20, 16)};
    return spec;
}

class Folder {
public:
    Folder() { std::filesystem::create_directories(path_); }
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("ridge-bench-" + std::to_string(getpid()));
};

/// Seconds of the program under a Valgrind tool; negative when it failed.
double run(const std::string& tool_options, const std::string& argument) {
    const std::string command = "env -i PATH=/usr/bin:/bin setarch -R valgrind " + tool_options +
                                " " RIDGE_BENCH_PROGRAM " " + argument + " 2>/dev/null";
    const auto start = std::chrono::steady_clock::now();
    const bool done = std::system(command.c_str()) == 0;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return done ? time.count() : -1;
}

std::string lackey(const std::string& log) {
    return "--tool=lackey --trace-mem=yes --px-default=sp-at-mem-access --log-file=" + log;
}
std::string cachegrind(const std::string& out) {
    return "--tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 "
           "--log-file=/dev/null --cachegrind-out-file=" +
           out;
}

/// Cachegrind's Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
std::vector<double> counts_in(const std::string& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("summary:")) continue;
        std::istringstream numbers(line.substr(8));
        std::vector<double> counts;
        for (double count; numbers >> count;) counts.push_back(count);
        return counts;
    }
    return {};
}

std::vector<double> counts_of(const Traffic& t) {
    const LevelCounts &i1 = t.levels[0].counts, &d1 = t.levels[1].counts, &ll = t.levels[2].counts;
    return {i1.fetches,     i1.fetch_misses, ll.fetch_misses, d1.loads,       d1.load_misses,
            ll.load_misses, d1.stores,       d1.store_misses, ll.store_misses};
}

/// The stream and what Cachegrind says of it, made once.
struct Stream {
    Folder folder;
    std::string trace = folder.file("trace.ridge");
    std::vector<double> expected;
    double accesses = 0;
    std::string failure;

    Stream() {
        const std::string text = folder.file("trace.txt"), out = folder.file("out");
        if (run(lackey(text), std::to_string(work)) < 0 ||
            run(cachegrind(out), std::to_string(work)) < 0) {
            failure = "valgrind does not run here";
            return;
        }
        expected = counts_in(out);
        const auto source = open_trace(text, {.merge_across_fetches = true});
        TraceWriter writer(trace, source->info());
        source->replay(writer);
        writer.close();
        std::filesystem::remove(text);
        accesses = expected[0] + expected[3] + expected[6];
    }
};
const Stream& stream() {
    static const Stream one;
    return one;
}

void replays_the_trace(benchmark::State& state) {
    const Stream& s = stream();
    if (!s.failure.empty()) return state.SkipWithError(s.failure.c_str());
    for (auto _ : state) {
        const auto source = open_trace(s.trace);
        const Traffic traffic = simulate(*source, caches());
        if (counts_of(traffic) != s.expected)
            return state.SkipWithError("counts differ from Cachegrind's");
    }
    state.SetItemsProcessed(
        static_cast<std::int64_t>(s.accesses * static_cast<double>(state.iterations())));
    state.counters["accesses"] = s.accesses;
}
BENCHMARK(replays_the_trace)->Unit(benchmark::kMillisecond);

/// The runs of a trace, held in memory.
class Held : public RunSink, public RunSource {
public:
    explicit Held(RunSource& source) : info_(source.info()) { source.replay(*this); }
    void consume(std::span<const LineRun> chunk) override {
        runs_.insert(runs_.end(), chunk.begin(), chunk.end());
    }
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override {
        constexpr std::size_t chunk = 1024;
        const std::span<const LineRun> all(runs_);
        for (std::size_t i = 0; i < all.size(); i += chunk)
            sink.consume(all.subspan(i, std::min(chunk, all.size() - i)));
    }

private:
    TraceInfo info_;
    std::vector<LineRun> runs_;
};

/// Simulation alone: nothing is read or decoded.
void replays_from_memory(benchmark::State& state) {
    const Stream& s = stream();
    if (!s.failure.empty()) return state.SkipWithError(s.failure.c_str());
    Held held(*open_trace(s.trace));
    for (auto _ : state)
        if (counts_of(simulate(held, caches())) != s.expected)
            return state.SkipWithError("counts differ from Cachegrind's");
    state.SetItemsProcessed(
        static_cast<std::int64_t>(s.accesses * static_cast<double>(state.iterations())));
}
BENCHMARK(replays_from_memory)->Unit(benchmark::kMillisecond);

/// The time of `more` times the work minus that of none. Cachegrind needs more than one for a
/// difference that stands out of the noise of its start.
void under_valgrind(benchmark::State& state, std::string (*options)(const std::string&), int more) {
    const Stream& s = stream();
    if (!s.failure.empty()) return state.SkipWithError(s.failure.c_str());
    for (auto _ : state) {
        const double whole = run(options("/dev/null"), std::to_string(more * work));
        const double start = run(options("/dev/null"), "0");
        state.SetIterationTime(whole - start);
    }
    state.SetItemsProcessed(
        static_cast<std::int64_t>(s.accesses * more * static_cast<double>(state.iterations())));
}
BENCHMARK_CAPTURE(under_valgrind, cachegrind, cachegrind, 20)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1);
BENCHMARK_CAPTURE(under_valgrind, lackey, lackey, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(1);

}  // namespace
}  // namespace ridge

BENCHMARK_MAIN();
