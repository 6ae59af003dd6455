// A whole run: levels by cache state, shares, data types, rows that cannot be read.

#include <doctest/doctest.h>

#include "ridge/error.hpp"
#include "synthetic.hpp"
#include "tests/machine/small_machine.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

Measurement measured(const std::string& layer, Pass pass, const std::string& problem,
                     double time_s) {
    auto m = row(time_s, parse_layer(problem).kind);
    m.key = {layer, pass, ""};
    m.problem = problem;
    return m;
}

/// conv1 forward, relu1 forward, relu1 backward, conv1 backward_weights, conv1 update.
Run small_run(CacheState state) {
    const std::string conv = "conv:mb2ic16ih7oc16oh7kh5ph2", relu = "eltwise:mb2ic16ih7";
    Run run;
    run.info.state = state;
    run.info.network = "small";
    run.rows = {measured("conv1", Pass::forward, conv, 40e-6),
                measured("relu1", Pass::forward, relu, 2e-6),
                measured("relu1", Pass::backward, relu, 3e-6),
                measured("conv1", Pass::backward_weights, conv, 45e-6),
                measured("conv1", Pass::update, conv, 10e-6)};
    return run;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("mb2 ic16 oc16 7x7 k5 p2: 861184 FLOP, 38208 bytes, 22.54 FLOP/B") {
        auto run = small_run(CacheState::cold);
        const auto a = ridge::analyse(run, small_machine());
        CHECK(a.rows[0].useful_flops.value() == 861184);
        CHECK(a.rows[0].minimum_bytes.value() == 38208);
        CHECK(a.rows[0].intensity->value() == doctest::Approx(22.54).epsilon(0.0005));
        CHECK(a.rows[3].minimum_bytes.value() == 38208);
        CHECK(a.rows[0].bytes_source == Source::algorithmic);
    }

    TEST_CASE("shares: rows of the sum, sum over the step, convolution without its update") {
        auto run = small_run(CacheState::in_step);
        run.step = StepTime{};
        run.step->time.time = Seconds(102e-6);
        auto reorder = measured("conv1", Pass::forward, "reorder:mb2ic16ih7", 5e-6);
        reorder.key.part = "reorder src";
        run.rows.insert(run.rows.begin(), reorder);
        const auto a = ridge::analyse(run, small_machine());
        CHECK(a.sum.value() == doctest::Approx(105e-6));
        CHECK(*a.sum_over_step == doctest::Approx(105.0 / 102));
        CHECK(a.convolution_share == doctest::Approx(90.0 / 105));
        double shares = 0;
        for (const auto& r : a.rows) shares += r.share_of_step;
        CHECK(shares == doctest::Approx(1));
        CHECK_FALSE(ridge::analyse(small_run(CacheState::warm), small_machine()).sum_over_step);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("the level: DRAM when cold, what holds the footprint when warm") {
        // 38208 bytes do not fit 32 KiB, but 1 MiB
        CHECK(ridge::analyse(small_run(CacheState::cold), small_machine()).rows[0].level == "DRAM");
        const auto warm = ridge::analyse(small_run(CacheState::warm), small_machine());
        CHECK(warm.rows[0].level == "L2");
        CHECK(warm.rows[1].level == "L1");
        auto two = small_run(CacheState::warm);
        two.info.threads = 2;
        CHECK(ridge::analyse(two, small_machine()).rows[0].level == "L1");  // 2 x 32 KiB
    }

    TEST_CASE("in the step a tensor comes from where the rows since its last use left it") {
        auto run = small_run(CacheState::in_step);
        // 16 MB pass through between two uses of conv1's weights
        run.rows.push_back(measured("big", Pass::forward, "eltwise:mb1ic1ih2000iw2000", 2e-3));
        const auto a = ridge::analyse(run, small_machine());
        CHECK(a.rows[0].level == "DRAM");  // weights, last used by the update before "big"
        CHECK(a.rows[0].bytes < a.rows[0].minimum_bytes + Bytes(1));
        // relu1 reads what conv1 wrote just before; only its own output is far away.
        CHECK(a.rows[1].level == "DRAM");
        CHECK(a.rows[1].bytes.value() == a.rows[1].minimum_bytes.value() / 2);
        for (const auto& r : a.rows) CHECK(contradictions(r).empty());
    }

    TEST_CASE("a row of another data type has its own roofs") {
        auto run = small_run(CacheState::warm);
        run.info.dtype = DataType::bf16;
        run.rows[0].dtype = DataType::bf16;
        auto machine = small_machine();
        machine.isa_flags.push_back("avx512_bf16");
        machine.compute.push_back(
            {Isa::avx512_bf16, true, DataType::bf16, 1, given(200e9), {}, {}});
        const auto a = ridge::analyse(run, machine);
        CHECK(a.roofline.compute[0].name == "AVX-512 BF16");
        CHECK(a.rows[0].peak->value() == doctest::Approx(200e9));
        CHECK(a.rows[3].peak->value() == doctest::Approx(100e9));
        CHECK(a.rows[0].minimum_bytes.value() < a.rows[3].minimum_bytes.value());
    }

    TEST_CASE("a row whose problem cannot be read stays, with the reason") {
        auto run = small_run(CacheState::in_step);
        run.rows[1].problem = "conv:nonsense";
        const auto a = ridge::analyse(run, small_machine());
        REQUIRE(a.rows.size() == 5);
        CHECK(a.rows[1].bound == Bound::undetermined);
        CHECK(flagged(a.rows[1], "unknown problem"));
        CHECK(a.sum.value() == doctest::Approx(100e-6));
    }

    TEST_CASE("an empty run, and one without times, give no NaN") {
        Run run;
        const auto empty = ridge::analyse(run, small_machine());
        CHECK(empty.sum.value() == 0);
        CHECK(empty.convolution_share == 0);
        run = small_run(CacheState::warm);
        for (auto& r : run.rows) r.time = {};
        const auto timeless = ridge::analyse(run, small_machine());
        CHECK(timeless.convolution_share == 0);
        CHECK(timeless.rows[0].share_of_step == 0);
    }

    TEST_CASE("every kind of layer and pass gets a verdict that its row supports") {
        Run run;
        run.info.state = CacheState::in_step;
        for (const char* line :
             {"conv:mb4ic3ih32oc6oh30kh3", "conv:mb4g2ic16ih13oc32oh13kh3ph1", "ip:mb4ic256oc10",
              "matmul:64x32:32x16", "pool:mb4ic16ih8oh4kh2sh2", "bnorm:mb4ic16ih8",
              "lrn:mb4ic16ih8", "eltwise:mb4ic16ih8", "softmax:mb4ic10"}) {
            const auto layer = parse_layer(line);
            for (const Pass pass : training_passes(layer))
                run.rows.push_back(measured(line, pass, line, 3e-6));
        }
        const auto a = ridge::analyse(run, small_machine());
        CHECK(a.rows.size() > 15);
        for (const auto& r : a.rows) {
            const auto found = contradictions(r);
            CHECK_MESSAGE(found.empty(), (found.empty() ? "" : found.front()));
            CHECK_FALSE(r.verdict.empty());
        }
    }
}
