// A run as one JSON document and back.

#include <climits>
#include <map>
#include <set>
#include <tuple>

#include "core/json.hpp"
#include "core/run_store_impl.hpp"
#include "core/store_rows.hpp"

namespace ridge {
namespace {

constexpr const char* format_name = "ridge run";
constexpr int format_version = 1;

std::optional<StepTime> read_step(SQLite::Database& database, std::int64_t run,
                                  const std::string& document) {
    SQLite::Statement query(database, "SELECT step FROM runs WHERE id = ?");
    query.bind(1, run);
    if (!query.executeStep() || query.getColumn(0).isNull()) return std::nullopt;
    return step_time_from_json(JsonReader(query.getColumn(0).getString(), document));
}

Json to_json(const std::vector<Sample>& samples) {
    Json list = Json::array();
    for (const auto& sample : samples) list.push_back(ridge::to_json(sample));
    return list;
}

using Visits = std::map<int, std::vector<Sample>>;

Visits visits_from_json(const JsonReader& list) {
    Visits visits;
    for (const auto& item : list.items()) {
        const Sample sample = sample_from_json(item);
        visits[sample.visit].push_back(sample);
    }
    return visits;
}

struct ImportedRow {
    Measurement row;
    Visits visits;
};

struct Import {
    RunInfo info;
    std::optional<StepTime> step;
    Visits step_visits;
    std::vector<ImportedRow> rows;
};

/// Everything is read and checked before anything is stored.
Import read_import(const std::string& text, const std::string& document) {
    const JsonReader json(text, document);
    json.allow_keys({"format", "version", "run", "step", "step_samples", "rows"});
    if (json.at("format").text() != format_name)
        throw json.at("format").wrong(std::string("'") + format_name + "'");
    static_cast<void>(json.at("version").integer(format_version, format_version));

    Import import;
    import.info = run_info_from_json(json.at("run"));
    if (json.has("step")) import.step = step_time_from_json(json.at("step"));
    import.step_visits = visits_from_json(json.at("step_samples"));
    std::set<RowKey> seen;
    for (const auto& item : json.at("rows").items()) {
        ImportedRow row{measurement_from_json(item), visits_from_json(item.at("samples"))};
        if (!seen.insert(row.row.key).second)
            throw item.wrong("each row once", name_of(row.row.key) + " twice");
        if (import.info.complete && !item.at("time").has("time_s"))
            throw item.at("time").wrong("a time in every row of a complete run", "none");
        import.rows.push_back(std::move(row));
    }
    return import;
}

}  // namespace

Run RunStore::load_run(std::int64_t id) const {
    return impl_->read([&] {
        const std::string document = impl_->place_of(id);
        Run run;
        run.info = impl_->read_info(id);
        run.step = read_step(impl_->database, id, document);
        for (auto& [row_id, row] : read_rows(impl_->database, id, document)) {
            if (!(row.time.time.value() > 0)) {
                const auto samples = read_samples(impl_->database, {id, row_id});
                row.time.samples = static_cast<int>(samples.size());
                row.time.quiet_samples = static_cast<int>(std::count_if(
                    samples.begin(), samples.end(), [](const Sample& s) { return s.quiet; }));
            }
            run.rows.push_back(std::move(row));
        }
        return run;
    });
}

std::string RunStore::export_run(std::int64_t id) const {
    return impl_->read([&] {
        auto& database = impl_->database;
        const std::string document = impl_->place_of(id);
        const RunInfo info = impl_->read_info(id);
        const auto step = read_step(database, id, document);
        Json rows = Json::array();
        for (const auto& [row_id, row] : read_rows(database, id, document)) {
            Json json = ridge::to_json(row);
            json["samples"] = to_json(read_samples(database, {id, row_id}));
            rows.push_back(std::move(json));
        }
        const Json run{{"format", format_name},
                       {"version", format_version},
                       {"run", ridge::to_json(info)},
                       {"step", step ? ridge::to_json(*step) : Json(nullptr)},
                       {"step_samples", to_json(read_samples(database, {id, std::nullopt}))},
                       {"rows", std::move(rows)}};
        return run.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    });
}

std::int64_t RunStore::import_run(const std::string& json, const std::string& document) {
    const Import import = read_import(json, document);
    return impl_->write([&] {
        auto& database = impl_->database;
        const std::int64_t run = impl_->insert_run(import.info, false);
        for (const auto& [row, visits] : import.rows) {
            const std::int64_t row_id = put_description(database, run, row);
            for (const auto& [visit, samples] : visits)
                insert_visit(database, {run, row_id}, visit, samples);
        }
        for (const auto& [visit, samples] : import.step_visits)
            insert_visit(database, {run, std::nullopt}, visit, samples);
        if (import.step) {
            SQLite::Statement put(database, "UPDATE runs SET step = ? WHERE id = ?");
            put.bind(1, ridge::to_json(*import.step).dump());
            put.bind(2, run);
            put.exec();
        }
        return run;
    });
}

}  // namespace ridge
