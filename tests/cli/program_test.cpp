// What holds for `ridge` whatever the verb.

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "tests/support/run_ridge.hpp"

using ridge::test::run_ridge;

namespace {
constexpr const char* verbs[] = {"machine", "network",  "collect", "calibrate", "explain",
                                 "plot",    "predict",  "report",  "runs",      "simulate",
                                 "trace",   "validate", "import"};
}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("help names every verb and shows an example") {
        const auto outcome = run_ridge({"--help"});
        CHECK(outcome.exit_code == 0);
        for (const char* verb : verbs) CHECK(outcome.out.find(verb) != std::string::npos);
        CHECK(outcome.out.find("Example") != std::string::npos);
    }

    TEST_CASE("every verb has a help with an example, whose machines are shipped") {
        const auto machines = run_ridge({"machine", "list"}).out;
        for (const char* verb : verbs) {
            CAPTURE(verb);
            const auto outcome = run_ridge({verb, "--help"});
            CHECK(outcome.exit_code == 0);
            CHECK(outcome.out.find("xample") != std::string::npos);
            const std::regex machine("ridge .*--machine ([^ \\n]+)");
            for (std::sregex_iterator match(outcome.out.begin(), outcome.out.end(), machine), end;
                 match != end; ++match)
                CHECK_MESSAGE(((*match)[1].str().ends_with(".yaml") ||
                               machines.find((*match)[1].str()) != std::string::npos),
                              (*match)[1].str());
        }
    }

    TEST_CASE("a wrong command line is one line on stderr and exit code 2") {
        for (const auto& arguments : {std::vector<std::string>{},
                                      {"nonsense"},
                                      {"collect"},
                                      {"network", "nonsense"},
                                      {"no\nsense"},
                                      {"network", "show", "--batch", "1\n2", "alexnet"},
                                      {"network", "show", std::string(100'000, 'a')},
                                      {"report", "alexnet", "--no-such-option"},
                                      {"report", "--run", "1", "--batch", "8"},
                                      {"report", "--run", "1", "--resume"},
                                      {"collect", "alexnet", "--passes", ""},
                                      {"collect", "alexnet", "--passes", "forward,"}}) {
            const auto outcome = run_ridge(arguments);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.out.empty());
            CHECK(outcome.err.starts_with("ridge: "));
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
            CHECK(outcome.err.size() < 2000);
        }
    }

    TEST_CASE("a refused measurement leaves no store behind") {
        ridge::test::TemporaryFolder folder;
        const std::string store = folder.file("runs.db");
        for (const auto& arguments :
             {std::vector<std::string>{"collect", "vgg16", "--batch", "900000"},
              {"collect", "lenet", "--resume"},
              {"collect", "lenet", "--threads", "100000"}}) {
            auto whole = arguments;
            whole.insert(whole.end(), {"--machine", "xeon-platinum-8180", "--store", store});
            const auto outcome = run_ridge(whole);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
            CHECK_FALSE(std::filesystem::exists(store));
        }
    }

    TEST_CASE("a verb that does not exist is named") {
        for (const auto& arguments : {std::vector<std::string>{"nonsense"}, {"runs", "nonsense"}})
            CHECK(run_ridge(arguments).err.find("'nonsense'") != std::string::npos);
    }

    TEST_CASE("help that cannot be written is an error") {
        for (const char* option : {"--help", "--version"}) {
            const auto outcome = ridge::test::run_program(
                {"sh", "-c", "\"$RIDGE_BINARY\" \"$0\" > /dev/full", option});
            CHECK(outcome.exit_code == 1);
            CHECK(outcome.err.find("writ") != std::string::npos);
        }
    }
}
