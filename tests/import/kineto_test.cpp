// PyTorch traces: durations that cannot be, kernels to operators, forward and backward.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>

#include "collectors/import/kineto_run.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"
#include "ridge/run_store.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

std::string event(const std::string& category, const std::string& name, double ts, double dur,
                  const std::string& args, int tid = 1) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)"
        "\n",
        category, name, tid, ts, dur, args);
}

std::string trace_of(const std::string& events) {
    return R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA X"}],"traceEvents":[)"
           "\n" +
           events + R"({"ph":"f","cat":"ac2g"}]})";
}

KinetoRun run_of(const std::string& text) {
    KinetoOptions options;
    options.name = "trace";
    return make_run(read_kineto(text, "trace.json"), options, "trace.json");
}

const std::string conv_args =
    R"("External id":5,"Sequence number":9,"Input Dims":[[8,3,32,32],[16,3,3,3],[16],[],[],[],[]],)"
    R"("Concrete Inputs":["","","","[2, 2]","[1, 1]","[1, 1]","1"])";

/// One convolution forward in five kernels, one backward in two, an optimizer.
std::string training() {
    std::string text;
    text += event("cpu_op", "aten::conv2d", 0, 100, conv_args);
    text += event("cpu_op", "aten::cudnn_convolution", 10, 50, R"("External id":6)");
    const double times[] = {8.832, 47.167, 2.208, 449.369, 8.928};
    double start = 1000;
    for (int i = 0; i < 5; ++i) {
        text += event("cuda_runtime", "cudaLaunchKernel", 20 + i, 1,
                      fmt::format(R"("External id":6,"correlation":{})", 100 + i));
        text += event("kernel", fmt::format("k{}", i), start, times[i],
                      fmt::format(R"("correlation":{})", 100 + i), 7);
        start += times[i] + 1;
    }
    text += event("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", 200, 90,
                  R"("External id":7,"Sequence number":9,"Fwd thread id":1)", 2);
    text += event("cpu_op", "aten::convolution_backward", 210, 70, R"("External id":8)", 2);
    text += event("kernel", "cudnn_dgrad", 3000, 60, R"("External id":8,"correlation":200)", 7);
    text += event("kernel", "cudnn_wgrad", 3100, 40, R"("External id":8,"correlation":201)", 7);
    text += event("cpu_op", "Optimizer.step#SGD.step", 400, 20, R"("External id":20)");
    text += event("cpu_op", "aten::add_", 401, 10, R"("External id":21)");
    text += event("kernel", "sgd", 4000, 5, R"("External id":21,"correlation":300)", 7);
    text += event("kernel", "lost", 5000, 3, R"("correlation":999)", 7);
    return text;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("kernels go to the layer once, forward and backward, helpers apart") {
        const KinetoRun run = run_of(trace_of(training()));
        std::map<std::string, const KinetoRow*> rows;
        for (const auto& row : run.rows)
            rows[row.row.problem + " " + std::string(to_string(row.row.key.pass))] = &row;
        const std::string conv = "conv:mb8ic3oc16ih32oh16kh3sh2ph1 ";
        REQUIRE(rows.contains(conv + "forward"));
        const KinetoRow& forward = *rows.at(conv + "forward");
        CHECK(forward.kernels == 5);
        CHECK(forward.total_ms == doctest::Approx(0.516504));
        CHECK(forward.helper_ms / forward.total_ms == doctest::Approx(0.13).epsilon(0.01));
        CHECK(rows.at(conv + "backward_data")->total_ms == doctest::Approx(0.060));
        CHECK(rows.at(conv + "backward_weights")->total_ms == doctest::Approx(0.040));
        CHECK(run.unattributed_ms == doctest::Approx(0.003));
        const bool update = std::any_of(run.rows.begin(), run.rows.end(), [](const KinetoRow& row) {
            return row.row.key.pass == Pass::update && row.total_ms == doctest::Approx(0.005);
        });
        CHECK(update);
        CHECK(run.info.environment.cpu_model == "NVIDIA X");
    }

    TEST_CASE("durations that cannot be are dropped, counted and told") {
        const auto kernel = [](double ts, double dur) {
            return event("kernel", "k", ts, dur, R"("External id":1)", 7);
        };
        const std::string op = event("cpu_op", "aten::x", 0, 50, R"("External id":1)");
        const KinetoTrace overlap =
            read_kineto(trace_of(op + kernel(0, 3'400'000) + kernel(10, 5)), "t");
        CHECK(overlap.kernels.size() == 1);
        CHECK(overlap.impossible == 1);
        const KinetoTrace rounded = read_kineto(trace_of(op + kernel(100.7, 0.2)), "t");
        REQUIRE(rounded.kernels.size() == 1);
        CHECK(rounded.kernels[0].dur_us == 0.2);
        const KinetoTrace bad = read_kineto(
            trace_of(op + kernel(20, -1) + kernel(30, 9.2e18) + kernel(-5, 1) + kernel(40, 2)),
            "t");
        CHECK(bad.kernels.size() == 1);
        CHECK(bad.impossible == 3);
        const KinetoRun run = run_of(trace_of(op + kernel(20, 9e18) + kernel(40, 10)));
        REQUIRE(!run.notes.empty());
        CHECK(run.notes[0].starts_with("impossible: 1 device events"));
        CHECK(run.notes[0].find("% of the device time") != std::string::npos);
    }

    TEST_CASE("kernels of CUDA graphs are told apart by order") {
        std::string text = event("cuda_runtime", "cudaGraphLaunch", 0, 5, R"("correlation":50)");
        for (int i = 0; i < 3; ++i)
            text += event("kernel", "gemm", 10 * i, 4 + i, R"("correlation":50)", 7);
        const KinetoRun run = run_of(trace_of(text));
        REQUIRE(run.rows.size() == 3);
        CHECK(run.rows[2].row.key.layer == "gemm #3");
        CHECK(run.rows[2].by_order);
        CHECK(run.notes.back().starts_with("by order"));
    }

    TEST_CASE("a trace without a device gives the times of operators") {
        const KinetoRun run =
            run_of(trace_of(event("cpu_op", "aten::linear", 0, 40,
                                  R"("External id":1,"Input Dims":[[4,7,64],[32,64],[32]])") +
                            event("cpu_op", "aten::addmm", 5, 30, R"("External id":2)") +
                            event("cpu_op", "aten::linear", 100, 20,
                                  R"("External id":3,"Input Dims":[[4,7,64],[32,64],[32]])")));
        REQUIRE(run.rows.size() == 1);
        CHECK(run.rows[0].row.problem == "ip:mb28ic64oc32");
        CHECK(run.rows[0].runs == 2);
        CHECK(run.rows[0].total_ms == doctest::Approx(0.060));
    }

    TEST_CASE("damage costs the event it is in") {
        const std::string good = training();
        const std::string broken = event("cpu_op", R"(bad "quotes" in it)", 1, 2, "");
        const KinetoTrace trace = read_kineto(trace_of(broken + good), "t");
        CHECK(trace.damaged == 1);
        CHECK(trace.kernels.size() == 9);
        const std::string whole = trace_of(good);
        const KinetoTrace cut = read_kineto(whole.substr(0, whole.find("lost")), "t");
        CHECK(cut.cut);
        CHECK(cut.kernels.size() == 8);
        // Behind the damaged event no other one begins.
        CHECK(read_kineto(R"({"traceEvents":[{"ph":"X" "name" "ph":1, "ph":2]})", "t").damaged ==
              1);
        CHECK_THROWS_AS((void)read_kineto("{}", "t"), Error);
        CHECK_THROWS_AS((void)run_of(trace_of("")), Error);
    }

    TEST_CASE("a mutated trace is a run or an error, and a store takes every run") {
        const std::string good = trace_of(training());
        const TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        std::mt19937_64 random(3);
        int runs = 0;
        for (int round = 0; round < 400; ++round) {
            std::string text = good;
            for (int n = 0; n < 3; ++n)
                text[random() % text.size()] = "\"{}[],:-0e9\\x"[random() % 13];
            try {
                const KinetoRun run = run_of(text);
                std::vector<const ImportedRow*> rows;
                for (const auto& row : run.rows) rows.push_back(&row);
                (void)store.import_run(run_document(run.info, rows), "t");
                ++runs;
            } catch (const Error& error) {
                CHECK(error.code() == ExitCode::bad_input);
            }
        }
        CHECK(runs > 350);
    }
}

}  // namespace ridge::test
