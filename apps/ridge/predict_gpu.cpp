#include "apps/ridge/predict_gpu.hpp"

#include <fmt/format.h>

#include <set>

#include "model/predict/gpu/layer_work.hpp"

namespace ridge::app {

PredictedStep predict_gpu_step(const Network& network, const Machine& machine) {
    const auto device = gpu::device_of(machine);
    const auto calibrations = gpu::shipped_calibrations();
    PredictedStep step;
    step.network = network.name;
    step.machine = machine.name;
    step.batch = network.batch;
    step.threads = machine.threads;
    step.state = CacheState::cold;
    std::set<std::string> notes, names;
    for (const auto& file : calibrations) names.insert(file.name);
    step.calibration = fmt::format("{}", fmt::join(names, ", "));
    int ordinal = 0;
    for (const NetworkLayer& node : network.layers)
        for (const Pass pass : node.passes) {
            PredictedRow row;
            row.row.key.layer = node.layer.name;
            row.row.key.pass = pass;
            row.row.ordinal = ordinal++;
            row.row.kind = node.layer.kind;
            row.row.problem = to_line(node.layer);
            if (minimum_bytes(node.layer, pass).value() <= 0) continue;  // an alias, no kernel
            row.prediction = gpu::predict(node.layer, pass, device, calibrations);
            for (const auto& out : row.prediction.out_of_range) notes.insert(out.note);
            step.rows.push_back(std::move(row));
        }
    step.notes.assign(notes.begin(), notes.end());
    add_up(step);
    return step;
}

}  // namespace ridge::app
