#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_ridge.hpp"

using nlohmann::json;
using ridge::test::run_program;
using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

std::string small_log() {
    const std::string conv =
        ",cpu,convolution,jit:avx2,forward_training,src_f32::blocked:aBcd8b:f0 "
        "wei_f32::blocked:ABcd8b8a:f0 bia_undef::undef::f0 dst_f32::blocked:aBcd8b:f0,,"
        "alg:convolution_direct,mb8_ic16oc32_ih28oh28kh3sh1dh0ph1_iw28ow28kw3sw1dw0pw1,";
    const std::string pool =
        ",cpu,pooling,ref:any,forward_training,src_f32::blocked:aBcd8b:f0 "
        "dst_f32::blocked:aBcd8b:f0 ws_u8::blocked:aBcd8b:f0,,alg:pooling_max,"
        "mb8ic32_ih28oh14kh2sh2ph0_iw28ow14kw2sw2pw0,";
    std::string text =
        "onednn_verbose,info,oneDNN v2.6.3 (commit x)\n"
        "onednn_verbose,info,cpu,runtime:OpenMP,nthr:1\n"
        "onednn_verbose,create:cache_miss" +
        conv + "3.5\nepoch 1\n";
    for (int i = 0; i < 4; ++i)
        text += "onednn_verbose,exec" + conv + (i == 0 ? "90.5" : "9.25") +
                "\nonednn_verbose,exec" + pool + (i == 0 ? "2.5" : "1.75") + "\n";
    return text;
}

bool has(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("a log becomes a run that explain, plot and report take") {
        const TemporaryFolder folder;
        const std::string log = folder.file("train.log"), store = folder.file("runs.db");
        std::ofstream(log) << small_log();
        const std::vector<std::string> home{"XDG_DATA_HOME=" + folder.path()};
        const std::string machine = "xeon-8280";

        const auto text = run_ridge({"import", "verbose", log, "--store", store}, home);
        INFO(text.err);
        CHECK(text.exit_code == 0);
        for (const char* word : {"train.log", "8 executions", "1 creations", "oneDNN 2.6.3",
                                 "2 executions, 4 times, the first 1 are warm-up", "conv1", "pool1",
                                 "Stored as run 1"})
            CHECK_MESSAGE(has(text.out, word), word);

        const auto counts =
            json::parse(run_ridge({"import", "verbose", log, "--dry-run", "--json"}, home).out);
        CHECK(counts["id"].is_null());
        CHECK(counts["counts"]["executions_timed"] == 8);
        CHECK(counts["counts"]["noise"] == 1);
        CHECK(counts["counts"]["reference_kernel_s"].get<double>() == doctest::Approx(7.75e-3));
        CHECK(counts["rows"][0]["warm_up"] == 1);
        CHECK(counts["rows"][0]["time_s"].get<double>() == doctest::Approx(9.25e-3));

        const auto machines = json::parse(run_ridge({"machine", "list", "--json"}, home).out);
        REQUIRE(!machines.empty());
        const std::string known = machines[0]["name"];
        const auto explained = run_ridge(
            {"explain", "--run", "1", "--store", store, "--machine", known, "--json"}, home);
        INFO(explained.err);
        CHECK(explained.exit_code == 0);
        const auto analysis = json::parse(explained.out);
        REQUIRE(analysis["rows"].size() == 2);
        CHECK(has(analysis.dump(), "reference kernel"));

        // Predicted beside what the log measured; a machine of fewer cores than the run had
        // threads.
        const auto predicted = run_ridge({"predict", "--run", "1", "--store", store, "--machine",
                                          "xeon-platinum-8180", "--json"},
                                         home);
        INFO(predicted.err);
        REQUIRE(predicted.exit_code == 0);
        const auto step = json::parse(predicted.out);
        REQUIRE(step["rows"].size() == 2);
        CHECK(step["threads"] == 1);
        CHECK(step["rows"][0]["measured_s"].get<double>() == doctest::Approx(9.25e-3));
        CHECK(step["rows"][0]["prediction"]["time_s"].get<double>() > 0);
        const auto larger = run_ridge({"predict", "--run", "1", "--store", store, "--machine",
                                       "xeon-platinum-8180", "--batch", "16", "--json"},
                                      home);
        CHECK(json::parse(larger.out)["time_s"].get<double>() > 1.5 * step["time_s"].get<double>());
        CHECK(run_ridge({"predict", "alexnet", "--run", "1", "--store", store}, home).exit_code ==
              2);
        CHECK(run_ridge({"predict"}, home).exit_code == 2);

        const std::string figure = folder.file("roofline.svg"), page = folder.file("r.html");
        CHECK(run_ridge({"plot", "roofline", "--run", "1", "--store", store, "--machine", known,
                         "--output", figure},
                        home)
                  .exit_code == 0);
        CHECK(run_ridge(
                  {"report", "--run", "1", "--store", store, "--machine", known, "--output", page},
                  home)
                  .exit_code == 0);
        std::ifstream stream(page);
        const std::string html{std::istreambuf_iterator<char>(stream), {}};
        CHECK(has(html, "conv1"));
    }

    TEST_CASE("a log through a pipe, and without a machine") {
        const TemporaryFolder folder;
        const std::string log = folder.file("train.log"), store = folder.file("runs.db");
        std::ofstream(log) << small_log();
        const std::vector<std::string> home{"XDG_DATA_HOME=" + folder.path()};
        const auto piped = run_program(
            {"sh", "-c", "gzip -c \"$0\" | \"$RIDGE_BINARY\" import verbose - --store \"$1\"", log,
             store},
            home);
        INFO(piped.err);
        CHECK(piped.exit_code == 0);
        CHECK(has(piped.out, "standard input"));
        const auto refused = run_ridge({"explain", "--run", "1", "--store", store}, home);
        CHECK(refused.exit_code == 2);
        CHECK(has(refused.err, "--machine FILE"));
    }

    TEST_CASE("what is no log is one line") {
        const TemporaryFolder folder;
        const std::string log = folder.file("x.log"), store = folder.file("runs.db");
        std::ofstream(log) << "epoch 1\n";
        for (const std::string& file : {log, folder.file("none.log"), folder.path()}) {
            const auto outcome = run_ridge({"import", "verbose", file, "--store", store});
            INFO(outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(has(outcome.err, file));
            CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
        }
    }
}
