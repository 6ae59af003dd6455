// G1: a host program or the user's environment may ask for a decimal comma; Ridgepoint's own
// numbers keep the point, written and read.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>

#include "core/json.hpp"
#include "core/yaml.hpp"
#include "ridge/format.hpp"

using namespace ridge;

namespace {

struct CommaFacet : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

/// Both locales of the process, C's and C++'s, with a comma; restored at the end.
class CommaLocale {
public:
    CommaLocale()
        : old_cpp_(std::locale::global(std::locale(std::locale(), new CommaFacet))),
          old_c_(std::setlocale(LC_ALL, nullptr)) {
        for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"})
            if (std::setlocale(LC_ALL, name)) break;
    }
    ~CommaLocale() {
        std::setlocale(LC_ALL, old_c_.c_str());
        std::locale::global(old_cpp_);
    }
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;

private:
    std::locale old_cpp_;
    std::string old_c_;
};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("G1: numbers keep their decimal point in any locale") {
        const CommaLocale comma;
        // The trap is set: a naive stream writes a comma.
        REQUIRE(fmt::format(std::locale(), "{:L}", 0.5) == "0,5");
        if (std::string(std::setlocale(LC_NUMERIC, nullptr)).starts_with("de_DE"))
            REQUIRE(std::strtod("0,5", nullptr) == 0.5);

        CHECK(format(Seconds(0.00123)) == "1.23 ms");
        CHECK(format(Bytes(1234567)) == "1.23 MB");
        CHECK(format(FlopsPerByte(0.5)) == "0.50 FLOP/B");
        CHECK(format_iec(Bytes(1536)) == "1.50 KiB");
        CHECK(format_percent(0.1234) == "12.3 %");
        CHECK(parse_bytes("1.5 GB", "x") == Bytes(1.5e9));

        CHECK(Json(0.5).dump() == "0.5");
        CHECK(json_number(1234567.25).dump() == "1234567.25");
        CHECK(JsonReader("{\"a\": 0.5}", "x").at("a").number(0, 1) == 0.5);
        const Yaml yaml = Yaml::parse("a: 1234.5\nb: 2.5e-3\nc: 1000", "x.yaml");
        CHECK(yaml.at("a").number() == 1234.5);
        CHECK(yaml.at("b").number() == 2.5e-3);
        CHECK(yaml.at("c").integer() == 1000);
    }
}
