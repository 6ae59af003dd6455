// `--set key=value` and `--set key=2x`: another machine by changing one number of this one.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "model/machine/checks.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"
#include "ridge/machine.hpp"

namespace ridge {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

/// A number and what follows it, without blanks between.
struct Amount {
    double number = 0;
    std::string unit;
};

Amount parse_amount(std::string_view text, const std::string& where, std::string_view expected) {
    Amount amount;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), amount.number);
    if (error != std::errc() || !(amount.number > 0) || amount.number > 1e30)
        throw bad_input(where, expected, fmt::format("'{}'", text));
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    amount.unit = rest;
    return amount;
}

/// Value in the base unit: a decimal prefix in front of `base`, or no unit at all.
double parse_si(std::string_view text, std::string_view base, const std::string& where) {
    const std::string expected = fmt::format("a positive number with {0}, or a factor such as 2x",
                                             base == "s" ? "s, ms, us or ns" : base);
    const auto amount = parse_amount(text, where, expected);
    if (amount.unit.empty() || amount.unit == base) return amount.number;
    constexpr std::pair<std::string_view, double> prefixes[] = {
        {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"K", 1e3},
        {"M", 1e6},  {"G", 1e9},  {"T", 1e12}, {"P", 1e15}};
    for (const auto& [prefix, factor] : prefixes)
        if (amount.unit == std::string(prefix) + std::string(base)) return amount.number * factor;
    throw bad_input(where, expected, fmt::format("'{}'", text));
}

/// What a key stands for: all figures it changes, and the one that an absolute value sets. The
/// others keep their ratio to it.
struct Target {
    std::string key, meaning;
    std::vector<Figure*> figures;
    const Figure* reference = nullptr;
    std::function<double(const std::string& text, const std::string& where)> parse;
};

Target compute_target(Machine& machine, std::string key, std::optional<DataType> dtype) {
    Target target;
    target.key = std::move(key);
    target.meaning = dtype ? fmt::format("compute ceilings for {}", to_string(*dtype))
                           : "compute ceilings of every data type";
    for (auto& entry : machine.compute) {
        if (dtype && entry.dtype != *dtype) continue;
        target.figures.push_back(&entry.flops_per_s);
        if (!target.reference || entry.flops_per_s.value > target.reference->value)
            target.reference = &entry.flops_per_s;
    }
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_si(text, "FLOP/s", where);
    };
    return target;
}

Target bandwidth_target(MemoryLevel& level) {
    Target target;
    target.key = lower(level.name) + ".bandwidth";
    target.meaning = fmt::format("bandwidths of {}; a value in B/s sets the highest", level.name);
    for (auto& entry : level.bandwidths) {
        target.figures.push_back(&entry.bytes_per_s);
        if (!target.reference || entry.bytes_per_s.value > target.reference->value)
            target.reference = &entry.bytes_per_s;
    }
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_si(text, "B/s", where);
    };
    return target;
}

Target capacity_target(MemoryLevel& level) {
    Target target;
    target.key = lower(level.name) + ".capacity";
    target.meaning = fmt::format("capacity of one {}", level.name);
    for (auto* figure : {&level.capacity_bytes, &level.effective_capacity_bytes})
        if (*figure) target.figures.push_back(&**figure);
    if (!target.figures.empty()) target.reference = target.figures.front();
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_bytes(text, where).value();
    };
    return target;
}

Target latency_target(MemoryLevel& level) {
    Target target;
    target.key = lower(level.name) + ".latency";
    target.meaning = fmt::format("load latency of {}", level.name);
    if (level.latency_s) target.figures = {&*level.latency_s};
    if (level.latency_s) target.reference = &*level.latency_s;
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_si(text, "s", where);
    };
    return target;
}

Target overhead_target(Machine& machine) {
    Target target;
    target.key = "overhead";
    target.meaning =
        "cost of a call: parallel region and empty primitive; a value in s sets the "
        "latter";
    if (machine.overheads.empty_primitive_s) {
        target.figures.push_back(&*machine.overheads.empty_primitive_s);
        target.reference = target.figures.front();
    }
    for (auto& [threads, figure] : machine.overheads.parallel_region_s)
        target.figures.push_back(&figure);
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_si(text, "s", where);
    };
    return target;
}

Target transition_target(Machine& machine) {
    Target target;
    target.key = "sse_transition";
    target.meaning = "cost of a legacy SSE instruction between wide vector ones";
    if (machine.overheads.sse_transition_s) {
        target.figures.push_back(&*machine.overheads.sse_transition_s);
        target.reference = target.figures.front();
    }
    target.parse = [](const std::string& text, const std::string& where) {
        return parse_si(text, "s", where);
    };
    return target;
}

/// Every key that has something to change on this machine.
std::vector<Target> targets(Machine& machine) {
    std::vector<Target> all;
    all.push_back(compute_target(machine, "compute", std::nullopt));
    for (const auto dtype : {DataType::f64, DataType::f32, DataType::bf16, DataType::s8})
        all.push_back(compute_target(machine, fmt::format("compute.{}", to_string(dtype)), dtype));
    for (auto& level : machine.levels) {
        all.push_back(bandwidth_target(level));
        all.push_back(capacity_target(level));
        all.push_back(latency_target(level));
    }
    all.push_back(overhead_target(machine));
    all.push_back(transition_target(machine));
    std::erase_if(all, [](const Target& target) { return target.figures.empty(); });
    return all;
}

double factor_of(const Target& target, const std::string& value, const std::string& where) {
    if (value.size() > 1 && (value.back() == 'x' || value.back() == 'X')) {
        const auto amount = parse_amount(std::string_view(value).substr(0, value.size() - 1), where,
                                         "a positive factor such as 2x");
        if (amount.unit.empty()) return amount.number;
    }
    const double absolute = target.parse(value, where);
    if (!target.reference || !(target.reference->value > 0))
        throw bad_input(where, "a factor such as 2x", fmt::format("'{}'", value));
    return absolute / target.reference->value;
}

void change(Figure& figure, double factor, std::string_view assignment) {
    const std::string before = fmt::format("{:g} ({}{}{})", figure.value, to_string(figure.source),
                                           figure.note.empty() ? "" : ": ", figure.note);
    figure.value *= factor;
    figure.source = Source::given;
    figure.spread = -1;
    figure.note = fmt::format("what-if {}, before {}", assignment, before);
}

/// A larger or smaller cache has more or fewer sets of the same ways, where that comes out even.
bool whole_sets(const MemoryLevel& level) {
    const double set_bytes = static_cast<double>(level.line_bytes) * level.ways;
    return level.ways > 0 && level.capacity_bytes &&
           std::fmod(std::round(level.capacity_bytes->value), set_bytes) == 0;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> what_if_keys(const Machine& machine) {
    Machine scratch = machine;
    std::vector<std::pair<std::string, std::string>> keys;
    for (const auto& target : targets(scratch)) keys.emplace_back(target.key, target.meaning);
    return keys;
}

void apply_what_if(Machine& machine, std::string_view assignment) {
    Machine changed = machine;
    const auto equals = assignment.find('=');
    const std::string key = lower(assignment.substr(0, equals));
    auto all = targets(changed);
    const auto target =
        std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.key == key; });
    if (equals == std::string_view::npos || target == all.end()) {
        std::vector<std::string> keys;
        for (const auto& t : all) keys.push_back(t.key);
        throw bad_input(
            "--set",
            fmt::format("KEY=VALUE or KEY=2x with one of the keys {}", fmt::join(keys, ", ")),
            fmt::format("'{}'", assignment));
    }
    const std::string where = fmt::format("--set {}", target->key);
    const double factor = factor_of(*target, std::string(assignment.substr(equals + 1)), where);
    for (auto* figure : target->figures) change(*figure, factor, assignment);

    // What described the real machine no longer holds for the changed one.
    if (key.starts_with("compute")) {
        for (auto& entry : changed.compute) {
            entry.datasheet_flops_per_s.reset();
            entry.chain_clock_hz.reset();
        }
        changed.quiet.reset();
    }
    if (key.ends_with(".capacity"))
        for (auto& level : changed.levels)
            if (lower(level.name) + ".capacity" == key && !whole_sets(level)) level.ways = 0;

    for (const auto& finding : check_machine(changed))
        if (finding.impossible)
            throw bad_input(
                where, fmt::format("a possible machine ({}: {})", finding.where, finding.expected),
                finding.found);
    changed.name += fmt::format(" with {}", assignment);
    machine = std::move(changed);
}

}  // namespace ridge
