#include "collectors/blas/blas_step.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <sstream>

#include "collectors/blas/blas_memory.hpp"
#include "collectors/blas/gemm_layers.hpp"
#include "collectors/step/available_memory.hpp"
#include "collectors/step/float_environment.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

using blas::BlasMemory;

bool runs_on_blas(const Layer& layer) {
    return layer.kind == LayerKind::convolution || layer.kind == LayerKind::inner_product ||
           (layer.kind == LayerKind::matmul && layer.dims.g == 1);
}

std::size_t product(std::initializer_list<std::int64_t> factors) {
    std::size_t result = 1;
    for (const std::int64_t factor : factors) result *= static_cast<std::size_t>(factor);
    return result;
}

class BlasKernel : public Kernel {
public:
    BlasKernel(Measurement description, Layer layer, const blas::Tensors& tensors, int threads,
               std::shared_ptr<BlasMemory> memory)
        : description_(std::move(description)),
          layer_(std::move(layer)),
          tensors_(tensors),
          threads_(threads),
          memory_(std::move(memory)) {
        const auto start = std::chrono::steady_clock::now();
        execute();
        description_.first_call = Seconds(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }

    [[nodiscard]] const Measurement& description() const override { return description_; }
    void execute() override {
        blas::run(layer_, description_.key.pass, tensors_, memory_->columns(), threads_);
    }

private:
    Measurement description_;
    Layer layer_;
    blas::Tensors tensors_;
    int threads_;
    std::shared_ptr<BlasMemory> memory_;
};

/// A pass of a layer as a row; plain formats, named as oneDNN names them.
Measurement describe(const Layer& layer, Pass pass, int threads) {
    Measurement row;
    row.key = {layer.name, pass, ""};
    row.kind = layer.kind;
    row.problem = to_line(layer);
    row.dtype = layer.dtype;
    row.implementation = !blas::needs_columns(layer)   ? "openblas sgemm"
                         : pass == Pass::backward_data ? "openblas sgemm+col2im"
                                                       : "im2col+openblas sgemm";
    const bool image = layer.kind == LayerKind::convolution;
    const char* data = image || layer.dims.ih * layer.dims.iw > 1 ? "abcd" : "ab";
    const char* out = image ? "abcd" : "ab";
    const char* weights = image && layer.dims.g > 1 ? "abcde" : data;
    const std::string diff = pass == Pass::forward ? "" : "diff_";
    row.formats =
        fmt::format("{}src:{} {}wei:{} {}dst:{}", pass == Pass::backward_data ? "diff_" : "", data,
                    pass == Pass::backward_weights ? "diff_" : "", weights, diff, out);
    row.scratchpad =
        Bytes(static_cast<double>(blas::column_elements(layer, pass, threads) * sizeof(float)));
    return row;
}

/// Tensors that the passes of the layer need.
void plan(BlasMemory& memory, const NetworkLayer& net, int threads, std::uint32_t& seed) {
    const Layer& layer = net.layer;
    const Dims& d = layer.dims;
    const bool convolution = layer.kind == LayerKind::convolution;
    const bool bias = layer.bias && layer.kind != LayerKind::matmul;
    const std::size_t src = product({d.mb, d.ic, d.ih, d.iw});
    const std::size_t dst = product({d.mb, d.oc, convolution ? d.oh : 1, convolution ? d.ow : 1});
    const std::int64_t fan_in = convolution ? d.ic / d.g * d.kh * d.kw : d.ic * d.ih * d.iw;
    const std::size_t wei = product({d.oc, fan_in});
    const float bound = convolution ? step::he_bound(fan_in) : step::small_bound(fan_in);
    const auto add = [&](const char* role, std::size_t elements, step::Fill fill) {
        memory.add(layer.name, role, elements, fill, ++seed);
    };
    const auto oc = static_cast<std::size_t>(d.oc);
    add("src", src, {-1, 1});
    add("wei", wei, {-bound, bound});
    if (bias) add("bias", oc, {-0.1F, 0.1F});
    add("dst", dst, {});
    for (const Pass pass : net.passes) {
        memory.need_columns(blas::column_elements(layer, pass, threads));
        if (pass == Pass::backward_data) add("diff_src", src, {});
        if (pass != Pass::backward_weights) continue;
        add("diff_wei", wei, {});
        if (bias) add("diff_bias", oc, {});
    }
    if (net.passes.size() > 1) add("diff_dst", dst, {-1, 1});
}

blas::Tensors tensors_of(const BlasMemory& memory, const std::string& layer) {
    return {memory.data(layer, "src"),       memory.data(layer, "wei"),
            memory.data(layer, "bias"),      memory.data(layer, "dst"),
            memory.data(layer, "diff_src"),  memory.data(layer, "diff_wei"),
            memory.data(layer, "diff_bias"), memory.data(layer, "diff_dst")};
}

std::string reason(const Layer& layer, Pass pass) {
    if (runs_on_blas(layer) && pass == Pass::update)
        return "the update is no BLAS call: the collector's own kernel runs it with onednn";
    return fmt::format("{} is no matrix product: OpenBLAS has no such kernel",
                       to_string(layer.kind));
}

/// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..." -> "0.3.21"
std::string version() {
    std::istringstream config(openblas_get_config());
    std::string name, number;
    config >> name >> number;
    return number;
}

class StepWriter {
public:
    StepWriter(const Network& network, const StepOptions& options)
        : network_(network), options_(options), memory_(std::make_shared<BlasMemory>()) {}

    TrainingStep write() {
        auto seed = static_cast<std::uint32_t>(options_.seed * 1000003U);
        for (const NetworkLayer& net : network_.layers)
            if (runs_on_blas(net.layer)) plan(*memory_, net, options_.threads, seed);
        step::require_memory(fmt::format("network {}, batch {}", network_.name, network_.batch),
                             memory_->planned() + memory_->columns_size(),
                             step::available_memory());
        step_.tensors = memory_->planned();
        step_.scratchpad = memory_->columns_size();
        memory_->allocate(options_.threads);
        for (const NetworkLayer& net : network_.layers)
            add_rows(net, [](Pass pass) { return pass == Pass::forward; });
        for (const NetworkLayer& net : std::views::reverse(network_.layers))
            add_rows(net, [](Pass pass) { return pass != Pass::forward && pass != Pass::update; });
        for (const NetworkLayer& net : network_.layers)
            add_rows(net, [](Pass pass) { return pass == Pass::update; });
        step_.memory = memory_;
        step_.library = "openblas";
        step_.library_version = version();
        step_.library_isa = openblas_get_corename();
        return std::move(step_);
    }

private:
    template <class Wanted>
    void add_rows(const NetworkLayer& net, Wanted wanted) {
        for (const Pass pass : net.passes) {
            if (!wanted(pass)) continue;
            if (!runs_on_blas(net.layer) || pass == Pass::update) {
                step_.unavailable.emplace_back(RowKey{net.layer.name, pass, ""},
                                               reason(net.layer, pass));
                continue;
            }
            Measurement row = describe(net.layer, pass, options_.threads);
            row.ordinal = static_cast<int>(step_.kernels.size());
            step_.kernels.push_back(std::make_unique<BlasKernel>(
                std::move(row), net.layer, tensors_of(*memory_, net.layer.name), options_.threads,
                memory_));
        }
    }

    const Network& network_;
    const StepOptions& options_;
    std::shared_ptr<BlasMemory> memory_;
    TrainingStep step_;
};

}  // namespace

TrainingStep build_openblas_step(const Network& network, const StepOptions& options) {
    for (const NetworkLayer& net : network.layers)
        if (net.layer.dtype != DataType::f32)
            throw not_possible(
                fmt::format("{} with --library openblas", to_string(net.layer.dtype)),
                "OpenBLAS multiplies f32 matrices here; use --dtype f32 or --library "
                "onednn");
    step::prepare_threads(options.threads);
    openblas_set_num_threads(1);
    return StepWriter(network, options).write();
}

}  // namespace ridge
