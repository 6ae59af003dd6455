// The verdict in one sentence. Every number in it stands in another column of the row.

#include <fmt/format.h>

#include <algorithm>

#include "model/roofline/row_analysis.hpp"
#include "model/roofline/transitions.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

/// "87.1 % of the AVX-512 FMA roof (152 of 175 GFLOP/s)", "91 % of L3 read (41 of 45 GB/s)",
/// "71 % of the time in the call itself (5.1 of 7.2 us)".
std::string standing(const Term& term, const RowAnalysis& a) {
    if (is_memory(term))
        return fmt::format("{} of {} {} bandwidth ({} of {}{})", format_percent(term.share),
                           term.resource, term.ceiling, format(*term.bytes / a.row.time.time),
                           format(*term.bandwidth),
                           term.bytes_source == Source::algorithmic
                               ? ""
                               : fmt::format(", bytes {}", to_string(term.bytes_source)));
    if (term.resource == transitions_resource)
        return fmt::format("{} of the time in legacy SSE instructions after wide vectors ({})",
                           format_percent(term.share), term.ceiling);
    if (term.resource == "overhead")
        return fmt::format("{} of the time in the call itself ({} of {})",
                           format_percent(term.share), format(term.time), format(a.row.time.time));
    const std::string roof =
        fmt::format("{} of the {} roof", format_percent(term.share), term.ceiling);
    if (term.busy.value() > term.time.value() * 1.001)
        return fmt::format(
            "{} as executed{}, {} of the highest roof in useful FLOPs ({} of {})", roof,
            a.executed_flops.available()
                ? fmt::format(" ({})", to_string(a.executed_flops.source()))
                : "",
            format_percent(term.time / a.row.time.time), format(*a.rate), format(*a.peak));
    return fmt::format("{} ({} of {})", roof, format(*a.rate), format(*a.peak));
}

const Term* find_term(const RowAnalysis& a, std::string_view resource) {
    const auto found = std::find_if(a.terms.begin(), a.terms.end(),
                                    [&](const Term& t) { return t.resource == resource; });
    return found == a.terms.end() ? nullptr : &*found;
}

std::string runner_up(const RowAnalysis& a) {
    const Term* term = find_term(a, a.runner_up);
    if (!term) return "; no other resource is known";
    return fmt::format("; next {} at {}", term->resource, format_percent(term->share));
}

std::string saving(const RowAnalysis& a) {
    if (a.saved_at_roof.value() <= 0) return "; nothing would be saved at the roof";
    return fmt::format("; {} ({}) would be saved at the roof", format(a.saved_at_roof),
                       format_percent(a.saved_at_roof / a.row.time.time));
}

/// "1.9 FLOP/B is left of the ridge at 11.4": only said where it is the reason.
std::string ridge_clause(const RowAnalysis& a) {
    if (a.bound != Bound::memory || !a.intensity || !a.peak || !a.bandwidth) return {};
    const auto ridge = *a.peak / *a.bandwidth;
    if (*a.intensity >= ridge) return {};
    return fmt::format(", {} is left of the ridge at {}", format(*a.intensity), format(ridge));
}

std::string bound_clause(const RowAnalysis& a) {
    const Term& first = a.terms.front();
    switch (a.bound) {
        case Bound::compute:
            return "compute: " + standing(first, a);
        case Bound::memory:
            return fmt::format("memory {}: {}{}", a.bound_level, standing(first, a),
                               ridge_clause(a));
        case Bound::overhead:
            return "overhead: " + standing(first, a);
        case Bound::transitions:
            return fmt::format("{}: {}", to_string(a.bound), standing(first, a));
        case Bound::balanced:
            return fmt::format("balanced between {}: {}, {}", a.bound_level, standing(first, a),
                               standing(*find_term(a, a.runner_up), a));
        case Bound::undetermined:
            break;
    }
    return fmt::format("below every roof: at best {}", standing(first, a));
}

}  // namespace

std::string verdict_sentence(const RowAnalysis& a, const std::vector<std::string>& reasons) {
    if (a.terms.empty())
        return fmt::format("undetermined: the machine file has no roof for this row, measured {}",
                           format(a.row.time.time));
    std::string sentence = bound_clause(a);
    if (a.bound != Bound::balanced) sentence += runner_up(a);
    sentence += saving(a);
    const bool far = a.terms.front().share < efficient_share;
    if (far && a.bound != Bound::overhead && a.bound != Bound::transitions) {
        if (!reasons.empty())
            sentence += fmt::format("; likely: {}", fmt::join(reasons, ", "));
        else if (a.bound == Bound::undetermined)
            sentence += a.executed_flops.available()
                            ? "; nothing in this row says why"
                            : "; nothing in this row says why, a trace or counters would";
    }
    return sentence;
}

}  // namespace ridge
