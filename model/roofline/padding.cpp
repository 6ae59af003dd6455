#include "model/roofline/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <vector>

namespace ridge {
namespace {

/// Inner blocks of a tag by dimension letter: "ABcd16b64a" -> a 64, b 16. Empty for a word that is
/// no blocked tag.
std::map<char, std::int64_t> inner_blocks(std::string_view tag) {
    std::map<char, std::int64_t> result;
    std::size_t i = 0;
    while (i < tag.size() && std::isalpha(static_cast<unsigned char>(tag[i]))) ++i;
    if (i == 0) return {};
    while (i < tag.size()) {
        std::int64_t block = 0;
        const std::size_t digits = i;
        while (i < tag.size() && tag[i] >= '0' && tag[i] <= '9' && block < 100000)
            block = block * 10 + (tag[i++] - '0');
        if (i == digits || i == tag.size() || tag[i] < 'a' || tag[i] > 'l' || block < 1) return {};
        auto& total = result.try_emplace(tag[i], 1).first->second;
        total = std::min<std::int64_t>(total * block, 100000);
        ++i;
    }
    return result;
}

/// Blocks of a tensor's tag within a row's formats; the tag is the last part of "src:f32:aBcd16b".
std::map<char, std::int64_t> blocks_of(std::string_view formats, std::string_view tensor) {
    while (!formats.empty()) {
        const auto blank = formats.find(' ');
        std::string_view word = formats.substr(0, blank);
        formats = blank == std::string_view::npos ? "" : formats.substr(blank + 1);
        if (word.starts_with("diff_")) word.remove_prefix(5);
        if (!word.starts_with(tensor) || word.size() <= tensor.size()) continue;
        if (word[tensor.size()] != ':' && word[tensor.size()] != '_') continue;
        while (true) {
            const auto colon = word.find(':');
            const auto part = word.substr(0, colon);
            if (auto blocks = inner_blocks(part); !blocks.empty()) return blocks;
            if (colon == std::string_view::npos) return {};
            word.remove_prefix(colon + 1);
        }
    }
    return {};
}

struct Side {
    const char* name;
    std::int64_t channels;  ///< per group
    std::int64_t block;
};

}  // namespace

Padding channel_padding(const Layer& layer, std::string_view formats) {
    const bool convolution = layer.kind == LayerKind::convolution;
    if (!convolution && layer.kind != LayerKind::inner_product) return {};
    const auto lanes = static_cast<std::int64_t>(64 / size_of(layer.dtype).value());
    const auto weights = blocks_of(formats, "wei");
    // Tags of grouped weights have the group in front: a = g, b = oc, c = ic.
    const bool grouped = layer.dims.g > 1;
    const char oc_letter = grouped ? 'b' : 'a', ic_letter = grouped ? 'c' : 'b';
    const auto block = [&](char weight_letter, std::string_view tensor) -> std::int64_t {
        if (const auto found = weights.find(weight_letter); found != weights.end())
            return std::min(found->second, lanes);
        const auto data = blocks_of(formats, tensor);
        // With groups the data's blocks run over all groups and tell nothing about one.
        if (const auto found = data.find('b'); found != data.end() && !grouped && weights.empty())
            return std::min(found->second, lanes);
        return 1;
    };
    std::vector<Side> sides{{"oc", layer.dims.oc / layer.dims.g, block(oc_letter, "dst")}};
    if (convolution) sides.push_back({"ic", layer.dims.ic / layer.dims.g, block(ic_letter, "src")});

    Padding padding;
    for (const auto& side : sides) {
        const std::int64_t padded = (side.channels + side.block - 1) / side.block * side.block;
        if (padded == side.channels || side.channels < 1) continue;
        padding.factor *= static_cast<double>(padded) / static_cast<double>(side.channels);
        padding.cause += fmt::format("{}{} {} padded to {}", padding.cause.empty() ? "" : ", ",
                                     side.name, side.channels, padded);
    }
    return padding;
}

}  // namespace ridge
