#include "ridge/format.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/core/expect_error.hpp"

using namespace ridge;

namespace {

/// The fields of one CSV record, read by the letter of RFC 4180.
std::vector<std::string> parse_csv_record(const std::string& record) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < record.size(); ++i) {
        const char c = record[i];
        if (quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("rates have decimal prefixes: 1 GiB in 1 s is 1.07 GB/s (B18, B19)") {
        const Bytes gib(1073741824.0);
        CHECK((gib / Seconds(1)).value() / 1e9 == doctest::Approx(1.0737).epsilon(1e-4));
        CHECK(format(gib / Seconds(1)) == "1.07 GB/s");
        CHECK(format_iec(gib) == "1 GiB");
        CHECK(format(Flops(2'048'000'000.0) / Seconds(1)) == "2.05 GFLOP/s");  // not 2.00
    }

    TEST_CASE("three digits and an SI prefix") {
        CHECK(format(Seconds(0.00123)) == "1.23 ms");
        CHECK(format(Seconds(0)) == "0 s");
        CHECK(format(Seconds(12.345)) == "12.3 s");
        CHECK(format(Seconds(61.5e-6)) == "61.5 µs");
        CHECK(format(Seconds(-2.5e-3)) == "-2.50 ms");
        CHECK(format(Seconds(3e-10)) == "0.30 ns");
        CHECK(format(FlopsPerSecond(45.6e9)) == "45.6 GFLOP/s");
        CHECK(format(BytesPerSecond(11.5e9)) == "11.5 GB/s");
        CHECK(format(Hertz(2.78e9)) == "2.78 GHz");
        CHECK(format(Bytes(51.5e6)) == "51.5 MB");
        CHECK(format(Bytes(0)) == "0 B");
        CHECK(format(Bytes(64)) == "64 B");
        CHECK(format(Flops(524288)) == "524 kFLOP");
        CHECK(format(FlopsPerByte(22.5)) == "22.5 FLOP/B");
        CHECK(format_percent(0.1234) == "12.3 %");
    }

    TEST_CASE("rounding never shows a fourth digit or a thousand of a prefix") {
        CHECK(format(Seconds(0.9996)) == "1.00 s");
        CHECK(format(Seconds(0.99949)) == "999 ms");
        CHECK(format(Seconds(9.996e-3)) == "10.0 ms");
        CHECK(format(Seconds(99.96e-3)) == "100 ms");
        CHECK(format(BytesPerSecond(999.6e6)) == "1.00 GB/s");
    }

    TEST_CASE("B18, B19: decimal prefixes; GiB only where it is spelled") {
        CHECK((Bytes(1073741824) / Seconds(1)).value() / 1e9 ==
              doctest::Approx(1.0737).epsilon(1e-4));
        CHECK(format(Bytes(1073741824) / Seconds(1)) == "1.07 GB/s");
        CHECK((Flops(2'048'000'000) / Seconds(1)).value() / 1e9 == doctest::Approx(2.048));
        CHECK(format(Flops(2'048'000'000) / Seconds(1)) == "2.05 GFLOP/s");
        CHECK(format_iec(Bytes(1073741824)) == "1 GiB");
        CHECK(format_iec(Bytes(49152)) == "48 KiB");
        CHECK(format_iec(Bytes(2097152)) == "2 MiB");
        CHECK(format_iec(Bytes(1000)) == "1000 B");
        CHECK(format_iec(Bytes(1536)) == "1.50 KiB");
    }

    TEST_CASE("what is not a number is never printed as one") {
        for (double value :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            for (const std::string& text :
                 {format(Seconds(value)), format(Bytes(value)), format(FlopsPerByte(value)),
                  format_iec(Bytes(value)), format_percent(value)}) {
                CHECK(text.find("undefined") == 0);
                CHECK(text.find("nan") == std::string::npos);
                CHECK(text.find("inf") == std::string::npos);
            }
        }
    }

    TEST_CASE("sizes as people write them") {
        CHECK(parse_bytes("64", "x") == Bytes(64));
        CHECK(parse_bytes("2MiB", "x") == Bytes(2097152));
        CHECK(parse_bytes("1.5 GB", "x") == Bytes(1.5e9));
        CHECK(parse_bytes("48 KiB", "x") == Bytes(49152));
        CHECK(parse_bytes("0", "x") == Bytes(0));
        for (const char* wrong :
             {"", "MiB", "-1", "1e400", "2 Mib", "1,5 GB", "nan", "inf", "0x10", "5 5", "1e308 TB"})
            test::expect_error(ExitCode::bad_input,
                               {"--set l2.capacity", "2MiB", "'" + std::string(wrong) + "'"},
                               [&] { (void)parse_bytes(wrong, "--set l2.capacity"); });
    }

    TEST_CASE("a formatted capacity reads back") {
        for (double bytes : {64.0, 49152.0, 2097152.0, 1073741824.0, 33554432.0})
            CHECK(parse_bytes(format_iec(Bytes(bytes)), "x") == Bytes(bytes));
    }

    TEST_CASE("G2: CSV fields survive a round trip") {
        const std::vector<std::string> fields{
            "a\"b,c", "void f<float, 4>(int)", "plain", "", "two\r\nlines", "\"", ",", " space "};
        std::string record;
        for (const auto& field : fields) record += (record.empty() ? "" : ",") + csv_field(field);
        CHECK(csv_field("a\"b,c") == "\"a\"\"b,c\"");
        CHECK(parse_csv_record(record) == fields);
    }
}
