#include "report/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ridge/format.hpp"

namespace ridge::report {

std::string row_title(const Measurement& row) {
    std::string title = fmt::format("{} · {}", row.key.layer, to_string(row.key.pass));
    if (!row.key.part.empty()) title += " · " + row.key.part;
    return title;
}

std::string time_text(const TimeSummary& time) {
    if (time.upper_bound)
        return fmt::format("≤ {} (too few undisturbed samples)", format(time.time));
    return fmt::format("{} ± {}", format(time.time), format(time.spread));
}

std::string bound_text(const RowAnalysis& row) {
    if (row.bound_level.empty() || (row.bound != Bound::memory && row.bound != Bound::balanced))
        return std::string(to_string(row.bound));
    // "A and B" and "B and A" are one group.
    const std::string_view text = row.bound_level, link = " and ";
    const std::size_t at = text.find(link);
    if (at == std::string_view::npos) return row.bound_level;
    const std::string_view first = text.substr(0, at), second = text.substr(at + link.size());
    return fmt::format("{}{}{}", std::min(first, second), link, std::max(first, second));
}

std::vector<std::string> hover_text(const RowAnalysis& row) {
    const Measurement& m = row.row;
    std::vector<std::string> lines{row_title(m)};
    lines.push_back(fmt::format("time {}, {} of the layers' sum ({} of {} samples quiet)",
                                time_text(m.time), format_percent(row.share_of_step),
                                m.time.quiet_samples, m.time.samples));
    lines.push_back("problem " + m.problem);
    lines.push_back("implementation " + m.implementation);
    if (row.rate && row.useful_flops.value() > 0)
        lines.push_back(
            fmt::format("{} (algorithmic): {}", format(row.useful_flops), format(*row.rate)));
    if (row.executed_flops.available())
        lines.push_back(fmt::format("{} executed ({})", format(Flops(row.executed_flops.value())),
                                    to_string(row.executed_flops.source())));
    lines.push_back(fmt::format("{} ({}): {}", format(row.bytes), to_string(row.bytes_source),
                                format(row.traffic_rate)));
    if (row.intensity)
        lines.push_back("arithmetic intensity " + format(*row.intensity));
    else if (row.useful_flops.value() > 0)
        lines.push_back("arithmetic intensity not defined: no bytes known");
    if (row.roof && row.rate)
        lines.push_back(fmt::format("{} of its roof of {}", format_percent(*row.rate / *row.roof),
                                    format(*row.roof)));
    else if (row.bandwidth)
        lines.push_back(fmt::format("{} of {} {} at {}",
                                    format_percent(row.traffic_rate / *row.bandwidth), row.level,
                                    row.bandwidth_kind, format(*row.bandwidth)));
    if (!row.verdict.empty()) lines.push_back(row.verdict);
    for (const auto& flag : row.flags) lines.push_back("⚑ " + flag);
    return lines;
}

}  // namespace ridge::report
