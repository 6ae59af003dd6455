// From executions to rows: warm-up, steps, passes of one layer, reorders, what is told beside.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "collectors/import/byte_stream.hpp"
#include "collectors/import/verbose_layer.hpp"
#include "collectors/import/verbose_log.hpp"
#include "collectors/import/verbose_run.hpp"
#include "collectors/import/warm_up.hpp"
#include "ridge/error.hpp"
#include "ridge/layer.hpp"
#include "ridge/run_store.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

VerboseLog read_text(const std::string& text) {
    const auto bytes = bytes_in_memory({text.data(), text.size()}, "log");
    return read_verbose_log(*bytes);
}

VerboseRunOptions named(const std::string& name) {
    VerboseRunOptions options;
    options.name = name;
    options.machine = "m";
    return options;
}

VerboseRun run_of(const std::string& text) {
    return make_run(read_text(text), named("test"), "log");
}

std::string execution(const std::string& kind, const std::string& pass, const std::string& problem,
                      double ms, const std::string& auxiliary = "") {
    return fmt::format(
        "onednn_verbose,exec,cpu,{},jit:avx2,{},src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
        "bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,{},{},{:g}\n",
        kind, pass, auxiliary, problem, ms);
}

const std::string conv_a = "mb8_ic16oc32_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1";
const std::string conv_b = "mb8_ic32oc32_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1";

/// One step: two different convolutions, then twice the second, and their backward passes in the
/// opposite order.
std::string step(double scale) {
    std::string text;
    text += execution("convolution", "forward_training", conv_a, 1 * scale);
    text += execution("convolution", "forward_training", conv_b, 2 * scale);
    text += execution("convolution", "forward_training", conv_b, 3 * scale);
    text += execution("convolution", "backward_data", conv_b, 4 * scale);
    text += execution("convolution", "backward_weights", conv_b, 5 * scale);
    text += execution("convolution", "backward_data", conv_b, 6 * scale);
    text += execution("convolution", "backward_weights", conv_b, 7 * scale);
    text += execution("convolution", "backward_weights", conv_a, 8 * scale);
    return text;
}

std::map<std::string, double> times_ms(const VerboseRun& run) {
    std::map<std::string, double> result;
    for (const auto& row : run.rows) {
        std::string name = row.row.key.layer + " " + std::string(to_string(row.row.key.pass));
        if (!row.row.key.part.empty()) name += " " + row.row.key.part;
        result[name] = row.row.time.time.value() * 1e3;
    }
    return result;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("warm-up ends where the times become steady") {
        const auto warm_up = [](std::vector<double> times) { return warm_up_of(times); };
        CHECK(warm_up({50, 48, 12, 11, 11, 12, 11}) == 2);
        CHECK(warm_up({0.988037, 0.1521, 0.12793}) == 1);
        CHECK(warm_up({1, 1, 1, 1}) == 0);
        CHECK(warm_up({1}) == 0);
        CHECK(warm_up({}) == 0);
        // Never more than half: a series that falls on is not all warm-up.
        CHECK(warm_up({64, 32, 16, 8, 4, 2}) == 3);
        CHECK(median_of({3, 1, 2}) == 2);
        CHECK(median_of({4, 1, 2, 3}) == 2.5);
    }

    TEST_CASE("the step is found behind what happens once and around what happens between") {
        std::vector<std::uint32_t> sequence{90, 91};
        for (int i = 0; i < 10; ++i) {
            for (const std::uint32_t id : {1u, 2u, 2u, 3u, 1u, 4u}) sequence.push_back(id);
            if (i == 5) sequence.insert(sequence.end(), {1, 2, 95});  // an evaluation, cut short
        }
        const Repetition found = find_repetition(sequence);
        CHECK(found.length == 6);
        REQUIRE(found.starts.size() == 10);
        CHECK(found.starts[0] == 2);
        CHECK(found.starts[6] == 2 + 6 * 6 + 3);
        const std::vector<std::uint32_t> equal{7, 7, 7, 7};
        CHECK(find_repetition(equal).length == 1);
        const std::vector<std::uint32_t> different{1, 2, 3, 4, 1, 9, 2, 8};
        CHECK(find_repetition(different).starts.empty());
        CHECK(find_repetition({}).starts.empty());
    }

    TEST_CASE("steps become rows; backward passes join the layers in the opposite order") {
        const VerboseRun run = run_of(step(10) + step(1) + step(1) + step(1));
        CHECK(run.steps == 4);
        CHECK(run.step_executions == 8);
        CHECK(run.warm_up_steps == 1);
        CHECK(run.outside == 0);
        const std::map<std::string, double> expected{
            {"conv1 forward", 1},          {"conv2 forward", 2},
            {"conv3 forward", 3},          {"conv3 backward_data", 4},
            {"conv3 backward_weights", 5}, {"conv2 backward_data", 6},
            {"conv2 backward_weights", 7}, {"conv1 backward_weights", 8}};
        const auto found = times_ms(run);
        REQUIRE(found.size() == expected.size());
        for (const auto& [name, time] : expected) {
            INFO(name);
            REQUIRE(found.contains(name));
            CHECK(found.at(name) == doctest::Approx(time));
        }
        CHECK(run.info.batch == 8);
        CHECK(run.info.state == CacheState::in_step);
        CHECK(run.rows[0].row.time.samples == 4);
        CHECK(run.rows[0].row.time.upper_bound);
        CHECK(run.rows[0].row.first_call->value() == doctest::Approx(10e-3));
    }

    TEST_CASE("reorders belong to the primitive whose tensor they make or take") {
        const std::string text = execution("reorder", "undef", "8x16x8x8", 0.5) +
                                 execution("reorder", "undef", "32x16x3x3", 0.25) +
                                 execution("convolution", "forward_training", conv_a, 1) +
                                 execution("reorder", "undef", "8x32x8x8", 0.125) +
                                 execution("reorder", "undef", "5x5", 0.0625);
        const auto found = times_ms(run_of(text));
        CHECK(found.at("conv1 forward reorder src") == 0.5);
        CHECK(found.at("conv1 forward reorder wei") == 0.25);
        CHECK(found.at("conv1 forward reorder dst") == 0.125);
        CHECK(found.at("reorder1 forward") == 0.0625);
    }

    TEST_CASE("creation is its own column, nested ones count once, hits are a share") {
        const std::string body =
            ",cpu,convolution,jit:avx2,forward_training,src_f32::blocked:abcd:f0 "
            "wei_f32::blocked:abcd:f0 bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,," +
            conv_a + ",";
        const VerboseLog log = read_text("onednn_verbose,create:cache_miss" + body + "60.292\n" +
                                         "onednn_verbose,create_nested:cache_miss" + body +
                                         "60.174\nonednn_verbose,create:cache_hit" + body +
                                         "0.0625\nonednn_verbose,create:cache_hit" + body +
                                         "0.0625\nonednn_verbose,exec" + body + "0.5\n");
        CHECK(log.create_ms == doctest::Approx(60.417));
        CHECK(log.exec_ms == 0.5);
        CHECK(log.cache_hits == 2);
        CHECK(log.cache_misses == 1);
        CHECK(log.creations == 4);
        const VerboseRun run = make_run(log, named("x"), "log");
        CHECK(run.rows[0].row.creation->value() == doctest::Approx(60.292e-3));
    }

    TEST_CASE("a time of one clock step has an error of a microsecond") {
        const VerboseRun run = run_of(execution("eltwise", "forward_training", "2x3x4x5",
                                                0.000976562, "alg:eltwise_relu alpha:0 beta:0"));
        CHECK(run.rows[0].row.time.time.value() == doctest::Approx(0.976562e-6));
        CHECK(run.rows[0].row.time.spread.value() == 1e-6);
    }

    TEST_CASE("kinds become layers that read back; what has no layer keeps its time") {
        struct Case {
            const char *kind, *pass, *problem, *auxiliary, *line;
        };
        const std::vector<Case> cases{
            {"convolution", "forward_training",
             "mb2_ic17oc23_ih13oh12kh3sh1dh0ph0_iw13ow12kw3sw1dw0pw0", "alg:convolution_direct",
             "conv:mb2ic17oc23ih13oh12kh3ph0,bias=0,asymmetric=1"},
            {"inner_product", "forward_inference", "mb1ic256ih6iw6oc4096", "",
             "ip:mb1ic256ih6oc4096,bias=0"},
            {"matmul", "undef", "1x12800x128:1x128x64", "", "matmul:12800x128:128x64"},
            {"matmul", "undef", "16x384x64:16x64x384", "", "matmul:16x384x64:16x64x384"},
            {"matmul", "undef", "b8m4n2k3", "", "matmul:8x4x3:8x3x2"},
            {"pooling", "forward_training", "mb1ic64_ih112oh56kh3sh2ph1_iw112ow56kw3sw2pw1",
             "alg:pooling_max", "pool:mb1ic64ih112oh56kh3sh2ph1"},
            {"batch_normalization", "backward", "mb32ic64ih56iw56", "flags:CHR",
             "bnorm:mb32ic64ih56"},
            {"eltwise", "backward_data", "32x64x56x56", "alg:eltwise_relu alpha:0 beta:0",
             "eltwise:mb32ic64ih56"},
            {"eltwise", "forward_training", "32x64", "alg:eltwise_gelu_tanh alpha:0 beta:0",
             "other:mb32ic64,op=eltwise_gelu_tanh"},
            {"softmax", "forward_inference", "2x3x128x1000", "alg:softmax_accurate axis:3",
             "softmax:mb768ic1000"},
            {"layer_normalization", "forward_training", "512x768", "flags:CH",
             "other:mb512ic768,op=layer_normalization"},
            {"convolution", "forward_training",
             "mb1_ic2oc4_id3od3kd3sd1dd0pd1_ih4oh4kh3sh1dh0ph1_iw4ow4kw3sw1dw0pw1", "",
             "other:mb1ic2ih12iw4oc4,op=convolution"},
            {"concat", "undef", "1x64x7x7:1x32x7x7 1x96x7x7", "axis:1",
             "concat:mb1ih7,inputs=64+32"},
        };
        for (const Case& one : cases) {
            INFO(one.kind << " " << one.problem);
            const VerboseRun run =
                run_of(execution(one.kind, one.pass, one.problem, 0.5, one.auxiliary));
            REQUIRE(run.rows.size() == 1);
            CHECK(run.rows[0].row.problem == one.line);
            CHECK(to_line(parse_layer(run.rows[0].row.problem)) == one.line);
        }
        const VerboseRun rnn = run_of(execution("rnn", "forward_training", "l2t2mb1sic2", 33.675));
        CHECK(rnn.rows[0].row.time.time.value() == doctest::Approx(33.675e-3));
        CHECK(rnn.notes.back().starts_with("time only: "));
    }

    TEST_CASE("the math mode decides the compute type, the tensors the bytes") {
        VerboseRecord record;
        record.implementation = "brgconv:avx512_core";
        record.tensors = "src_f32::blocked:acdb::f0 wei_f32::blocked:abcd::f0";
        CHECK(compute_type(record) == DataType::f32);
        record.attributes = "attr-scratchpad:user attr-fpmath:bf16";
        CHECK(compute_type(record) == DataType::bf16);
        CHECK(storage_type(record) == DataType::f32);
        record.attributes.clear();
        record.implementation = "jit:avx512_core_amx_bf16";
        CHECK(compute_type(record) == DataType::bf16);
        record.tensors = "src:f16::blocked:ab::f0 wei:s8::blocked:ba::f0";
        record.implementation = "jit:gemm:any";
        CHECK(compute_type(record) == DataType::s8);
        CHECK(formats_of(record) == "src:ab wei:ba");
        record.tensors = "fsrc:nChw16c fwei:gOIhw8i8o fbia:undef fdst:nchw";
        CHECK(formats_of(record) == "src:aBcd16b wei:aBCde8c8b dst:abcd");
    }

    TEST_CASE("nothing executed is an error that helps") {
        for (const auto& [text, word] : std::map<std::string, std::string>{
                 {"no such lines\n", "ONEDNN_VERBOSE=1"},
                 {"onednn_verbose,v1,primitive,create:cache_miss,cpu,convolution\n", "executed"},
                 {"onednn_verbose,v1,graph,exec,gpu,1,x,0.5\n", "oneDNN Graph"}}) {
            try {
                require_executions(read_text(text), "a.log");
                FAIL("no error");
            } catch (const Error& error) {
                CHECK(error.code() == ExitCode::bad_input);
                CHECK(std::string(error.what()).starts_with("a.log: expected"));
                CHECK(std::string(error.what()).find(word) != std::string::npos);
            }
        }
    }

    TEST_CASE("an imported run goes into a store and comes back") {
        const VerboseRun run = run_of(
            "onednn_verbose,info,oneDNN v2.6.3 (commit x)\n"
            "onednn_verbose,info,cpu,runtime:OpenMP,nthr:4\n" +
            step(1) + step(1));
        const TemporaryFolder folder;
        RunStore store(folder.file("runs.db"));
        const auto id = store.import_run(run_document(run), "log");
        const Run stored = store.load_run(id);
        CHECK(stored.info.threads == 4);
        CHECK(stored.info.environment.library_version == "2.6.3");
        REQUIRE(stored.rows.size() == 8);
        CHECK(stored.rows[2].key.layer == "conv3");
        CHECK(stored.rows[2].time.time.value() == doctest::Approx(3e-3));
        CHECK(store.samples(id, stored.rows[2].key).size() == 2);
        CHECK(store.check().empty());
    }
}

}  // namespace ridge::test
