#include "core/store_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/files.hpp"

namespace ridge {
namespace {

/// "RDGE"; marks the file in SQLite's header, where `file` and others see it.
constexpr int application_id = 0x52444745;
constexpr int busy_timeout_ms = 10'000;

// (run, row, visit, ordinal) of a sample is unique: a visit belongs to one row (or, with row NULL,
// to the step as a whole), and its samples are numbered. `samples` of a visit says how many there
// must be. Descriptions are the JSON objects of docs/formats.md.
constexpr const char* tables = R"(
CREATE TABLE runs(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    info TEXT NOT NULL,
    step TEXT,
    complete INTEGER NOT NULL CHECK(complete IN (0, 1)),
    owner_pid INTEGER,
    owner_start TEXT);
CREATE TABLE rows(
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    layer TEXT NOT NULL,
    pass TEXT NOT NULL,
    part TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    description TEXT NOT NULL,
    UNIQUE(run, layer, pass, part),
    UNIQUE(id, run));
CREATE TABLE visits(
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    row INTEGER,
    visit INTEGER NOT NULL CHECK(visit >= 0),
    samples INTEGER NOT NULL CHECK(samples > 0),
    FOREIGN KEY(row, run) REFERENCES rows(id, run) ON DELETE CASCADE);
CREATE UNIQUE INDEX visit_of_row ON visits(row, visit) WHERE row IS NOT NULL;
CREATE UNIQUE INDEX visit_of_step ON visits(run, visit) WHERE row IS NULL;
CREATE INDEX visit_of_run ON visits(run);
CREATE TABLE samples(
    visit INTEGER NOT NULL REFERENCES visits(id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL CHECK(ordinal >= 0),
    time_s REAL NOT NULL CHECK(time_s > 0),
    raw_time_s REAL NOT NULL CHECK(raw_time_s > 0),
    executions INTEGER NOT NULL CHECK(executions > 0),
    fma_level REAL NOT NULL,
    issue_level REAL NOT NULL,
    quiet INTEGER NOT NULL CHECK(quiet IN (0, 1)),
    PRIMARY KEY(visit, ordinal)) WITHOUT ROWID;
)";

int pragma(SQLite::Database& database, const std::string& name) {
    return database.execAndGet("PRAGMA " + name).getInt();
}

/// Says before SQLite does, and more clearly, what is wrong with a path.
void require_usable(const std::string& path, StoreAccess access_wanted) {
    const auto refuse = [&](const char* expected, int error) {
        return bad_input(path, expected, std::strerror(error));
    };
    if (path.empty()) throw bad_input("the run store", "a path", "none");
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        if (errno != ENOENT) throw refuse("a run store", errno);
        if (access_wanted != StoreAccess::create)
            throw bad_input(path, "a run store ('ridge collect alexnet --batch 8' makes one)",
                            "no such file");
        const auto folder = std::filesystem::path(path).parent_path();
        if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
            throw refuse("a folder that can be written to", errno);
        return;
    }
    if (S_ISDIR(status.st_mode)) throw refuse("a run store", EISDIR);
    if (!S_ISREG(status.st_mode)) throw bad_input(path, "a run store", "a device or pipe");
    if (::access(path.c_str(), R_OK) != 0) throw refuse("a file that can be read", errno);
    if (access_wanted != StoreAccess::read && ::access(path.c_str(), W_OK) != 0)
        throw refuse("a file that can be written", errno);
}

/// Makes the tables in an empty database; under a lock, because two processes may meet here.
void create_tables(SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (pragma(database, "user_version") != 0) return;
    database.exec(tables);
    database.exec(fmt::format("PRAGMA application_id = {}", application_id));
    database.exec(fmt::format("PRAGMA user_version = {}", store_version));
    transaction.commit();
}

/// Readers and a writer do not wait for each other. Switching needs the file for itself for a
/// moment and does not honour the busy timeout.
void use_write_ahead_log(SQLite::Database& database) {
    using namespace std::chrono_literals;
    constexpr auto pause = 20ms;
    for (auto left = std::chrono::milliseconds(busy_timeout_ms);; left -= pause) {
        try {
            database.execAndGet("PRAGMA journal_mode = WAL");
            return;
        } catch (const SQLite::Exception& error) {
            if (error.getErrorCode() != SQLITE_BUSY || left <= 0ms) throw;
        }
        std::this_thread::sleep_for(pause);
    }
}

bool is_empty(SQLite::Database& database) {
    return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

void require_store(SQLite::Database& database, const std::string& path) {
    if (is_empty(database)) throw bad_input(path, "a run store", "an empty file");
    if (pragma(database, "application_id") != application_id)
        throw bad_input(path, "a run store", "the database of another program");
    const int version = pragma(database, "user_version");
    if (version != store_version)
        throw bad_input(path, fmt::format("a run store of version {}", store_version),
                        fmt::format("version {}, written by a newer ridge", version));
    const std::string state = database.execAndGet("PRAGMA quick_check(1)").getString();
    if (state != "ok") throw bad_input(path, "an undamaged run store", state);
}

/// Of a name that SQLite might read as a URI or as its ":memory:", a plain path.
std::string plain_path(const std::string& path) {
    return path.starts_with('/') ? path : "./" + path;
}

/// The path as a URI (RFC 3986) that promises SQLite that nobody writes.
std::string immutable_uri(const std::string& path) {
    std::string uri = "file:";
    for (const char c : plain_path(path))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/-_.~", c))
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return uri + "?immutable=1";
}

/// For reading, SQLite still needs to make files beside a store in WAL mode. Where it cannot
/// (another user's folder, a read-only disk) and no log waits there, nobody is writing.
SQLite::Database open_to_read(const std::string& path) {
    const auto folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    const bool can_make_files = ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
    if (can_make_files || std::filesystem::exists(path + "-wal", ignored))
        return {plain_path(path), SQLite::OPEN_READONLY, busy_timeout_ms};
    return {immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI, busy_timeout_ms};
}

SQLite::Database open_file(const std::string& path, StoreAccess access_wanted) {
    if (access_wanted == StoreAccess::read) return open_to_read(path);
    return {plain_path(path), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms};
}

}  // namespace

void require_store_usable(const std::string& path) {
    if (path == RunStore::default_path()) static_cast<void>(data_directory(true));
    require_usable(path, StoreAccess::create);
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path, ignored);
    if (!ignored && bytes > 0) static_cast<void>(open_store(path, StoreAccess::read));
}

SQLite::Database open_store(const std::string& path, StoreAccess access_wanted) {
    if (access_wanted == StoreAccess::create && path == RunStore::default_path())
        static_cast<void>(data_directory(true));
    require_usable(path, access_wanted);
    return with_store_errors(path, [&] {
        SQLite::Database database = open_file(path, access_wanted);
        if (access_wanted == StoreAccess::create && is_empty(database)) create_tables(database);
        require_store(database, path);
        if (access_wanted != StoreAccess::read) {
            use_write_ahead_log(database);
            // A kill loses nothing that was committed. Only a power cut can take the last visits
            // (never the structure); a disk flush per visit would disturb what is measured.
            database.exec("PRAGMA synchronous = NORMAL");
        }
        database.exec("PRAGMA foreign_keys = ON");
        return database;
    });
}

Error translate(const SQLite::Exception& error, const std::string& path) {
    switch (error.getErrorCode() & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_ERROR:  // our statements are right, so the tables are not ours any more
            return bad_input(path, "an undamaged run store", error.what());
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_READONLY:
            return bad_input(path, "a run store that can be opened and written", error.what());
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return job_failed("the run store " + path, "another process keeps it locked");
        default:
            return job_failed("the run store " + path, error.what());
    }
}

}  // namespace ridge
