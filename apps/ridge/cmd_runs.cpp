// ridge runs: what is in the run store, and in and out of it.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/runs_text.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "report/run_export.hpp"
#include "ridge/run_store.hpp"

namespace ridge::app {
namespace {

struct RunsOptions {
    std::string store;  ///< empty: RunStore::default_path()
    std::string id;     ///< a number or "last"
    std::string file;   ///< to import, or to export to; empty: standard output
    std::string format = "json";
    bool json = false;
};

std::string path_of(const RunsOptions& options) {
    return options.store.empty() ? RunStore::default_path() : options.store;
}

RunStore open_to(StoreAccess access, const RunsOptions& options) {
    return RunStore(path_of(options), access);
}

std::int64_t run_id(const RunStore& store, const RunsOptions& options) {
    const std::string& text = options.id;
    if (text == "last") {
        const auto runs = store.list_runs();
        if (runs.empty()) throw bad_input(path_of(options), "a stored run", "none");
        return runs.front().id;
    }
    std::int64_t id = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || rest != text.data() + text.size() || id < 1)
        throw bad_input("ID", "the number of a run, or last", "'" + text + "'");
    return id;
}

void print(const Json& json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// The runs of the store; none when nothing was ever measured and no other store was asked for.
std::vector<ListedRun> stored_runs(const RunsOptions& options) {
    std::vector<ListedRun> runs;
    if (options.store.empty() && !file_exists(path_of(options))) return runs;
    const RunStore store = open_to(StoreAccess::read, options);
    for (auto& info : store.list_runs()) {
        const bool live = store.has_live_owner(info.id);
        runs.push_back({std::move(info), live});
    }
    return runs;
}

ExitCode list_runs(const RunsOptions& options) {
    const auto runs = stored_runs(options);
    if (options.json) {
        Json list = Json::array();
        for (const auto& run : runs) {
            list.push_back(to_json(run.info));
            list.back()["status"] = status_of(run);
        }
        print(list);
    } else if (runs.empty()) {
        fmt::print("no runs in {}; `ridge collect` makes one\n", path_of(options));
    } else {
        fmt::print("{}", runs_table(runs, report::terminal(1)));
    }
    return ExitCode::done;
}

ExitCode show_run(const RunsOptions& options) {
    const RunStore store = open_to(StoreAccess::read, options);
    const Run run = store.load_run(run_id(store, options));
    if (options.json)
        print(to_json(run));
    else
        fmt::print("{}", run_text(run, store.has_live_owner(run.info.id), report::terminal(1)));
    return ExitCode::done;
}

std::string exported(const RunStore& store, std::int64_t id, const std::string& format) {
    if (format == "csv") return report::run_csv(store.load_run(id));
    if (format == "jsonl") return report::run_json_lines(store.load_run(id));
    if (format == "chrome") return report::run_chrome_trace(store.load_run(id));
    return store.export_run(id);
}

ExitCode export_run(const RunsOptions& options) {
    const RunStore store = open_to(StoreAccess::read, options);
    const std::int64_t id = run_id(store, options);
    const std::string text = exported(store, id, options.format);
    if (options.file.empty()) {
        fmt::print("{}", text);
    } else {
        write_file(options.file, text);
        fmt::print(stderr, "run {} written to {}\n", id, options.file);
    }
    return ExitCode::done;
}

ExitCode import_run(const RunsOptions& options) {
    const std::string json = read_file(options.file);
    RunStore store = open_to(StoreAccess::create, options);
    const std::int64_t id = store.import_run(json, options.file);
    if (options.json)
        print({{"id", id}, {"store", path_of(options)}});
    else
        fmt::print("imported as run {} of {}\n", id, path_of(options));
    return ExitCode::done;
}

ExitCode check_store(const RunsOptions& options) {
    const auto findings = open_to(StoreAccess::read, options).check();
    if (options.json) {
        print({{"store", path_of(options)}, {"ok", findings.empty()}, {"findings", findings}});
    } else {
        for (const auto& finding : findings) fmt::print("{}\n", finding);
        if (findings.empty()) fmt::print("{}: nothing wrong\n", path_of(options));
    }
    return findings.empty() ? ExitCode::done : ExitCode::job_failed;
}

ExitCode delete_run(const RunsOptions& options) {
    RunStore store = open_to(StoreAccess::write, options);
    const std::int64_t id = run_id(store, options);
    store.delete_run(id);
    if (options.json)
        print({{"deleted", id}, {"store", path_of(options)}});
    else
        fmt::print("run {} deleted from {}\n", id, path_of(options));
    return ExitCode::done;
}

using Options = std::shared_ptr<RunsOptions>;

Verb* add_subcommand(Verb& runs, Action& action, const Options& options, const std::string& name,
                     const std::string& what, const char* example,
                     ExitCode (*work)(const RunsOptions&)) {
    auto* verb = runs.add_subcommand(name, what);
    verb->footer(fmt::format("Example:\n  ridge runs {}", example));
    verb->add_option("--store", options->store,
                     "Run store (default: $XDG_DATA_HOME/ridge/runs.db)");
    verb->callback(
        [&action, options, work] { action = [options, work] { return work(*options); }; });
    return verb;
}

void add_id(Verb* verb, const Options& options) {
    verb->add_option("ID", options->id, "Number of the run, or last")->required();
}

void add_json(Verb* verb, const Options& options) {
    verb->add_flag("--json", options->json, "Print JSON");
}

}  // namespace

void add_runs(Verb& app, Action& action) {
    auto* runs =
        app.add_subcommand("runs", "Stored runs: list, show, export, import, check, delete");
    runs->require_subcommand(1);
    runs->footer("Example:\n  ridge runs show last");
    const auto options = std::make_shared<RunsOptions>();
    const auto add = [&](const char* name, const char* what, const char* example,
                         ExitCode (*work)(const RunsOptions&)) {
        return add_subcommand(*runs, action, options, name, what, example, work);
    };

    add_json(add("list", "Lists the runs, newest first", "list", list_runs), options);

    auto* show = add("show", "Shows the rows of a run", "show 3 --json", show_run);
    add_id(show, options);
    add_json(show, options);

    auto* to_file = add("export", "Writes a run as JSON, CSV, JSON Lines or a Chrome trace",
                        "export 3 -o alexnet.json", export_run);
    add_id(to_file, options);
    to_file
        ->add_option("--format", options->format,
                     "json (all samples; `runs import` reads it), csv or jsonl (a line per row), "
                     "chrome (a trace of the step)")
        ->one_of({"json", "csv", "jsonl", "chrome"})
        ->capture_default_str();
    to_file->add_option("-o,--output", options->file, "File to write (default: standard output)");

    auto* from_file = add("import", "Stores an exported run under a new number",
                          "import alexnet.json", import_run);
    from_file->add_option("FILE", options->file, "File that `ridge runs export` wrote")->required();
    add_json(from_file, options);

    add_json(add("check", "Checks that the store is whole (exit code 1 when it is not)",
                 "check --store runs.db", check_store),
             options);

    auto* erase = add("delete", "Deletes a run and its samples", "delete 3", delete_run);
    add_id(erase, options);
    add_json(erase, options);
}

}  // namespace ridge::app
