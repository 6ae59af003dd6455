// Does a row's verdict agree with every other column? Everything is recomputed from what a reader
// of the table sees, not from what the analysis used.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "model/roofline/row_analysis.hpp"
#include "model/roofline/transitions.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

constexpr double tolerance = 1e-9;

bool near(double a, double b) {
    return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-300});
}

class Checker {
public:
    explicit Checker(const RowAnalysis& row) : a_(row), time_(row.row.time.time) {}

    std::vector<std::string> run() {
        if (!(time_.value() > 0)) {
            expect(a_.bound == Bound::undetermined && a_.attained == 0 && !a_.rate,
                   "a row without a time has a verdict");
            return lines_;
        }
        check_finite();
        check_rates();
        check_roof();
        check_terms();
        check_bound();
        check_flags();
        check_sentence();
        return lines_;
    }

private:
    void expect(bool holds, std::string line) {
        if (!holds)
            lines_.push_back(
                fmt::format("{} {}: {}", a_.row.key.layer, to_string(a_.row.key.pass), line));
    }

    const Term* term(std::string_view resource) const {
        for (const auto& t : a_.terms)
            if (t.resource == resource) return &t;
        return nullptr;
    }
    bool flagged(std::string_view kind) const {
        return std::any_of(a_.flags.begin(), a_.flags.end(),
                           [&](const std::string& flag) { return flag.starts_with(kind); });
    }

    void check_finite() {
        expect(std::isfinite(a_.attained) && a_.attained >= 0, "attained is no number");
        expect(!a_.intensity || std::isfinite(a_.intensity->value()), "intensity is infinite");
        expect(!a_.roof || std::isfinite(a_.roof->value()), "roof is infinite");
        expect(std::isfinite(a_.traffic_rate.value()), "traffic rate is infinite");
        for (const auto& t : a_.terms)
            expect(std::isfinite(t.busy.value()) && t.busy >= t.time && t.time.value() >= 0,
                   t.resource + " is busy for less than its least time");
    }

    void check_rates() {
        const bool arithmetic = a_.useful_flops.value() > 0;
        expect(a_.rate.has_value() == arithmetic, "rate without FLOPs or FLOPs without rate");
        expect(arithmetic || (!a_.roof && !a_.intensity && !term("compute")),
               "a row without arithmetic has a place under the compute roof");
        if (a_.rate)
            expect(near(a_.rate->value(), a_.useful_flops.value() / time_.value()),
                   "rate is not FLOPs / time");
        expect(near(a_.traffic_rate.value(), a_.bytes.value() / time_.value()),
               "traffic rate is not bytes / time");
        const bool defined = arithmetic && a_.bytes.value() > 0;
        expect(a_.intensity.has_value() == defined, "intensity and FLOPs / bytes disagree");
        if (defined && a_.intensity)
            expect(near(a_.intensity->value(), a_.useful_flops.value() / a_.bytes.value()),
                   "intensity is not FLOPs / bytes");
    }

    void check_roof() {
        double share = 0;  // of the roof, from the table's columns
        if (a_.bandwidth) share = a_.traffic_rate / *a_.bandwidth;
        if (a_.rate && a_.peak) share = std::max(share, *a_.rate / *a_.peak);
        if (a_.rate && a_.roof)
            expect(near(share, *a_.rate / *a_.roof), "rate / roof is not the share of the roof");
        if (const Term* overhead = term("overhead"))
            share = std::max(share, overhead->time / time_);
        expect(near(a_.attained, share),
               fmt::format("attained is {}, the columns say {}", a_.attained, share));
        const double saved = std::max(0.0, time_.value() * (1 - share));
        expect(std::abs(a_.saved_at_roof.value() - saved) <= 1e-9 * time_.value(),
               "saved at the roof is not time x (1 - attained)");
    }

    void check_terms() {
        for (std::size_t i = 0; i + 1 < a_.terms.size(); ++i)
            expect(a_.terms[i].busy >= a_.terms[i + 1].busy, "terms are not sorted");
        for (const auto& t : a_.terms) {
            expect(near(t.share, t.busy / time_), t.resource + "'s share is not busy / time");
            if (!is_memory(t)) continue;
            expect(near(t.time.value(), t.bytes->value() / t.bandwidth->value()),
                   t.resource + "'s time is not bytes / bandwidth");
            expect(a_.bandwidth &&
                       t.time.value() <= a_.bytes.value() / a_.bandwidth->value() * (1 + tolerance),
                   t.resource + " needs longer than the level that the row names");
        }
        expect(a_.level.empty() || term(a_.level), "the row's level is none of its terms");
    }

    double busiest(bool memory, std::string_view other) const {
        double share = 0;
        for (const auto& t : a_.terms)
            if (memory ? is_memory(t) : t.resource == other) share = std::max(share, t.share);
        return share;
    }

    void check_bound() {
        const double compute = busiest(false, "compute"), memory = busiest(true, ""),
                     overhead = busiest(false, "overhead"),
                     transitions = busiest(false, transitions_resource);
        const double explained = std::max({compute, memory, overhead, transitions});
        const auto leads = [&](double mine) {
            // The one that leads is itself among the four.
            double high[] = {compute, memory, overhead, transitions};
            std::sort(std::begin(high), std::end(high));
            return mine > 0 && mine == high[3] && high[2] < balanced_ratio * mine;
        };
        switch (a_.bound) {
            case Bound::compute:
                expect(leads(compute),
                       "compute is called the bound, but another column is as high");
                expect(a_.bound_level.empty(), "compute has a memory level");
                break;
            case Bound::memory:
                expect(leads(memory), "memory is called the bound, but another column is as high");
                expect(a_.bound_level == a_.level, "the bound names another level than the row");
                break;
            case Bound::overhead:
                expect(leads(overhead),
                       "overhead is called the bound, but another column is as high");
                break;
            case Bound::transitions:
                expect(leads(transitions),
                       "transitions are called the bound, but another column is as high");
                break;
            case Bound::balanced: {
                double high[] = {compute, memory, overhead, transitions};
                std::sort(std::begin(high), std::end(high));
                expect(high[2] >= balanced_ratio * high[3] * (1 - tolerance),
                       "balanced, but one resource leads by more than 10 %");
                break;
            }
            case Bound::undetermined:
                expect(explained < explained_share,
                       "called undetermined, but a resource is busy for a third of the time");
                break;
        }
        expect(a_.bound == Bound::undetermined || explained >= explained_share,
               "a bound is named, but no resource is busy for a third of the time");
        expect(a_.runner_up.empty() == (a_.terms.size() < 2), "the runner-up is missing");
        if (!a_.runner_up.empty())
            expect(a_.runner_up != a_.terms.front().resource && term(a_.runner_up),
                   "the runner-up is the winner or unknown");
    }

    void check_flags() {
        double highest = a_.attained;
        for (const auto& t : a_.terms) highest = std::max(highest, t.share);
        expect(flagged("above roof:") == (highest > 1),
               "above the roof without a flag, or flagged "
               "below it");
        expect(flagged("upper bound:") == a_.row.time.upper_bound,
               "the upper-bound flag and the samples disagree");
        expect(flagged("reference kernel:") == is_reference_kernel(a_.row),
               "the reference-kernel flag and the implementation disagree");
        expect(!flags_contradict_time(), "flagged as never quiet, but quiet samples were used");
    }
    bool flags_contradict_time() const { return flagged("upper bound:") && a_.row.time.settled; }

    void check_sentence() {
        const std::string& text = a_.verdict;
        const auto says = [&](std::string_view words) {
            return text.find(words) != std::string::npos;
        };
        expect(std::any_of(text.begin(), text.end(),
                           [](unsigned char c) { return std::isdigit(c) != 0; }),
               "the verdict quotes no number");
        if (a_.terms.empty()) return;
        const std::string start = a_.bound == Bound::undetermined ? "below every roof"
                                  : a_.bound == Bound::memory     ? "memory " + a_.bound_level
                                                              : std::string(to_string(a_.bound));
        expect(text.starts_with(start), "the verdict begins with another bound");
        expect(a_.runner_up.empty() || says(a_.runner_up), "the verdict names no runner-up");
        expect(says("saved at the roof"), "the verdict names no saving");
        if (a_.saved_at_roof.value() > 0)
            expect(says(format(a_.saved_at_roof)), "the verdict's saving is another number");
        if (says("left of the ridge"))
            expect(a_.intensity && a_.peak && *a_.intensity < *a_.peak / *a_.bandwidth,
                   "the verdict puts the row on the wrong side of the ridge");
        if (says("reference kernel"))
            expect(is_reference_kernel(a_.row), "the verdict blames a reference kernel in vain");
        if (says("never quiet"))
            expect(a_.row.time.upper_bound, "the verdict blames a disturbance in vain");
        expect(says(format_percent(a_.terms.front().share)),
               "the verdict's share is not the first term's");
    }

    const RowAnalysis& a_;
    Seconds time_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> contradictions(const RowAnalysis& row) {
    return Checker(row).run();
}

}  // namespace ridge
