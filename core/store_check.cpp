// Finds what a healthy run store cannot contain.

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/run_store_impl.hpp"
#include "core/store_rows.hpp"

namespace ridge {
namespace {

using Findings = std::vector<std::string>;

/// One finding per line that a query of SQLite's own checks returns.
void check_structure(SQLite::Database& database, Findings& findings) {
    SQLite::Statement integrity(database, "PRAGMA integrity_check");
    while (integrity.executeStep()) {
        const std::string line = integrity.getColumn(0).getString();
        if (line != "ok") findings.push_back("structure: " + line);
    }
    SQLite::Statement references(database, "PRAGMA foreign_key_check");
    while (references.executeStep())
        findings.push_back(fmt::format(
            "table {}: entry {} belongs to nothing in {}", references.getColumn(0).getString(),
            references.getColumn(1).getInt64(), references.getColumn(2).getString()));
}

void check_visits(SQLite::Database& database, Findings& findings) {
    SQLite::Statement incomplete(database, R"(
        SELECT visits.run, visits.visit, visits.samples, count(samples.ordinal),
               coalesce(max(samples.ordinal) + 1, 0),
               coalesce(rows.layer || ' ' || rows.pass, 'step')
        FROM visits LEFT JOIN samples ON samples.visit = visits.id
                    LEFT JOIN rows ON rows.id = visits.row
        GROUP BY visits.id
        HAVING visits.samples != count(samples.ordinal)
            OR visits.samples != coalesce(max(samples.ordinal) + 1, 0))");
    while (incomplete.executeStep())
        findings.push_back(
            fmt::format("run {}: visit {} of {} has {} samples instead of {}",
                        incomplete.getColumn(0).getInt64(), incomplete.getColumn(1).getInt(),
                        incomplete.getColumn(5).getString(), incomplete.getColumn(3).getInt(),
                        incomplete.getColumn(2).getInt()));
    SQLite::Statement doubled(database, R"(
        SELECT run, visit, count(*) FROM visits GROUP BY run, row, visit HAVING count(*) > 1)");
    while (doubled.executeStep())
        findings.push_back(
            fmt::format("run {}: visit {} is stored {} times", doubled.getColumn(0).getInt64(),
                        doubled.getColumn(1).getInt(), doubled.getColumn(2).getInt()));
}

}  // namespace

std::vector<std::string> RunStore::check() const {
    return impl_->read([&] {
        Findings findings;
        auto& database = impl_->database;
        check_structure(database, findings);
        check_visits(database, findings);

        SQLite::Statement runs(database, "SELECT id, owner_pid IS NULL FROM runs ORDER BY id");
        while (runs.executeStep()) {
            const std::int64_t id = runs.getColumn(0).getInt64();
            try {
                const RunInfo info = impl_->read_info(id);
                if (info.complete && runs.getColumn(1).getInt() == 0)
                    findings.push_back(fmt::format("run {}: complete, yet owned", id));
                for (const auto& [row_id, row] : read_rows(database, id, impl_->place_of(id))) {
                    if (find_row(database, id, row.key) != row_id)
                        findings.push_back(fmt::format("run {}: the description of row {} is of {}",
                                                       id, row_id, name_of(row.key)));
                    if (info.complete && !(row.time.time.value() > 0))
                        findings.push_back(
                            fmt::format("run {}: {} has no time", id, name_of(row.key)));
                }
            } catch (const Error& error) {
                findings.push_back(error.what());
            }
        }
        return findings;
    });
}

}  // namespace ridge
