#include "core/remaining_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge {
namespace {

double share_done(const ProgressState& state) {
    if (!(state.total > 0) || !std::isfinite(state.done)) return 0;
    return std::clamp(state.done / state.total, 0.0, 1.0);
}

/// Cut between characters: bytes 10xxxxxx continue one.
std::string cut(const std::string& text, std::size_t width) {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
        if (columns++ == width) return text.substr(0, i);
    }
    return text;
}

}  // namespace

std::optional<Seconds> remaining_time(const ProgressState& state) {
    const double share = share_done(state);
    if (state.elapsed.value() < 1 || share < 0.01) return std::nullopt;
    return state.elapsed * ((1 - share) / share);
}

std::string clock_text(Seconds time) {
    const auto total = static_cast<long long>(std::ceil(std::clamp(time.value(), 0.0, 3.6e8)));
    const long long hours = total / 3600, minutes = total / 60 % 60, seconds = total % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, seconds);
    return fmt::format("{}:{:02}", minutes, seconds);
}

std::string progress_line(const ProgressState& state) {
    constexpr std::size_t bar_width = 20;
    const double share = share_done(state);
    const auto filled = static_cast<std::size_t>(share * bar_width);
    const auto left = remaining_time(state);
    std::string line =
        fmt::format("{} [{}{}] {:3.0f} %  {}", state.what, std::string(filled, '#'),
                    std::string(bar_width - filled, '-'), std::floor(share * 100),
                    left ? clock_text(*left) + " left" : clock_text(state.elapsed) + " so far");
    if (!state.detail.empty()) line += "  " + state.detail;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    // A full last column would wrap on some terminals.
    return cut(line, state.width > 1 ? state.width - 1 : 0);
}

}  // namespace ridge
