#include "collectors/onednn/formats.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>

#include "ridge/error.hpp"

namespace ridge::onednn {

using dnnl::memory;

memory::data_type to_dnnl(DataType type) {
    switch (type) {
        case DataType::f32:
            return memory::data_type::f32;
        case DataType::bf16:
            return memory::data_type::bf16;
        case DataType::s32:
            return memory::data_type::s32;
        case DataType::u8:
            return memory::data_type::u8;
        default:
            throw bad_input("data type", "f32 or bf16", to_string(type));
    }
}

std::string format_tag(const Md& md) {
    const Layout layout = layout_of(md);
    if (!layout.blocked_kind) return "opaque";
    const std::size_t n = layout.dims.size();
    // Outer dimensions by falling stride. Of equal strides (a dimension of size 1) the larger one,
    // then the earlier one is the outer one.
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<dnnl_dim_t> outer = layout.padded_dims;
    std::vector<bool> blocked(n, false);
    for (std::size_t b = 0; b < layout.inner_blocks.size(); ++b) {
        const auto d = static_cast<std::size_t>(layout.inner_indices[b]);
        outer[d] /= layout.inner_blocks[b];
        blocked[d] = true;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (layout.strides[a] != layout.strides[b]) return layout.strides[a] > layout.strides[b];
        return outer[a] > outer[b];
    });
    std::string tag;
    for (const std::size_t d : order) {
        const char letter = static_cast<char>('a' + d);
        tag += blocked[d] ? static_cast<char>(std::toupper(letter)) : letter;
    }
    for (std::size_t b = 0; b < layout.inner_blocks.size(); ++b) {
        tag += std::to_string(layout.inner_blocks[b]);
        tag += static_cast<char>('a' + layout.inner_indices[b]);
    }
    return layout.dims == layout.padded_dims ? tag : tag + ":p";
}

Md plain_md(const MemoryDims& dims, memory::data_type type) {
    MemoryDims strides(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    return {dims, type, strides};
}

Md any_md(const MemoryDims& dims, memory::data_type type) {
    return {dims, type, memory::format_tag::any};
}

Md blocked_md(const MemoryDims& dims, memory::data_type type) {
    const bool wide = library_isa().rfind("avx512", 0) == 0;
    const dnnl_dim_t block = wide ? 16 : 8;
    if (dims.size() != 4 || dims[1] < block) return plain_md(dims, type);
    return {dims, type, wide ? memory::format_tag::nChw16c : memory::format_tag::nChw8c};
}

namespace {

/// A run of `size` elements of dimension `index`, `stride` elements apart.
struct Run {
    int index;
    dnnl_dim_t size, stride;
    bool operator==(const Run&) const = default;
};

/// A layout as the runs that it consists of, innermost first, neighbours joined.
std::vector<Run> runs_of(const Layout& layout) {
    std::vector<Run> runs;
    std::vector<dnnl_dim_t> outer = layout.padded_dims;
    dnnl_dim_t stride = 1;
    for (std::size_t b = layout.inner_blocks.size(); b-- > 0;) {
        const dnnl_dim_t size = layout.inner_blocks[b];
        runs.push_back({layout.inner_indices[b], size, stride});
        stride *= size;
        outer[static_cast<std::size_t>(layout.inner_indices[b])] /= size;
    }
    for (std::size_t d = 0; d < outer.size(); ++d)
        runs.push_back({static_cast<int>(d), outer[d], layout.strides[d]});
    std::erase_if(runs, [](const Run& run) { return run.size == 1; });
    std::ranges::sort(runs, {}, &Run::stride);
    std::vector<Run> joined;
    for (const Run& run : runs) {
        if (!joined.empty() && joined.back().index == run.index &&
            joined.back().stride * joined.back().size == run.stride)
            joined.back().size *= run.size;
        else
            joined.push_back(run);
    }
    return joined;
}

}  // namespace

bool same_memory(const Md& a, const Md& b) {
    const Layout x = layout_of(a), y = layout_of(b);
    return a == b ||
           (x.blocked_kind && y.blocked_kind && x.dims == y.dims && x.padded_dims == x.dims &&
            y.padded_dims == y.dims && type_of(a) == type_of(b) && a.get_size() == b.get_size() &&
            runs_of(x) == runs_of(y));
}

MemoryDims dims_of(const Md& md) {
    return layout_of(md).dims;
}

std::size_t elements_of(const Md& md) {
    const MemoryDims dims = dims_of(md);
    return static_cast<std::size_t>(
        std::accumulate(dims.begin(), dims.end(), dnnl_dim_t{1}, std::multiplies<>()));
}

Window window_of(const Dims& d) {
    const auto behind = [](std::int64_t i, std::int64_t o, std::int64_t k, std::int64_t s,
                           std::int64_t dilation, std::int64_t before) {
        return (o - 1) * s + (k - 1) * (dilation + 1) + 1 - i - before;
    };
    return {
        {d.kh, d.kw},
        {d.sh, d.sw},
        {d.dh, d.dw},
        {d.ph, d.pw},
        {behind(d.ih, d.oh, d.kh, d.sh, d.dh, d.ph), behind(d.iw, d.ow, d.kw, d.sw, d.dw, d.pw)}};
}

}  // namespace ridge::onednn
