// ridge calibrate: the constants of the processor model, from a short run or from rows that were
// measured before.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <set>

#include "apps/ridge/calibrate_job.hpp"
#include "apps/ridge/commands.hpp"
#include "apps/ridge/dataset_jobs.hpp"
#include "apps/ridge/environment.hpp"
#include "apps/ridge/predict_job.hpp"
#include "core/files.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "validate/evaluate.hpp"

namespace ridge::app {
namespace {

struct Options {
    std::string machine = "local", from, networks, output, demand = "traced";
    int threads = 1;
    double budget = 180;
    DataSetTask data_set;
};

std::vector<validate::ReferenceRow> rows_of(const Options& options, const Machine& machine) {
    if (options.from.empty())
        return measure_for_calibration(
            {.machine = &machine, .threads = options.threads, .budget_s = options.budget});
    std::vector<validate::ReferenceRow> rows;
    for (auto& row : validate::load_reference(options.from).rows) {
        const bool named =
            options.networks.empty() ||
            ("," + options.networks + ",").find("," + row.network + ",") != std::string::npos;
        if (named && row.threads == options.threads && row.state == CacheState::warm)
            rows.push_back(std::move(row));
    }
    return rows;
}

void print(const cpu::Calibration& c, std::span<const cpu::FitRow> rows) {
    report::Table table({{.header = "family"},
                         report::right("rows"),
                         report::right("error", "%"),
                         report::right("80 % of rows from", "%"),
                         report::right("to", "%")});
    for (int f = 0; f < cpu::families; ++f) {
        const auto family = static_cast<cpu::Family>(f);
        std::vector<validate::Outcome> outcomes;
        for (const cpu::FitRow& row : rows)
            if (row.family == family)
                outcomes.push_back({cpu::predict_time(row, c), row.time_s, 0, 0, 1});
        const auto metrics = validate::metrics_of(outcomes);
        const cpu::Residuals& r = c.of(family).residuals;
        table.add_row({std::string(to_string(family)),
                       report::Cell::count(static_cast<long long>(metrics.n)),
                       report::Cell::number(100 * metrics.mape, 1),
                       report::Cell::number(100 * (std::exp(r.low) - 1), 1),
                       report::Cell::number(100 * (std::exp(r.high) - 1), 1)});
    }
    const auto screen = report::terminal(1);
    fmt::print("{}", table.text({screen.width, screen.colour}));
}

ExitCode calibrate(const Options& options) {
    if (!options.data_set.set.empty()) return calibrate_data_set(options.data_set, options.output);
    if (options.demand != "traced" && options.demand != "analytic")
        throw bad_input("--demand", "traced or analytic", "'" + options.demand + "'");
    if (!(options.budget >= 10) || options.budget > 86400)
        throw bad_input("--budget", "seconds from 10 to 86400", fmt::format("{}", options.budget));
    const std::string path = options.output.empty() ? local_calibration_path() : options.output;
    if (options.output.empty()) (void)data_directory(true);
    require_writable(path);
    const Machine machine = load_machine(options.machine);
    std::vector<validate::ReferenceRow> rows = rows_of(options, machine);
    const std::size_t all = rows.size();
    std::erase_if(rows, [](const validate::ReferenceRow& row) { return row.upper_bound; });
    const auto fit_rows = validate::fit_rows(rows, machine, options.demand == "analytic");
    cpu::Calibration c = cpu::fit(fit_rows);
    c.name = options.output.empty() ? "local" : path;
    if (const auto slash = c.name.rfind('/'); slash != std::string::npos)
        c.name = c.name.substr(slash + 1);
    if (c.name.ends_with(".yaml")) c.name.resize(c.name.size() - 5);
    c.machine = machine.name;
    c.made_at = now_utc();
    std::set<std::string> networks;
    for (const auto& row : rows) networks.insert(row.network);
    c.library = rows.front().library.empty() ? "onednn" : rows.front().library;
    c.provenance =
        fmt::format("{} rows of {}, {} demand; {} rows never undisturbed and left out", rows.size(),
                    fmt::join(networks, ", "), options.demand, all - rows.size());
    cpu::save_calibration(c, path);
    print(c, fit_rows);
    fmt::print("{}; written to {}\n", c.provenance, path);
    return ExitCode::done;
}

}  // namespace

void add_calibrate(Verb& app, Action& action) {
    const auto options = std::make_shared<Options>();
    auto* verb =
        app.add_subcommand("calibrate", "fits the few constants of a machine from a short run");
    verb->footer(
        "Examples:\n  ridge calibrate --budget 180\n"
        "  ridge calibrate --from measurements/ --machine my.yaml --output my-calibration.yaml");
    verb->add_option("--budget", options->budget, "seconds, everything included")
        ->capture_default_str();
    verb->add_option("--threads", options->threads, "threads")
        ->check(whole_number(1, 1024))
        ->capture_default_str();
    verb->add_option("--machine", options->machine, "machine file")->capture_default_str();
    verb->add_option("--from", options->from,
                     "reference measurements (CSV file or folder) instead of measuring");
    verb->add_option("--networks", options->networks, "only these of --from, separated by commas");
    verb->add_option("--demand", options->demand, "traced or analytic")->capture_default_str();
    verb->add_option("--output", options->output,
                     "calibration file (default: this machine's, which predict takes)");
    verb->add_option("--dataset", options->data_set.set,
                     "instead: constants of GPU kernel classes from a public data set");
    verb->add_option("--data", options->data_set.data,
                     "folder of the data sets (default: RIDGE_DATA_DIR)");
    verb->callback([options, &action] { action = [options] { return calibrate(*options); }; });
}

}  // namespace ridge::app
