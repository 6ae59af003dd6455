#include "ridge/reading.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/core/expect_error.hpp"

using namespace ridge;

TEST_SUITE("smoke") {
    TEST_CASE("a reading is a value with its source or a reason without a value") {
        const Reading bytes(64, Source::simulated);
        CHECK(bytes.available());
        CHECK(bytes.value() == 64);
        CHECK(bytes.source() == Source::simulated);

        const Reading none = Reading::unavailable("no counters in this virtual machine");
        CHECK(!none.available());
        CHECK(none.reason() == "no counters in this virtual machine");
        CHECK(none.value_or(7) == 7);
        CHECK(none != Reading(0, Source::measured));
        test::expect_error(ExitCode::job_failed, {"no counters in this virtual machine"},
                           [&] { (void)none.value(); });
    }

    TEST_CASE("a reading is never NaN or infinite") {
        for (double value :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
            test::expect_error(ExitCode::job_failed, {"finite"},
                               [&] { (void)Reading(value, Source::measured); });
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("an error stays one line and harmless, whatever name it quotes") {
        const std::string hostile = "a\nb\r\x1b[31mred\x7f";
        for (const Error& error : {bad_input(hostile, hostile, hostile),
                                   not_possible(hostile, hostile), job_failed(hostile, hostile)})
            for (const char c : std::string(error.what()))
                CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
        // What is no UTF-8 (alone, overlong, cut off, too high) and the C1 control CSI.
        CHECK(one_line("a\xff|\xc0\xaf|\xe2\x82|\xf5|\xc2\x9b") == "a?|??|??|?|??");
        CHECK(one_line("6 µs · 3 ≤ 4 😀") == "6 µs · 3 ≤ 4 😀");
    }

    TEST_CASE("an error quotes the start of what is long") {
        const std::string text =
            bad_input("file", "a name", "'" + std::string(100'000, 'x')).what();
        CHECK(text.starts_with("file: expected a name, found 'xxx"));
        CHECK(text.ends_with("x..."));
        CHECK(text.size() < 1000);
        std::string accents;
        while (accents.size() < 2000) accents += "é";
        for (const char* shift : {"", "x"}) {
            const std::string clipped = bad_input("f", "a", shift + accents).what();
            CHECK(one_line(clipped) == clipped);
            CHECK(clipped.find('?') == std::string::npos);
        }
    }
}
