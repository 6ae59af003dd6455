// ridge report: measures a training step, unless a stored run is named, and explains it in one
// HTML file.
#include <fmt/format.h>

#include <filesystem>

#include "apps/ridge/collect_job.hpp"
#include "apps/ridge/commands.hpp"
#include "apps/ridge/counter_choice.hpp"
#include "apps/ridge/local_machine.hpp"
#include "apps/ridge/network_argument.hpp"
#include "apps/ridge/stored_run.hpp"
#include "core/files.hpp"
#include "model/explain/json.hpp"
#include "report/html/page.hpp"
#include "report/run_comparison.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"
#include "ridge/format.hpp"

namespace ridge::app {
namespace {

struct ReportOptions {
    CollectOptions collect;
    std::string dtype, state;
    StoredRunOptions run;
    std::string output = "report.html";
    std::string json;
};

/// An argument as a POSIX shell takes it.
std::string shell_word(const std::string& text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/// The line that measures and reports the same again: that of the measurement with another verb.
std::string command_line(const RunInfo& info, const ReportOptions& options) {
    constexpr std::string_view collect_verb = "ridge collect ";
    std::string line = info.command.starts_with(collect_verb)
                           ? "ridge report " + info.command.substr(collect_verb.size())
                           : fmt::format("ridge report --run {}", info.id);
    for (const auto& assignment : options.run.what_if) line += " --set " + shell_word(assignment);
    return line + " --output " + shell_word(options.output);
}

std::vector<report::ComparisonSection> comparisons(const RunStore& store, const Run& run) {
    std::vector<report::ComparisonSection> sections;
    const auto infos = store.list_runs();
    if (const auto other = report::other_library(run.info, infos))
        sections.push_back(
            {"Beside another library",
             fmt::format("Run {} with {} against this one with {}, reorders included. "
                         "A ratio above 1 says how many times slower the other is.",
                         other->id, other->library, run.info.library),
             report::library_table(run, store.load_run(other->id))});
    std::vector<Run> others;
    for (const auto& info : report::other_thread_counts(run.info, infos))
        others.push_back(store.load_run(info.id));
    if (others.empty()) return sections;
    std::vector<const Run*> all{&run};
    std::string ids;
    for (const auto& other : others) {
        all.push_back(&other);
        ids += fmt::format("{}{}", ids.empty() ? "" : ", ", other.info.id);
    }
    sections.push_back(
        {"Scaling over threads",
         fmt::format("This run beside run {}. Efficiency: speed-up over the ratio of "
                     "the thread counts.",
                     ids),
         report::scaling_table(all)});
    return sections;
}

void print_lines(const char* heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    if (*heading) fmt::print("\n{}\n", heading);
    for (const auto& line : lines) fmt::print("  {}\n", report::printable(line));
}

/// One screen: the findings, what bounds the time, where most could be saved, what to distrust.
void print_summary(const RunAnalysis& run, const ReportOptions& options, Bytes page_size,
                   const std::vector<std::string>& missing) {
    const auto screen = report::terminal(1);
    const report::TextOptions text{.width = screen.width, .colour = screen.colour};
    const auto summary = report::summarise(run);
    fmt::print("{}\n", report::coloured(report::printable(report::run_title(run.info)),
                                        report::Colour::bold, screen.colour));
    print_lines("", report::findings(run, summary));
    fmt::print("\n{}\n", report::savings_table(summary, 8).text(text));
    auto cautions = report::caveats(run, summary);
    cautions.insert(cautions.end(), missing.begin(), missing.end());
    print_lines("Read with caution:", cautions);
    fmt::print("\nReport: {} ({}){}\n", options.output, format(page_size),
               options.json.empty() ? "" : ", data: " + options.json);
}

/// Takes the words of --dtype and --state into the options of the measurement.
void read_words(ReportOptions& options) {
    const auto dtype = data_type_from_string(options.dtype);
    if (!dtype) throw bad_input("--dtype", "f32 or bf16", "'" + options.dtype + "'");
    options.collect.dtype = *dtype;
    if (options.state.empty()) return;
    options.collect.state = cache_state_from_string(options.state);
    if (!options.collect.state)
        throw bad_input("--state", "cold, warm or in_step", "'" + options.state + "'");
}

ExitCode make_report(ReportOptions options) {
    if (options.run.target.empty() && !options.run.run)
        throw bad_input("report", "a network, a layer line or --run NUMBER", "neither");
    read_words(options);
    require_writable(options.output);
    if (!options.json.empty()) {
        require_writable(options.json);
        std::error_code ignored;
        if (std::filesystem::weakly_canonical(options.json, ignored) ==
            std::filesystem::weakly_canonical(options.output, ignored))
            throw bad_input("--json", "another file than --output", "'" + options.json + "'");
    }
    if (!options.run.run) {
        options.collect.network = options.run.target;
        options.collect.store = options.run.store;
        if (!options.run.machine.empty()) options.collect.machine = options.run.machine;
        if (!options.run.what_if.empty()) {
            // A mistyped what-if must not be found out after minutes of measuring.
            Machine machine = machine_or_probe(options.collect.machine);
            for (const auto& assignment : options.run.what_if) apply_what_if(machine, assignment);
        }
        CounterChoice& counters = options.collect.chosen_counters;
        counters = CounterChooser(options.collect.counters).choose(options.collect.library);
        options.run.run = collect(options.collect);
        if (!counters.remark.empty()) fmt::print(stderr, "ridge: {}\n", counters.remark);
        options.run.target.clear();
    }
    StoredRun stored = load_stored_run(options.run);
    const auto chart_js = report::find_chart_js();
    report::ReportInput input{.analysis = std::move(stored.analysis),
                              .machine = std::move(stored.machine),
                              .comparisons = comparisons(open_store(options.run.store), stored.run),
                              .analysis_json = Json(),
                              .command = command_line(stored.run.info, options),
                              .ridge_version = RIDGE_VERSION};
    const auto summary = report::summarise(input.analysis);
    input.analysis_json = to_json(input.analysis);
    input.analysis_json["findings"] = report::findings(input.analysis, summary);
    input.analysis_json["caveats"] = report::caveats(input.analysis, summary);
    const std::string page = report::report_page(input, chart_js);
    write_file(options.output, page);
    if (!options.json.empty()) write_file(options.json, input.analysis_json.dump(2) + "\n");
    std::vector<std::string> missing;
    if (const auto* reason = std::get_if<std::string>(&chart_js))
        missing.push_back(fmt::format("The report has no charts: {}.", *reason));
    print_summary(input.analysis, options, Bytes(static_cast<double>(page.size())), missing);
    return ExitCode::done;
}

}  // namespace

void add_report(Verb& app, Action& action) {
    auto* verb = app.add_subcommand(
        "report",
        "Measures a training step and explains it in one self-contained HTML file\n\nExample:\n"
        "  ridge report alexnet --batch 8 --output report.html");
    auto options = std::make_shared<ReportOptions>();
    auto& collect = options->collect;
    verb->add_option(
        "NETWORK", options->run.target,
        "Network, YAML file, ONNX model or layer line to measure; not needed with --run");
    verb->add_option("--batch", collect.batch, "Images in a step")->capture_default_str();
    add_dim_option(*verb, collect.dims);
    verb->add_option("--threads", collect.threads, "Threads (default: one per core)")
        ->check(whole_number(1, 1'000'000));
    verb->add_option("--dtype", options->dtype, "f32 or bf16")->default_val("f32");
    verb->add_option("--state", options->state,
                     "cold, warm or in_step (default: in_step for a network, warm for a layer)");
    verb->add_option("--library", collect.library, "onednn or openblas")->capture_default_str();
    verb->add_option("--budget", collect.budget_s,
                     "Seconds to measure at most, building not included "
                     "(default: 20 and 4 for each row, 240 at most)");
    verb->add_option("--counters", collect.counters, "auto, traced, none or hardware")
        ->capture_default_str();
    verb->add_flag("--resume", collect.resume, "Continue the newest run that was interrupted");
    verb->add_flag("--quiet", collect.quiet, "No progress bar");
    verb->add_option("--output,-o", options->output, "HTML file to write")->capture_default_str();
    verb->add_option("--json", options->json, "Also write the analysis as JSON to this file");
    add_stored_run_options(*verb, options->run);
    for (const char* measuring : {"--batch", "--threads", "--dtype", "--state", "--library",
                                  "--budget", "--counters", "--resume"})
        verb->get_option(measuring)->excludes(verb->get_option("--run"));
    verb->callback([&action, options] { action = [options] { return make_report(*options); }; });
}

}  // namespace ridge::app
