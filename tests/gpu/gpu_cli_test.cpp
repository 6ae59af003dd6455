// ridge predict, validate and calibrate on GPUs and made-up data sets.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ridge/machine.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using test::run_ridge;

namespace {

/// Times of a device whose every product runs at 60 % of its peak after 10 us.
void write_gemms(const std::string& folder) {
    std::filesystem::create_directories(folder + "/deepbench");
    std::ofstream out(folder + "/deepbench/deepbench_train.csv");
    out << "device,precision,op,pass,app,M,N,K,tA,tB,W,H,C,batch,Kout,R,S,pad_h,pad_w,stride_h,"
           "stride_w,P,Q,hidden,timesteps,time_ms,algo\n";
    for (const char* device : {"NV_V100", "NV_T4"})
        for (int m = 512; m <= 4096; m *= 2)
            for (int n = 512; n <= 4096; n *= 2)
                for (int k = 512; k <= 4096; k *= 2) {
                    const double peak = std::string(device) == "NV_T4" ? 8.14e12 : 15.67e12;
                    const double ms = (2.0 * m * n * k / (0.6 * peak) + 1e-5) * 1e3;
                    out << device << ",fp32,gemm,gemm,," << m << ',' << n << ',' << k
                        << ",N,N,,,,,,,,,,,,,,,," << ms << ",\n";
                }
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("predict serves GPUs: more batch takes longer, a faster board is faster") {
        const auto time_of = [](const char* machine, const char* batch) {
            const auto run = run_ridge(
                {"predict", "resnet50", "--batch", batch, "--machine", machine, "--json"});
            REQUIRE(run.exit_code == 0);
            return nlohmann::json::parse(run.out).at("time_s").get<double>();
        };
        const double small = time_of("v100_sxm2", "8"), large = time_of("v100_sxm2", "64");
        CHECK(large > 2 * small);
        CHECK(time_of("k80", "64") > large);
        CHECK(time_of("h100_sxm", "64") < large);
    }

    TEST_CASE("predict tells the terms and what was not calibrated") {
        const auto run = run_ridge(
            {"predict", "conv:mb32ic64ih56oc64oh56kh3ph1", "--machine", "b200", "--terms"});
        CHECK(run.exit_code == 0);
        CHECK(run.out.find("b200 was not measured") != std::string::npos);
        CHECK(run.out.find("launch") != std::string::npos);
    }

    TEST_CASE("--dtype is for GPUs and knows its words") {
        CHECK(run_ridge({"predict", "alexnet", "--machine", "h100_sxm", "--dtype", "bf16"})
                  .exit_code == 0);
        CHECK(
            run_ridge({"predict", "alexnet", "--machine", "h100_sxm", "--dtype", "s8"}).exit_code ==
            2);
        CHECK(
            run_ridge({"predict", "alexnet", "--machine", "xeon-platinum-8180", "--dtype", "bf16"})
                .exit_code == 2);
    }

    TEST_CASE("validate: without data 3, an unknown set 2") {
        CHECK(run_ridge({"validate", "--dataset", "deepbench"}, {"RIDGE_DATA_DIR=/nonexistent"})
                  .exit_code == 3);
        const auto unknown = run_ridge({"validate", "--dataset", "imagenet"});
        CHECK(unknown.exit_code != 0);
    }

    TEST_CASE("validate and calibrate on made-up products: both boards are roofs with a launch") {
        test::TemporaryFolder folder;
        write_gemms(folder.path());
        const auto run =
            run_ridge({"validate", "--dataset", "deepbench", "--data", folder.path(), "--json"});
        REQUIRE(run.exit_code == 0);
        bool shape = false, device = false;
        const auto printed = nlohmann::json::parse(run.out);
        for (const auto& score : printed.at("scores")) {
            if (!score.at("device").get<std::string>().empty()) continue;
            const auto model = score.at("model").get<std::string>();
            const auto split = score.at("split").get<std::string>();
            const double mape = score.at("mape").get<double>();
            if (split == "shape" && model == "roofline, 3 constants") {
                shape = true;
                CHECK(mape < 0.02);  // this baseline is exactly how the times were made
            }
            if (split == "device" && model == "model") device = true;
            if (split == "shape" && model == "roofline") CHECK(mape > 0.3);
        }
        CHECK(shape);
        CHECK(device);
        const auto output = folder.file("c.yaml");
        CHECK(run_ridge({"calibrate", "--dataset", "deepbench", "--data", folder.path(), "--output",
                         output})
                  .exit_code == 0);
        CHECK(std::filesystem::exists(output));
    }
}
