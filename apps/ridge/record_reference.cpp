#include "apps/ridge/record_reference.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "apps/ridge/stored_run.hpp"
#include "apps/ridge/traced_demand.hpp"
#include "core/files.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "model/predict/cpu/in_step.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"
#include "validate/reference_rows.hpp"

namespace ridge::app {
namespace {

std::vector<std::int64_t> run_numbers(const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::size_t start = 0;
    while (start <= text.size()) {
        const auto comma = std::min(text.find(',', start), text.size());
        std::int64_t value = 0;
        const char* end = text.data() + comma;
        const auto [rest, error] = std::from_chars(text.data() + start, end, value);
        if (error != std::errc{} || rest != end)
            throw bad_input("--record", "run numbers separated by commas", "'" + text + "'");
        numbers.push_back(value);
        start = comma + 1;
    }
    return numbers;
}

void share_out(std::vector<DemandRow>& rows, int threads, const Machine& machine) {
    if (threads == 1) return;
    const cpu::CacheSizes caches = cpu::cache_sizes(machine);
    for (DemandRow& row : rows) {
        if (!row.unavailable.empty()) continue;
        const Layer layer = parse_layer(row.problem);
        const Pass work = layer.kind == LayerKind::reorder ? Pass::forward : row.key.pass;
        row.demand.threads = threads;
        row.demand.busiest_share = cpu::analytic_demand(layer, work, caches, threads).busiest_share;
    }
}

}  // namespace

void record_reference(const RecordTask& task) {
    if (task.output.empty()) throw bad_input("--output", "the name of a CSV file", "nothing");
    require_writable(task.output);
    const RunStore store = open_store(task.store);
    const Machine machine = load_machine(task.machine);
    TracedDemand tracer(machine);
    validate::ReferenceSet set;
    std::string runs;
    for (const std::int64_t number : run_numbers(task.runs)) {
        const Run run = store.load_run(number);
        const auto start = std::chrono::steady_clock::now();
        // On several threads the counts are those of one: the work is the same, and how it is dealt
        // out follows from the shapes.
        auto demands = tracer.rows(load_network(run.info.network, run.info.batch), 1);
        share_out(demands, run.info.threads, machine);
        if (run.info.state == CacheState::in_step) cpu::set_in_step_footprints(demands);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto rows = validate::reference_rows(run, demands);
        fmt::print("{} batch {}, {} threads, {}: {} rows, {} distinct, traced in {:.1f} s\n",
                   run.info.network, run.info.batch, run.info.threads, to_string(run.info.state),
                   run.rows.size(), rows.size(), seconds);
        set.rows.insert(set.rows.end(), rows.begin(), rows.end());
        if (set.description.empty())
            set.description = fmt::format(
                "machine: {}\nlibrary: {} {}\nprocessor: {}\nprotocol: {}\n", run.info.machine,
                run.info.environment.library, run.info.environment.library_version,
                run.info.environment.cpu_model, run.info.protocol);
        runs += fmt::format("run: {} {}\n", run.info.started_at, run.info.command);
    }
    set.description += runs + "counts: traced, caches of " + machine.name + "\n";
    validate::save_reference(set, task.output);
}

}  // namespace ridge::app
