// Analytic predictions per second, one core:
//
//   build/release/bench/bench_predict
//
// "items" are predicted passes, from the layer's dimensions to seconds.
#include <benchmark/benchmark.h>

#include "model/predict/cpu/analytic_demand.hpp"
#include "model/predict/cpu/predictor.hpp"
#include "ridge/network.hpp"

namespace ridge {
namespace {

/// All passes of ResNet-50's layers, again and again at other batches.
void predict_layers(benchmark::State& state) {
    const Machine machine = load_machine(share_directory() + "/measurements/machine.yaml");
    const cpu::Predictor predictor(machine, cpu::prior_calibration(), 1, CacheState::warm);
    const cpu::CacheSizes caches = cpu::cache_sizes(machine);
    Network network = load_network("resnet50", 8);
    std::int64_t passes = 0;
    double sum = 0;
    for (auto _ : state) {
        for (NetworkLayer& entry : network.layers) {
            entry.layer.dims.mb = entry.layer.dims.mb % 64 + 1;
            for (const Pass pass : entry.passes) {
                sum += predictor.seconds(entry.layer, pass,
                                         cpu::analytic_demand(entry.layer, pass, caches, 1));
                ++passes;
            }
        }
    }
    benchmark::DoNotOptimize(sum);
    state.SetItemsProcessed(passes);
}
BENCHMARK(predict_layers)->Name("predicting passes from their dimensions");

}  // namespace
}  // namespace ridge

BENCHMARK_MAIN();
