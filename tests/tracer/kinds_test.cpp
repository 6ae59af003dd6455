// Every kind of layer in every pass: bit-identical outputs, agreement with single steps, and a
// reason wherever counts are not given.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Layers as the shipped networks have them, small.
constexpr std::array lines{
    "conv:mb2ic64ih14oc64oh14kh3ph1",
    "conv:mb2ic64ih14oc128oh7kh1sh2ph0",
    "conv:mb1ic3ih35oc32oh18kh3sh2ph1",
    "conv:mb2g2ic32oc32ih13kh5ph2",
    "ip:mb8ic256oc100",
    "ip:mb1ic512oc512",
    "pool:mb2ic64ih14oh7kh2sh2ph0",
    "pool:mb2ic64ih14oh7kh3sh2ph1",
    "pool:mb2ic64ih7oh1kh7ph0,alg=avg_np",
    "bnorm:mb2ic64ih14",
    "eltwise:2x64x14x14",
    "eltwise:2x64x14x14,inplace=1",
    "eltwise:2x64x14x14,alg=tanh",
    "lrn:mb2ic64ih14ls5",
    "softmax:mb4ic1000,loss=1",
    "sum:mb2ic64ih14,inputs=2",
    "concat:mb2ih14,inputs=64+32",
    "matmul:64x128:128x96",
};

/// Values of every tensor that the kernel works on, to run it again from the same state.
std::vector<std::vector<unsigned char>> snapshot(const Kernel& kernel) {
    std::vector<std::vector<unsigned char>> all;
    for (const KernelTensor& tensor : kernel.tensors()) {
        const auto* data = reinterpret_cast<const unsigned char*>(tensor.address);
        all.emplace_back(data, data + tensor.bytes);
    }
    return all;
}

void restore(const Kernel& kernel, const std::vector<std::vector<unsigned char>>& all) {
    std::size_t i = 0;
    for (const KernelTensor& tensor : kernel.tensors()) {
        std::copy(all[i].begin(), all[i].end(), reinterpret_cast<unsigned char*>(tensor.address));
        ++i;
    }
}

/// Runs every row of a layer's step natively and traced, from the same state; returns how many rows
/// ran generated code. `self_checks`: calls per function that are compared step by step.
int check_rows(const char* line, DataType dtype, int threads,
               std::initializer_list<int> self_checks) {
    int traced_rows = 0;
    const TracedStep traced = traced_step(line, dtype, threads);
    for (const auto& kernel : traced.step.kernels) {
        const Measurement& row = kernel->description();
        if (row.implementation.rfind("ridge:", 0) == 0) continue;
        const std::string what = std::string(line) + " " + std::string(to_string(row.key.pass)) +
                                 " " + row.key.part + " " + row.implementation;
        CAPTURE(what);
        const auto before = snapshot(*kernel);
        kernel->execute();
        const auto native = snapshot(*kernel);
        for (const int check : self_checks) {
            CAPTURE(check);
            restore(*kernel, before);
            TracerOptions options;
            options.threads = threads;
            options.self_check_calls = check;
            const KernelTrace trace = traced.tracer->trace(*kernel, nullptr, options);
            CHECK(snapshot(*kernel) == native);
            CHECK(trace.self_check.mismatch == "");
            if (!trace.unavailable.empty()) {
                CHECK(trace.unavailable.find("no generated code ran") == 0);
            } else if (check > 0) {
                CHECK(trace.self_check.calls > 0);
                CHECK(trace.self_check.blocks > 0);
            } else {
                ++traced_rows;
            }
        }
    }
    return traced_rows;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("every kind and pass: the same bits with and without tracing, single steps agree") {
        int traced_rows = 0;
        for (const char* line : lines) traced_rows += check_rows(line, DataType::f32, 1, {0, 2});
        CHECK((traced_rows >= 40 || !__builtin_cpu_supports("avx512f")));
    }

    TEST_CASE("every kind and pass on two threads: the same bits with and without tracing") {
        int traced_rows = 0;
        for (const char* line : lines) traced_rows += check_rows(line, DataType::f32, 2, {0});
        CHECK((traced_rows >= 40 || !__builtin_cpu_supports("avx512f")));
    }

    TEST_CASE("every kind and pass in bf16: the same bits, single steps agree" *
              doctest::skip(!wide_vectors())) {
        int traced_rows = 0;
        for (const char* line : lines) traced_rows += check_rows(line, DataType::bf16, 1, {0, 1});
        CHECK(traced_rows >= 30);
    }

    TEST_CASE("in place: bytes are read and written once, in one tensor") {
        TracedStep traced = traced_step("eltwise:2x64x14x14,inplace=1");
        Kernel* kernel = traced.row(Pass::forward);
        REQUIRE(kernel != nullptr);
        LineRecorder touched;
        const KernelTrace trace = traced.tracer->trace(*kernel, &touched);
        if (!trace.unavailable.empty()) return;
        touched.finish();
        const double bytes = 4.0 * 2 * 64 * 14 * 14;
        const auto count = [&](const std::vector<std::uint64_t>& all) {
            double lines_within = 0;
            for (const KernelTensor& tensor : kernel->tensors())
                if (tensor.written && !tensor.scratchpad)
                    lines_within += static_cast<double>(
                        std::lower_bound(all.begin(), all.end(),
                                         (tensor.address + tensor.bytes) / 64) -
                        std::lower_bound(all.begin(), all.end(), tensor.address / 64));
            return lines_within;
        };
        CHECK(64 * count(touched.read) == bytes);
        CHECK(64 * count(touched.written) == bytes);
    }

    TEST_CASE("two threads and one do the same arithmetic") {
        for (const char* line : {"conv:mb2ic64ih14oc64oh14kh3ph1", "eltwise:2x64x14x14",
                                 "pool:mb2ic64ih14oh7kh2sh2ph0"}) {
            CAPTURE(line);
            const auto run = [&](int threads, LineRecorder& lines) {
                TracedStep traced = traced_step(line, DataType::f32, threads);
                Kernel* kernel = traced.row(Pass::forward);
                REQUIRE(kernel != nullptr);
                kernel->execute();
                const auto before = outputs(*kernel);
                TracerOptions options;
                options.threads = threads;
                const KernelTrace trace = traced.tracer->trace(*kernel, &lines, options);
                CHECK(trace.unavailable == "");
                CHECK(outputs(*kernel) == before);
                lines.finish();
                return trace.counts;
            };
            LineRecorder one_lines, two_lines;
            const KernelCounts one = run(1, one_lines), two = run(2, two_lines);
            CHECK(two.flops() == one.flops());
            CHECK(two.vector_stores.bytes == one.vector_stores.bytes);
        }
    }

    TEST_CASE("bf16: dot products count") {
        const TracedStep traced = traced_step("conv:mb1ic64ih14oc64oh14kh3ph1", DataType::bf16);
        Kernel* kernel = traced.row(Pass::forward);
        if (kernel == nullptr) return;  // no bf16 kernels on this processor
        CAPTURE(kernel->description().implementation);
        kernel->execute();
        const auto before = outputs(*kernel);
        const KernelTrace trace = traced.tracer->trace(*kernel, nullptr);
        CHECK(outputs(*kernel) == before);
        CHECK(trace.unavailable == "");
        // Padding taps may be computed.
        CHECK(trace.counts.flops_bf16 + trace.counts.flops_f32 >=
              useful_flops(traced.layer, Pass::forward).value());
    }
}
