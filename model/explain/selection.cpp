#include "model/explain/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ridge/error.hpp"
#include "ridge/layer.hpp"

namespace ridge {
namespace {

constexpr const char* how_to_collect = "'ridge collect alexnet --batch 8' makes one";

std::optional<std::int64_t> as_id(const std::string& text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return id;
}

/// A layer line in its one canonical form; any other text unchanged.
std::string canonical(const std::string& target) {
    if (target.find(':') == std::string::npos) return target;
    try {
        auto layer = parse_layer(target);
        layer.name.clear();
        return to_line(layer);
    } catch (const Error&) {
        return target;
    }
}

const RunInfo* newest(const std::vector<RunInfo>& runs,
                      const std::function<bool(const RunInfo&)>& fits) {
    for (const bool complete : {true, false})
        for (const auto& run : runs)
            if (run.complete == complete && fits(run)) return &run;
    return nullptr;
}

const RunInfo& by_id(const std::vector<RunInfo>& runs, std::int64_t id) {
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&](const RunInfo& run) { return run.id == id; });
    if (found != runs.end()) return *found;
    throw bad_input(fmt::format("run {}", id), "a stored run ('ridge runs list' shows them)",
                    "none with this number");
}

std::string known_networks(const std::vector<RunInfo>& runs) {
    std::vector<std::string> names;
    for (const auto& run : runs)
        if (std::find(names.begin(), names.end(), run.network) == names.end())
            names.push_back(run.network);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Answer find_run(const Question& question, const std::vector<RunInfo>& runs,
                const std::function<bool(const RunInfo&, const std::string&)>& has_layer) {
    if (runs.empty())
        throw bad_input("run store", fmt::format("a stored run ({})", how_to_collect), "none");
    const std::string target = canonical(question.target);
    const auto is_target = [&](const RunInfo& run) {
        return run.network == question.target || canonical(run.network) == target;
    };
    if (question.run) {
        const auto& run = by_id(runs, *question.run);
        if (target.empty() || is_target(run)) return {run.id, ""};
        if (has_layer(run, target)) return {run.id, target};
        throw bad_input(fmt::format("run {}", run.id), fmt::format("a layer of {}", run.network),
                        "'" + target + "'");
    }
    if (target.empty()) return {newest(runs, [](const RunInfo&) { return true; })->id, ""};
    if (const auto id = as_id(target)) return {by_id(runs, *id).id, ""};
    if (const auto* run = newest(runs, is_target)) return {run->id, ""};
    if (const auto* run =
            newest(runs, [&](const RunInfo& info) { return has_layer(info, target); }))
        return {run->id, target};
    throw bad_input(fmt::format("'{}'", question.target),
                    fmt::format("a stored run's number, network or layer (stored: {}); "
                                "'ridge collect {}' makes a run",
                                known_networks(runs), question.target),
                    "nothing of that name");
}

std::vector<std::size_t> select_rows(const RunAnalysis& analysis, const std::string& layer,
                                     RowOrder order, std::size_t top) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < analysis.rows.size(); ++i)
        if (layer.empty() || analysis.rows[i].row.key.layer == layer) rows.push_back(i);
    const auto key = [&](std::size_t i) {
        const auto& row = analysis.rows[i];
        return order == RowOrder::time ? row.row.time.time : row.saved_at_roof;
    };
    if (order != RowOrder::layer)
        std::stable_sort(rows.begin(), rows.end(),
                         [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
    if (top > 0 && rows.size() > top) rows.resize(top);
    return rows;
}

}  // namespace ridge
