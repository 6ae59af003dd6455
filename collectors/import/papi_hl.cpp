// PAPI's high-level output, papi_hl_output*/rank_000000.json. All numbers are texts; regions are
// numbered objects (older releases: named ones), and events that are read instead of counted are
// objects with region_value.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "collectors/import/counter_regions.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

std::optional<double> number_of(const Json& value) {
    if (value.is_number()) {
        const double number = value.get<double>();
        return std::isfinite(number) ? std::optional(number) : std::nullopt;
    }
    if (value.is_object() && value.contains("region_value"))
        return number_of(value["region_value"]);
    if (!value.is_string()) return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

std::string text_of(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

Reading count_of(const Json& value) {
    const auto number = number_of(value);
    if (!number) return Reading::unavailable("no number");
    // Differences of counters that were reset, or of several natives, come out negative.
    if (*number < 0) return Reading::unavailable(fmt::format("invalid: {} is negative", *number));
    return {*number, Source::measured};
}

CounterRegion region_of(const std::string& id, const Json& region, const std::string& thread) {
    CounterRegion result;
    result.name = text_of(region, "name").empty() ? id : text_of(region, "name");
    result.where = "thread " + thread;
    for (const auto& [key, value] : region.items()) {
        if (key == "name" || key == "parent_region_id" || key == "region_count") continue;
        if (key == "real_time_nsec") {
            if (const auto time = number_of(value); time && *time > 0) result.time_s = *time * 1e-9;
            continue;
        }
        result.counters.insert_or_assign(key, count_of(value));
    }
    if (region.contains("region_count"))
        if (const auto count = number_of(region["region_count"]);
            count && *count >= 1 && *count < 1e15)
            result.calls = static_cast<std::int64_t>(*count);
    derive(result);
    return result;
}

}  // namespace

CounterFile read_papi_hl(const std::string& text, const std::string& file) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("threads"))
        throw bad_input(file, "PAPI high-level output with the key 'threads'",
                        json.is_discarded() ? "no JSON" : "other JSON");
    CounterFile result;
    result.format = "PAPI-HL";
    const auto each = [](const Json& list, auto&& take) {
        std::size_t index = 0;
        if (list.is_object())
            for (const auto& [key, value] : list.items()) take(key, value);
        if (list.is_array())
            for (const auto& value : list) take(std::to_string(index++), value);
    };
    each(json["threads"], [&](const std::string& thread, const Json& content) {
        if (!content.is_object() || !content.contains("regions")) {
            ++result.damaged;
            return;
        }
        const std::string id = text_of(content, "id").empty() ? thread : text_of(content, "id");
        each(content["regions"], [&](const std::string& name, const Json& region) {
            if (!region.is_object()) {
                ++result.damaged;
            } else if (region.size() == 1 && region.begin()->is_object()) {
                // Older releases: a list of objects with the region's name as their only key.
                result.regions.push_back(region_of(region.begin().key(), *region.begin(), id));
            } else {
                result.regions.push_back(region_of(name, region, id));
            }
        });
    });
    if (result.regions.empty()) throw bad_input(file, "at least one region", "none");
    return result;
}

}  // namespace ridge::import
