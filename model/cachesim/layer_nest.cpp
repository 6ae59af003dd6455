// The loops of a layer pass.
#include <fmt/format.h>

#include <algorithm>

#include "model/cachesim/nest_builder.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace cachesim {
namespace {

std::int64_t largest_divisor(std::int64_t n, std::int64_t limit) {
    for (std::int64_t d = std::min(n, limit); d > 1; --d)
        if (n % d == 0) return d;
    return 1;
}

/// Direct convolution over channel blocks of up to 16, data blocked nChw16c:
///
///   for image, for group, for block of output channels, for output row,
///     for block of input channels:
///       the kh source rows under the output row, the weights of the two blocks, the output row
///
/// Backward data and backward weights visit the same places; what is read and what is updated
/// changes roles. Source rows above and below the image are left out.
LoopNest convolution(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const auto element = static_cast<std::int64_t>(size_of(layer.dtype).value());
    const std::int64_t ic = d.ic / d.g, oc = d.oc / d.g;
    const std::int64_t icb = largest_divisor(ic, 16), ocb = largest_divisor(oc, 16);
    const std::int64_t src_row = d.iw * icb * element, dst_row = d.ow * ocb * element;
    const std::int64_t wei_block = d.kh * d.kw * icb * ocb * element;

    const bool backward_data = pass == Pass::backward_data;
    const bool backward_weights = pass == Pass::backward_weights;
    const auto bytes = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    LoopNest nest;
    ArrayPlacer place;
    const auto src = place.add(nest, backward_data ? "diff_src" : "src",
                               bytes(d.mb * d.ic * d.ih * d.iw * element));
    const auto wei = place.add(nest, backward_weights ? "diff_wei" : "wei",
                               bytes(d.g * oc * ic * d.kh * d.kw * element));
    const auto dst = place.add(nest, pass == Pass::forward ? "dst" : "diff_dst",
                               bytes(d.mb * d.oc * d.oh * d.ow * element));

    // Loop depths: image, group, output block, output row, input block, kernel row.
    NestRun source =
        run_of(src, backward_data ? TouchKind::modify : TouchKind::load, bytes(src_row),
               {d.ic * d.ih * d.iw * element, ic * d.ih * d.iw * element, 0, d.sh * src_row,
                d.ih * src_row, (d.dh + 1) * src_row},
               -d.ph * src_row);
    source.guard = NestRun::Guard{-d.ph, 0, d.ih, {0, 0, 0, d.sh, 0, d.dh + 1}};
    const NestRun weights =
        run_of(wei, backward_weights ? TouchKind::modify : TouchKind::load, bytes(wei_block),
               {0, oc * ic * d.kh * d.kw * element, ic / icb * wei_block, 0, wei_block});
    const NestRun output = run_of(
        dst, pass == Pass::forward ? TouchKind::modify : TouchKind::load, bytes(dst_row),
        {d.oc * d.oh * d.ow * element, oc * d.oh * d.ow * element, d.oh * dst_row, dst_row, 0});
    NestLoop kernel_rows{d.kh, {source}};
    NestLoop input_blocks{ic / icb, {std::move(kernel_rows), weights, output}};
    NestLoop output_rows{d.oh, {std::move(input_blocks)}};
    NestLoop output_blocks{oc / ocb, {std::move(output_rows)}};
    NestLoop group{d.g, {std::move(output_blocks)}};
    nest.root = {d.mb, {std::move(group)}};
    return nest;
}

/// Inner product and matmul as blocked products; the backward passes are products as well.
LoopNest product(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    const std::int64_t depth = d.ic * d.ih * d.iw;
    const bool backward_data = pass == Pass::backward_data;
    const bool backward_weights = pass == Pass::backward_weights;
    MatmulShape s;
    s.element = static_cast<std::int64_t>(size_of(layer.dtype).value());
    s.m = backward_weights ? depth : d.mb;
    s.n = backward_data ? depth : d.oc;
    s.k = backward_data ? d.oc : backward_weights ? d.mb : depth;
    s.block_m = largest_divisor(s.m, 64);
    s.block_n = largest_divisor(s.n, 64);
    s.block_k = largest_divisor(s.k, 64);
    LoopNest nest;
    ArrayPlacer place;
    const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns) {
        return place.add(nest, name, static_cast<std::uint64_t>(rows * columns * s.element));
    };
    MatmulArrays arrays{};
    arrays.a = add(backward_data ? "diff_dst" : "src", s.m, s.k);
    arrays.b = add(backward_weights ? "diff_dst" : "wei", s.k, s.n);
    arrays.c = add(backward_data ? "diff_src" : backward_weights ? "diff_wei" : "dst", s.m, s.n);
    nest.root = matmul_loops(s, arrays);
    return nest;
}

/// All tensors in lockstep, each moving on by its share per step; what is too small for that is
/// touched once per step.
LoopNest streams(const Layer& layer, Pass pass) {
    const std::vector<TensorUse> uses = tensors(layer, pass);
    constexpr std::int64_t line = 64, step_bytes = 4096;
    std::int64_t largest = line;
    for (const TensorUse& use : uses)
        largest = std::max(largest, static_cast<std::int64_t>(use.size.value()));
    const std::int64_t steps = (largest + step_bytes - 1) / step_bytes;
    LoopNest nest;
    ArrayPlacer place;
    nest.root.extent = steps;
    for (const TensorUse& use : uses) {
        const auto bytes = static_cast<std::int64_t>(use.size.value());
        if (bytes == 0) continue;
        const TouchKind kind = use.read && use.written ? TouchKind::modify
                               : use.written           ? TouchKind::store
                                                       : TouchKind::load;
        const auto array = place.add(nest, use.name, static_cast<std::uint64_t>(bytes));
        const std::int64_t part = (bytes / steps + line - 1) / line * line;
        const bool small = bytes < steps * line;
        NestRun run = run_of(array, kind, static_cast<std::uint64_t>(small ? bytes : part),
                             {small ? 0 : part});
        // Rounding up to lines reaches the end early.
        if (!small) run.guard = NestRun::Guard{0, 0, bytes, {part}};
        nest.root.body.emplace_back(std::move(run));
    }
    return nest;
}

}  // namespace
}  // namespace cachesim

LoopNest nest_of(const Layer& layer, Pass pass) {
    const std::vector<Pass> known = training_passes(layer);
    if (std::find(known.begin(), known.end(), pass) == known.end()) {
        std::string words;
        for (const Pass one : known)
            words += (words.empty() ? "" : ", ") + std::string(to_string(one));
        throw bad_input("--pass", "one of " + words + " for this layer",
                        std::string(to_string(pass)));
    }
    LoopNest nest;
    if (pass == Pass::update)
        nest = cachesim::streams(layer, pass);
    else if (layer.kind == LayerKind::convolution)
        nest = cachesim::convolution(layer, pass);
    else if (layer.kind == LayerKind::inner_product ||
             (layer.kind == LayerKind::matmul && layer.dims.g == 1))
        nest = cachesim::product(layer, pass);
    else
        nest = cachesim::streams(layer, pass);
    nest.name = fmt::format("loops of {} {}", to_line(layer), to_string(pass));
    return nest;
}

}  // namespace ridge
