// ridge import perf, papi, likwid, nsight: counters of other programs, as they are and summed up to
// work and traffic. They are shown, not stored: what they belong to is not a layer of a run.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/ridge/commands.hpp"
#include "collectors/import/byte_stream.hpp"
#include "collectors/import/counter_regions.hpp"
#include "core/json.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace ridge::app {
namespace {

using report::Cell;

struct CountersOptions {
    std::string file, locale = "auto";
    bool json = false, csv = false;
};

std::string read_whole(const std::string& file) {
    const auto bytes = file == "-" ? import::open_standard_input() : import::open_bytes(file);
    constexpr std::size_t most_bytes = std::size_t{1} << 30;
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 18);
    while (const std::size_t got = bytes->read(buffer)) {
        text.append(buffer.data(), got);
        if (text.size() > most_bytes) throw bad_input(file, "at most 1 GiB of text", "more");
    }
    return text;
}

Json to_json(const import::CounterRegion& region) {
    Json counters = Json::object(), derived = Json::object();
    for (const auto& [name, reading] : region.counters) counters[name] = ridge::to_json(reading);
    for (const auto& [name, reading] : region.derived) derived[name] = ridge::to_json(reading);
    return {{"region", region.name},
            {"where", region.where},
            {"calls", region.calls},
            {region.profiled_time ? "time_profiled_s" : "time_s",
             region.time_s ? json_number(*region.time_s) : Json(nullptr)},
            {"derived", derived},
            {"counters", counters}};
}

report::Table regions_table(const import::CounterFile& file) {
    using report::right;
    const bool profiled = !file.regions.empty() && file.regions.front().profiled_time;
    report::Table table({{.header = "region", .shorten_to = 16},
                         {.header = "where", .shorten_to = 10},
                         right("calls"),
                         right(profiled ? "time (profiled)" : "time", "ms"),
                         right("work", "MFLOP"),
                         right("DRAM", "MB"),
                         right("IPC")});
    for (const auto& region : file.regions) {
        const auto cell = [&](const char* name, double scale, int decimals) {
            const Reading& reading = region.derived.at(name);
            return reading.available() ? Cell::number(reading.value() * scale, decimals)
                                       : Cell::missing();
        };
        table.add_row({report::printable(region.name), report::printable(region.where),
                       Cell::count(region.calls),
                       region.time_s ? Cell::number(*region.time_s * 1e3, 4) : Cell::missing(),
                       cell("flops", 1e-6, 3), cell("dram_bytes", 1e-6, 3),
                       cell("instructions_per_cycle", 1, 2)});
    }
    return table;
}

/// Why a column is empty, once for each reason.
std::vector<std::string> missing_reasons(const import::CounterFile& file) {
    std::vector<std::string> lines;
    for (const auto& region : file.regions)
        for (const auto& [name, reading] : region.derived) {
            if (reading.available()) continue;
            std::string line = name + ": " + reading.reason();
            if (std::find(lines.begin(), lines.end(), line) == lines.end())
                lines.push_back(std::move(line));
        }
    return lines;
}

ExitCode show(const import::CounterFile& file, const CountersOptions& options) {
    if (options.json) {
        Json regions = Json::array();
        for (const auto& region : file.regions) regions.push_back(to_json(region));
        const Json json{{"format", file.format},
                        {"damaged", file.damaged},
                        {"notes", file.notes},
                        {"regions", regions}};
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
        return ExitCode::done;
    }
    const report::Table table = regions_table(file);
    if (options.csv) {
        fmt::print("{}", table.csv());
        return ExitCode::done;
    }
    const auto screen = report::terminal(1);
    fmt::print("{}: {} regions, {} values or lines damaged\n\n{}\n", file.format,
               file.regions.size(), file.damaged,
               table.text({.width = screen.width, .colour = screen.colour}));
    for (const auto& note : file.notes) fmt::print("  ! {}\n", report::printable(note));
    for (const auto& line : missing_reasons(file)) fmt::print("  ! {}\n", report::printable(line));
    return ExitCode::done;
}

import::NumberLocale locale_of(const std::string& word) {
    if (word == "point") return import::NumberLocale::point;
    return word == "comma" ? import::NumberLocale::comma : import::NumberLocale::automatic;
}

using Reader = import::CounterFile (*)(const std::string& text, const CountersOptions& options);

void add_format(Verb& import_verb, Action& action, const char* name, const char* what,
                const char* example, Reader read) {
    const auto options = std::make_shared<CountersOptions>();
    auto* verb = import_verb.add_subcommand(name, what);
    verb->footer(fmt::format("Example:\n  {}", example));
    verb->add_option("FILE", options->file, "File, gzip and zstd too, or - for standard input")
        ->required();
    auto* json = verb->add_flag("--json", options->json, "Print every counter as JSON");
    verb->add_flag("--csv", options->csv, "Print the table as CSV")->excludes(json);
    if (std::string_view(name) == "nsight")
        verb->add_option("--locale", options->locale,
                         "Decimal sign of the numbers, where they do not tell")
            ->one_of({"auto", "point", "comma"})
            ->capture_default_str();
    verb->callback([options, &action, read] {
        action = [options, read] {
            return show(read(read_whole(options->file), *options), *options);
        };
    });
}

}  // namespace

void add_import_counters(Verb& import_verb, Action& action) {
    add_format(import_verb, action, "perf", "Counters of perf stat -x,",
               "perf stat -x, -o perf.csv ./train; ridge import perf perf.csv",
               [](const std::string& text, const CountersOptions& options) {
                   return import::read_perf_stat(text, options.file);
               });
    add_format(import_verb, action, "papi", "Regions of PAPI's high-level interface (JSON)",
               "ridge import papi papi_hl_output/rank_000000.json",
               [](const std::string& text, const CountersOptions& options) {
                   return import::read_papi_hl(text, options.file);
               });
    add_format(import_verb, action, "likwid", "Regions of likwid-perfctr (CSV or JSON)",
               "likwid-perfctr -g MEM_SP -m -o out.csv ./train; ridge import likwid out.csv",
               [](const std::string& text, const CountersOptions& options) {
                   return import::read_likwid(text, options.file);
               });
    add_format(import_verb, action, "nsight", "Kernels of Nsight Compute (ncu --csv)",
               "ncu --csv --page raw ./train > ncu.csv; ridge import nsight ncu.csv",
               [](const std::string& text, const CountersOptions& options) {
                   return import::read_nsight_compute(text, options.file,
                                                      locale_of(options.locale));
               });
}

}  // namespace ridge::app
