#include "report/traffic_view.hpp"

#include <fmt/format.h>

#include "ridge/format.hpp"

namespace ridge::report {
namespace {

const char* source_of(const Traffic& traffic) {
    return traffic.method == TrafficMethod::analytic ? "algorithmic" : "simulated";
}

Cell bytes(double value) {
    return Cell::of(format(Bytes(value)), value);
}

Cell band(const std::optional<Band>& bound) {
    if (!bound) return Cell("exact");
    return {format(Bytes(bound->low)) + " .. " + format(Bytes(bound->high))};
}

Json band_json(const std::optional<Band>& bound) {
    if (!bound) return nullptr;
    return Json{{"low", json_number(bound->low)}, {"high", json_number(bound->high)}};
}

/// The levels of this capacity; empty for none.
std::string levels_of(const HierarchySpec& spec, std::uint64_t capacity_bytes) {
    std::string names;
    for (const CacheSpec& level : spec.levels)
        if (level.capacity_bytes == capacity_bytes)
            names += (names.empty() ? "" : ", ") + level.name;
    return names;
}

}  // namespace

Table traffic_table(const Traffic& traffic) {
    Table table({{.header = "level"},
                 right("accesses", "", "accesses"),
                 right("misses", "% of accesses", "miss_percent"),
                 {.header = "to"},
                 right("read", "", "read_bytes"),
                 right("written", "", "written_bytes"),
                 right("dirty", "", "dirty_bytes"),
                 {.header = "read bound", .key = "read_bound"}});
    for (const LevelTraffic& level : traffic.levels) {
        const LevelCounts& c = level.counts;
        table.add_row(
            {level.level, Cell::number(c.accesses(), 0),
             c.accesses() > 0 ? Cell::number(100 * c.misses() / c.accesses(), 2) : Cell::missing(),
             level.next_level, bytes(c.read_bytes), bytes(c.written_bytes), bytes(c.dirty_bytes),
             band(level.read_bound)});
    }
    table.set_totals({traffic.memory.name,
                      {},
                      {},
                      {},
                      bytes(traffic.memory.read_bytes),
                      bytes(traffic.memory.written_bytes),
                      {},
                      {}});
    return table;
}

Table tensor_table(const Traffic& traffic) {
    std::vector<Column> columns{{.header = "tensor"}};
    for (const LevelTraffic& level : traffic.levels) {
        columns.push_back(right(level.level + " read", "", level.level + "_read_bytes"));
        columns.push_back(right("written", "", level.level + "_written_bytes"));
    }
    Table table(columns);
    const auto& first = traffic.levels.back().regions;
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::vector<Cell> row{first[i].region};
        double sum = 0;
        for (const LevelTraffic& level : traffic.levels) {
            if (i >= level.regions.size()) {
                row.insert(row.end(), {Cell::missing(), Cell::missing()});
                continue;
            }
            sum += level.regions[i].read_bytes + level.regions[i].written_bytes;
            row.push_back(bytes(level.regions[i].read_bytes));
            row.push_back(bytes(level.regions[i].written_bytes));
        }
        if (sum > 0 || first[i].region != "other") table.add_row(std::move(row));
    }
    return table;
}

std::string traffic_summary(const Traffic& traffic) {
    std::string text = fmt::format(
        "{} on {}, {} thread{}, {}: {} by the {} mode, {:.0f} accesses in {:.0f} "
        "touches of lines",
        printable(traffic.origin), printable(traffic.machine), traffic.threads,
        traffic.threads == 1 ? "" : "s", to_string(traffic.protocol), source_of(traffic),
        to_string(traffic.method), traffic.accesses, traffic.touches);
    if (traffic.method != TrafficMethod::analytic && traffic.simulated_share < 1)
        text += fmt::format(" ({} of them simulated)", format_percent(traffic.simulated_share));
    text += "\n";
    if (!traffic.bound.empty()) text += "bound: " + traffic.bound + "\n";
    for (const std::string& note : traffic.notes) text += "note: " + printable(note) + "\n";
    return text;
}

Json to_json(const Traffic& traffic) {
    Json json{{"origin", traffic.origin},
              {"machine", traffic.machine},
              {"source", source_of(traffic)},
              {"method", to_string(traffic.method)},
              {"protocol", to_string(traffic.protocol)},
              {"threads", traffic.threads},
              {"accesses", json_number(traffic.accesses)},
              {"touches", json_number(traffic.touches)},
              {"simulated_share", json_number(traffic.simulated_share)},
              {"bound", traffic.bound},
              {"notes", traffic.notes}};
    json["levels"] = Json::array();
    for (const LevelTraffic& level : traffic.levels) {
        const LevelCounts& c = level.counts;
        Json entry{{"level", level.level}, {"next_level", level.next_level}};
        const std::pair<const char*, double> numbers[] = {{"accesses", c.accesses()},
                                                          {"hits", c.hits()},
                                                          {"misses", c.misses()},
                                                          {"loads", c.loads},
                                                          {"load_misses", c.load_misses},
                                                          {"stores", c.stores},
                                                          {"store_misses", c.store_misses},
                                                          {"fetches", c.fetches},
                                                          {"fetch_misses", c.fetch_misses},
                                                          {"prefetches", c.prefetches},
                                                          {"prefetch_misses", c.prefetch_misses},
                                                          {"write_backs_in", c.write_backs_in},
                                                          {"forwarded_stores", c.forwarded_stores},
                                                          {"fills", c.fills},
                                                          {"evictions", c.evictions},
                                                          {"write_backs", c.write_backs},
                                                          {"invalidations", c.invalidations},
                                                          {"evaded_fills", c.evaded},
                                                          {"read_bytes", c.read_bytes},
                                                          {"written_bytes", c.written_bytes},
                                                          {"dirty_bytes", c.dirty_bytes}};
        for (const auto& [key, value] : numbers) entry[key] = json_number(value);
        // Footprints say nothing of these.
        if (traffic.method == TrafficMethod::analytic)
            for (const char* key :
                 {"fetches", "fetch_misses", "prefetches", "prefetch_misses", "forwarded_stores",
                  "evictions", "invalidations", "evaded_fills"})
                entry[key] = nullptr;
        entry["read_bytes_bound"] = band_json(level.read_bound);
        entry["written_bytes_bound"] = band_json(level.written_bound);
        entry["tensors"] = Json::array();
        for (const RegionTraffic& region : level.regions)
            entry["tensors"].push_back({{"tensor", region.region},
                                        {"read_bytes", json_number(region.read_bytes)},
                                        {"written_bytes", json_number(region.written_bytes)}});
        json["levels"].push_back(std::move(entry));
    }
    json["memory"] = {{"name", traffic.memory.name},
                      {"read_bytes", json_number(traffic.memory.read_bytes)},
                      {"written_bytes", json_number(traffic.memory.written_bytes)},
                      {"non_temporal_bytes", json_number(traffic.memory.non_temporal_bytes)},
                      {"partial_line_bytes", json_number(traffic.memory.partial_line_bytes)}};
    return json;
}

Table curve_table(const std::vector<MissRatioPoint>& curve, const HierarchySpec& spec) {
    Table table({right("capacity", "", "capacity_bytes"),
                 {.header = "level"},
                 right("misses"),
                 right("misses", "% of accesses", "miss_percent")});
    for (const MissRatioPoint& point : curve)
        table.add_row({Cell::of(format_iec(Bytes(static_cast<double>(point.capacity_bytes))),
                                static_cast<double>(point.capacity_bytes)),
                       levels_of(spec, point.capacity_bytes), Cell::number(point.misses, 0),
                       Cell::number(100 * point.ratio, 2)});
    return table;
}

Json to_json(const std::vector<MissRatioPoint>& curve, const HierarchySpec& spec) {
    Json json = Json::array();
    for (const MissRatioPoint& point : curve) {
        const std::string level = levels_of(spec, point.capacity_bytes);
        json.push_back({{"capacity_bytes", point.capacity_bytes},
                        {"level", level.empty() ? Json(nullptr) : Json(level)},
                        {"misses", json_number(point.misses)},
                        {"miss_ratio", json_number(point.ratio)}});
    }
    return json;
}

}  // namespace ridge::report
