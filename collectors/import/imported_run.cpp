#include "collectors/import/imported_run.hpp"

#include "core/json.hpp"

namespace ridge::import {

std::string run_document(const RunInfo& info, const std::vector<const ImportedRow*>& rows) {
    Json list = Json::array();
    for (const ImportedRow* entry : rows) {
        Json row = to_json(entry->row);
        Json samples = Json::array();
        for (const double time : entry->samples_s) {
            Sample sample;
            sample.time = sample.raw_time = Seconds(time);
            samples.push_back(to_json(sample));
        }
        row["samples"] = std::move(samples);
        list.push_back(std::move(row));
    }
    const Json document{{"format", "ridge run"},         {"version", 1},
                        {"run", to_json(info)},          {"step", nullptr},
                        {"step_samples", Json::array()}, {"rows", std::move(list)}};
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ridge::import
