// Speed of the tracer on one core; "items" are instructions of the traced kernel:
//
//   build/release/bench/bench_tracer
//
// counting: emulation alone. simulating: with three cache levels behind it. The native execution of
// the kernel is part of every iteration; "emulation" leaves it out of the rate.
#include <benchmark/benchmark.h>

#include "bench/three_levels.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "model/cachesim/hierarchy.hpp"
#include "ridge/network.hpp"
#include "ridge/tracer.hpp"

namespace ridge {
namespace {

void trace_layer(benchmark::State& state, const char* line, Pass pass, bool simulating) {
    announce_generated_code();
    Layer layer = parse_layer(line);
    layer.name = "layer";
    const TrainingStep step = build_onednn_step(single_layer_network(layer), {});
    Tracer tracer;
    Kernel* kernel = nullptr;
    for (const auto& k : step.kernels)
        if (k->description().key.pass == pass && k->description().key.part.empty())
            kernel = k.get();
    cachesim::Hierarchy caches(three_levels(), {});
    RunSink* sink = simulating ? &caches : nullptr;
    if (const auto first = tracer.trace(*kernel, sink); !first.unavailable.empty()) {
        state.SkipWithError(first.unavailable.c_str());
        return;
    }
    double instructions = 0, seconds = 0;
    caches.clear_counts();
    for (auto _ : state) {
        const KernelTrace trace = tracer.trace(*kernel, sink);
        instructions += trace.counts.instructions;
        seconds += trace.emulation_s;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.counters["emulation"] = instructions / seconds;
    if (!simulating) return;
    state.counters["ns_per_line"] = 1e9 * seconds / static_cast<double>(caches.touches);
    state.counters["lines_per_instruction"] = static_cast<double>(caches.touches) / instructions;
    const char* names[] = {"L1_misses", "L2_misses", "L3_misses"};
    for (int level = 0; level < 3; ++level) {
        const cachesim::Counts c = caches.counts(level);
        state.counters[names[level]] =
            static_cast<double>(c.load_misses + c.store_misses + c.prefetch_misses) / instructions;
    }
}

void counting(benchmark::State& state, const char* line, Pass pass) {
    trace_layer(state, line, pass, false);
}
void simulating(benchmark::State& state, const char* line, Pass pass) {
    trace_layer(state, line, pass, true);
}

#define RIDGE_BENCH_LAYER(name, line, pass)                                       \
    BENCHMARK_CAPTURE(counting, name, line, pass)->Unit(benchmark::kMillisecond); \
    BENCHMARK_CAPTURE(simulating, name, line, pass)->Unit(benchmark::kMillisecond)

RIDGE_BENCH_LAYER(conv_3x3_56_forward, "conv:mb1ic64ih56oc64oh56kh3ph1", Pass::forward);
RIDGE_BENCH_LAYER(conv_3x3_56_backward_data, "conv:mb1ic64ih56oc64oh56kh3ph1", Pass::backward_data);
RIDGE_BENCH_LAYER(conv_3x3_56_backward_weights, "conv:mb1ic64ih56oc64oh56kh3ph1",
                  Pass::backward_weights);
RIDGE_BENCH_LAYER(conv_3x3_7_forward, "conv:mb1ic512ih7oc512oh7kh3ph1", Pass::forward);
RIDGE_BENCH_LAYER(conv_1x1_forward, "conv:mb1ic256ih56oc64oh56kh1ph0", Pass::forward);
RIDGE_BENCH_LAYER(batch_normalization_forward, "bnorm:mb8ic64ih56", Pass::forward);
RIDGE_BENCH_LAYER(pooling_forward, "pool:mb8ic64ih112oh56kh3sh2ph1", Pass::forward);
RIDGE_BENCH_LAYER(relu_forward, "eltwise:8x64x56x56", Pass::forward);
RIDGE_BENCH_LAYER(inner_product_forward, "ip:mb64ic4096oc1000", Pass::forward);

}  // namespace
}  // namespace ridge

BENCHMARK_MAIN();
