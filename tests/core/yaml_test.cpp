#include "core/yaml.hpp"

#include <doctest/doctest.h>

#include "tests/core/expect_error.hpp"

using namespace ridge;
using ridge::test::expect_error;

namespace {

constexpr const char* machine = R"(name: box
levels:
  - name: L1
    capacity_bytes: 32768
    ways: 8
  - name: L2
    capacity_bytes: 1e6
shared: true
)";

Yaml parse(const std::string& text) {
    return Yaml::parse(text, "box.yaml");
}

}  // namespace

TEST_SUITE("smoke") {
    TEST_CASE("typed access") {
        const Yaml file = parse(machine);
        CHECK(file.at("name").text() == "box");
        CHECK(file.at("shared").boolean());
        CHECK(!file.find("absent"));
        const auto levels = file.at("levels").items();
        REQUIRE(levels.size() == 2);
        CHECK(levels[0].at("capacity_bytes").number(1, 1e9) == 32768);
        CHECK(levels[0].at("ways").integer(1, 64) == 8);
        CHECK(levels[1].at("capacity_bytes").number() == 1e6);
        CHECK(file.entries().size() == 3);
        CHECK(file.entries()[2].first == "shared");
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("every error names file, line and key, what was expected and what was found") {
        const Yaml file = parse(machine);
        const auto levels = file.at("levels").items();
        expect_error(ExitCode::bad_input,
                     {"box.yaml:4", "levels[0].capacity_bytes", "at most 1024", "32768"},
                     [&] { (void)levels[0].at("capacity_bytes").number(0, 1024); });
        expect_error(ExitCode::bad_input, {"box.yaml:5", "levels[0].ways", "at least 16", "8"},
                     [&] { (void)levels[0].at("ways").integer(16, 64); });
        expect_error(ExitCode::bad_input, {"box.yaml:7", "whole number", "1e6"},
                     [&] { (void)levels[1].at("capacity_bytes").integer(); });
        expect_error(ExitCode::bad_input, {"box.yaml:1", "name", "a number", "'box'"},
                     [&] { (void)file.at("name").number(); });
        expect_error(ExitCode::bad_input, {"box.yaml:1", "name", "true or false", "'box'"},
                     [&] { (void)file.at("name").boolean(); });
        expect_error(ExitCode::bad_input, {"box.yaml:6", "levels[1]", "the key 'ways'"},
                     [&] { (void)levels[1].at("ways"); });
        expect_error(ExitCode::bad_input, {"box.yaml:1", "name", "a list"},
                     [&] { (void)file.at("name").items(); });
        expect_error(ExitCode::bad_input, {"box.yaml:2", "levels", "a word", "a list"},
                     [&] { (void)file.at("levels").text(); });
        expect_error(ExitCode::bad_input, {"box.yaml:2", "levels", "keys and values"},
                     [&] { (void)file.at("levels").entries(); });
    }

    TEST_CASE("an unknown key names the nearest known one") {
        const Yaml level = parse(machine).at("levels").items()[0];
        level.allow_keys({"name", "capacity_bytes", "ways"});
        expect_error(ExitCode::bad_input, {"box.yaml:5", "'way_count'", "name, capacity"}, [&] {
            parse("a: 1\nb:\n  name: x\n\n  way_count: 3").at("b").allow_keys({"name", "capacity"});
        });
        expect_error(ExitCode::bad_input,
                     {"box.yaml:4", "such as 'capacity_byte'", "found 'capacity_bytes'"}, [&] {
                         level.allow_keys({"name", "ways", "capacity_byte"});
                     });
    }

    TEST_CASE("a key given twice is an error wherever it is") {
        expect_error(ExitCode::bad_input, {"box.yaml:3", "once", "'a' twice"},
                     [] { (void)parse("a: 1\nb: 2\na: 3").at("b"); });
        expect_error(ExitCode::bad_input, {"box.yaml:3", "once", "'y' twice"},
                     [] { (void)parse("x:\n  y: 1\n  y: 2").at("x").find("z"); });
    }

    TEST_CASE("numbers that are none") {
        for (const char* wrong : {".nan", ".inf", "nan", "inf", "1e999", "1,5", "0x10", "1 2", "''",
                                  "+-5", "+", "12abc", "~"})
            expect_error(ExitCode::bad_input, {"box.yaml:1", "a number"},
                         [&] { (void)parse(std::string("a: ") + wrong).at("a").number(); });
        CHECK(parse("a: +5").at("a").number() == 5);
        CHECK(parse("a: -2.5e3").at("a").number() == -2500);
        expect_error(ExitCode::bad_input, {"whole number"},
                     [] { (void)parse("a: 9223372036854775808").at("a").integer(); });
    }

    TEST_CASE("text that is not YAML, and values that would break the line") {
        expect_error(ExitCode::bad_input, {"box.yaml:2", "YAML"},
                     [] { (void)parse("a: 1\nb: [1, 2"); });
        expect_error(ExitCode::bad_input, {"box.yaml"},
                     [] { (void)parse(std::string(20000, '[')); });
        expect_error(ExitCode::bad_input, {"keys and values", "nothing"},
                     [] { (void)parse("").at("name"); });
        expect_error(ExitCode::bad_input, {"true or false"},
                     [] { (void)parse("a: |\n  two\n  lines\n").at("a").boolean(); });
        expect_error(ExitCode::bad_input, {"absent.yaml", "No such file"},
                     [] { (void)Yaml::load("absent.yaml"); });
    }

    TEST_CASE("texts that would command a terminal are refused, and names are one line") {
        for (const char* wrong : {"\"x\\e[31m\"", "\"x\\0y\"", "\"x\\ry\"", "\"\\x7f\""})
            expect_error(ExitCode::bad_input, {"box.yaml:1", "a:", "control characters"},
                         [&] { (void)parse(std::string("a: ") + wrong).at("a").text(); });
        const Yaml lines = parse("a: \"two\\nlines\"").at("a");
        CHECK(lines.text() == "two\nlines");
        expect_error(ExitCode::bad_input, {"box.yaml:1", "one line"}, [&] { (void)lines.line(); });
    }
}
