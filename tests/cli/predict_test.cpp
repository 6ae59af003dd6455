// ridge predict, calibrate and validate as a user meets them. Measured times are made up by a law
// that the tests know, so that no clock decides.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "ridge/layer.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

const char* header =
    "network,batch,threads,state,count,pass,part,problem,implementation,time_us,spread,quiet,"
    "samples,upper_bound,fma512,fma256,fma_narrow,vector512,vector256,vector_narrow,divisions,"
    "loads,load_bytes,broadcasts,stores,store_bytes,non_temporal_bytes,instructions,calls,"
    "sse_transitions,chained,l2_read_bytes,l2_written_bytes,l3_read_bytes,l3_written_bytes,busiest,"
    "reuse_bytes\n";

/// Convolutions at 80 GFLOP/s plus 5 us, ReLU at 20 GB/s plus 1 us, in three networks of their own
/// shapes and three batches.
std::string made_up_reference() {
    std::string text = "# machine: xeon-platinum-8180\n# library: made up\n";
    text += header;
    int shape = 0;
    for (const char* network : {"a", "b", "c"})
        for (int i = 0; i < 6; ++i, ++shape)
            for (const int batch : {2, 4, 8}) {
                const std::string image = std::to_string(7 + 3 * shape);
                const std::string batch_text = std::to_string(batch);
                const std::string conv =
                    "conv:mb" + batch_text + "ic64ih" + image + "oc64oh" + image + "kh3ph1";
                const std::string relu = "eltwise:mb" + batch_text + "ic64ih" + image;
                const auto add = [&](const std::string& problem, double time_s) {
                    text += std::string(network) + "," + batch_text + ",1,warm,1,forward,," +
                            problem + ",made up," + std::to_string(time_s * 1e6) + ",-1,9,9,0\n";
                };
                const Layer layer = parse_layer(conv);
                add(conv, useful_flops(layer, Pass::forward).value() / 80e9 + 5e-6);
                add(relu, footprint(parse_layer(relu), Pass::forward).value() / 20e9 + 1e-6);
            }
    return text;
}

std::string write(const TemporaryFolder& folder, const char* name, const std::string& text) {
    const std::string path = folder.file(name);
    std::ofstream(path) << text;
    return path;
}

nlohmann::json parsed(const Outcome& outcome) {
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    return nlohmann::json::parse(outcome.out);
}

std::vector<std::string> predicting(std::vector<std::string> rest) {
    rest.insert(rest.begin(), {"predict"});
    rest.insert(rest.end(), {"--machine", "xeon-platinum-8180", "--calibration", "generic"});
    return rest;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("predict: every row of a step, summing up to the step") {
        const auto json =
            parsed(run_ridge(predicting({"alexnet", "--batch", "8", "--threads", "1", "--json"})));
        double sum = 0;
        for (const auto& row : json["rows"]) {
            const auto& p = row["prediction"];
            sum += p["time_s"].get<double>();
            double parts = 0;
            for (const auto& term : p["terms"]) parts += term["contribution_s"].get<double>();
            CHECK(parts == doctest::Approx(p["time_s"].get<double>()));
            CHECK(p["low_s"].get<double>() <= p["time_s"].get<double>());
            CHECK(p["high_s"].get<double>() >= p["time_s"].get<double>());
        }
        CHECK(sum == doctest::Approx(json["time_s"].get<double>()));
        CHECK(json["batch"] == 8);
    }

    TEST_CASE("predict: what-if moves what depends on it, sweeps list every configuration") {
        const auto time = [](std::vector<std::string> more) {
            more.insert(more.begin(),
                        {"conv:mb16ic256ih14oc256oh14kh3ph1", "--threads", "1", "--json"});
            return parsed(run_ridge(predicting(more)))["time_s"].get<double>();
        };
        const double plain = time({});
        CHECK(time({"--set", "compute=2x"}) < 0.75 * plain);
        CHECK(time({"--set", "dram.bandwidth=2x"}) > 0.8 * plain);
        const auto sweep = parsed(
            run_ridge(predicting({"alexnet", "--batch", "1..4", "--threads", "1,2", "--json"})));
        REQUIRE(sweep.size() == 8);
        CHECK(sweep[0]["time_s"].get<double>() < sweep[3]["time_s"].get<double>());
        CHECK(sweep[7]["time_s"].get<double>() < sweep[3]["time_s"].get<double>());
    }

    TEST_CASE("predict: other machines than the calibrated one are named") {
        const auto outcome = run_ridge(predicting({"alexnet", "--threads", "1"}));
        REQUIRE(outcome.exit_code == 0);
        CHECK(outcome.out.find("on xeon-platinum-8180") != std::string::npos);
        CHECK(outcome.out.find("! constants of") != std::string::npos);
    }

    TEST_CASE("predict: bad input is one line and exit code 2") {
        for (const auto& wrong :
             std::vector<std::vector<std::string>>{{"no-such-network"},
                                                   {"alexnet", "--batch", "4..1"},
                                                   {"alexnet", "--batch", "x"},
                                                   {"alexnet", "--threads", "9999"},
                                                   {"alexnet", "--state", "lukewarm"},
                                                   {"alexnet", "--demand", "guessed"},
                                                   {"alexnet", "--set", "dram=2x"}}) {
            const auto outcome = run_ridge(predicting(wrong));
            CHECK(outcome.exit_code == 2);
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
    }

    TEST_CASE("calibrate --from: predictions follow the measurements they are given") {
        TemporaryFolder folder;
        const std::string reference = write(folder, "r.csv", made_up_reference());
        const std::string calibration = folder.file("c.yaml");
        const auto made =
            run_ridge({"calibrate", "--from", reference, "--machine", "xeon-platinum-8180",
                       "--demand", "analytic", "--output", calibration});
        REQUIRE_MESSAGE(made.exit_code == 0, made.err);
        const auto json = parsed(
            run_ridge({"predict", "conv:mb4ic64ih30oc64oh30kh3ph1", "--threads", "1", "--machine",
                       "xeon-platinum-8180", "--calibration", calibration, "--json"}));
        const Layer layer = parse_layer("conv:mb4ic64ih30oc64oh30kh3ph1");
        const double law = useful_flops(layer, Pass::forward).value() / 80e9 + 5e-6;
        CHECK(json["rows"][0]["prediction"]["time_s"].get<double>() ==
              doctest::Approx(law).epsilon(0.1));
    }

    TEST_CASE("validate: held-out rows of a known law, and exit code 1 above a limit") {
        TemporaryFolder folder;
        const std::string reference = write(folder, "r.csv", made_up_reference());
        const std::vector<std::string> common{
            "validate", "--reference", reference, "--machine",    "xeon-platinum-8180",
            "--demand", "analytic",    "--split", "network,batch"};
        auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), common.begin(), common.end());
            return run_ridge(more);
        };
        const auto json = parsed(with({"--json"}));
        REQUIRE(json["splits"].size() == 2);
        CHECK(json["splits"][0]["cases"].size() == 3 * 6 * 3 * 2);
        CHECK(json["splits"][1]["cases"].size() == 3 * 6 * 2 * 2);
        double error = 0, n = 0;
        for (const auto& c : json["splits"][0]["cases"]) {
            if (c["kernel_class"] != "conv direct forward") continue;
            error += std::abs(c["predicted_s"].get<double>() / c["measured_s"].get<double>() - 1);
            ++n;
        }
        CHECK(error / n < 0.1);
        CHECK(with({"--fail-above", "0.9"}).exit_code == 0);
        const auto failed = with({"--fail-above", "1e-9"});
        CHECK(failed.exit_code == 1);
        CHECK(failed.err.find("more than") != std::string::npos);
        const std::string document = write(folder, "d.md", "# Title\n");
        REQUIRE(with({"--write-docs", document}).exit_code == 0);
        REQUIRE(with({"--write-docs", document}).exit_code == 0);
        std::ifstream in(document);
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        CHECK(text.find("# Title") == 0);
        CHECK(text.find("Network never measured") != std::string::npos);
        CHECK(text.find("ridge validate: begin") == text.rfind("ridge validate: begin"));
    }

    TEST_CASE("validate: bad input") {
        TemporaryFolder folder;
        CHECK(run_ridge({"validate", "--reference", folder.file("none.csv")}).exit_code == 2);
        CHECK(run_ridge({"validate", "--reference", write(folder, "e.csv", "# nothing\n")})
                  .exit_code == 2);
        const std::string reference = write(folder, "r.csv", made_up_reference());
        CHECK(run_ridge({"validate", "--reference", reference, "--machine", "xeon-platinum-8180",
                         "--split", "luck"})
                  .exit_code == 2);
    }
}

}  // namespace ridge::test
