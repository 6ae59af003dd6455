#include "report/table.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <limits>
#include <sstream>

#include "ridge/error.hpp"

using namespace ridge::report;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

Table example() {
    Table table(
        {{.header = "layer", .shorten_to = 8}, right("time", "ms"), right("rate", "GFLOP/s")});
    table.add_row({"conv1", Cell::number(12.345, 2), Cell::number(98.7, 1)});
    table.add_row({"a_layer_with_a_long_name_fwd", Cell::number(0.5, 2), Cell::missing()});
    table.set_totals({"sum", Cell::number(12.845, 2)});
    return table;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("numbers are right-aligned under their header and unit") {
        const auto lines = lines_of(example().text());
        REQUIRE(lines.size() == 7);
        const auto end_of = [](const std::string& line, const std::string& word) {
            return display_width(line.substr(0, line.find(word) + word.size()));
        };
        CHECK(end_of(lines[0], "time") == end_of(lines[1], "ms"));
        CHECK(end_of(lines[0], "time") == end_of(lines[3], "12.35"));
        CHECK(end_of(lines[0], "time") == end_of(lines[4], "0.50"));
        CHECK(end_of(lines[0], "time") == end_of(lines[6], "12.85"));
        CHECK(lines[4].find("–") != std::string::npos);
    }

    TEST_CASE("a table fits the width it is given by shortening the columns that allow it") {
        for (const int width : {24, 30, 36}) {
            const auto lines = lines_of(example().text({.width = width}));
            for (const auto& line : lines) CHECK(display_width(line) <= width);
            CHECK(lines[4].find("…") != std::string::npos);
            CHECK(lines[4].find("0.50") != std::string::npos);
        }
        // Below the least width the numbers stay whole.
        const std::string narrow = example().text({.width = 10});
        CHECK(narrow.find("12.35") != std::string::npos);
        CHECK(narrow.find("GFLOP/s") != std::string::npos);
    }

    TEST_CASE("no escape sequence unless colour is asked for") {
        CHECK(example().text().find('\x1b') == std::string::npos);
        CHECK(example().text({.colour = true}).find("\x1b[1m") != std::string::npos);
    }

    TEST_CASE("width counts columns, not bytes") {
        CHECK(display_width("µs") == 2);
        CHECK(display_width("e\u0301") == 1);
        CHECK(display_width("層") == 2);
        CHECK(display_width("\xff\xfe") == 2);
        CHECK(display_width(shorten("conv2d_layer_weights", 9)) == 9);
        CHECK(shorten("short", 9) == "short");
        CHECK(display_width(shorten("層層層層層層", 6)) <= 6);
    }

    TEST_CASE("a name cannot drive the terminal") {
        Table table({{.header = "layer"}});
        table.add_row({"evil\x1b[31m\nname\u009b"});
        const std::string text = table.text();
        CHECK(text.find('\x1b') == std::string::npos);
        CHECK(lines_of(text).size() == 3);
    }

    TEST_CASE("a value that is not finite is missing") {
        const Cell cell = Cell::number(std::numeric_limits<double>::quiet_NaN(), 2);
        CHECK(cell.text() == "–");
        CHECK(cell.csv().empty());
    }

    TEST_CASE("a row that does not fit the table is refused") {
        Table table({{.header = "a"}});
        CHECK_THROWS_AS(table.add_row({"1", "2"}), ridge::Error);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("G2: CSV quotes what needs it and reads back") {
        Table table({{.header = "layer"}, right("time", "ms"), right("rate", "GFLOP/s")});
        table.add_row({"a\"b,c", Cell::number(0.1 + 0.2, 1), Cell::missing()});
        table.add_row({"two\nlines", Cell::of("1.5 k", 1500), Cell::number(2, 0)});
        CHECK(table.csv() ==
              "layer,time_ms,rate_gflop_per_s\r\n"
              "\"a\"\"b,c\",0.30000000000000004,\r\n"
              "\"two\nlines\",1500,2\r\n");
    }

    TEST_CASE("G1: numbers keep their decimal point under a locale with a comma") {
        REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
        Table table({right("x")});
        table.add_row({Cell::number(0.5, 1)});
        const std::string text = table.text(), csv = table.csv();
        std::setlocale(LC_ALL, "C");
        CHECK(text.find("0.5") != std::string::npos);
        CHECK(csv == "x\r\n0.5\r\n");
    }
}
