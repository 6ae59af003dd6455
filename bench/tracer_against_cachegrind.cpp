// One layer, counted and simulated by the tracer and by Cachegrind, in pairs in one run:
//
//   build/release/bench/bench_tracer_against_cachegrind
//
// conv 64 -> 64, 56 x 56, 3 x 3, forward, batch 1, one thread. The tracer's time is that of one
// traced execution with three cache levels behind it, the native execution included. Cachegrind's
// (two cache levels, its only choice) is that of a program that executes the layer once minus that
// of the same program which only builds it. Cachegrind knows no AVX-512: its kernel is the AVX2
// one.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/three_levels.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "model/cachesim/hierarchy.hpp"
#include "ridge/network.hpp"
#include "ridge/tracer.hpp"

namespace ridge {
namespace {

constexpr int pairs = 5;
constexpr int traced_executions = 20;  ///< of each pair

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of the program under Cachegrind; negative when it does not run here.
double cachegrind(int executions) {
    const std::string command = fmt::format(
        "env -i PATH=/usr/bin:/bin OMP_NUM_THREADS=1 ONEDNN_MAX_CPU_ISA=AVX2 DNNL_MAX_CPU_ISA=AVX2 "
        "valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=49152,12,64 "
        "--LL=33554432,16,64 --cachegrind-out-file=/dev/null "
        "--log-file=/dev/null " RIDGE_BENCH_PROGRAM " 64 56 {}",
        executions);
    const auto start = std::chrono::steady_clock::now();
    return std::system(command.c_str()) == 0 ? seconds_since(start) : -1;
}

int compare() {
    announce_generated_code();
    Layer layer = parse_layer("conv:mb1ic64ih56oc64oh56kh3ph1");
    layer.name = "layer";
    const TrainingStep step = build_onednn_step(single_layer_network(layer), {});
    Tracer tracer;
    Kernel& kernel = *step.kernels.front();
    cachesim::Hierarchy caches(three_levels(), {});
    const KernelTrace first = tracer.trace(kernel, &caches);
    if (!first.unavailable.empty()) {
        fmt::print(stderr, "{}\n", first.unavailable);
        return 1;
    }
    std::vector<double> ratios;
    for (int pair = 0; pair < pairs; ++pair) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < traced_executions; ++i) (void)tracer.trace(kernel, &caches);
        const double ours = seconds_since(start) / traced_executions;
        const double built = cachegrind(0), executed = cachegrind(1);
        if (built < 0 || executed < 0) {
            fmt::print(stderr, "valgrind does not run here\n");
            return 1;
        }
        ratios.push_back((executed - built) / ours);
        fmt::print("tracer {:.2f} ms, Cachegrind {:.2f} s and {:.2f} s to build: {:.0f} times\n",
                   1e3 * ours, executed - built, built, ratios.back());
    }
    std::nth_element(ratios.begin(), ratios.begin() + pairs / 2, ratios.end());
    fmt::print("median {:.0f} times; {:.0f} instructions traced ({})\n", ratios[pairs / 2],
               first.counts.instructions, kernel.description().implementation);
    return 0;
}

}  // namespace
}  // namespace ridge

int main() {
    return ridge::compare();
}
