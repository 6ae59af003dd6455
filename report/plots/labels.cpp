#include "report/plots/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/table.hpp"

namespace ridge::report {
namespace {

/// Middle of the text across the lines' direction.
double middle(const LineLabel& label, const LabelPlace& place) {
    return label.offset + (place.below ? -label_height / 2 : label_height / 2);
}

}  // namespace

double label_length(const std::string& text) {
    return label_character * display_width(text);
}

std::vector<LabelPlace> place_labels(const std::vector<LineLabel>& labels) {
    constexpr double far = std::numeric_limits<double>::max();
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return labels[a].offset > labels[b].offset;
    });
    std::vector<LabelPlace> places(labels.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t i = order[k];
        const double up = k == 0 ? far : labels[order[k - 1]].offset - labels[i].offset;
        const double down =
            k + 1 == order.size() ? far : labels[i].offset - labels[order[k + 1]].offset;
        const bool taken = k > 0 && places[order[k - 1]].below;
        if (up >= (taken ? 2 : 1) * label_height) continue;
        if (down >= 2 * label_height) {  // the next line's label may stand above it
            places[i].below = true;
            continue;
        }
        for (std::size_t other = 0; other < k; ++other) {
            const std::size_t j = order[other];
            if (std::abs(middle(labels[i], places[i]) - middle(labels[j], places[j])) <
                label_height)
                places[i].shift =
                    std::max(places[i].shift, places[j].shift + labels[j].length + 12);
        }
    }
    return places;
}

}  // namespace ridge::report
