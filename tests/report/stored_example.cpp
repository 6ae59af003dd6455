#include "tests/report/stored_example.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ridge/machine.hpp"
#include "ridge/network.hpp"
#include "ridge/run_store.hpp"
#include "tests/report/fixture.hpp"

namespace ridge::test {

Run example_measured_run(const std::string& network_name, std::int64_t batch, int threads,
                         const std::string& library) {
    const Network network = load_network(network_name, batch);
    Run run;
    run.info = example_run({}).info;
    run.info.network = network.name;
    run.info.batch = batch;
    run.info.threads = threads;
    run.info.library = library;
    run.info.environment.library = library;
    run.info.command = fmt::format("ridge collect '{}' --batch {} --threads {} --state in_step",
                                   network.name, batch, threads);
    Seconds sum;
    const auto add = [&](const NetworkLayer& entry, Pass pass) {
        if (library == "openblas" && entry.layer.kind != LayerKind::convolution &&
            entry.layer.kind != LayerKind::inner_product)
            return;
        const double flops = useful_flops(entry.layer, pass).value();
        const double bytes = minimum_bytes(entry.layer, pass).value();
        const double slower = library == "openblas" ? 2.5 : 1;
        const double time_s =
            (std::max(flops / 90e9, bytes / 15e9) / 0.7 + 4e-6) * slower / threads;
        Measurement row =
            example_row(entry.layer.name, pass, entry.layer.kind, time_s, flops, bytes).row;
        row.ordinal = static_cast<int>(run.rows.size());
        row.problem = to_line(entry.layer);
        row.dtype = entry.layer.dtype;
        sum += row.time.time;
        run.rows.push_back(std::move(row));
    };
    for (const auto& entry : network.layers)
        if (std::find(entry.passes.begin(), entry.passes.end(), Pass::forward) !=
            entry.passes.end())
            add(entry, Pass::forward);
    for (auto entry = network.layers.rbegin(); entry != network.layers.rend(); ++entry)
        for (const Pass pass : entry->passes)
            if (pass != Pass::forward) add(*entry, pass);
    StepTime step;
    step.time.time = sum * 0.97;
    step.time.samples = 24;
    step.interval_low = sum * 0.965;
    step.interval_high = sum * 0.975;
    run.step = step;
    return run;
}

StoredExample::StoredExample() {
    save_machine(example_machine(), machine());
}

std::int64_t StoredExample::add(const Run& run) {
    RunStore store(this->store());
    RunInfo info = run.info;
    info.complete = false;
    const std::int64_t id = store.begin_run(info);
    for (const auto& row : run.rows) store.put_row(id, row);
    if (run.step) store.put_step(id, *run.step);
    store.finish_run(id);
    return id;
}

}  // namespace ridge::test
