// ridge import: logs and profiles of other programs into the run store. One subcommand per format.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/environment.hpp"
#include "collectors/import/benchdnn_perf.hpp"
#include "collectors/import/byte_stream.hpp"
#include "collectors/import/kineto_run.hpp"
#include "collectors/import/verbose_log.hpp"
#include "collectors/import/verbose_run.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "ridge/machine.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {
namespace {

using report::Cell;

struct ImportOptions {
    std::string file, store, machine, name, driver;
    int threads = 0;
    std::size_t top = 15;
    bool json = false, dry = false;
};

/// The machine that the run is held against: the one asked for, else this one if it was probed,
/// else none, and explain will ask for it.
std::optional<Machine> machine_for(const ImportOptions& options) {
    if (!options.machine.empty()) return load_machine(options.machine);
    if (file_exists(local_machine_path())) return load_machine("local");
    return std::nullopt;
}

std::string name_of(const ImportOptions& options) {
    if (!options.name.empty()) return options.name;
    if (options.file == "-") return "standard input";
    return std::filesystem::path(options.file).filename().string();
}

Json counts_json(const import::VerboseLog& log) {
    return {{"lines", log.lines},
            {"bytes", log.bytes},
            {"executions_timed", log.timed},
            {"executions_untimed", log.untimed},
            {"creations", log.creations},
            {"info", log.info},
            {"graph", log.graph},
            {"other", log.other},
            {"noise", log.noise},
            {"damaged", log.damaged},
            {"lost", log.lost},
            {"decimal", log.decimal_comma ? "comma" : "point"},
            {"execution_s", log.exec_ms * 1e-3},
            {"reorder_s", log.reorder_ms * 1e-3},
            {"reference_kernel_s", log.reference_ms * 1e-3},
            {"creation_s", log.create_ms * 1e-3},
            {"graph_s", log.graph_ms * 1e-3},
            {"product_flops", log.flops},
            {"cache_hits", log.cache_hits},
            {"cache_misses", log.cache_misses}};
}

Json rows_json(const import::VerboseRun& run) {
    Json rows = Json::array();
    for (const auto& entry : run.rows)
        rows.push_back({{"layer", entry.row.key.layer},
                        {"pass", to_string(entry.row.key.pass)},
                        {"part", entry.row.key.part},
                        {"problem", entry.row.problem},
                        {"implementation", entry.row.implementation},
                        {"executions", entry.executions},
                        {"warm_up", entry.warm_up},
                        {"total_s", entry.total_ms * 1e-3},
                        {"time_s", entry.row.time.time.value()},
                        {"reference_kernel", entry.reference}});
    return rows;
}

/// Rows by the time that all their executions took together.
report::Table costs_table(const import::VerboseLog& log, const import::VerboseRun& run,
                          std::size_t top) {
    using report::right;
    report::Table table({{.header = "layer", .shorten_to = 8},
                         {.header = "pass", .shorten_to = 8},
                         {.header = "problem", .shorten_to = 24},
                         right("runs"),
                         right("warm-up"),
                         right("total", "ms"),
                         right("share", "%"),
                         right("each", "ms"),
                         {.header = "kernel", .shorten_to = 10}});
    std::vector<const import::VerboseRow*> order;
    for (const auto& row : run.rows) order.push_back(&row);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->total_ms > b->total_ms; });
    if (order.size() > top) order.resize(top);
    for (const auto* entry : order) {
        const Measurement& row = entry->row;
        std::string pass(to_string(row.key.pass));
        if (!row.key.part.empty()) pass += " " + row.key.part;
        table.add_row({report::printable(row.key.layer), report::printable(pass),
                       report::printable(row.problem), Cell::count(entry->executions),
                       Cell::count(entry->warm_up), Cell::number(entry->total_ms, 3),
                       log.exec_ms > 0 ? Cell::number(100 * entry->total_ms / log.exec_ms, 1)
                                       : Cell::missing(),
                       Cell::number(row.time.time.value() * 1e3, 4),
                       report::printable(row.implementation)});
    }
    return table;
}

void print_log(const import::VerboseLog& log, const import::VerboseRun& run,
               const ImportOptions& options) {
    const auto screen = report::terminal(1);
    fmt::print("{}: {} lines, {} executions, {} creations{}\n", report::printable(run.info.network),
               log.lines, log.timed + log.untimed, log.creations,
               log.versions.empty()
                   ? ""
                   : report::printable(", oneDNN " + run.info.environment.library_version));
    fmt::print(
        "Times: executions {:.6g} ms, of it reorders {:.6g} ms, reference kernels {:.6g} "
        "ms; beside it creation {:.6g} ms\n",
        log.exec_ms, log.reorder_ms, log.reference_ms, log.create_ms);
    if (log.cache_hits + log.cache_misses > 0)
        fmt::print("Primitive cache: {} of {} creations hit\n", log.cache_hits,
                   log.cache_hits + log.cache_misses);
    if (run.steps > 0)
        fmt::print("Step: {} executions, {} times, the first {} are warm-up\n", run.step_executions,
                   run.steps, run.warm_up_steps);
    else
        fmt::print("Step: none repeats; each problem is one row, of one execution\n");
    fmt::print(
        "\n{}\n",
        costs_table(log, run, options.top).text({.width = screen.width, .colour = screen.colour}));
    for (const auto& note : run.notes) fmt::print("  ! {}\n", report::printable(note));
}

ExitCode import_verbose(const ImportOptions& options) {
    const auto machine = machine_for(options);
    const std::string store_path = options.store.empty() ? RunStore::default_path() : options.store;
    if (!options.dry) RunStore::require_usable(store_path);
    const auto bytes =
        options.file == "-" ? import::open_standard_input() : import::open_bytes(options.file);
    const import::VerboseLog log = import::read_verbose_log(*bytes);
    import::require_executions(log, options.file);

    import::VerboseRunOptions run_options;
    run_options.name = name_of(options);
    run_options.machine = machine ? machine->name : "unknown";
    run_options.threads = options.threads;
    run_options.machine_threads = machine ? machine->cores : 0;
    run_options.imported_at = now_utc();
    run_options.command = "ridge import verbose " + options.file;
    run_options.ridge_version = RIDGE_VERSION;
    const import::VerboseRun run = import::make_run(log, run_options, options.file);

    std::optional<std::int64_t> id;
    if (!options.dry) id = RunStore(store_path).import_run(import::run_document(run), options.file);
    if (options.json) {
        Json json{{"id", id ? Json(*id) : Json(nullptr)},
                  {"counts", counts_json(log)},
                  {"steps", run.steps},
                  {"step_executions", run.step_executions},
                  {"warm_up_steps", run.warm_up_steps},
                  {"rows", rows_json(run)},
                  {"notes", run.notes},
                  {"source", to_string(Source::measured)}};
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
        return ExitCode::done;
    }
    print_log(log, run, options);
    if (id)
        fmt::print("\nStored as run {0}: ridge explain --run {0}{1}\n", *id,
                   machine ? "" : " --machine FILE");
    return ExitCode::done;
}

ExitCode import_benchdnn(const ImportOptions& options) {
    const auto machine = machine_for(options);
    const std::string store_path = options.store.empty() ? RunStore::default_path() : options.store;
    if (!options.dry) RunStore::require_usable(store_path);
    const auto bytes =
        options.file == "-" ? import::open_standard_input() : import::open_bytes(options.file);
    import::BenchdnnOptions read;
    read.driver = options.driver;
    read.name = name_of(options);
    read.machine = machine ? machine->name : "unknown";
    read.imported_at = now_utc();
    read.command = "ridge import benchdnn " + options.file;
    read.ridge_version = RIDGE_VERSION;
    read.threads = options.threads > 0 ? options.threads : machine ? machine->cores : 1;
    const import::BenchdnnRun run = import::read_benchdnn_perf(*bytes, read, options.file);
    std::optional<std::int64_t> id;
    if (!options.dry) {
        std::vector<const import::ImportedRow*> rows;
        for (const auto& row : run.rows) rows.push_back(&row);
        id = RunStore(store_path).import_run(import::run_document(run.info, rows), options.file);
    }
    if (options.json) {
        const Json json{{"id", id ? Json(*id) : Json(nullptr)},
                        {"lines", run.lines},
                        {"measured", run.measured},
                        {"damaged", run.damaged},
                        {"notes", run.notes},
                        {"source", to_string(Source::measured)}};
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
        return ExitCode::done;
    }
    fmt::print("{}: {} problems measured, {} lines damaged\n", report::printable(run.info.network),
               run.measured, run.damaged);
    for (const auto& note : run.notes) fmt::print("  ! {}\n", report::printable(note));
    if (id)
        fmt::print("Stored as run {0}: ridge explain --run {0}{1}\n", *id,
                   machine ? "" : " --machine FILE");
    return ExitCode::done;
}

report::Table kineto_table(const import::KinetoRun& run, std::size_t top) {
    using report::right;
    report::Table table({{.header = "operator", .shorten_to = 24},
                         {.header = "pass", .shorten_to = 8},
                         right("runs"),
                         right("warm-up"),
                         right("kernels"),
                         right("total", "ms"),
                         right("share", "%"),
                         right("each", "ms"),
                         right("helpers", "%")});
    double sum = run.unattributed_ms;
    std::vector<const import::KinetoRow*> order;
    for (const auto& row : run.rows) {
        order.push_back(&row);
        sum += row.total_ms;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->total_ms > b->total_ms; });
    if (order.size() > top) order.resize(top);
    for (const auto* row : order)
        table.add_row({report::printable(row->row.key.layer),
                       std::string(to_string(row->row.key.pass)), Cell::count(row->runs),
                       Cell::count(row->warm_up), Cell::count(row->kernels),
                       Cell::number(row->total_ms, 3), Cell::number(100 * row->total_ms / sum, 1),
                       Cell::number(row->row.time.time.value() * 1e3, 4),
                       Cell::number(100 * row->helper_ms / row->total_ms, 1)});
    return table;
}

Json kineto_json(const import::KinetoTrace& trace, const import::KinetoRun& run,
                 const std::optional<std::int64_t>& id) {
    Json rows = Json::array();
    for (const auto& row : run.rows)
        rows.push_back({{"layer", row.row.key.layer},
                        {"pass", to_string(row.row.key.pass)},
                        {"problem", row.row.problem},
                        {"runs", row.runs},
                        {"warm_up", row.warm_up},
                        {"kernels", row.kernels},
                        {"total_s", row.total_ms * 1e-3},
                        {"helpers_s", row.helper_ms * 1e-3},
                        {"time_s", row.row.time.time.value()},
                        {"attributed", row.by_order ? "by order" : "by launch"}});
    return {{"id", id ? Json(*id) : Json(nullptr)},
            {"events", trace.events},
            {"device_events", trace.kernels.size()},
            {"damaged", trace.damaged},
            {"impossible", trace.impossible},
            {"impossible_s", trace.impossible_us * 1e-6},
            {"cut", trace.cut},
            {"unattributed_s", run.unattributed_ms * 1e-3},
            {"rows", rows},
            {"notes", run.notes},
            {"source", to_string(Source::measured)}};
}

/// The whole text, decompressed.
std::string read_whole(const std::string& file) {
    const auto bytes = file == "-" ? import::open_standard_input() : import::open_bytes(file);
    constexpr std::size_t most_bytes = std::size_t{1} << 32;
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 20);
    while (const std::size_t got = bytes->read(buffer)) {
        text.append(buffer.data(), got);
        if (text.size() > most_bytes) throw bad_input(file, "at most 4 GiB of JSON", "more");
    }
    return text;
}

ExitCode import_kineto(const ImportOptions& options) {
    const auto machine = machine_for(options);
    const std::string store_path = options.store.empty() ? RunStore::default_path() : options.store;
    if (!options.dry) RunStore::require_usable(store_path);
    const import::KinetoTrace trace = import::read_kineto(read_whole(options.file), options.file);
    import::KinetoOptions make;
    make.name = name_of(options);
    make.machine = !options.machine.empty() && machine ? machine->name : "unknown";
    make.imported_at = now_utc();
    make.command = "ridge import kineto " + options.file;
    make.ridge_version = RIDGE_VERSION;
    const import::KinetoRun run = import::make_run(trace, make, options.file);
    std::optional<std::int64_t> id;
    if (!options.dry) {
        std::vector<const import::ImportedRow*> rows;
        for (const auto& row : run.rows) rows.push_back(&row);
        id = RunStore(store_path).import_run(import::run_document(run.info, rows), options.file);
    }
    if (options.json) {
        fmt::print("{}\n",
                   kineto_json(trace, run, id).dump(2, ' ', false, Json::error_handler_t::replace));
        return ExitCode::done;
    }
    const auto screen = report::terminal(1);
    fmt::print(
        "{}: {} events, {} of them on the device\n\n{}\n", report::printable(run.info.network),
        trace.events, trace.kernels.size(),
        kineto_table(run, options.top).text({.width = screen.width, .colour = screen.colour}));
    for (const auto& note : run.notes) fmt::print("  ! {}\n", report::printable(note));
    if (id)
        fmt::print("\nStored as run {0}: ridge explain --run {0}{1}\n", *id,
                   options.machine.empty() ? " --machine FILE" : "");
    return ExitCode::done;
}

/// Options that every format has.
void add_usual_options(Verb& format, const std::shared_ptr<ImportOptions>& options) {
    format.add_option("FILE", options->file, "File, gzip and zstd too, or - for standard input")
        ->required();
    format.add_option("--store", options->store, "Run store (default: that of this user)");
    format.add_option("--machine", options->machine,
                      "Machine that was measured: file or name (default: this one)");
    format.add_option("--threads", options->threads, "Threads that ran")
        ->check(whole_number(1, 1'000'000));
    format.add_option("--name", options->name, "Name of the run (default: that of the file)");
    format.add_flag("--dry-run", options->dry, "Read and print, store nothing");
    format.add_flag("--json", options->json, "Print JSON");
}

}  // namespace

void add_import(Verb& app, Action& action) {
    auto* verb = app.add_subcommand("import", "Logs and profiles of other programs as runs");
    verb->require_subcommand(1);
    verb->footer("Example:\n  ONEDNN_VERBOSE=1 ./train | ridge import verbose -");

    const auto options = std::make_shared<ImportOptions>();
    auto* verbose = verb->add_subcommand(
        "verbose", "A log of ONEDNN_VERBOSE (DNNL_VERBOSE, MKLDNN_VERBOSE), any release");
    verbose->footer(
        "Example:\n  ridge import verbose log.txt --machine xeon.yaml\n"
        "  ONEDNN_VERBOSE=1 ./train | ridge import verbose -");
    add_usual_options(*verbose, options);
    verbose->add_option("--top", options->top, "Rows to print")->check(whole_number(1, 1'000'000));
    verbose->callback(
        [options, &action] { action = [options] { return import_verbose(*options); }; });

    auto* benchdnn = verb->add_subcommand("benchdnn", "The output of benchdnn --mode=P");
    benchdnn->footer(
        "Example:\n  benchdnn --mode=P --conv --batch=shapes | ridge import benchdnn -");
    add_usual_options(*benchdnn, options);
    benchdnn->add_option("--driver", options->driver,
                         "Driver of problems that do not tell (default: from their keys)");
    benchdnn->callback(
        [options, &action] { action = [options] { return import_benchdnn(*options); }; });

    auto* kineto = verb->add_subcommand("kineto", "A trace of the PyTorch profiler (JSON)");
    kineto->footer("Example:\n  ridge import kineto trace.json.gz --machine h200");
    add_usual_options(*kineto, options);
    kineto->add_option("--top", options->top, "Rows to print")->check(whole_number(1, 1'000'000));
    kineto->callback(
        [options, &action] { action = [options] { return import_kineto(*options); }; });

    add_import_counters(*verb, action);
}

}  // namespace ridge::app
