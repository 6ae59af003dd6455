#include "collectors/import/warm_up.hpp"

#include <algorithm>
#include <map>

namespace ridge::import {
namespace {

constexpr double steady_ratio = 1.15;
constexpr double least_coverage = 0.8;
/// Lengths that are tried, and how long a step can be.
constexpr std::size_t most_candidates = 64;
constexpr std::size_t longest_step = 100'000;

/// Distances at which the rarest repeated elements come again, rarest first: what occurs once in a
/// step tells its length.
std::vector<std::size_t> candidate_lengths(std::span<const std::uint32_t> sequence) {
    struct Element {
        std::size_t count = 0, last = 0;
        std::map<std::size_t, std::size_t> gaps;
    };
    std::map<std::uint32_t, Element> elements;
    constexpr std::size_t most_gaps = 32;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        Element& element = elements[sequence[i]];
        if (element.count > 0) {
            const std::size_t gap = i - element.last;
            if (element.gaps.size() < most_gaps || element.gaps.contains(gap)) ++element.gaps[gap];
        }
        ++element.count;
        element.last = i;
    }
    std::vector<const Element*> order;
    for (const auto& [id, element] : elements)
        if (element.count >= 2) order.push_back(&element);
    std::stable_sort(order.begin(), order.end(),
                     [](const Element* a, const Element* b) { return a->count < b->count; });
    std::vector<std::size_t> lengths;
    for (const Element* element : order) {
        const auto most =
            std::max_element(element->gaps.begin(), element->gaps.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        const std::size_t length = most->first;
        if (length <= longest_step &&
            std::find(lengths.begin(), lengths.end(), length) == lengths.end())
            lengths.push_back(length);
        if (lengths.size() == most_candidates) break;
    }
    return lengths;
}

/// The first place from which on the sequence comes again `length` later for at least one length.
std::size_t first_repetition(std::span<const std::uint32_t> sequence, std::size_t length) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i + length < sequence.size(); ++i) {
        equal = sequence[i] == sequence[i + length] ? equal + 1 : 0;
        if (equal == length) return i + 1 - length;
    }
    return sequence.size();
}

Repetition repetitions_of(std::span<const std::uint32_t> sequence, std::size_t length) {
    Repetition result;
    const std::size_t first = first_repetition(sequence, length);
    if (first == sequence.size()) return result;
    result.length = length;
    const auto step = sequence.subspan(first, length);
    for (std::size_t i = first; i + length <= sequence.size();) {
        if (std::equal(step.begin(), step.end(), sequence.begin() + static_cast<long>(i))) {
            result.starts.push_back(i);
            i += length;
        } else {
            ++i;
        }
    }
    return result;
}

}  // namespace

double median_of(std::vector<double> values) {
    const std::size_t half = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + static_cast<long>(half), values.end());
    const double upper = values[half];
    if (values.size() % 2 == 1) return upper;
    return (upper + *std::max_element(values.begin(), values.begin() + static_cast<long>(half))) /
           2;
}

std::size_t warm_up_of(std::span<const double> times) {
    std::size_t skipped = 0;
    // A median over all that follows costs its length; no search for an algorithm takes longer.
    const std::size_t most = std::min<std::size_t>(times.size() / 2, 50);
    while (skipped < most) {
        const auto rest = times.subspan(skipped);
        if (rest.front() <= steady_ratio * median_of({rest.begin(), rest.end()})) break;
        ++skipped;
    }
    return skipped;
}

Repetition find_repetition(std::span<const std::uint32_t> sequence) {
    Repetition best;
    std::size_t covered = 0;
    for (const std::size_t length : candidate_lengths(sequence)) {
        Repetition found = repetitions_of(sequence, length);
        const std::size_t now = found.starts.size() * length;
        // Of equal ones the shorter is the step, the longer several of them.
        if (now < covered || (now == covered && length >= best.length)) continue;
        covered = now;
        best = std::move(found);
    }
    const bool enough =
        static_cast<double>(covered) >= least_coverage * static_cast<double>(sequence.size());
    if (best.starts.size() < 2 || !enough) return {};
    return best;
}

}  // namespace ridge::import
