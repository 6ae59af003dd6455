#include "collectors/papi/nearest_events.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ridge::papi {
namespace {

/// Levenshtein's distance, one row of the table at a time.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::vector<std::string> nearest_events(std::string_view name, std::vector<std::string> known) {
    std::sort(known.begin(), known.end());
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (std::string& candidate : known)
        ranked.emplace_back(edits(name, candidate), std::move(candidate));
    const auto count = std::min<std::size_t>(3, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                      ranked.end());
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < count; ++i) nearest.push_back(std::move(ranked[i].second));
    return nearest;
}

}  // namespace ridge::papi
