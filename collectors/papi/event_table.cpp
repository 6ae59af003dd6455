// Reads the event tables of data/counters.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "collectors/papi/row_state.hpp"
#include "core/files.hpp"
#include "core/yaml.hpp"
#include "ridge/counters.hpp"
#include "ridge/network.hpp"

namespace ridge {
namespace {

/// "0x02c7" or "12".
std::uint64_t number_of(const Yaml& node) {
    const std::string text = node.line();
    const bool hex = text.rfind("0x", 0) == 0;
    std::uint64_t value = 0;
    const char* begin = text.data() + (hex ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (error != std::errc{} || rest != end || begin == end)
        throw node.wrong("a whole number, decimal or as 0x...", "'" + text + "'");
    return value;
}

std::string line_or(const Yaml& node, const std::string& key, const std::string& otherwise = "") {
    const auto child = node.find(key);
    return child ? child->line() : otherwise;
}

/// Either {event: NAME, code: 0x02c7} of a core, {event: "sde:::..."} of this process, or
/// {device: uncore_imc, fields: "event=0x04,umask=0x03"} of a memory controller.
EventTerm read_term(const Yaml& node) {
    node.allow_keys({"event", "code", "device", "fields", "weight", "per_128_bits"});
    EventTerm term;
    term.event = line_or(node, "event");
    term.device = line_or(node, "device");
    term.fields = line_or(node, "fields");
    if (term.device.empty() == term.event.empty() || term.device.empty() != term.fields.empty())
        throw node.wrong("an event, or a device with fields", "neither or both");
    if (const auto code = node.find("code")) term.code = number_of(*code);
    if (const auto weight = node.find("weight")) term.weight = weight->number(1e-9, 1e9);
    if (const auto scaled = node.find("per_128_bits")) term.per_128_bits = scaled->boolean();
    return term;
}

CounterScope scope_of(const Yaml& node, const CounterRow& row) {
    const EventTerm& first = row.terms.front();
    const auto scope = [](const EventTerm& term) {
        if (!term.device.empty()) return CounterScope::socket;
        return term.event.find(":::") != std::string::npos ? CounterScope::process
                                                           : CounterScope::thread;
    };
    for (const EventTerm& term : row.terms)
        if (scope(term) != scope(first))
            throw node.wrong("terms of one kind of counter", "several");
    return scope(first);
}

CounterRow read_row(const std::string& name, const Yaml& node) {
    node.allow_keys({"unit", "terms", "precision", "stands_for", "most_per_cycle", "lower_bound",
                     "sum_of", "unavailable", "note", "source"});
    CounterRow row;
    row.name = name;
    row.unit = node.at("unit").line();
    if (row.unit != "flop" && row.unit != "byte" && row.unit != "count")
        throw node.at("unit").wrong("flop, byte or count", "'" + row.unit + "'");
    row.precision = line_or(node, "precision");
    row.sum_of = line_or(node, "sum_of");
    row.unavailable = line_or(node, "unavailable");
    row.note = line_or(node, "note");
    row.source = line_or(node, "source");
    if (const auto most = node.find("most_per_cycle")) row.most_per_cycle = most->number(0, 1e6);
    if (const auto bound = node.find("lower_bound")) row.lower_bound = bound->boolean();
    if (const auto names = node.find("stands_for"))
        for (const Yaml& item : names->items()) row.stands_for.push_back(item.line());
    if (const auto terms = node.find("terms"))
        for (const Yaml& term : terms->items()) row.terms.push_back(read_term(term));
    const int given = !row.terms.empty() + !row.sum_of.empty() + !row.unavailable.empty();
    if (given != 1) throw node.wrong("one of terms, sum_of and unavailable", std::to_string(given));
    if (row.unit == "flop" && row.precision.empty())
        throw node.wrong("a precision (f32, f64, f16 or any) beside FLOPs", "nothing");
    if (!row.terms.empty()) row.scope = scope_of(node, row);
    return row;
}

std::pair<int, int> read_range(const Yaml& node) {
    if (node.is_scalar()) {
        const int one = static_cast<int>(number_of(node));
        return {one, one};
    }
    const auto ends = node.items();
    if (ends.size() != 2) throw node.wrong("a number or [first, last]", "another list");
    return {static_cast<int>(number_of(ends[0])), static_cast<int>(number_of(ends[1]))};
}

/// Every name of "a + b" is a row above with terms, and no sum.
void check_sum(const Yaml& node, const EventTable& table, const CounterRow& row) {
    for (const std::string& part : papi::parts_of_sum(row.sum_of)) {
        const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                        [&](const CounterRow& r) { return r.name == part; });
        if (found == table.rows.end() || !found->sum_of.empty() || found->unit != row.unit)
            throw node.wrong("quantities above it of the same unit, separated by \" + \"",
                             "'" + row.sum_of + "'");
    }
}

}  // namespace

EventTable parse_event_table(const std::string& text, const std::string& file) {
    const Yaml node = Yaml::parse(text, file);
    node.allow_keys({"name", "vendor", "family", "models", "steppings", "pmus", "counters",
                     "fixed_base", "device_counters", "counter_bits", "source", "cycles",
                     "instructions", "quantities"});
    EventTable table;
    table.name = node.at("name").line();
    table.source = node.at("source").line();
    table.vendor = line_or(node, "vendor");
    if (const auto family = node.find("family"))
        table.family = static_cast<int>(number_of(*family));
    if (const auto models = node.find("models"))
        for (const Yaml& item : models->items()) table.models.push_back(read_range(item));
    if (const auto steppings = node.find("steppings"))
        std::tie(table.first_stepping, table.last_stepping) = read_range(*steppings);
    if (const auto pmus = node.find("pmus"))
        for (const Yaml& item : pmus->items()) table.pmus.push_back(item.line());
    if (const auto n = node.find("counters")) table.counters = static_cast<int>(n->integer(1, 64));
    if (const auto n = node.find("device_counters"))
        table.device_counters = static_cast<int>(n->integer(1, 64));
    if (const auto n = node.find("counter_bits"))
        table.counter_bits = static_cast<int>(n->integer(8, 64));
    if (const auto fixed = node.find("fixed_base")) table.fixed_base = fixed->boolean();
    if (const auto term = node.find("cycles")) table.cycles = read_term(*term);
    if (const auto term = node.find("instructions")) table.instructions = read_term(*term);
    for (const auto& [name, row] : node.at("quantities").entries()) {
        table.rows.push_back(read_row(name, row));
        check_sum(row, table, table.rows.back());
        const CounterScope scope = table.rows.back().scope;
        if (!table.rows.back().terms.empty() && scope == CounterScope::thread &&
            (table.counters == 0 || table.pmus.empty()))
            throw row.wrong("counters and pmus in a table with events of a core", "nothing");
        if (scope == CounterScope::socket && table.device_counters == 0)
            throw row.wrong("device_counters in a table with events of a device", "nothing");
    }
    return table;
}

std::vector<EventTable> shipped_event_tables() {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(share_directory() + "/counters", error))
        if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<EventTable> tables;
    for (const auto& file : files)
        tables.push_back(parse_event_table(read_file(file.string()), file.string()));
    return tables;
}

std::optional<EventTable> find_event_table(const std::vector<EventTable>& tables,
                                           const ProcessorId& processor) {
    for (const EventTable& table : tables) {
        if (table.vendor != processor.vendor || table.family != processor.family) continue;
        if (processor.stepping < table.first_stepping || processor.stepping > table.last_stepping)
            continue;
        for (const auto& [first, last] : table.models)
            if (first <= processor.model && processor.model <= last) return table;
    }
    return std::nullopt;
}

}  // namespace ridge
