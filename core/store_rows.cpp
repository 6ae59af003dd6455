#include "core/store_rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

/// Binds run and row; `row IS ?` also finds the NULL of the step.
void bind_owner(SQLite::Statement& statement, const SampleOwner& owner) {
    statement.bind(1, owner.run);
    if (owner.row) statement.bind(2, *owner.row);
}

std::string name_of(SQLite::Database& database, const SampleOwner& owner) {
    if (!owner.row) return "the step";
    SQLite::Statement query(database, "SELECT layer, pass, part FROM rows WHERE id = ?");
    query.bind(1, *owner.row);
    if (!query.executeStep()) return "an unknown row";
    const std::string part = query.getColumn(2).getString();
    return query.getColumn(0).getString() + " " + query.getColumn(1).getString() +
           (part.empty() ? "" : ", " + part);
}

bool is_possible(const Sample& sample) {
    const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
    return positive(sample.time.value()) && positive(sample.raw_time.value()) &&
           sample.executions > 0 && std::isfinite(sample.fma_level) &&
           std::isfinite(sample.issue_level) && sample.fma_level >= 0 && sample.issue_level >= 0;
}

void insert_samples(SQLite::Database& database, std::int64_t visit_id,
                    const std::vector<Sample>& samples) {
    SQLite::Statement insert(database, "INSERT INTO samples VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample& sample = samples[i];
        insert.bind(1, visit_id);
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, sample.time.value());
        insert.bind(4, sample.raw_time.value());
        insert.bind(5, sample.executions);
        insert.bind(6, sample.fma_level);
        insert.bind(7, sample.issue_level);
        insert.bind(8, sample.quiet ? 1 : 0);
        insert.exec();
        insert.reset();
    }
}

}  // namespace

std::string name_of(const RowKey& key) {
    return fmt::format("{} {}{}{}", key.layer, to_string(key.pass), key.part.empty() ? "" : ", ",
                       key.part);
}

std::optional<std::int64_t> find_row(SQLite::Database& database, std::int64_t run,
                                     const RowKey& key) {
    SQLite::Statement query(
        database, "SELECT id FROM rows WHERE run = ? AND layer = ? AND pass = ? AND part = ?");
    query.bind(1, run);
    query.bind(2, key.layer);
    query.bind(3, std::string(to_string(key.pass)));
    query.bind(4, key.part);
    if (!query.executeStep()) return std::nullopt;
    return query.getColumn(0).getInt64();
}

std::int64_t put_description(SQLite::Database& database, std::int64_t run, const Measurement& row) {
    SQLite::Statement put(database, R"(
        INSERT INTO rows(run, layer, pass, part, ordinal, description) VALUES(?, ?, ?, ?, ?, ?)
        ON CONFLICT(run, layer, pass, part)
        DO UPDATE SET ordinal = excluded.ordinal, description = excluded.description
        RETURNING id)");
    put.bind(1, run);
    put.bind(2, row.key.layer);
    put.bind(3, std::string(to_string(row.key.pass)));
    put.bind(4, row.key.part);
    put.bind(5, row.ordinal);
    put.bind(6, to_json(row).dump(-1, ' ', false, Json::error_handler_t::replace));
    put.executeStep();
    const std::int64_t id = put.getColumn(0).getInt64();
    while (put.executeStep()) {
    }
    return id;
}

void insert_visit(SQLite::Database& database, const SampleOwner& owner, int visit,
                  const std::vector<Sample>& samples) {
    const auto refuse = [&](std::string_view reason) {
        return job_failed(fmt::format("storing visit {} of {} in run {}", visit,
                                      name_of(database, owner), owner.run),
                          reason);
    };
    for (const auto& sample : samples)
        if (!is_possible(sample)) throw refuse("a sample has a time that is not positive");

    SQLite::Statement find(database,
                           "SELECT 1 FROM visits WHERE run = ? AND row IS ? AND visit = ?");
    bind_owner(find, owner);
    find.bind(3, visit);
    if (find.executeStep()) throw refuse("it is stored already");

    SQLite::Statement insert(database,
                             "INSERT INTO visits(run, row, visit, samples) VALUES(?, ?, ?, ?)");
    bind_owner(insert, owner);
    insert.bind(3, visit);
    insert.bind(4, static_cast<std::int64_t>(samples.size()));
    insert.exec();
    insert_samples(database, database.getLastInsertRowid(), samples);
}

std::vector<Sample> read_samples(SQLite::Database& database, const SampleOwner& owner) {
    SQLite::Statement query(database, R"(
        SELECT visits.visit, time_s, raw_time_s, executions, fma_level, issue_level, quiet
        FROM visits JOIN samples ON samples.visit = visits.id
        WHERE run = ? AND row IS ? ORDER BY visits.visit, samples.ordinal)");
    bind_owner(query, owner);
    std::vector<Sample> samples;
    while (query.executeStep()) {
        Sample sample;
        sample.visit = query.getColumn(0).getInt();
        sample.time = Seconds(query.getColumn(1).getDouble());
        sample.raw_time = Seconds(query.getColumn(2).getDouble());
        sample.executions = query.getColumn(3).getInt();
        sample.fma_level = query.getColumn(4).getDouble();
        sample.issue_level = query.getColumn(5).getDouble();
        sample.quiet = query.getColumn(6).getInt() != 0;
        samples.push_back(sample);
    }
    return samples;
}

std::vector<StoredRow> read_rows(SQLite::Database& database, std::int64_t run,
                                 const std::string& document) {
    SQLite::Statement query(database,
                            "SELECT id, description FROM rows WHERE run = ? ORDER BY ordinal, id");
    query.bind(1, run);
    std::vector<StoredRow> rows;
    while (query.executeStep())
        rows.push_back(
            {query.getColumn(0).getInt64(),
             measurement_from_json(JsonReader(query.getColumn(1).getString(), document))});
    return rows;
}

}  // namespace ridge
