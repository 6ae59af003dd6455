// Algorithms that no row of a step uses, called on the library itself: Winograd, convolution by
// im2col and a matrix product, the matrix product alone.
#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "collectors/onednn/onednn_step.hpp"
#include "tests/tracer/traced_layer.hpp"

#if DNNL_VERSION_MAJOR == 2  // 3.x takes other arguments, and its Winograd has gone

using namespace ridge;
using namespace ridge::test;

namespace {

/// A call of the library as a row.
class Call : public Kernel {
public:
    explicit Call(std::function<void()> call) : call_(std::move(call)) {}
    [[nodiscard]] const Measurement& description() const override { return row_; }
    void execute() override { call_(); }
    [[nodiscard]] std::vector<KernelTensor> tensors() const override { return tensors_; }

    void add(const std::string& role, const void* data, std::size_t bytes, bool written) {
        tensors_.push_back({.role = role,
                            .address = reinterpret_cast<std::uint64_t>(data),
                            .bytes = bytes,
                            .read = !written,
                            .written = written});
    }
    Measurement row_;

private:
    std::function<void()> call_;
    std::vector<KernelTensor> tensors_;
};

void fill(float* data, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        data[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11) / 8;
}

/// Executed once for the code it generates, then traced; the output must stay the same.
KernelTrace traced(Call& call, RunSink* sink = nullptr) {
    call.execute();
    const auto before = outputs(call);
    Tracer tracer;
    TracerOptions options;
    options.self_check_calls = 1;
    const KernelTrace checked = tracer.trace(call, nullptr, options);
    CHECK(checked.self_check.mismatch == "");
    CHECK(checked.self_check.calls > 0);
    CHECK(outputs(call) == before);
    KernelTrace trace = tracer.trace(call, sink);
    CHECK(outputs(call) == before);
    return trace;
}

/// 64 to 64 channels, 28 x 28 unless told, 3 x 3, forward, by an implementation whose name holds
/// `wanted`.
struct Convolution {
    static constexpr double ic = 64, oc = 64;
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::convolution_forward primitive;
    dnnl::memory src, wei, dst;
    std::string implementation;

    Convolution(dnnl::algorithm algorithm, const std::string& wanted, int threads = 1,
                dnnl_dim_t size = 28) {
        omp_set_num_threads(threads);
        const auto f32 = dnnl::memory::data_type::f32;
        const auto any = dnnl::memory::format_tag::any;
        const dnnl::convolution_forward::desc desc(
            dnnl::prop_kind::forward_training, algorithm, {{1, 64, size, size}, f32, any},
            {{64, 64, 3, 3}, f32, any}, {{1, 64, size, size}, f32, any}, {1, 1}, {1, 1}, {1, 1});
        dnnl::convolution_forward::primitive_desc pd(desc, engine);
        while (std::string(pd.impl_info_str()).find(wanted) == std::string::npos)
            if (!pd.next_impl()) return;
        implementation = pd.impl_info_str();
        primitive = dnnl::convolution_forward(pd);
        src = dnnl::memory(pd.src_desc(), engine);
        wei = dnnl::memory(pd.weights_desc(), engine);
        dst = dnnl::memory(pd.dst_desc(), engine);
        for (const dnnl::memory& m : {src, wei})
            fill(static_cast<float*>(m.get_data_handle()), m.get_desc().get_size() / 4);
    }

    [[nodiscard]] Call call() {
        Call call([this] {
            primitive.execute(stream,
                              {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
            stream.wait();
        });
        call.row_.implementation = implementation;
        call.add("src", src.get_data_handle(), src.get_desc().get_size(), false);
        call.add("wei", wei.get_data_handle(), wei.get_desc().get_size(), false);
        call.add("dst", dst.get_data_handle(), dst.get_desc().get_size(), true);
        return call;
    }
};

double lines_within(const std::vector<std::uint64_t>& lines, const dnnl::memory& tensor) {
    const std::uint64_t first = reinterpret_cast<std::uint64_t>(tensor.get_data_handle()) / 64;
    const std::uint64_t past = first + tensor.get_desc().get_size() / 64;
    double count = 0;
    for (const std::uint64_t line : lines) count += line >= first && line < past;
    return count;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("more threads than were announced: no stream, and it says so" *
              doctest::skip(!wide_vectors())) {
        announce_generated_code();
        Convolution convolution(dnnl::algorithm::convolution_winograd, "wino", 2);
        if (convolution.implementation.empty()) return;
        Call call = convolution.call();
        call.execute();
        Tracer tracer;
        LineRecorder lines;
        CHECK(tracer.trace(call, &lines).unavailable.find("more threads than") !=
              std::string::npos);
        TracerOptions options;
        options.threads = 2;
        CHECK(tracer.trace(call, &lines, options).unavailable == "");
        omp_set_num_threads(1);
    }
}

TEST_SUITE("reference") {
    TEST_CASE("Winograd: fewer FLOPs than taps, and its matrix products are all there" *
              doctest::skip(!wide_vectors())) {
        announce_generated_code();
        Convolution convolution(dnnl::algorithm::convolution_winograd, "wino");
        if (convolution.implementation.empty()) return;  // not on this processor
        CAPTURE(convolution.implementation);
        Call call = convolution.call();
        const KernelTrace trace = traced(call);
        CHECK(trace.unavailable == "");
        // F(4 x 4, 3 x 3): 7 x 7 tiles of 36 products of 64 x 64 each.
        const double products = 2.0 * 36 * 7 * 7 * Convolution::ic * Convolution::oc;
        const double taps = 2.0 * 82 * 82 * Convolution::ic * Convolution::oc;
        CHECK(trace.counts.flops_f32 > products);
        CHECK(trace.counts.flops_f32 < taps);
    }

    TEST_CASE("convolution by im2col: all taps counted, and the copying outside shows") {
        // 576 taps are more than the product packs on the stack: it points rsp at the heap, and
        // single steps must not write there.
        constexpr int size = 12;
        announce_generated_code();
        Convolution convolution(dnnl::algorithm::convolution_direct, "gemm:jit", 1, size);
        if (convolution.implementation.empty()) return;
        CAPTURE(convolution.implementation);
        Call call = convolution.call();
        LineRecorder lines;
        const KernelTrace trace = traced(call, &lines);
        lines.finish();
        CHECK(trace.unavailable == "");
        const double all_taps = 2.0 * 9 * size * size * Convolution::ic * Convolution::oc;
        CHECK(trace.counts.flops_f32 >= all_taps);
        CHECK(trace.counts.flops_f32 < 1.1 * all_taps);
        // The source is copied by compiled code: that it is never read gives the copying away.
        CHECK(lines_within(lines.read, convolution.src) == 0);
        const double written = lines_within(lines.written, convolution.dst);
        CHECK(written >= static_cast<double>(convolution.dst.get_desc().get_size() / 64));
    }

    TEST_CASE("matrix product: 2 m n k FLOPs, and every element of the result written") {
        announce_generated_code();
        omp_set_num_threads(1);
        constexpr dnnl_dim_t m = 96, n = 192, k = 64;
        std::vector<float> a(m * k), b(k * n), c(m * n);
        fill(a.data(), a.size());
        fill(b.data(), b.size());
        Call call([&] {
            dnnl_sgemm('N', 'N', m, n, k, 1.0F, a.data(), k, b.data(), n, 0.0F, c.data(), n);
        });
        call.add("a", a.data(), 4 * a.size(), false);
        call.add("b", b.data(), 4 * b.size(), false);
        call.add("c", c.data(), 4 * c.size(), true);
        LineRecorder lines;
        const KernelTrace trace = traced(call, &lines);
        lines.finish();
        CHECK(trace.unavailable == "");
        CHECK(trace.counts.flops_f32 >= 2.0 * m * n * k);
        CHECK(trace.counts.flops_f32 < 1.1 * 2.0 * m * n * k);
        double largest = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
            for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
                double sum = 0;
                for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l)
                    sum += double{a[i * k + l]} * double{b[l * n + j]};
                largest = std::max(largest, std::abs(sum - double{c[i * n + j]}));
            }
        CHECK(largest < 1e-3);
    }
}

#endif
