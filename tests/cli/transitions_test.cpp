// SSE/AVX transitions from the traced kernel to the verdict.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ridge/tracer.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using nlohmann::json;

std::string text_of(double seconds) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << seconds;
    return text.str();
}

/// The shipped machine with a cost of one transition.
std::string machine_with_cost(const TemporaryFolder& folder, const std::string& seconds) {
    std::ifstream shipped(std::string(std::getenv("RIDGE_SHARE_DIR")) +
                          "/machines/xeon-platinum-8180.yaml");
    std::ostringstream text;
    text << shipped.rdbuf();
    std::string yaml = text.str();
    const std::string name = "name: \"xeon-platinum-8180\"";
    yaml.replace(yaml.find(name), name.size(), "name: \"costly-" + seconds + "\"");
    std::string file = folder.file("costly-" + seconds + ".yaml");
    std::ofstream(file) << yaml << "\noverheads:\n  sse_transition_s: {value: " << seconds
                        << ", source: given, note: \"an example\"}\n";
    return file;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE(
        "maximum pooling is bound by its SSE/AVX transitions where they cost, and only there" *
        doctest::skip(!tracer_unavailable().empty())) {
        const TemporaryFolder folder;
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        const std::string store = folder.file("runs.db");
        const auto collected =
            run_ridge({"collect", "pool:mb1ic64ih112oh56kh3sh2ph1", "--threads", "1", "--budget",
                       "0.5", "--store", store, "--machine", "xeon-platinum-8180", "--counters",
                       "traced", "--passes", "forward", "--json"},
                      environment);
        REQUIRE_MESSAGE(collected.exit_code == 0, collected.err);
        const json run = json::parse(collected.out);
        const auto pooling = [](const json& rows) -> json {
            for (const json& row : rows)
                if (row["part"] == "") return row;
            return {};
        };
        const json row = pooling(run["rows"]);
        const std::string kernel = row["implementation"];
        const std::string version = run["run"]["environment"]["library_version"];
        if (!version.starts_with("2.") || kernel.find("avx512") == std::string::npos) {
            MESSAGE("not oneDNN 2.x's AVX-512 kernel: " << kernel);
            return;
        }
        // Five moves a call in forward maximum pooling; at least a call for each row of the result.
        const double transitions = row["counters"]["sse_avx_transitions"]["value"];
        CHECK(transitions >= 56);
        const double time_s = row["time"]["time_s"];

        const auto explained = [&](double cost_s) {
            const auto outcome = run_ridge({"explain", "--json", "--store", store, "--machine",
                                            machine_with_cost(folder, text_of(cost_s))},
                                           environment);
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            return pooling(json::parse(outcome.out)["rows"]);
        };
        // One that would take longer than anything else does, and one that costs
        // next to nothing.
        const json costly = explained(3 * time_s / transitions);
        CHECK(costly["bound"] == "SSE/AVX transitions");
        CHECK(costly["verdict"].get<std::string>().starts_with("SSE/AVX transitions: "));
        const json cheap = explained(0.0005 * time_s / transitions);
        CHECK(cheap["bound"] != "SSE/AVX transitions");
    }
}

}  // namespace ridge::test
