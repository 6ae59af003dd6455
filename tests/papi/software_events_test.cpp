// The tracer's totals through the real PAPI: the whole path from an event to a number.
#include "collectors/papi/software_events.hpp"

#include <doctest/doctest.h>

#include "ridge/counters.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;

TEST_SUITE("reference") {
    TEST_CASE("the tracer's totals arrive through PAPI's software-defined events") {
        if (!tracer_unavailable().empty()) return;
        // 2 x 64 x 64 x 3 x 3 products at 56 x 56 points, less those outside the image (166 of 168
        // in each direction); tests/tracer has the additions of partial sums and of the bias.
        const auto backend = papi_backend();
        REQUIRE(std::holds_alternative<std::shared_ptr<CounterBackend>>(backend));
        papi::SoftwareEvents events;
        REQUIRE(events.unavailable() == "");
        EventTable table;
        for (EventTable& shipped : shipped_event_tables())
            if (shipped.name == "traced kernels") table = shipped;
        CounterSession session(table, std::get<std::shared_ptr<CounterBackend>>(backend), {});
        for (const auto& quantity : session.available()) CHECK(quantity.reason == "");

        for (const int threads : {1, 2}) {
            auto layer =
                test::traced_step("conv:mb1ic64ih56oc64oh56kh3ph1", DataType::f32, threads);
            Kernel* kernel = layer.row(Pass::forward);
            REQUIRE(kernel != nullptr);
            TracerOptions options;
            options.threads = threads;
            KernelCounts once;
            const auto counts = session.count([&] {
                const KernelTrace trace = layer.tracer->trace(*kernel, nullptr, options);
                REQUIRE(trace.unavailable == "");
                once = trace.counts;
                events.add(trace.counts);
            });
            const double useful = 2.0 * 64 * 64 * 166 * 166;
            CHECK(counts.at("PAPI_SP_OPS").value() >= useful);
            CHECK(counts.at("PAPI_SP_OPS").value() <= 1.01 * useful);
            CHECK(counts.at("PAPI_SP_OPS").source() == Source::traced);
            CHECK(counts.at("PAPI_SP_OPS").value() == once.flops_f32);
            CHECK(counts.at("PAPI_TOT_INS").value() == once.instructions);
            // Input, weights and output are read or written at least once, 4 bytes each.
            CHECK(counts.at("load_bytes").value() >= 4.0 * (64 * 56 * 56 + 64 * 64 * 9));
            CHECK(counts.at("store_bytes").value() >= 4.0 * 64 * 56 * 56);
            CHECK(counts.at("core_bytes").value() ==
                  counts.at("load_bytes").value() + counts.at("store_bytes").value());
        }
    }
}
