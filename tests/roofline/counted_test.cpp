// Rows whose counters know more than their dimensions: bytes per level, executed FLOPs, SSE/AVX
// transitions, and how much of a run rests on them.

#include <doctest/doctest.h>

#include "model/roofline/transitions.hpp"
#include "ridge/counter_names.hpp"
#include "synthetic.hpp"
#include "tests/machine/small_machine.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr const char* conv = "conv:mb2ic16ih7oc16oh7kh5ph2";  // 861184 FLOP, 38208 bytes
constexpr double conv_flops = 861184;

void set_bytes(Measurement& row, const std::string& level, double read, double written,
               Source source = Source::simulated) {
    row.counters.insert_or_assign(counter::read_bytes(level), Reading(read, source));
    row.counters.insert_or_assign(counter::written_bytes(level), Reading(written, source));
}

/// A convolution that was traced and simulated: 6 MB from L1, 3 MB from L2, 1 MB from L3, half of
/// it from DRAM, and nothing written.
Measurement counted_row(double time_s, const std::string& layer = "conv1") {
    auto m = row(time_s);
    m.key = {layer, Pass::forward, ""};
    m.problem = conv;
    set_bytes(m, "L1", 6e6, 0, Source::traced);
    set_bytes(m, "L2", 3e6, 0);
    set_bytes(m, "L3", 1e6, 0);
    set_bytes(m, "DRAM", 0.5e6, 0);
    m.counters.emplace(counter::flops, Reading(1.25 * conv_flops, Source::traced));
    m.counters.emplace(counter::traced_share, Reading(1, Source::traced));
    return m;
}

Run run_of(std::vector<Measurement> rows) {
    Run run;
    run.info.network = "small";
    run.info.counters = "traced";
    run.rows = std::move(rows);
    return run;
}

const Term* term(const RowAnalysis& a, std::string_view resource) {
    for (const auto& t : a.terms)
        if (t.resource == resource) return &t;
    return nullptr;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("simulated bytes take the place of algorithmic ones at every level") {
        // Least times on one thread: L1 30 us, L2 37.5 us, L3 25 us, DRAM 50 us; compute 10.8 us.
        const auto a = ridge::analyse(run_of({counted_row(60e-6)}), small_machine()).rows[0];
        CHECK(a.level == "DRAM");
        CHECK(a.bytes.value() == 0.5e6);
        CHECK(a.bytes_source == Source::simulated);
        CHECK(a.bound == Bound::memory);
        CHECK(a.attained == doctest::Approx(50.0 / 60));
        CHECK(a.intensity->value() == doctest::Approx(conv_flops / 0.5e6));
        CHECK(says(a, "bytes simulated"));
        REQUIRE(term(a, "L2"));
        CHECK(term(a, "L2")->time.value() == doctest::Approx(37.5e-6));
        CHECK(term(a, "L1")->bytes_source == Source::traced);
        CHECK(a.minimum_bytes.value() == 38208);  // stays what the layer needs
        CHECK(contradictions(a).empty());
    }

    TEST_CASE("executed FLOPs are those counted, useful ones those of the layer") {
        auto m = counted_row(12e-6);
        for (const char* level : {"L1", "L2", "L3", "DRAM"}) set_bytes(m, level, 64, 0);
        const auto a = ridge::analyse(run_of({m}), small_machine()).rows[0];
        CHECK(a.bound == Bound::compute);
        CHECK(a.executed_flops.value() == 1.25 * conv_flops);
        CHECK(a.executed_flops.source() == Source::traced);
        CHECK(a.useful_flops.value() == conv_flops);
        CHECK(term(a, "compute")->time.value() == doctest::Approx(conv_flops / 100e9));
        CHECK(term(a, "compute")->busy.value() == doctest::Approx(1.25 * conv_flops / 100e9));
        CHECK(says(a, "as executed (traced)"));
        CHECK(flagged(a, "more work: it executes 1.250 x the useful FLOPs (traced)"));
        CHECK(contradictions(a).empty());
    }

    TEST_CASE("a level without a count leaves all bytes algorithmic") {
        auto m = counted_row(60e-6);
        m.counters.insert_or_assign(counter::read_bytes("L3"), Reading::unavailable("not there"));
        const auto a = ridge::analyse(run_of({m}), small_machine()).rows[0];
        CHECK(a.bytes_source == Source::algorithmic);
        CHECK_FALSE(says(a, "bytes simulated"));
        CHECK(a.executed_flops.available());
    }

    TEST_CASE("transitions: count x cost over the threads that share them") {
        auto r = golden_roofline();
        auto d = demand(1e6, {{"DRAM", 1e6}});  // 10 us of DRAM
        d.transitions = 1000;
        CHECK_FALSE(transitions_term(d, r));  // no cost known: nothing is claimed
        r.sse_transition = Seconds(159e-9);
        CHECK(transitions_term(d, r)->busy.value() == doctest::Approx(159e-6));
        CHECK(transitions_term(d, r)->time.value() == 0);
        r.threads = 4;
        CHECK(transitions_term(d, r)->busy.value() == doctest::Approx(159e-6 / 4));
        d.transitions = 0;
        CHECK_FALSE(transitions_term(d, r));
    }

    TEST_CASE("the cost of a transition: the file's, else Intel's with AVX-512, else unknown") {
        Machine m = small_machine();
        CHECK(transition_cost(m)->value == 2e-9);
        m.overheads.sse_transition_s.reset();
        CHECK_FALSE(transition_cost(m));
        m.vendor = "AuthenticAMD";
        CHECK_FALSE(transition_cost(m));
        m.vendor = "GenuineIntel";
        const auto cost = transition_cost(m);
        REQUIRE(cost);
        CHECK(cost->value == doctest::Approx(439 / 3.2e9));  // cycles at the quiet clock
        CHECK(cost->source == Source::given);
        CHECK(cost->note.find("cycles") != std::string::npos);
        std::erase_if(m.compute, [](const auto& one) { return one.isa == Isa::avx512; });
        CHECK_FALSE(transition_cost(m));  // not measured there
    }

    TEST_CASE("coverage: traced by its share of lines, the rest analytic or nothing") {
        auto part = counted_row(20e-6, "part");
        part.counters.insert_or_assign(counter::traced_share, Reading(0.75, Source::traced));
        part.counters.emplace(counter::untraced_work,
                              Reading::unavailable("49 of 196 lines of src are not read"));
        auto compiled = row(10e-6, LayerKind::convolution, "simple:any");
        compiled.key.layer = "compiled";
        compiled.problem = conv;
        compiled.counters.emplace(counter::flops, Reading::unavailable("compiled code"));
        compiled.counters.emplace(counter::traced_share, Reading(0, Source::traced));
        compiled.counters.emplace(counter::untraced_work, Reading::unavailable("compiled code"));
        for (const char* level : {"L1", "L2", "L3", "DRAM"})
            set_bytes(compiled, level, 1e5, 0, Source::algorithmic);
        auto unknown = row(10e-6);
        unknown.key.layer = "unknown";
        unknown.problem = "nonsense:1";
        const auto a =
            ridge::analyse(run_of({counted_row(60e-6), part, compiled, unknown}), small_machine());
        const Coverage& c = a.coverage;
        CHECK(c.traced == doctest::Approx(0.60 + 0.75 * 0.20));
        CHECK(c.analytic == doctest::Approx(0.25 * 0.20 + 0.10));
        CHECK(c.none == doctest::Approx(0.10));
        REQUIRE(c.gaps.size() == 3);
        double shares = 0;
        for (const CoverageGap& gap : c.gaps) shares += gap.share;
        CHECK(shares == doctest::Approx(c.analytic + c.none));
        CHECK(c.gaps.back().rows.front().layer == "part");
        CHECK(c.gaps.back().partly);
        CHECK(c.gaps.back().reason == "49 of 196 lines of src are not read");
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("max pooling full of transitions is bound by them where they cost, and only there") {
        const auto pool = row(170e-6, LayerKind::pooling);
        auto r = golden_roofline();
        auto d = demand(0, {{"DRAM", 1e6}});
        d.transitions = 1000;

        r.sse_transition = Seconds(159e-9);  // 442 cycles at 2.78 GHz
        const auto costly = analyse(pool, d, r);
        CHECK(costly.bound == Bound::transitions);
        CHECK(says(costly, "SSE/AVX transitions: 93.5 % of the time"));
        CHECK(says(costly, "1000 x 159 ns"));
        CHECK(says(costly, "next DRAM"));
        CHECK(costly.saved_at_roof.value() == doctest::Approx(160e-6));
        CHECK(contradictions(costly).empty());

        r.sse_transition = Seconds(1e-9);
        const auto cheap = analyse(pool, d, r);
        CHECK(cheap.bound != Bound::transitions);
        CHECK_FALSE(says(cheap, "SSE/AVX transitions: "));
        CHECK(contradictions(cheap).empty());

        d.transitions = 0;
        r.sse_transition = Seconds(159e-9);
        CHECK_FALSE(says(analyse(pool, d, r), "transitions"));
    }

    TEST_CASE("an estimate of the transitions beyond the measured time is flagged") {
        auto r = golden_roofline();
        r.sse_transition = Seconds(159e-9);
        auto d = demand(0, {{"DRAM", 1e6}});
        d.transitions = 1000;
        const auto a = analyse(row(150e-6, LayerKind::pooling), d, r);
        CHECK(a.bound == Bound::transitions);
        CHECK(flagged(a, "above roof: "));
        CHECK(flagged(a, "each is cheaper"));
        CHECK(contradictions(a).empty());
    }
}
