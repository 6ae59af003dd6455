#include "collectors/papi/nearest_events.hpp"

#include <algorithm>
#include <utility>

#include "core/words_near.hpp"

namespace ridge::papi {

std::vector<std::string> nearest_events(std::string_view name, std::vector<std::string> known) {
    std::sort(known.begin(), known.end());
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (std::string& candidate : known)
        ranked.emplace_back(edit_distance(name, candidate), std::move(candidate));
    const auto count = std::min<std::size_t>(3, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                      ranked.end());
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < count; ++i) nearest.push_back(std::move(ranked[i].second));
    return nearest;
}

}  // namespace ridge::papi
