// How wide UTF-8 text is on a terminal, and how to cut it. Not wcwidth(): its answer depends on
// the locale, which we never set.
#include <algorithm>
#include <array>
#include <cstdint>

#include "report/table.hpp"

namespace ridge::report {
namespace {

struct CodePoint {
    std::uint32_t value = 0;
    std::size_t bytes = 1;
};

/// First code point; a malformed byte counts as one code point of its own.
CodePoint decode(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = lead < 0x80             ? 1
                              : (lead & 0xE0) == 0xC0 ? 2
                              : (lead & 0xF0) == 0xE0 ? 3
                              : (lead & 0xF8) == 0xF0 ? 4
                                                      : 0;
    if (bytes == 0 || bytes > text.size()) return {0xFFFD, 1};
    if (bytes == 1) return {lead, 1};
    std::uint32_t value = lead & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80) return {0xFFFD, 1};
        value = (value << 6) | (next & 0x3Fu);
    }
    return {value, bytes};
}

struct Range {
    std::uint32_t first, last;
};
// Blocks, not single characters: enough for names of layers and units.
constexpr std::array zero_width{Range{0x0300, 0x036F}, Range{0x200B, 0x200F},
                                Range{0xFE00, 0xFE0F}};
constexpr std::array double_width{
    Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF}, Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD}};

int width_of(std::uint32_t code_point) {
    const auto inside = [code_point](const Range& r) {
        return r.first <= code_point && code_point <= r.last;
    };
    if (std::any_of(zero_width.begin(), zero_width.end(), inside)) return 0;
    return std::any_of(double_width.begin(), double_width.end(), inside) ? 2 : 1;
}

/// Longest prefix that takes at most `width` columns, in bytes.
std::size_t prefix_bytes(std::string_view text, int width) {
    std::size_t at = 0;
    while (at < text.size()) {
        const CodePoint next = decode(text.substr(at));
        width -= width_of(next.value);
        if (width < 0) break;
        at += next.bytes;
    }
    return at;
}

}  // namespace

int display_width(std::string_view text) {
    int width = 0;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint next = decode(text.substr(at));
        width += width_of(next.value);
        at += next.bytes;
    }
    return width;
}

std::string shorten(std::string_view text, int width) {
    const int full = display_width(text);
    if (full <= width) return std::string(text);
    if (width <= 0) return {};
    // Names of layers differ at the end as often as at the start: keep both.
    const int tail = (width - 1) / 3, head = width - 1 - tail;
    std::string_view rest = text.substr(prefix_bytes(text, full - tail));
    while (display_width(rest) > tail) rest.remove_prefix(decode(rest).bytes);
    return std::string(text.substr(0, prefix_bytes(text, head))) + "…" + std::string(rest);
}

std::string printable(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint next = decode(text.substr(at));
        const bool control = next.value < 0x20 || (next.value >= 0x7F && next.value < 0xA0);
        if (control || next.value == 0xFFFD)
            result += '?';
        else
            result += text.substr(at, next.bytes);
        at += next.bytes;
    }
    return result;
}

}  // namespace ridge::report
