// A whole training step, traced and simulated on one core:
//
//   build/release/bench/bench_traced_step resnet50 1             every row, exact
//   build/release/bench/bench_traced_step resnet50 16 periodic   and how far from exact
//   build/release/bench/bench_traced_step resnet50 16 sampled
//
// Every row finds empty caches. `distinct` traces rows that do the same once, as `ridge collect`
// does. Times are of the wall and contain the native execution of each kernel.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "bench/three_levels.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "ridge/network.hpp"
#include "ridge/tracer.hpp"

namespace ridge {
namespace {

using Clock = std::chrono::steady_clock;

/// One row's stream, and what tracing it told.
class RowStream final : public RunSource {
public:
    RowStream(Tracer& tracer, Kernel& kernel) : tracer_(tracer), kernel_(kernel) {
        info_.origin = "tracer";
        for (const KernelTensor& tensor : kernel.tensors())
            info_.regions.push_back({tensor.role, tensor.address, tensor.bytes});
    }
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override { trace = tracer_.trace(kernel_, &sink); }

    KernelTrace trace;

private:
    Tracer& tracer_;
    Kernel& kernel_;
    TraceInfo info_;
};

struct Totals {
    int rows = 0, untraced = 0;
    double instructions = 0, emulation_s = 0, wall_s = 0;
    double l3_bytes = 0, dram_bytes = 0;  ///< between L3 and L2, between memory and L3
    double simulated_share = 0;           ///< mean over the rows
};

Totals trace_step(const TrainingStep& step, Tracer& tracer, TrafficMethod method, bool distinct) {
    std::set<std::tuple<std::string, Pass, std::string, std::string>> seen;
    Totals totals;
    const auto start = Clock::now();
    for (const auto& kernel : step.kernels) {
        const Measurement& row = kernel->description();
        Layer layer = parse_layer(row.problem);
        layer.name.clear();
        if (distinct &&
            !seen.emplace(to_line(layer), row.key.pass, row.key.part, row.formats).second)
            continue;
        RowStream stream(tracer, *kernel);
        const Traffic traffic = simulate(stream, three_levels(), {.method = method});
        if (!stream.trace.unavailable.empty()) {
            ++totals.untraced;
            continue;
        }
        ++totals.rows;
        totals.instructions += stream.trace.counts.instructions;
        totals.emulation_s += stream.trace.emulation_s;
        totals.simulated_share += traffic.simulated_share;
        const LevelCounts& l2 = traffic.levels[1].counts;
        totals.l3_bytes += l2.read_bytes + l2.written_bytes;
        totals.dram_bytes += traffic.memory.read_bytes + traffic.memory.written_bytes;
    }
    totals.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
    totals.simulated_share /= totals.rows;
    return totals;
}

void print(std::string_view what, const Totals& t) {
    fmt::print(
        "{:9} {} rows traced, {} compiled; {:.2f} s, {:.2f} s of it emulation and simulation; "
        "{:.0f} million instructions; {:.1f} % of the touches simulated; L3 {:.4f} GB, DRAM "
        "{:.4f} GB\n",
        what, t.rows, t.untraced, t.wall_s, t.emulation_s, t.instructions / 1e6,
        100 * t.simulated_share, t.l3_bytes / 1e9, t.dram_bytes / 1e9);
}

int run(int argc, char** argv) {
    bool distinct = false;
    std::optional<TrafficMethod> method;
    std::string network = "resnet50";
    std::int64_t batch = 1;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "distinct")
            distinct = true;
        else if (word == "periodic" || word == "sampled")
            method = traffic_method_from_string(word);
        else if (word.find_first_not_of("0123456789") == std::string::npos)
            batch = std::stoll(word);
        else
            network = word;
    }
    announce_generated_code();
    const TrainingStep step = build_onednn_step(load_network(network, batch), {});
    Tracer tracer;
    fmt::print("{}, batch {}, {}\n", network, batch, distinct ? "distinct kernels" : "every row");
    if (method) print(to_string(*method), trace_step(step, tracer, *method, distinct));
    print("exact", trace_step(step, tracer, TrafficMethod::exact, distinct));
    return 0;
}

}  // namespace
}  // namespace ridge

int main(int argc, char** argv) {
    try {
        ridge::keep_freed_memory();
        return ridge::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_traced_step: {}\n", error.what());
        return 1;
    }
}
