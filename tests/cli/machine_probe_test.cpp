// ridge machine probe where it must not measure, or must not leave anything behind.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/run_ridge.hpp"

using ridge::test::run_program;
using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool one_line(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("probe explains itself with an example") {
        const auto outcome = run_ridge({"machine", "probe", "--help"});
        CHECK(outcome.exit_code == 0);
        CHECK(has(outcome.out, "--quick"));
        CHECK(has(outcome.out, "Example:"));
    }

    TEST_CASE("probe refuses more threads than cores, and fewer than one") {
        TemporaryFolder folder;
        for (const std::string threads : {"100000", "-3", "0", "two"}) {
            CAPTURE(threads);
            const auto outcome = run_ridge(
                {"machine", "probe", "--threads", threads, "--output", folder.file("m.yaml")});
            CHECK(outcome.exit_code == 2);
            CHECK(one_line(outcome.err));
            CHECK(has(outcome.err, "--threads"));
            CHECK(std::filesystem::is_empty(folder.path()));
        }
    }

    TEST_CASE("probe refuses an output that cannot be written before it measures") {
        TemporaryFolder folder;
        // `timeout` ends a probe that measures first with 124.
        const auto outcome =
            run_program({"timeout", "5", std::getenv("RIDGE_BINARY"), "machine", "probe",
                         "--output", folder.file("no/such/folder/m.yaml")});
        CHECK(outcome.exit_code == 2);
        CHECK(one_line(outcome.err));
        CHECK(has(outcome.err, "no/such/folder"));
        CHECK(run_program({"timeout", "5", std::getenv("RIDGE_BINARY"), "machine", "probe",
                           "--output", folder.path()})
                  .exit_code == 2);
    }

    TEST_CASE("an interrupted probe leaves nothing behind") {
        TemporaryFolder folder;
        const auto outcome = run_program(
            {"timeout", "--preserve-status", "--signal=INT", "2", std::getenv("RIDGE_BINARY"),
             "machine", "probe", "--output", folder.file("m.yaml")},
            {"XDG_DATA_HOME=" + folder.file("data")});
        CHECK(outcome.exit_code == 1);
        CHECK(has(outcome.err, "interrupted"));
        CHECK_FALSE(std::filesystem::exists(folder.file("m.yaml")));
        CHECK_FALSE(std::filesystem::exists(folder.file("data")));
    }
}
