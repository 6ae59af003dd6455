#include "model/predict/gpu/layer_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridge/format.hpp"

namespace ridge::gpu {
namespace {

/// A product as cuBLAS sees it, column-major: forward C(oc x mb), then its two gradients.
void fill_product(Work& w, const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const std::int64_t depth = layer.kind == LayerKind::matmul ? d.ic : d.ic * d.ih * d.iw;
    w.kind = WorkKind::gemm;
    w.m = pass == Pass::forward ? d.oc : depth;
    w.n = pass == Pass::backward_weights ? d.oc : d.mb;
    w.k = pass == Pass::forward ? depth : pass == Pass::backward_data ? d.oc : d.mb;
    w.transpose_a = pass == Pass::forward;
    w.transpose_b = pass == Pass::backward_weights;
}

/// Everything else streams its tensors once.
void fill_stream(Work& w, const Layer& layer, Pass pass) {
    const double elements = minimum_bytes(layer, pass).value() / size_of(layer.dtype).value();
    w.kind = WorkKind::elementwise;
    w.rows = 1;
    w.cols = std::max<std::int64_t>(1, static_cast<std::int64_t>(elements));
    w.reads = 1;
    w.writes = 0;
    w.flops_per_element =
        std::max(1.0, useful_flops(layer, pass).value() / std::max(1.0, elements));
}

struct Width {
    double low, high;  ///< log(predicted / measured) at 10 and 90 %
};

/// Residuals of the calibrated rows, wider the farther the constants come from: twice, and at
/// least +-35 %, for a device never seen; three times, and at least +-50 %, for another family.
Width width_of(const Chosen& chosen) {
    const Calibration& c = chosen.from->constants;
    const double factor = chosen.same_device ? 1 : chosen.same_family ? 2 : 3;
    const double least = chosen.same_device ? 0.03 : chosen.same_family ? 0.35 : 0.5;
    const double more = chosen.same_class ? 1 : 1.5;
    return {std::min(c.low * factor, -least) * more, std::max(c.high * factor, least) * more};
}

void add_terms(Prediction& p, const Estimate& e, const Device& d) {
    const auto cube = [](double x) { return x * x * x; };
    const std::array<std::pair<const char*, double>, 4> parts{
        {{"compute", e.compute_s}, {"DRAM", e.dram_s}, {"L2", e.l2_s}, {"board power", e.power_s}}};
    double sum = 0;
    for (const auto& [name, time] : parts) sum += cube(time);
    const double shared = std::max(0.0, e.time_s - e.fixed_s);
    for (const auto& [name, time] : parts) {
        std::string detail;
        if (name == parts[0].first && e.tile_m > 0)
            detail = fmt::format(
                "{} in tiles of {}x{}, split {}, {:.2f} waves on {:.0f} multiprocessors",
                to_string(e.kernel), e.tile_m, e.tile_n, e.split, e.waves, d.multiprocessors);
        else if (name == parts[0].first)
            detail = to_string(e.kernel);
        else if (name == parts[1].first)
            detail = format(Bytes(e.dram_bytes));
        p.terms.push_back({name, Seconds(time), Seconds(sum > 0 ? shared * cube(time) / sum : 0),
                           std::move(detail)});
    }
    p.terms.push_back({"launch", Seconds(e.fixed_s), Seconds(e.fixed_s), "kernels and reductions"});
    std::stable_sort(p.terms.begin(), p.terms.end(),
                     [](const auto& a, const auto& b) { return a.contribution > b.contribution; });
    p.binding = p.terms.front().resource;
}

void tell_distance(Prediction& p, const Chosen& chosen, const Device& d) {
    if (!chosen.same_class)
        p.out_of_range.push_back(
            {"kernel class", 0, 0, 0, "constants of " + chosen.from->kernel_class});
    if (!chosen.same_device)
        p.out_of_range.push_back(
            {"device", 0, 0, 0,
             fmt::format("{} was not measured: constants of the family {}{}", d.name,
                         chosen.from->family, chosen.same_family ? "" : ", not its own")});
}

}  // namespace

/// A kernel in a step follows the one before it on the device. Some data sets time each call by
/// events instead, whose floor of 10 to 40 us is in the fitted launch; a step does not pay it.
Constants in_a_step(Constants c) {
    constexpr double back_to_back_s = 5e-6;
    c[Constant::launch] = std::min(c[Constant::launch], back_to_back_s);
    return c;
}

Work work_of(const Layer& layer, Pass pass) {
    Work w;
    w.pass = pass;
    w.dtype = layer.dtype;
    w.tensor_units = layer.dtype == DataType::f16 || layer.dtype == DataType::bf16 ||
                     layer.dtype == DataType::tf32;
    w.dims = layer.dims;
    const bool update = pass == Pass::update;
    if (layer.kind == LayerKind::convolution && !update)
        w.kind = WorkKind::convolution;
    else if ((layer.kind == LayerKind::inner_product || layer.kind == LayerKind::matmul) && !update)
        fill_product(w, layer, pass);
    else
        fill_stream(w, layer, pass);
    return w;
}

Prediction predict(const Layer& layer, Pass pass, const Device& device,
                   const std::vector<CalibrationFile>& calibrations) {
    const Work work = work_of(layer, pass);
    const std::string kernel_class = class_of(work);
    const Chosen chosen = choose(calibrations, kernel_class, device);
    const Estimate e = estimate(work, device, in_a_step(chosen.constants));
    Prediction p;
    p.time = Seconds(e.time_s);
    const Width width = width_of(chosen);
    p.low = Seconds(e.time_s * std::exp(-width.high));
    p.high = Seconds(e.time_s * std::exp(-width.low));
    p.model = "gpu, tile and wave";
    p.kernel = fmt::format("{}, {}", kernel_class, to_string(e.kernel));
    add_terms(p, e, device);
    tell_distance(p, chosen, device);
    return p;
}

}  // namespace ridge::gpu
