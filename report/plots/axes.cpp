#include "report/plots/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::report {

void PositiveRange::include(double value) {
    if (!std::isfinite(value) || value <= 0) return;
    if (empty()) {
        low_ = high_ = value;
    } else {
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
}

std::string tick_label(double value) {
    constexpr std::array prefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
    if (value == 0) return "0";
    // The rounding guard keeps 1000.0000001 from printing as "1 k" beside "1e+03".
    int thousands = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-9));
    if (std::abs(value) >= 0.01 && std::abs(value) < 1) thousands = 0;
    thousands = std::clamp(thousands, -4, 6);
    const std::string digits = fmt::format("{:.6g}", value / std::pow(1000.0, thousands));
    const std::string prefix = prefixes[static_cast<std::size_t>(thousands + 4)];
    return prefix.empty() ? digits : digits + " " + prefix;
}

Axis log_axis(std::string title, const PositiveRange& range, double below, double above) {
    Axis axis{.title = std::move(title), .scale = Scale::logarithmic};
    axis.low = range.empty() ? 1 : range.low() / below;
    axis.high = range.empty() ? 10 : range.high() * above;
    const double decades = std::log10(axis.high / axis.low);
    const int label_every = decades > 12 ? 2 : 1;  // decades
    for (int exponent = static_cast<int>(std::floor(std::log10(axis.low)));
         std::pow(10, exponent) <= axis.high; ++exponent) {
        for (int digit = 1; digit <= 9; ++digit) {
            const double value = digit * std::pow(10, exponent);
            if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
            const bool labelled = digit == 1 ? exponent % label_every == 0
                                             : decades < 2.5 && (digit == 2 || digit == 5);
            if (!labelled && decades > 9) continue;
            axis.ticks.push_back({value, labelled ? tick_label(value) : ""});
        }
    }
    return axis;
}

Axis linear_axis(std::string title, double high) {
    Axis axis{.title = std::move(title)};
    if (!std::isfinite(high) || high <= 0) high = 1;
    // About six ticks at 1, 2 or 5 times a power of ten.
    const double raw = high / 6, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw <= power       ? power
                        : raw <= 2 * power ? 2 * power
                        : raw <= 5 * power ? 5 * power
                                           : 10 * power;
    const int steps = static_cast<int>(std::ceil(high / step - 1e-9));
    axis.high = steps * step;
    for (int i = 0; i <= steps; ++i) axis.ticks.push_back({i * step, tick_label(i * step)});
    return axis;
}

}  // namespace ridge::report
