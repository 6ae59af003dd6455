#include "validate/reference_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace ridge::validate {
namespace {

using Work = std::tuple<std::string, Pass, std::string, std::string>;

}  // namespace

std::string ReferenceRow::problem() const {
    return to_line(layer) + " " + std::string(to_string(pass)) + " " + part;
}

std::vector<ReferenceRow> reference_rows(const Run& run, const std::vector<DemandRow>& demands) {
    std::map<RowKey, const DemandRow*> demand_of;
    for (const DemandRow& row : demands) demand_of[row.key] = &row;
    std::vector<ReferenceRow> rows;
    std::map<Work, std::size_t> known;
    for (const Measurement& m : run.rows) {
        if (!(m.time.time.value() > 0)) continue;
        ReferenceRow row;
        row.network = run.info.network;
        row.batch = run.info.batch;
        row.threads = run.info.threads;
        row.state = run.info.state;
        row.machine = run.info.machine;
        row.library = run.info.environment.library_version;
        row.layer = parse_layer(m.problem);
        row.layer.name.clear();
        row.pass = m.key.pass;
        row.part = m.key.part;
        row.implementation = m.implementation;
        row.time_s = m.time.time.value();
        row.spread = -1;
        row.quiet_samples = m.time.quiet_samples;
        row.samples = m.time.samples;
        row.upper_bound = m.time.upper_bound;
        // In a step equal rows find different things in the caches.
        const std::string place = row.state == CacheState::in_step ? m.key.layer : "";
        const Work work{to_line(row.layer) + place, row.pass, row.part,
                        row.implementation + m.formats};
        const auto [entry, is_new] = known.try_emplace(work, rows.size());
        if (is_new) {
            if (const auto found = demand_of.find(m.key);
                found != demand_of.end() && found->second->unavailable.empty()) {
                row.demand = found->second->demand;
                if (row.state == CacheState::in_step)
                    row.reuse_bytes = row.demand.footprint.value();
                row.has_demand = row.demand.source == Source::traced;
            }
            rows.push_back(std::move(row));
            continue;
        }
        ReferenceRow& same = rows[entry->second];
        const double least = std::min(same.time_s, row.time_s);
        const double most =
            std::max(same.spread < 0 ? same.time_s : same.time_s * (1 + same.spread), row.time_s);
        // A disturbed row says nothing where an undisturbed one exists.
        if (same.upper_bound != row.upper_bound) {
            if (same.upper_bound) {
                same.time_s = row.time_s;
                same.upper_bound = false;
                same.quiet_samples = row.quiet_samples;
                same.samples = row.samples;
            }
        } else {
            same.spread = most / least - 1;
            same.time_s = least;
            same.quiet_samples = std::max(same.quiet_samples, row.quiet_samples);
            same.samples = std::max(same.samples, row.samples);
        }
        ++same.count;
    }
    return rows;
}

}  // namespace ridge::validate
