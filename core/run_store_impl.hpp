// What the members of RunStore share.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <utility>

#include "core/store_database.hpp"
#include "ridge/run_store.hpp"

namespace ridge {

struct RunStore::Impl {
    std::string path;
    mutable SQLite::Database database;

    /// A write: takes the lock at once, so that it never fails half-way for want of it.
    template <class Work>
    auto write(Work&& work) {
        return with_store_errors(path, [&] {
            SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
            if constexpr (std::is_void_v<decltype(work())>) {
                work();
                transaction.commit();
            } else {
                auto result = work();
                transaction.commit();
                return result;
            }
        });
    }

    /// Reads of several tables that must fit together while another process writes.
    template <class Work>
    auto read(Work&& work) const {
        return with_store_errors(path, [&] {
            const SQLite::Transaction transaction(database);
            return work();
        });
    }

    /// Throws Error bad_input when the run is not there.
    void require_run(std::int64_t id) const;
    [[nodiscard]] RunInfo read_info(std::int64_t id) const;
    /// "runs.db: run 3", where errors are.
    [[nodiscard]] std::string place_of(std::int64_t id) const;
    [[nodiscard]] bool has_live_owner(std::int64_t id) const;
    /// Throws Error job_failed unless this process owns the run.
    void require_owned(std::int64_t id) const;
    std::int64_t insert_run(const RunInfo& info, bool owned);
};

}  // namespace ridge
