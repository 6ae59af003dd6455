#include "validate/datasets/layer_shapes.hpp"

#include <charconv>

namespace ridge::validate {

std::vector<std::int64_t> shape_of(std::string_view text, char separator) {
    std::vector<std::int64_t> sizes;
    while (!text.empty()) {
        std::int64_t size = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
        const auto used = static_cast<std::size_t>(end - text.data());
        if (error != std::errc() || size < 1) return {};
        if (used < text.size() && text[used] != separator) return {};
        sizes.push_back(size);
        text.remove_prefix(used < text.size() ? used + 1 : used);
    }
    return sizes;
}

std::optional<Dims> window_dims(const std::vector<std::int64_t>& src,
                                const std::vector<std::int64_t>& dst, Window window,
                                std::int64_t groups) {
    if (src.size() != 4 || dst.size() != 4) return std::nullopt;
    Dims d;
    d.mb = src[0];
    d.g = groups;
    d.ic = src[1];
    d.ih = src[2];
    d.iw = src[3];
    d.oc = dst[1];
    d.oh = dst[2];
    d.ow = dst[3];
    d.kh = d.kw = window.kernel;
    d.sh = d.sw = window.stride;
    d.ph = d.pw = window.pad;
    return d;
}

void fill_inner_product(gpu::Work& work, const std::vector<std::int64_t>& src,
                        const std::vector<std::int64_t>& dst) {
    work.kind = gpu::WorkKind::gemm;
    work.n = src.front();
    work.k = 1;
    for (std::size_t i = 1; i < src.size(); ++i) work.k *= src[i];
    work.m = dst.back();
    work.transpose_a = true;
}

void fill_relu(gpu::Work& work, const std::vector<std::int64_t>& src) {
    work.kind = gpu::WorkKind::elementwise;
    work.rows = src.front();
    work.cols = 1;
    for (std::size_t i = 1; i < src.size(); ++i) work.cols *= src[i];
    work.reads = work.pass == Pass::forward ? 1 : 2;
}

}  // namespace ridge::validate
