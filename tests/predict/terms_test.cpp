// Are the terms, and the time they add up to, what pencil and paper give?
#include "model/predict/cpu/terms.hpp"

#include <doctest/doctest.h>

#include "model/predict/cpu/time_model.hpp"
#include "tests/predict/machines.hpp"

using namespace ridge;
using namespace ridge::cpu;

namespace {

PassDemand demand() {
    PassDemand d;
    d.fma.back() = 1e6;               // 1 ms at one a cycle
    d.other_arithmetic.back() = 2e5;  // all arithmetic: 1.2e6 at two a cycle, 0.6 ms
    d.loads = {4e5, 4e5 * 64};        // with the broadcasts 1e6 at two a cycle, 0.5 ms
    d.broadcasts = 6e5;
    d.stores = {1e5, 1e5 * 64};
    d.instructions = 1.6e6;  // 0.4 ms
    d.levels = {{"L2", Bytes(6.4e6), Bytes(3.2e6)}, {"L3", Bytes(3.2e6), Bytes(1.6e6)}};
    d.distinct_read = Bytes(1.6e6);
    d.distinct_written = Bytes(1.6e6);
    d.footprint = Bytes(3.2e6);
    return d;
}

double of(const Terms& t, Resource r) {
    return t.time[static_cast<std::size_t>(r)];
}

}  // namespace

TEST_SUITE_BEGIN("formula");

TEST_CASE("every term by hand") {
    const Terms t = terms_of(demand(), capability_of(test::round_machine(), 1), CacheState::warm);
    CHECK(of(t, Resource::fma) == doctest::Approx(1e-3));
    CHECK(of(t, Resource::arithmetic) == doctest::Approx(0.6e-3));
    CHECK(of(t, Resource::load_store) == doctest::Approx(0.5e-3));
    CHECK(of(t, Resource::issue) == doctest::Approx(0.4e-3));
    CHECK(of(t, Resource::l2_read) == doctest::Approx(1e-4));
    CHECK(of(t, Resource::l2_write) == doctest::Approx(5e-5));
    CHECK(of(t, Resource::l3_read) == doctest::Approx(1e-4));
    CHECK(of(t, Resource::fixed) == doctest::Approx(1e-6));
    CHECK(t.footprint_over_capacity == doctest::Approx(3.2e6 / (16 << 20)));
}

TEST_CASE("the longest execution resource counts, lines are added") {
    const Terms t = terms_of(demand(), capability_of(test::round_machine(), 1), CacheState::warm);
    Constants c = machine_file_constants();
    // 1 ms + L2 0.1 + 0.05 + L3 0.1 + 0.05 + overhead 0.001; everything fits into L3.
    CHECK(time_of(t, c) == doctest::Approx(1.301e-3));
    CHECK(time_of(t, c, Overlap::all_maximum) == doctest::Approx(1e-3));
    c.of(Resource::load_store) = 3;
    CHECK(time_of(t, c) == doctest::Approx(1.801e-3));
    double sum = 0;
    for (const double part : contributions(t, c)) sum += part;
    CHECK(sum == doctest::Approx(time_of(t, c)));
}

TEST_CASE("chains longer than the latency hides stretch the multiply-adds") {
    PassDemand d = demand();
    const Capability m = capability_of(test::round_machine(), 1);
    d.chained_share = 0.25;  // four independent chains, latency four: just hidden
    CHECK(of(terms_of(d, m, CacheState::warm), Resource::fma) == doctest::Approx(1e-3));
    d.chained_share = 0.5;
    CHECK(of(terms_of(d, m, CacheState::warm), Resource::fma) == doctest::Approx(2e-3));
}

TEST_CASE("the last cache's capacity decides what comes from memory") {
    CHECK(missing_share(0.5, 1) == 0);
    CHECK(missing_share(2, 1) == doctest::Approx(0.5));
    CHECK(missing_share(2, 2) == doctest::Approx(0.75));
    PassDemand d = demand();
    const Capability m = capability_of(test::round_machine(), 1);
    const Constants c = machine_file_constants();
    const double warm = time_of(terms_of(d, m, CacheState::warm), c);
    // Cold: the 3.2 MB that are read or written first all come from memory at 8 GB/s.
    CHECK(time_of(terms_of(d, m, CacheState::cold), c) - warm == doctest::Approx(3.2e6 / 8e9));
    // Twice the capacity and steepness 1: half of what is read and written.
    d.footprint = Bytes(2.0 * (16 << 20));
    Constants half = c;
    half.steepness = 1;
    const double missed = time_of(terms_of(d, m, CacheState::warm), half) - warm;
    CHECK(missed == doctest::Approx((0.5 * 3.2e6 + 0.5 * 1.6e6) / 8e9));
    CHECK(time_of(terms_of(d, m, CacheState::warm), half, Overlap::hard_core, 3) - warm ==
          doctest::Approx(3 * missed));
}

TEST_CASE("two threads: the busiest one counts") {
    PassDemand d = demand();
    d.threads = 2;
    d.busiest_share = 0.5;
    const Capability m = capability_of(test::round_machine(), 2);
    CHECK(of(terms_of(d, m, CacheState::warm), Resource::fma) == doctest::Approx(0.5e-3));
    d.busiest_share = 2.0 / 3;
    CHECK(of(terms_of(d, m, CacheState::warm), Resource::fma) == doctest::Approx(2e-3 / 3));
}

TEST_SUITE_END();
