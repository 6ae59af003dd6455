// Predictions of GPU kernels per second on one core: products, convolutions of the three passes and
// streams with sizes of real networks, each with all tiles, splits and algorithms considered.
#include <benchmark/benchmark.h>

#include <vector>

#include "model/predict/gpu/predict.hpp"
#include "ridge/machine.hpp"

namespace {

using namespace ridge;
using namespace ridge::gpu;

std::vector<Work> mixed_works() {
    std::vector<Work> works;
    for (const std::int64_t batch : {1, 8, 32, 128})
        for (const std::int64_t channels : {64, 128, 256, 512}) {
            const std::int64_t size = 3584 / channels;
            for (const auto pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
                Work w;
                w.kind = WorkKind::convolution;
                w.pass = pass;
                w.dims = {batch, 1, channels, channels, size, size, size, size,
                          3,     3, 1,        1,        0,    0,    1,    1};
                works.push_back(w);
            }
            Work product;
            product.m = 4 * channels;
            product.n = batch;
            product.k = 8 * channels;
            works.push_back(product);
            Work stream;
            stream.kind = WorkKind::elementwise;
            stream.rows = batch;
            stream.cols = channels * size * size;
            works.push_back(stream);
        }
    return works;
}

void predicting(benchmark::State& state, const char* machine) {
    const Device device = device_of(load_machine(machine));
    const Constants constants;
    const auto works = mixed_works();
    for (auto _ : state)
        for (const auto& work : works) benchmark::DoNotOptimize(estimate(work, device, constants));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(works.size()));
}
BENCHMARK_CAPTURE(predicting, v100, "v100_sxm2");
BENCHMARK_CAPTURE(predicting, h100, "h100_sxm");

}  // namespace

BENCHMARK_MAIN();
