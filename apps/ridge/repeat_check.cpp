#include "apps/ridge/repeat_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ridge/format.hpp"

namespace ridge::app {
namespace {

RepeatGroup& group_named(RepeatCheck& check, const std::string& name) {
    for (auto& group : check.groups)
        if (group.name == name) return group;
    check.groups.push_back({name, {}});
    return check.groups.back();
}

struct Spread {
    double median = 0, mean = 0, p90 = 0, worst = 0;
};

Spread spread_of(const std::vector<double>& differences) {
    return {median(differences), mean(differences), quantile(differences, 0.9),
            quantile(differences, 1)};
}

}  // namespace

RepeatCheck compare_runs(const Run& first, const Run& second) {
    RepeatCheck check;
    check.first = first.info.id;
    check.second = second.info.id;
    std::map<RowKey, const Measurement*> by_key;
    for (const auto& row : second.rows) by_key[row.key] = &row;
    check.groups.push_back({"all counted", {}});
    for (const auto& row : first.rows) {
        const auto it = by_key.find(row.key);
        if (it == by_key.end()) continue;
        const Measurement& other = *it->second;
        ++check.rows;
        if (std::min(row.time.quiet_samples, other.time.quiet_samples) < quiet_needed) continue;
        ++check.counted;
        const double difference =
            relative_difference(row.time.time.value(), other.time.time.value());
        group_named(check, "all counted").differences.push_back(difference);
        group_named(check, row.time.settled && other.time.settled ? "settled in both"
                                                                  : "not settled in one")
            .differences.push_back(difference);
        group_named(check, std::string(to_string(row.kind))).differences.push_back(difference);
    }
    if (first.step && second.step)
        check.step_difference =
            relative_difference(first.step->time.time.value(), second.step->time.time.value());
    return check;
}

report::Table repeat_table(const RepeatCheck& check) {
    using report::Cell;
    report::Table table({{.header = "layer passes"},
                         report::right("count"),
                         report::right("median", "%"),
                         report::right("mean", "%"),
                         report::right("p90", "%"),
                         report::right("worst", "%")});
    for (const auto& group : check.groups) {
        if (group.differences.empty()) continue;
        const Spread spread = spread_of(group.differences);
        table.add_row({group.name, Cell::count(static_cast<long long>(group.differences.size())),
                       Cell::number(spread.median * 100, 2), Cell::number(spread.mean * 100, 2),
                       Cell::number(spread.p90 * 100, 2), Cell::number(spread.worst * 100, 2)});
    }
    return table;
}

std::string repeat_summary(const RepeatCheck& check) {
    std::string text = fmt::format(
        "Runs {} and {}: {} of {} layer passes had at least {} quiet samples in both ({}); the "
        "others are upper bounds and not counted.\n",
        check.first, check.second, check.counted, check.rows, quiet_needed,
        format_percent(
            check.rows ? static_cast<double>(check.counted) / static_cast<double>(check.rows) : 0));
    if (check.step_difference >= 0)
        text +=
            fmt::format("The whole step differs by {}.\n", format_percent(check.step_difference));
    return text;
}

Json to_json(const RepeatCheck& check) {
    Json groups = Json::array();
    for (const auto& group : check.groups) {
        if (group.differences.empty()) continue;
        const Spread spread = spread_of(group.differences);
        groups.push_back({{"name", group.name},
                          {"count", group.differences.size()},
                          {"median_share", json_number(spread.median)},
                          {"mean_share", json_number(spread.mean)},
                          {"p90_share", json_number(spread.p90)},
                          {"worst_share", json_number(spread.worst)}});
    }
    Json json{{"first_run", check.first},
              {"second_run", check.second},
              {"rows", check.rows},
              {"counted", check.counted},
              {"quiet_samples_needed", quiet_needed},
              {"differences", groups}};
    json["step_difference_share"] =
        check.step_difference >= 0 ? json_number(check.step_difference) : Json(nullptr);
    return json;
}

}  // namespace ridge::app
