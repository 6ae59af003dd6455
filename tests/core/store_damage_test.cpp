// Files that are no run store, or no longer one: one clear line, exit code 2, and no change.

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <random>

#include "core/files.hpp"
#include "ridge/run_store.hpp"
#include "tests/core/example_run.hpp"
#include "tests/core/expect_error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::expect_error;
namespace fs = std::filesystem;

namespace {

/// A store with two runs, closed, without a log beside it.
std::string make_store(const std::string& path) {
    RunStore store(path);
    test::store_example(store, 20);
    test::store_example(store, 5);
    return path;
}

void execute(const std::string& path, const std::string& sql) {
    SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(sql);
}

/// Reads everything; a damaged store must end in an Error of the user's kind, or in findings.
void read_all(const std::string& path) {
    const RunStore store(path, StoreAccess::read);
    for (const auto& run : store.list_runs()) {
        (void)store.load_run(run.id);
        (void)store.export_run(run.id);
    }
    (void)store.check();
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("files that are no run store are refused and left as they are") {
        const test::TemporaryFolder folder;
        const std::string text = folder.file("text"), foreign = folder.file("foreign"),
                          empty = folder.file("empty"), newer = folder.file("newer");
        write_file(text,
                   "this is text, and long enough to be more than a header of SQLite ......"
                   "......................................................................");
        write_file(empty, "");
        execute(foreign, "CREATE TABLE bookmarks(url TEXT)");
        make_store(newer);
        execute(newer, "PRAGMA user_version = 2");
        const auto refused = [&](const std::string& path, StoreAccess access,
                                 std::initializer_list<std::string> words) {
            const std::string before = fs::is_regular_file(path) ? read_file(path) : "";
            expect_error(ExitCode::bad_input, {path}, [&] { RunStore store(path, access); });
            expect_error(ExitCode::bad_input, words, [&] { RunStore store(path, access); });
            if (fs::is_regular_file(path)) CHECK(read_file(path) == before);
        };
        for (const auto access : {StoreAccess::read, StoreAccess::write, StoreAccess::create}) {
            refused(text, access, {"undamaged run store", "not a database"});
            refused(foreign, access, {"another program"});
            refused(newer, access, {"version 1", "version 2", "newer"});
            refused(folder.path(), access, {"a run store", "directory"});
            refused("/dev/null", access, {"device"});
            refused(folder.file("text") + "/runs.db", access, {"Not a directory"});
        }
        refused(empty, StoreAccess::read, {"an empty file"});
        refused(folder.file("no/such/runs.db"), StoreAccess::create, {"folder", "No such file"});
        CHECK(RunStore(empty).list_runs().empty());
        expect_error(ExitCode::bad_input, {"a path"}, [] { RunStore store(""); });
    }

    TEST_CASE("a store cut anywhere is refused or read as far as it goes") {
        const test::TemporaryFolder folder;
        const std::string whole = read_file(make_store(folder.file("runs.db")));
        const std::string cut = folder.file("cut.db");
        int refused = 0, tried = 0;
        for (std::size_t length = 1; length < whole.size(); length += whole.size() / 40 + 1) {
            write_file(cut, std::string_view(whole).substr(0, length));
            const auto error = test::error_of([&] { read_all(cut); });
            ++tried;
            if (!error) continue;
            ++refused;
            CHECK(error->code() == ExitCode::bad_input);
            CHECK(std::string(error->what()).find(cut) != std::string::npos);
        }
        CHECK(refused == tried);
    }

    TEST_CASE("flipped bytes end in one line or are harmless, never in a crash") {
        const test::TemporaryFolder folder;
        const std::string whole = read_file(make_store(folder.file("runs.db")));
        const std::string damaged = folder.file("damaged.db");
        std::mt19937 engine(7);
        std::uniform_int_distribution<std::size_t> place(0, whole.size() - 1);
        std::uniform_int_distribution<int> value(1, 255);
        int refused = 0;
        for (int i = 0; i < 150; ++i) {
            std::string bytes = whole;
            // Half of them in the first two pages, where the structure is.
            for (int flip = 0; flip < 4; ++flip) {
                char& byte = bytes[i % 2 == 0 ? place(engine) : place(engine) % 8192];
                byte = static_cast<char>(byte ^ value(engine));
            }
            write_file(damaged, bytes);
            for (const char* log : {"-wal", "-shm"}) fs::remove(damaged + log);
            const auto error = test::error_of([&] { read_all(damaged); });
            if (!error) continue;
            ++refused;
            INFO(std::string(error->what()));
            CHECK(error->code() == ExitCode::bad_input);
            CHECK(std::string(error->what()).find('\n') == std::string::npos);
        }
        CHECK(refused > 50);
    }

    TEST_CASE("check finds what SQL can spoil") {
        const test::TemporaryFolder folder;
        const auto findings_after = [&](const std::string& sql) {
            const std::string path = folder.file("spoiled.db");
            for (const char* end : {"", "-wal", "-shm"}) fs::remove(path + end);
            make_store(path);
            execute(path, "PRAGMA foreign_keys = OFF; " + sql);
            const auto findings = RunStore(path, StoreAccess::read).check();
            INFO(sql);
            REQUIRE(!findings.empty());
            return findings.front();
        };
        const auto contains = [](const std::string& text, const char* word) {
            return text.find(word) != std::string::npos;
        };
        CHECK(contains(findings_after("DELETE FROM samples WHERE visit = 3 AND ordinal = 1"),
                       "has 3 samples instead of 4"));
        CHECK(contains(findings_after("DELETE FROM visits WHERE id = 3"), "belongs to nothing"));
        CHECK(contains(findings_after("DELETE FROM rows WHERE id = 3"), "belongs to nothing"));
        CHECK(
            contains(findings_after("DROP INDEX visit_of_row; INSERT INTO visits(run, row, visit, "
                                    "samples) SELECT run, row, visit, samples FROM visits "
                                    "WHERE id = 1; INSERT INTO samples SELECT last_insert_rowid()"
                                    ", ordinal, time_s, raw_time_s, executions, fma_level, "
                                    "issue_level, quiet FROM samples WHERE visit = 1"),
                     "stored 2 times"));
        CHECK(contains(findings_after("UPDATE rows SET layer = 'x' WHERE id = 2"), "description"));
        CHECK(contains(findings_after("UPDATE rows SET description = '{' WHERE id = 2"), "JSON"));
        CHECK(contains(findings_after("UPDATE runs SET info = 'x' WHERE id = 1"), "JSON"));
        CHECK(contains(findings_after("UPDATE runs SET owner_pid = 1 WHERE id = 1"), "owned"));
        CHECK(contains(findings_after("UPDATE rows SET description = json_set(description, "
                                      "'$.time.time_s', NULL) WHERE id = 2"),
                       "no time"));
    }

    TEST_CASE("what may not be written or read is named") {
        const test::TemporaryFolder folder;
        const std::string path = make_store(folder.file("runs.db"));
        fs::permissions(folder.path(), fs::perms(0755));
        fs::permissions(path, fs::perms(0444));
        const auto as_nobody = [&](const std::function<void()>& work) {
            const pid_t child = fork();
            if (child == 0) {
                // A plain user stays one; root becomes nobody.
                if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(9);
                try {
                    work();
                } catch (const Error& error) {
                    _exit(static_cast<int>(error.code()));
                }
                _exit(0);
            }
            int status = 0;
            waitpid(child, &status, 0);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
        };
        CHECK(as_nobody([&] { RunStore store(path, StoreAccess::write); }) == 2);
        CHECK(as_nobody([&] { read_all(path); }) == 0);
        fs::permissions(path, fs::perms(0));
        CHECK(as_nobody([&] { RunStore store(path, StoreAccess::read); }) == 2);
        fs::permissions(folder.path(), fs::perms(0555));
        CHECK(as_nobody([&] { RunStore store(folder.file("new.db")); }) == 2);
        fs::permissions(folder.path(), fs::perms(0755));
    }

    TEST_CASE("a store that another process keeps locked is no damage") {
        const test::TemporaryFolder folder;
        const std::string path = make_store(folder.file("runs.db"));
        RunStore store(path);
        SQLite::Database other(path, SQLite::OPEN_READWRITE);
        const SQLite::Transaction held(other, SQLite::TransactionBehavior::IMMEDIATE);
        // Reading goes on; this is why the log is used.
        CHECK(store.list_runs().size() == 2);
        read_all(path);
    }
}
