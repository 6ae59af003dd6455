// The kernels execute exactly the operations that the ceilings are computed from: each leaves a
// count that a closed form predicts. Kernels that this processor lacks are not run.
#include "collectors/probe/compute_kernels.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace ridge;
using namespace ridge::probe;

namespace {

/// Products that one instruction adds to a 32-bit lane.
int products_per_lane(const ComputeKernel& kernel) {
    if (kernel.isa == Isa::amx) return kernel.dtype == DataType::bf16 ? 32 : 64;
    if (kernel.dtype == DataType::bf16) return 2;
    if (kernel.dtype == DataType::s8) return 4;
    return 1;
}

int lanes_kept(const ComputeKernel& kernel) {
    return kernel.isa == Isa::amx ? 16 : kernel.lanes;
}

template <class Check>
void for_each_runnable(Check check) {
    const CpuFeatures cpu = this_cpu();
    for (const ComputeKernel& kernel : compute_kernels()) {
        if (!cpu.supports(kernel.isa, kernel.fma, kernel.dtype)) continue;
        CAPTURE(static_cast<int>(kernel.isa));
        CAPTURE(kernel.fma);
        CAPTURE(static_cast<int>(kernel.dtype));
        if (kernel.isa == Isa::amx) amx_configure_tiles();
        check(kernel);
        if (kernel.isa == Isa::amx) amx_release_tiles();
    }
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("multiply-adds: every accumulator counts its turns in every lane") {
        for_each_runnable([](const ComputeKernel& kernel) {
            if (!kernel.fma) return;
            constexpr int turns = 1000;
            KernelState state;
            fill(state, kernel, 1, 1, 0);
            kernel.throughput(turns, state.x, state.y, state.accumulators);
            double total = 0;
            for (int k = 0; k < kernel.accumulators; ++k) {
                const double sum = lane_sum(state, kernel, k);
                CHECK(sum == double(turns) * kernel.instructions / kernel.accumulators *
                                 products_per_lane(kernel) * lanes_kept(kernel));
                total += sum;
            }
            // Operations: two for each product, in all lanes.
            CHECK(2 * total * kernel.lanes / lanes_kept(kernel) == turns * kernel.flops_per_turn());
        });
    }

    TEST_CASE("mixes: half the accumulators double, the others count") {
        for_each_runnable([](const ComputeKernel& kernel) {
            if (kernel.fma) return;
            constexpr int turns = 5;
            KernelState state;
            fill(state, kernel, 2, 1, 1);
            kernel.throughput(turns, state.x, state.y, state.accumulators);
            const int per_turn = kernel.instructions / kernel.accumulators;
            double operations = 0;
            for (int k = 0; k < kernel.accumulators; ++k) {
                const double lane = lane_sum(state, kernel, k) / kernel.lanes;
                const double executed = k < kernel.accumulators / 2 ? std::log2(lane) : lane - 1;
                CHECK(executed == turns * per_turn);
                operations += executed * kernel.lanes;
            }
            CHECK(operations == turns * kernel.flops_per_turn());
        });
    }

    TEST_CASE("chains: all operations pass through one accumulator") {
        for_each_runnable([](const ComputeKernel& kernel) {
            const int turns = kernel.fma ? 100 : 3;
            const double start = kernel.fma ? 0 : 1;
            KernelState state;
            fill(state, kernel, kernel.fma ? 1 : 2, 1, start);
            kernel.chain(turns, state.x, state.y, state.accumulators);
            const double lane = lane_sum(state, kernel, 0) / lanes_kept(kernel);
            const double executed = kernel.fma ? lane / products_per_lane(kernel) : std::log2(lane);
            CHECK(executed == turns * kernel.chain_length);
            CHECK(lane_sum(state, kernel, 1) == start * lanes_kept(kernel));
        });
    }

    TEST_CASE("scalar instructions leave the other lanes alone") {
        const ComputeKernel& kernel = compute_kernels()[0];
        REQUIRE(kernel.lanes == 1);
        KernelState state;
        fill(state, kernel, 2, 1, 1);
        kernel.throughput(3, state.x, state.y, state.accumulators);
        ComputeKernel four_lanes = kernel;
        four_lanes.lanes = 4;
        // Two multiplications by 2 in each of three turns, and three lanes that stay 1.
        CHECK(lane_sum(state, four_lanes, 0) == 64 + 3);
    }

    TEST_CASE("the integer chain multiplies by three as often as it says") {
        std::uint32_t expected = 1;
        for (int i = 0; i < 10 * integer_chain_length; ++i) expected *= 3;
        CHECK(integer_chain(10) == expected);
    }

    TEST_CASE("operations per turn of the loops, by hand") {
        for (const ComputeKernel& kernel : compute_kernels()) {
            if (kernel.isa == Isa::avx512 && kernel.fma && kernel.dtype == DataType::f32)
                CHECK(kernel.flops_per_turn() == 12 * 16 * 2);
            if (kernel.isa == Isa::avx2 && !kernel.fma && kernel.dtype == DataType::f64)
                CHECK(kernel.flops_per_turn() == 28 * 4);
            // 16 x 16 x 32 multiply-adds in each of six tile instructions.
            if (kernel.isa == Isa::amx && kernel.dtype == DataType::bf16)
                CHECK(kernel.flops_per_turn() == 6 * 16 * 16 * 32 * 2);
        }
    }
}
