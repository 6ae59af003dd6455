#include "ridge/format.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "ridge/error.hpp"

namespace ridge {
namespace {

/// Three significant digits without an exponent; fmt ignores the locale unless asked.
std::string three_digits(double value) {
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f}", value, decimals);
}

std::string with_si_prefix(double value, std::string_view unit) {
    static constexpr std::array<std::pair<double, std::string_view>, 10> prefixes{{{1e18, "E"},
                                                                                   {1e15, "P"},
                                                                                   {1e12, "T"},
                                                                                   {1e9, "G"},
                                                                                   {1e6, "M"},
                                                                                   {1e3, "k"},
                                                                                   {1, ""},
                                                                                   {1e-3, "m"},
                                                                                   {1e-6, "µ"},
                                                                                   {1e-9, "n"}}};
    if (!std::isfinite(value)) return fmt::format("undefined {}", unit);
    if (value == 0) return fmt::format("0 {}", unit);
    for (const auto& [scale, prefix] : prefixes)
        // 0.9995 rounds to 1.00 of the larger prefix.
        if (std::abs(value) >= 0.9995 * scale)
            return fmt::format("{} {}{}", three_digits(value / scale), prefix, unit);
    return fmt::format("{} n{}", three_digits(value / 1e-9), unit);
}

/// Counts and bytes have no fractions of one.
std::string of_whole(double value, std::string_view unit) {
    if (std::abs(value) < 1000 && value == std::floor(value))
        return fmt::format("{:.0f} {}", value, unit);
    return with_si_prefix(value, unit);
}

}  // namespace

std::string format(Seconds t) {
    return with_si_prefix(t.value(), "s");
}
std::string format(Flops f) {
    return of_whole(f.value(), "FLOP");
}
std::string format(Bytes b) {
    return of_whole(b.value(), "B");
}
std::string format(BytesPerSecond r) {
    return with_si_prefix(r.value(), "B/s");
}
std::string format(FlopsPerSecond r) {
    return with_si_prefix(r.value(), "FLOP/s");
}
std::string format(Hertz f) {
    return with_si_prefix(f.value(), "Hz");
}

std::string format(FlopsPerByte i) {
    if (!std::isfinite(i.value())) return "undefined FLOP/B";
    return fmt::format("{} FLOP/B", three_digits(i.value()));
}

std::string format_iec(Bytes b) {
    static constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = b.value();
    if (!std::isfinite(value)) return "undefined B";
    std::size_t unit = 0;
    while (unit + 1 < units.size() && std::abs(value) >= 1024) {
        value /= 1024;
        ++unit;
    }
    if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, units[unit]);
    return fmt::format("{} {}", three_digits(value), units[unit]);
}

std::string format_percent(double share) {
    if (!std::isfinite(share)) return "undefined";
    return fmt::format("{:.1f} %", share * 100);
}

Bytes parse_bytes(const std::string& text, const std::string& where) {
    static constexpr std::array<std::pair<std::string_view, double>, 12> units{
        {{"", 1},
         {"B", 1},
         {"kB", 1e3},
         {"KB", 1e3},
         {"MB", 1e6},
         {"GB", 1e9},
         {"TB", 1e12},
         {"KiB", 1024.0},
         {"MiB", 1048576.0},
         {"GiB", 1073741824.0},
         {"TiB", 1099511627776.0},
         {"PB", 1e15}}};
    const auto wrong = [&] {
        return bad_input(where, "a size such as 64, 2MiB or 1.5 GB", "'" + text + "'");
    };
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0) throw wrong();
    std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    for (const auto& [word, scale] : units)
        if (word == unit && std::isfinite(number * scale)) return Bytes(number * scale);
    throw wrong();
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace ridge
