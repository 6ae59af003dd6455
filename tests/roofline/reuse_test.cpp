// Where a tensor was when a layer of a repeated step reads it.

#include <doctest/doctest.h>

#include "model/roofline/demand.hpp"
#include "model/roofline/step_reuse.hpp"
#include "synthetic.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

TensorUse use(std::string name, std::int64_t elements, bool read, bool written) {
    return {std::move(name), elements, Bytes(4.0 * static_cast<double>(elements)), read, written};
}

/// Two inner products, forward and backward, with the update: in -> a -> b.
std::vector<StepRow> two_layers() {
    const std::int64_t in = 100, a = 200, b = 50, w1 = in * a, w2 = a * b;
    return {
        {"one",
         Pass::forward,
         {use("src", in, true, false), use("wei", w1, true, false), use("dst", a, false, true)}},
        {"two",
         Pass::forward,
         {use("src", a, true, false), use("wei", w2, true, false), use("dst", b, false, true)}},
        {"loss", Pass::backward, {use("dst", b, true, false), use("diff_src", b, false, true)}},
        {"two",
         Pass::backward_data,
         {use("diff_dst", b, true, false), use("wei", w2, true, false),
          use("diff_src", a, false, true)}},
        {"one",
         Pass::backward_weights,
         {use("src", in, true, false), use("diff_dst", a, true, false),
          use("diff_wei", w1, false, true)}},
    };
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("an input that the row before wrote is as near as the row's own tensors") {
        const auto d = reuse_distances(two_layers());
        const double footprint = 4.0 * (200 + 200 * 50 + 50);
        CHECK(d[1][0].value() == footprint);  // src of "two" is dst of "one"
    }

    TEST_CASE("weights of the forward row come back behind everything in between") {
        const auto d = reuse_distances(two_layers());
        // From backward_data of "two" (its last use) over backward_weights of "one" and forward of
        // "one" to forward of "two": in, a, w1, diff_wei of "one" lie between; dst of "one" and
        // diff_src of "two" (the newest gradient of 200 elements) are among them.
        const double between = 4.0 * (100 + 200 + 20000 + 20000);
        const double own = 4.0 * (200 + 10000 + 50);
        CHECK(d[1][1].value() == between + own);
    }

    TEST_CASE("a gradient is the one that the row before wrote") {
        const auto d = reuse_distances(two_layers());
        CHECK(d[3][0].value() == 4.0 * (50 + 10000 + 200));
        CHECK(d[4][1].value() == 4.0 * (100 + 200 + 20000));
    }

    TEST_CASE("a tensor that only one row of the step touches comes back after the whole step") {
        const auto d = reuse_distances(two_layers());
        const double all = 4.0 * (100 + 20000 + 200 + 10000 + 50 + 50 + 200 + 20000 + 50);
        CHECK(d[4][2].value() <= all);
        CHECK(d[4][2].value() >= all - 4.0 * (50 + 50 + 50));
    }

    TEST_CASE("a reorder writes what its layer reads, or reads what its layer wrote") {
        const auto copy = [](const char* part, std::int64_t n) {
            return step_row({"one", Pass::forward, part},
                            {use("src", n, true, false), use("dst", n, false, true)});
        };
        auto step = two_layers();
        step.insert(step.begin(), copy("reorder wei", 20000));
        step.insert(step.begin() + 2, copy("reorder dst", 200));
        const auto d = reuse_distances(step);
        CHECK(d[1][1].value() == 4.0 * (100 + 20000 + 200));  // weights: written just before
        CHECK(d[2][0].value() == 4.0 * (200 + 200));          // dst of "one": written just before
        CHECK(d[3][0].value() == 4.0 * (200 + 10000 + 50));   // src of "two": the converted one
    }

    TEST_CASE("one row repeated finds its own tensors") {
        const auto d = reuse_distances({two_layers()[0]});
        for (const auto& distance : d[0]) CHECK(distance.value() == 4.0 * (100 + 20000 + 200));
    }

    TEST_CASE("a tensor passes every level before the one that holds it") {
        const auto r = roofline(1, {bandwidth_roof("L1", 4e9, 100), bandwidth_roof("L2", 3e9, 1000),
                                    bandwidth_roof("DRAM", 1e9)});
        const auto traffic = place({{Bytes(50), Bytes(0), Bytes(90)},
                                    {Bytes(200), Bytes(200), Bytes(900)},
                                    {Bytes(0), Bytes(5000), std::nullopt}},
                                   r);
        REQUIRE(traffic.size() == 3);
        CHECK(traffic[0].total().value() == 50 + 400 + 5000);
        CHECK(traffic[1].total().value() == 400 + 5000);
        CHECK(traffic[2].total().value() == 5000);
        CHECK(traffic[2].written.value() == 5000);
    }
}
