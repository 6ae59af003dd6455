// Rows, visits and samples in the tables of the run store. Called inside a transaction.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge {

/// Whose samples: a row of the run, or the step as a whole (no row).
struct SampleOwner {
    std::int64_t run = 0;
    std::optional<std::int64_t> row;
};

/// "conv1 forward" or "conv1 forward, reorder src", for messages.
[[nodiscard]] std::string name_of(const RowKey& key);

[[nodiscard]] std::optional<std::int64_t> find_row(SQLite::Database& database, std::int64_t run,
                                                   const RowKey& key);
/// Inserts the row or replaces its description; returns its id.
std::int64_t put_description(SQLite::Database& database, std::int64_t run, const Measurement& row);

/// Throws Error job_failed when the visit is there already or a sample has an impossible number.
void insert_visit(SQLite::Database& database, const SampleOwner& owner, int visit,
                  const std::vector<Sample>& samples);
/// By visit, in the order they were taken.
[[nodiscard]] std::vector<Sample> read_samples(SQLite::Database& database,
                                               const SampleOwner& owner);

struct StoredRow {
    std::int64_t id = 0;
    Measurement row;
};
/// In step order, without samples. `document` names the store in errors.
[[nodiscard]] std::vector<StoredRow> read_rows(SQLite::Database& database, std::int64_t run,
                                               const std::string& document);

}  // namespace ridge
