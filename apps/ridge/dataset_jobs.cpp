#include "apps/ridge/dataset_jobs.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>

#include "core/files.hpp"
#include "core/json.hpp"
#include "core/words_near.hpp"
#include "ridge/machine.hpp"
#include "validate/datasets/dataset.hpp"
#include "validate/gpu/scores_text.hpp"

namespace ridge::app {
namespace {

using validate::KernelRow;
using validate::kernels::Validation;

struct ReadSet {
    std::vector<KernelRow> rows;
    std::map<std::string, std::size_t> skipped;
    std::size_t all = 0;
};

/// Rows on GPUs; the others are counted with the readers' own reasons.
ReadSet read_gpu_rows(const validate::DataSet& set, const std::string& folder) {
    ReadSet result;
    std::map<std::string, bool> gpus;
    std::size_t others = 0;
    const auto report = validate::read_data_set(set, folder, [&](KernelRow&& row) {
        const auto known = gpus.find(row.machine);
        const bool gpu = known != gpus.end()
                             ? known->second
                             : (gpus[row.machine] = load_machine(row.machine).gpu.has_value());
        if (gpu)
            result.rows.push_back(std::move(row));
        else
            ++others;
    });
    result.all = report.rows;
    result.skipped = report.skipped;
    if (others > 0) result.skipped["measured on a CPU"] = others;
    return result;
}

bool* element(gpu::Switches& s, const std::string& name) {
    const std::array<std::pair<const char*, bool*>, 13> elements{{{"waves", &s.waves},
                                                                  {"latency", &s.latency},
                                                                  {"tiles", &s.tile_efficiency},
                                                                  {"padding", &s.padding},
                                                                  {"power", &s.power},
                                                                  {"winograd", &s.winograd},
                                                                  {"direct", &s.direct},
                                                                  {"alignment", &s.alignment},
                                                                  {"reread", &s.reread},
                                                                  {"batched", &s.batched_rule},
                                                                  {"narrow", &s.narrow},
                                                                  {"drift", &s.drift},
                                                                  {"residency", &s.residency}}};
    for (const auto& [word, flag] : elements)
        if (name == word) return flag;
    return nullptr;
}

gpu::Switches switches_without(const std::string& list) {
    gpu::Switches switches;
    std::size_t start = 0;
    while (start < list.size()) {
        const auto comma = std::min(list.find(',', start), list.size());
        const auto word = list.substr(start, comma - start);
        bool* flag = element(switches, word);
        if (!flag)
            throw bad_input("--without",
                            "waves, latency, tiles, padding, power, winograd, direct, alignment, "
                            "reread, batched, narrow, drift or residency",
                            "'" + one_line(word) + "'");
        *flag = false;
        start = comma + 1;
    }
    return switches;
}

std::vector<const validate::DataSet*> sets_of(const std::string& name) {
    std::vector<const validate::DataSet*> sets;
    if (name != "all") return {&validate::data_set(name)};
    for (const auto& set : validate::data_sets()) sets.push_back(&set);
    return sets;
}

std::string skipped_text(std::string_view set, const ReadSet& read) {
    std::string text = fmt::format("{}: {} rows read, {} used", set, read.all, read.rows.size());
    for (const auto& [reason, count] : read.skipped)
        text += fmt::format("; {} skipped: {}", count, one_line(reason));
    return text + "\n";
}

Json json_of(const Validation& v) {
    Json scores = Json::array();
    for (const auto& s : v.scores)
        scores.push_back({{"rows", s.selection},
                          {"split", s.split},
                          {"model", s.model},
                          {"device", s.device},
                          {"n", s.metrics.n},
                          {"mape", json_number(s.metrics.mape)},
                          {"median", json_number(s.metrics.median)},
                          {"p90", json_number(s.metrics.p90)},
                          {"bias", json_number(s.metrics.bias)},
                          {"spearman", json_number(s.metrics.spearman)}});
    return {{"scores", scores}};
}

void replace_section(const std::string& path, const std::string& title, const std::string& text) {
    std::string file = read_file(path);
    const std::string begin = "<!-- begin " + title + " -->\n",
                      end = "<!-- end " + title + " -->\n";
    const auto first = file.find(begin), last = file.find(end);
    const std::string section = begin + text + end;
    if (first != std::string::npos && last != std::string::npos && last > first)
        file = file.substr(0, first) + section + file.substr(last + end.size());
    else
        file += "\n" + section;
    write_file(path, file);
}

}  // namespace

ExitCode validate_data_set(const DataSetTask& task) {
    const auto folder = validate::data_directory_of(task.data);
    validate::kernels::ValidationOptions options;
    options.switches = switches_without(task.without);
    options.baselines = task.baselines;
    const auto start = std::chrono::steady_clock::now();
    Validation v;
    std::string skipped;
    std::size_t used = 0;
    for (const auto* set : sets_of(task.set)) {
        auto read = read_gpu_rows(*set, folder);
        skipped += skipped_text(set->name, read);
        used += read.rows.size();
        if (set->name == "triosim") {
            validate::kernels::validate_as_it_comes(read.rows, gpu::shipped_calibrations(), v);
            continue;
        }
        const auto selections = validate::kernels::selections_of(std::move(read.rows));
        options.probe_share = validate::kernels::probe_shares(selections);
        for (const auto& selection : selections)
            if (selection.name.find(task.rows) != std::string::npos)
                validate::kernels::validate_selection(selection, options, v);
    }
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::string text =
        "Errors in % of |predicted / measured - 1|; baselines by their MAPE.\n\n" +
        scores_markdown(v) + "\nWhole steps:\n\n" + steps_markdown(v) + "\nBy device:\n\n" +
        devices_markdown(v) + "\nAlgorithm of a convolution, predicted against executed:\n\n" +
        choices_markdown(v) + "\nWorst cases:\n\n" + worst_markdown(v) + "\n" + skipped;
    if (task.json)
        fmt::print("{}\n", json_of(v).dump(2));
    else
        fmt::print("{}\n{} rows in {:.1f} s\n", text, used, took);
    if (!task.docs.empty()) replace_section(task.docs, "data set " + task.set, text);
    return ExitCode::done;
}

ExitCode calibrate_data_set(const DataSetTask& task, const std::string& output) {
    if (output.empty())
        throw bad_input("--output", "the file to write the constants to", "nothing");
    require_writable(output);
    const auto& set = validate::data_set(task.set);
    auto read = read_gpu_rows(set, validate::data_directory_of(task.data));
    const auto selections = validate::kernels::selections_of(std::move(read.rows));
    const auto file = validate::kernels::calibrate(selections, task.set);
    write_file(output, gpu::calibration_to_yaml(file));
    for (const auto& entry : file.classes)
        fmt::print("{:34} {:8} {:5} rows, 80 % of them predicted at {:.2f} to {:.2f} of the time\n",
                   entry.kernel_class, entry.family, entry.constants.rows,
                   std::exp(entry.constants.low), std::exp(entry.constants.high));
    fmt::print("{}Written to {}.\n", skipped_text(task.set, read), output);
    return ExitCode::done;
}

}  // namespace ridge::app
