// Opens the SQLite file of the run store and turns SQLite's errors into Ridgepoint's.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <utility>

#include "ridge/error.hpp"
#include "ridge/run_store.hpp"

namespace ridge {

/// Version of the tables in store_database.cpp, kept in the file's user_version.
inline constexpr int store_version = 1;

/// An open store whose identity, version and structure have been checked.
[[nodiscard]] SQLite::Database open_store(const std::string& path, StoreAccess access);

/// Throws what open_store would throw for StoreAccess::create; makes no file.
void require_store_usable(const std::string& path);

[[nodiscard]] Error translate(const SQLite::Exception& error, const std::string& path);

/// Runs `work`, translating the exceptions of SQLite.
template <class Work>
auto with_store_errors(const std::string& path, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const SQLite::Exception& error) {
        throw translate(error, path);
    }
}

}  // namespace ridge
