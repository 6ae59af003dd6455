#include "ridge/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge {
namespace {

/// Length of the printable UTF-8 character at the start of `text`, 0 when there is none: a control
/// character (C1 included, terminals obey those too) or a byte that is no UTF-8.
std::size_t printable_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
    const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return first == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

/// What is quoted can be as long as a file; its start tells which it is.
std::string clipped(std::string_view quoted) {
    constexpr std::size_t longest = 400;
    if (quoted.size() <= longest) return std::string(quoted);
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(quoted[end]) & 0xc0) == 0x80) --end;
    return std::string(quoted.substr(0, end)) + "...";
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = printable_length(text);
        line += length == 0 ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return line;
}

Error bad_input(std::string_view where, std::string_view expected, std::string_view found) {
    return {ExitCode::bad_input, one_line(fmt::format("{}: expected {}, found {}", clipped(where),
                                                      expected, clipped(found)))};
}

Error not_possible(std::string_view what, std::string_view reason) {
    return {ExitCode::not_possible,
            one_line(fmt::format("{} is not possible here: {}", what, reason))};
}

Error job_failed(std::string_view what, std::string_view reason) {
    return {ExitCode::job_failed, one_line(fmt::format("{} failed: {}", what, reason))};
}

}  // namespace ridge
