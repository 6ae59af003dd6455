#include "apps/ridge/predict_job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "core/files.hpp"
#include "model/predict/cpu/in_step.hpp"
#include "model/predict/cpu/kernel_class.hpp"

namespace ridge::app {

void add_up(PredictedStep& step) {
    std::map<std::string, std::pair<double, double>> by_class;
    double time = 0, convolution = 0;
    for (const PredictedRow& row : step.rows) {
        if (!row.row.unavailable.empty()) continue;
        const Prediction& p = row.prediction;
        time += p.time.value();
        if (row.row.kind == LayerKind::convolution && row.row.key.pass != Pass::update)
            convolution += p.time.value();
        auto& [below, above] = by_class[p.kernel];
        below += p.time.value() - p.low.value();
        above += p.high.value() - p.time.value();
    }
    double below = 0, above = 0;
    for (const auto& [name, width] : by_class) {
        below += width.first * width.first;
        above += width.second * width.second;
    }
    step.time = Seconds(time);
    step.low = Seconds(std::max(0.0, time - std::sqrt(below)));
    step.high = Seconds(time + std::sqrt(above));
    if (time > 0) step.convolution_share = convolution / time;
}

PredictedStep predict_step(const PredictTask& task, DemandSource& source) {
    PredictedStep step;
    step.network = task.network->name;
    step.machine = task.machine->name;
    step.calibration = task.calibration.name;
    step.batch = task.network->batch;
    step.threads = task.threads;
    step.state = task.state;
    step.demand = source.kind();
    const cpu::Predictor predictor(*task.machine, task.calibration, task.threads, task.state);
    std::set<std::string> notes, classes;
    auto rows = source.rows(*task.network, task.threads);
    if (task.state == CacheState::in_step) cpu::set_in_step_footprints(rows);
    for (DemandRow& row : rows) {
        PredictedRow predicted{std::move(row), {}, {}};
        const DemandRow& r = predicted.row;
        if (r.unavailable.empty()) {
            const Layer layer = parse_layer(r.problem);
            const Pass pass = r.kind == LayerKind::reorder ? Pass::forward : r.key.pass;
            predicted.prediction = predictor.predict(layer, pass, r.demand);
            for (const OutOfRange& out : predicted.prediction.out_of_range)
                if (out.dimension == "kernel class")
                    classes.insert(predicted.prediction.kernel);
                else
                    notes.insert(out.note);
        }
        step.rows.push_back(std::move(predicted));
    }
    if (!classes.empty())
        notes.insert(fmt::format("kernel classes never measured: {}", fmt::join(classes, ", ")));
    step.notes.assign(notes.begin(), notes.end());
    add_up(step);
    return step;
}

Network network_or_layer(const NetworkArgument& argument) {
    if (!is_layer_line(argument.text)) return load_network_argument(argument);
    Layer layer = parse_layer(argument.text);
    if (argument.batch > 0) layer.dims.mb = argument.batch;
    if (layer.name.empty()) layer.name = to_string(layer.kind);
    return single_layer_network(layer);
}

std::string local_calibration_path() {
    return data_directory(false) + "/calibration.yaml";
}

cpu::Calibration calibration_or_default(const std::string& name) {
    if (!name.empty()) return cpu::load_calibration(name);
    const std::string local = local_calibration_path();
    return cpu::load_calibration(file_exists(local) ? local : "generic");
}

}  // namespace ridge::app
