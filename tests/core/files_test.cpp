#include "core/files.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/core/expect_error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::expect_error;
namespace fs = std::filesystem;

namespace {

std::size_t entries_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("what was written reads back, bytes and all, and nothing else is left") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("a.json");
        const std::string text("line\n\0binary\xff", 13);
        write_file(path, text);
        CHECK(read_file(path) == text);
        write_file(path, "new");
        CHECK(read_file(path) == "new");
        CHECK(entries_in(folder.path()) == 1);
    }

    TEST_CASE("a new file has the permissions that open() would give") {
        const test::TemporaryFolder folder;
        const mode_t mask = umask(027);
        write_file(folder.file("a"), "x");
        umask(mask);
        struct stat status {};
        REQUIRE(stat(folder.file("a").c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0640);
    }

    TEST_CASE("a reader sees the old file or the new one, never a part") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("a");
        const std::string old_text(1'000'000, 'a'), new_text(2'000'000, 'b');
        write_file(path, old_text);
        std::thread writer([&] {
            for (int i = 0; i < 20; ++i) write_file(path, i % 2 == 0 ? new_text : old_text);
        });
        int torn = 0;
        for (int i = 0; i < 50; ++i) {
            const std::string seen = read_file(path);
            if (seen != old_text && seen != new_text) ++torn;
        }
        writer.join();
        CHECK(torn == 0);
    }

    TEST_CASE("links stay links, devices are written to") {
        const test::TemporaryFolder folder;
        write_file(folder.file("real"), "old");
        fs::create_symlink("real", folder.file("link"));
        write_file(folder.file("link"), "new");
        CHECK(fs::is_symlink(folder.file("link")));
        CHECK(read_file(folder.file("real")) == "new");

        const std::string pipe = folder.file("pipe");
        REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
        const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        REQUIRE(reader >= 0);
        write_file(pipe, "through");
        char buffer[16] = {};
        CHECK(::read(reader, buffer, sizeof buffer) == 7);
        CHECK(std::string(buffer) == "through");
        close(reader);
        CHECK(fs::is_fifo(pipe));
    }

    TEST_CASE("paths that cannot be written are named, before and after the work") {
        const test::TemporaryFolder folder;
        const std::string absent = folder.path() + "/no/such/folder/a.html";
        write_file(folder.file("file"), "x");
        const std::string below_file = folder.file("file") + "/a.html";
        for (const std::string& path : {absent, folder.path(), below_file}) {
            expect_error(ExitCode::bad_input, {path, "written"}, [&] { write_file(path, "x"); });
            expect_error(ExitCode::bad_input, {path, "written"}, [&] { require_writable(path); });
        }
        require_writable(folder.file("new"));
        require_writable(folder.file("file"));
        CHECK(!fs::exists(folder.file("new")));
        CHECK(read_file(folder.file("file")) == "x");
        CHECK(entries_in(folder.path()) == 1);
    }

    TEST_CASE("a file written in pieces appears whole when it is closed, or never") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("a");
        {
            OutputFile given_up(path);
            given_up.write("half");
        }
        CHECK(entries_in(folder.path()) == 0);
        OutputFile file(path);
        file.write("one ");
        CHECK_FALSE(fs::exists(path));
        file.write("two");
        file.close();
        CHECK(read_file(path) == "one two");
        CHECK(entries_in(folder.path()) == 1);
    }

    TEST_CASE("a name that no file can have is a file that is not there") {
        const test::TemporaryFolder folder;
        CHECK(file_exists(folder.path()));
        CHECK_FALSE(file_exists(folder.file("absent")));
        CHECK_FALSE(file_exists(folder.file(std::string(10'000, 'a'))));
        CHECK_FALSE(file_exists(""));
    }

    TEST_CASE("a file without an end is refused") {
        expect_error(ExitCode::bad_input, {"/dev/zero", "at most 1 MiB"},
                     [] { (void)read_file("/dev/zero", 1 << 20); });
        const test::TemporaryFolder folder;
        write_file(folder.file("a"), std::string(100, 'x'));
        CHECK(read_file(folder.file("a"), 100).size() == 100);
        expect_error(ExitCode::bad_input, {"at most 99"},
                     [&] { (void)read_file(folder.file("a"), 99); });
    }

    TEST_CASE("files that cannot be read are named") {
        const test::TemporaryFolder folder;
        const std::string absent = folder.file("absent");
        expect_error(ExitCode::bad_input, {absent, "No such file"},
                     [&] { (void)read_file(absent); });
        expect_error(ExitCode::bad_input, {folder.path(), "a folder"},
                     [&] { (void)read_file(folder.path()); });
    }

    TEST_CASE("the data folder follows XDG_DATA_HOME, then HOME") {
        const test::TemporaryFolder folder;
        const auto saved = [](const char* name) {
            const char* value = std::getenv(name);
            return value ? std::optional<std::string>(value) : std::nullopt;
        };
        const auto restore = [](const char* name, const std::optional<std::string>& value) {
            value ? setenv(name, value->c_str(), 1) : unsetenv(name);
        };
        const auto xdg = saved("XDG_DATA_HOME"), home = saved("HOME");
        setenv("XDG_DATA_HOME", folder.file("x").c_str(), 1);
        CHECK(data_directory(false) == folder.file("x") + "/ridge");
        CHECK(!fs::exists(folder.file("x")));
        CHECK(fs::is_directory(data_directory(true)));
        setenv("HOME", folder.file("h").c_str(), 1);
        setenv("XDG_DATA_HOME", "relative", 1);  // the specification says: ignore
        CHECK(data_directory(false) == folder.file("h") + "/.local/share/ridge");
        unsetenv("XDG_DATA_HOME");
        CHECK(data_directory(false) == folder.file("h") + "/.local/share/ridge");
        unsetenv("HOME");
        expect_error(ExitCode::bad_input, {"XDG_DATA_HOME"}, [] { (void)data_directory(false); });
        restore("XDG_DATA_HOME", xdg);
        restore("HOME", home);
    }
}
