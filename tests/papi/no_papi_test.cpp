// A build without PAPI.
#include <doctest/doctest.h>

#include "collectors/papi/software_events.hpp"
#include "ridge/counters.hpp"

using namespace ridge;

TEST_SUITE("reference") {
    TEST_CASE("a build without PAPI says what to install") {
        const auto backend = papi_backend();
        REQUIRE(std::holds_alternative<std::string>(backend));
        CHECK(std::get<std::string>(backend).find("libpapi-dev") != std::string::npos);
        CHECK(papi::SoftwareEvents().unavailable().find("libpapi-dev") != std::string::npos);
    }
}
