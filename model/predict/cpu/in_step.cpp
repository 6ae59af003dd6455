#include "model/predict/cpu/in_step.hpp"

#include <algorithm>

#include "model/roofline/step_reuse.hpp"

namespace ridge::cpu {

void set_in_step_footprints(std::vector<DemandRow>& rows) {
    std::vector<StepRow> step;
    for (const DemandRow& row : rows) {
        if (row.problem.empty()) {
            step.push_back({row.key.layer, row.key.pass, {}});
            continue;
        }
        const Layer layer = parse_layer(row.problem);
        const Pass work = layer.kind == LayerKind::reorder ? Pass::forward : row.key.pass;
        step.push_back(step_row(row.key, tensors(layer, work)));
    }
    const auto distances = reuse_distances(step);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double bytes = 0, inverse = 0;
        for (std::size_t j = 0; j < step[i].tensors.size(); ++j) {
            const double size = step[i].tensors[j].size.value();
            bytes += size;
            inverse += size / std::max(1.0, distances[i][j].value());
        }
        if (bytes > 0 && inverse > 0) rows[i].demand.footprint = Bytes(bytes / inverse);
    }
}

}  // namespace ridge::cpu
