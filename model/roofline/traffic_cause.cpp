#include "model/roofline/traffic_cause.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ridge/format.hpp"

namespace ridge {
namespace {

constexpr double tolerance = 0.03;
constexpr double most_reads = 4;

std::string write_allocate(double counted, double least, double written) {
    const double share = (counted - least) / written;
    if (share > 0.97) return "write-allocate: each line that is stored to is read first";
    return fmt::format(
        "write-allocate: lines that are stored to are read first, {} of them (the others whole or "
        "past the caches)",
        format_percent(share));
}

}  // namespace

std::string traffic_cause(Bytes counted, Bytes read, Bytes written) {
    const double c = counted.value(), r = read.value(), w = written.value();
    const double least = r + w;
    if (c <= traffic_excess * least) return {};
    if (w > 0 && c <= (least + w) * (1 + tolerance)) return write_allocate(c, least, w);
    if (r <= 0) return {};
    const double reads = std::round((c - w) / r);
    if (reads < 2 || reads > most_reads || std::abs(reads * r + w - c) > tolerance * c) return {};
    return fmt::format("{:.0f} reads of the inputs{}", reads, w > 0 ? " and a write" : "");
}

}  // namespace ridge
