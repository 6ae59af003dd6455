// Thousands of random rows: whatever the numbers, no verdict is refuted by its own row.

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "synthetic.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

class RandomRows {
public:
    explicit RandomRows(unsigned seed) : engine_(seed) {}

    Roofline roofline() {
        Roofline r = test::roofline(maybe(0.9) ? exponential(1, 10000) : 0, {});
        if (!r.compute.empty() && maybe(0.5))
            r.compute.push_back(
                {"AVX2 FMA", Isa::avx2, true, r.compute[0].rate * 0.5, Source::measured});
        double rate = exponential(1e10, 1e13), capacity = exponential(1e4, 1e6);
        for (const char* level : {"L1", "L2", "L3", "DRAM"}) {
            rate *= uniform(0.1, 1);
            capacity *= uniform(2, 64);
            if (!maybe(0.85)) continue;
            auto roof = bandwidth_roof(level, rate, capacity);
            if (maybe(0.7))
                roof.kinds.push_back({AccessKind::copy, maybe(0.5), roof.rate * uniform(0.3, 1)});
            if (maybe(0.3))
                roof.kinds.push_back({AccessKind::write, false, roof.rate * uniform(0.3, 1)});
            r.bandwidth.push_back(std::move(roof));
        }
        if (maybe(0.7)) r.call_overhead = Seconds(exponential(1e-8, 1e-4));
        r.threads = static_cast<int>(uniform(1, 64));
        if (maybe(0.5)) r.sse_transition = Seconds(exponential(1e-9, 1e-6));
        return r;
    }

    Demand demand(const Roofline& r) {
        Demand d;
        if (maybe(0.8)) d.useful = Flops(exponential(1, 1e12));
        std::vector<TensorTraffic> tensors;
        for (int i = 0; i < static_cast<int>(uniform(0, 5)); ++i) {
            TensorTraffic tensor;
            const Bytes size(std::floor(exponential(1, 1e9)));
            if (maybe(0.7)) tensor.read = size;
            if (maybe(0.4)) tensor.written = size;
            if (maybe(0.8)) tensor.reuse_distance = Bytes(exponential(1, 1e10));
            d.footprint += size;
            d.minimum += tensor.read + tensor.written;
            tensors.push_back(tensor);
        }
        d.traffic = place(tensors, r);
        if (maybe(0.2)) d.padding = uniform(1, 4), d.padding_cause = "oc 3 padded to 16";
        if (maybe(0.2) && d.useful.value() > 0) {
            d.padding = uniform(0.3, 4);
            d.executed = Reading(d.padding * d.useful.value(), Source::traced);
        }
        if (maybe(0.5)) d.transitions = std::floor(exponential(1, 1e6));
        for (LevelUse& level : d.traffic)
            if (maybe(0.3)) level.source = Source::simulated;
        d.parallel_pieces = std::floor(exponential(1, 1e4));
        return d;
    }

    Measurement measurement() {
        const char* names[] = {
            "jit:avx512_core", "jit:avx2", "ref:any",    "jit_wino:avx512_core",
            "gemm:jit",        "",         "simple:any", "brgemm:avx512_core_amx_bf16"};
        auto m = row(maybe(0.98) ? exponential(1e-7, 10) : 0, LayerKind::convolution,
                     names[static_cast<int>(uniform(0, 8))]);
        m.time.upper_bound = maybe(0.2);
        m.time.settled = !m.time.upper_bound;
        if (maybe(0.2)) m.kind = LayerKind::pooling;
        return m;
    }

    bool maybe(double chance) { return uniform(0, 1) < chance; }

private:
    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    double exponential(double low, double high) {
        return std::exp(uniform(std::log(low), std::log(high)));
    }
    std::mt19937 engine_;
};

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("no verdict of 20000 random rows is refuted by another column") {
        RandomRows random(20240607);
        int bounds[6] = {};
        for (int i = 0; i < 20000; ++i) {
            const auto r = random.roofline();
            const auto a = analyse(random.measurement(), random.demand(r), r);
            ++bounds[static_cast<int>(a.bound)];
            const auto found = contradictions(a);
            if (!found.empty()) {
                FAIL_CHECK(found.front() << "\n" << a.verdict << "\nrow " << i);
                return;
            }
        }
        for (const int count : bounds) CHECK(count > 30);  // every verdict was met
    }

    TEST_CASE("any other verdict on a random row is refuted by its columns") {
        RandomRows random(99);
        int tried = 0;
        for (int i = 0; i < 5000; ++i) {
            const auto r = random.roofline();
            const auto a = analyse(random.measurement(), random.demand(r), r);
            if (a.terms.size() < 2 || a.level.empty()) continue;
            for (const Bound other : {Bound::compute, Bound::memory, Bound::overhead,
                                      Bound::transitions, Bound::balanced, Bound::undetermined}) {
                if (other == a.bound) continue;
                auto wrong = a;
                wrong.bound = other;
                wrong.bound_level = other == Bound::memory ? a.level : "";
                wrong.verdict =
                    verdict_sentence(wrong, {});  // a sentence that fits the wrong bound
                ++tried;
                CHECK_MESSAGE(!contradictions(wrong).empty(), wrong.verdict);
            }
        }
        CHECK(tried > 5000);
    }

    TEST_CASE("terms at random scale: twice the machine halves the time and keeps the bound") {
        RandomRows random(7);
        for (int i = 0; i < 2000; ++i) {
            const auto r = random.roofline();
            const auto d = random.demand(r);
            const auto m = random.measurement();
            auto faster = r;
            for (auto& roof : faster.compute) roof.rate = roof.rate * 2;
            for (auto& roof : faster.bandwidth) {
                roof.rate = roof.rate * 2;
                for (auto& kind : roof.kinds) kind.rate = kind.rate * 2;
            }
            if (faster.sse_transition) faster.sse_transition = *faster.sse_transition * 0.5;
            if (faster.call_overhead) faster.call_overhead = *faster.call_overhead * 0.5;
            // Whether a kernel can have been as narrow or padded as it seems depends on its time.
            if (!r.compute.empty()) {
                const auto one = executed_work(m, d, r), other = executed_work(m, d, faster);
                if (one.padding != other.padding || one.roof->name != other.roof->name) continue;
            }
            const auto a = analyse(m, d, r), b = analyse(m, d, faster);
            CHECK(b.attained == doctest::Approx(a.attained / 2));
            if (a.bound != Bound::undetermined && b.bound != Bound::undetermined) {
                CHECK(a.bound == b.bound);
                CHECK(a.bound_level == b.bound_level);
            }
        }
    }
}
