// Layers in benchdnn's words: reproduction lines, problem lists.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ridge/benchdnn.hpp"
#include "ridge/error.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

std::string line_of(const std::string& layer, Pass pass) {
    return benchdnn_line(parse_layer(layer), pass).value_or("none");
}

std::string list_in(const TemporaryFolder& folder, const std::string& name,
                    const std::string& text) {
    const std::string path = folder.file(name);
    std::ofstream(path) << text;
    return path;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("each kind has the line that reproduces it") {
        CHECK(line_of("conv:mb16ic64ih56oc64oh56kh3ph1", Pass::forward) ==
              "--conv --dir=FWD_B --dt=f32 mb16ic64oc64ih56oh56kh3ph1");
        CHECK(line_of("conv:mb16ic64ih56oc64oh56kh3ph1,bias=0", Pass::backward_weights) ==
              "--conv --dir=BWD_W --dt=f32 mb16ic64oc64ih56oh56kh3ph1");
        CHECK(line_of("ip:mb32ic4096oc1000,dtype=bf16", Pass::backward_data) ==
              "--ip --dir=BWD_D --dt=bf16 mb32ic4096oc1000");
        CHECK(line_of("matmul:64x1024:1024x512", Pass::forward) ==
              "--matmul --dt=f32 64x1024:1024x512");
        // The gradient of src is diff_dst (64 x 512) times wei transposed (512 x 1024).
        CHECK(line_of("matmul:64x1024:1024x512", Pass::backward_data) ==
              "--matmul --dt=f32 64x512:512x1024");
        CHECK(line_of("matmul:8x64x32:8x32x16", Pass::backward_weights) ==
              "--matmul --dt=f32 8x32x64:8x64x16");
        CHECK(line_of("pool:mb8ic96ih55oh27kh3sh2ph0,alg=avg_np", Pass::backward) ==
              "--pool --dir=BWD_D --dt=f32 --alg=avg_np mb8ic96ih55oh27kh3sh2ph0");
        CHECK(line_of("bnorm:mb8ic64ih56", Pass::backward) ==
              "--bnorm --dir=BWD_DW --dt=f32 --flags=CH mb8ic64ih56");
        CHECK(line_of("eltwise:mb8ic64ih56,alg=tanh", Pass::forward) ==
              "--eltwise --dir=FWD_D --dt=f32 --alg=tanh 8x64x56x56");
        CHECK(line_of("softmax:mb256ic1000", Pass::forward) ==
              "--softmax --dir=FWD_D --dt=f32 --axis=1 256x1000");
        CHECK(line_of("sum:mb8ic256ih56", Pass::forward) ==
              "--sum --sdt=f32:f32 --ddt=f32 8x256x56x56");
        CHECK(line_of("concat:mb8ih28,inputs=64+32", Pass::forward) ==
              "--concat --sdt=f32 --ddt=f32 --axis=1 8x64x28x28:8x32x28x28");
        CHECK(line_of("conv:mb16ic64ih56oc64oh56kh3ph1", Pass::update) == "none");
        CHECK(line_of("dropout:mb8ic4096", Pass::forward) == "none");
        CHECK(line_of("pool:mb8ic96ih55oh27kh3sh2ph0", Pass::backward_weights) == "none");
    }

    TEST_CASE("the problem of a reproduction line reads back as the layer") {
        for (const std::string text :
             {"conv:mb16g4ic64oc32ih56iw28oh28ow28kh3kw1sh2sw1ph1pw0", "ip:mb32ic256ih6oc4096",
              "pool:mb8ic96ih55oh27kh3sh2ph0", "bnorm:mb8ic64ih56", "lrn:mb8ic96ih27ls5"}) {
            const Layer layer = parse_layer(text);
            const std::string line = *benchdnn_line(layer, Pass::forward);
            const std::string driver = line.substr(2, line.find(' ') - 2);
            CHECK(parse_layer(driver + ":" + line.substr(line.rfind(' ') + 1)) == layer);
        }
    }

    TEST_CASE("lists and batch files are networks with the passes that they ask for") {
        const TemporaryFolder folder;
        list_in(folder, "shapes", "# inner\nmb2_ic16oc16_ih7oh7kh5ph2_n\"five\"  # taps\n");
        const std::string path = list_in(folder, "conv_batch",
                                         "--reset --dt=f32,bf16 --stag=any\n--dir=FWD_B\n"
                                         "--batch=shapes\n--dir=BWD_W\n--mb=4\n--batch=shapes\n");
        CHECK(is_benchdnn_list(path));
        const Network network = read_benchdnn_list(path);
        REQUIRE(network.layers.size() == 2);
        CHECK(!network.chained);
        CHECK(network.layers[0].layer.name == "five");
        CHECK(network.layers[0].passes == std::vector{Pass::forward});
        CHECK(useful_flops(network.layers[0].layer, Pass::forward).value() == 861184);
        CHECK(network.layers[1].passes == std::vector{Pass::backward_weights});
        CHECK(network.layers[1].layer.dims.mb == 4);
        CHECK(network.description.find("--stag") != std::string::npos);
        CHECK(is_benchdnn_list(list_in(folder, "any", "# x\n--ip\nmb1ic2oc3\n")));
        CHECK(read_benchdnn_list(folder.file("any")).layers.size() == 1);
        CHECK(!is_benchdnn_list(list_in(folder, "net.yaml", "name: x\n")));
    }

    TEST_CASE("problems of three dimensions count their bytes") {
        const TemporaryFolder folder;
        const Network network = read_benchdnn_list(
            list_in(folder, "pool_volume",
                    "mb1ic256_id8od4kd2sd2pd0_ih56oh56kh1sh1ph0_iw56ow56kw1sw1pw0_n\"i3d:pool2\"\n"
                    "mb2ic3_id4kd3\nmb8ic96ih55oh27kh3sh2ph0\n"));
        REQUIRE(network.layers.size() == 3);
        const Layer& pool = network.layers[0].layer;
        CHECK(pool.kind == LayerKind::other);
        CHECK(pool.name == "i3d:pool2");
        CHECK(pool.operation == "pool_3d");
        // f32: 256 channels of 8 x 56 x 56 read, of 4 x 56 x 56 written.
        CHECK(minimum_bytes(pool, Pass::forward).value() == 4.0 * 256 * (8 + 4) * 56 * 56);
        CHECK(minimum_bytes(network.layers[1].layer, Pass::forward).value() ==
              4.0 * 2 * 3 * 64 * 2);
        CHECK(network.layers[2].layer.kind == LayerKind::pooling);
        CHECK(network.description.find("2 of three spatial dimensions") != std::string::npos);
    }

    TEST_CASE("a wrong list names file and line") {
        const TemporaryFolder folder;
        const auto error = [&](const std::string& name, const std::string& text) -> std::string {
            try {
                (void)read_benchdnn_list(list_in(folder, name, text));
            } catch (const Error& e) {
                CHECK(e.code() == ExitCode::bad_input);
                return e.what();
            }
            return "no error";
        };
        CHECK(error("conv_a", "\nmb1ic2\n").starts_with(folder.file("conv_a") + ":2: "));
        CHECK(error("x_y", "mb1ic2oc3\n").find("a driver") != std::string::npos);
        CHECK(error("conv_b", "# nothing\n").find("at least one problem") != std::string::npos);
        CHECK(error("conv_c", "--batch=conv_c\n").find("8 deep") != std::string::npos);
        CHECK(error("conv_d", "--mb=x\n").find("--mb=NUMBER") != std::string::npos);
    }
}

TEST_SUITE("reference") {
    TEST_CASE("all shared lists are read, problem by problem") {
        const char* data = std::getenv("RIDGE_DATA_DIR");
        const std::string folder = data ? std::string(data) + "/benchdnn-shapes" : std::string();
        if (!data || !std::filesystem::exists(folder)) {
            MESSAGE("skipped: RIDGE_DATA_DIR does not lead to the shared lists");
            return;
        }
        std::size_t files = 0;
        for (const auto& file : std::filesystem::directory_iterator(folder)) {
            INFO(file.path().string());
            std::ifstream stream(file.path());
            std::size_t problems = 0;
            for (std::string line; std::getline(stream, line);) {
                std::istringstream words(line.substr(0, line.find('#')));
                for (std::string word; words >> word;) problems += word.starts_with("--") ? 0 : 1;
            }
            REQUIRE(is_benchdnn_list(file.path().string()));
            const Network network = read_benchdnn_list(file.path().string());
            CHECK(network.layers.size() == problems);
            for (const auto& entry : network.layers)
                CHECK(benchdnn_line(entry.layer, Pass::forward).has_value() ==
                      (entry.layer.kind != LayerKind::other));
            ++files;
        }
        CHECK(files >= 50);

        // First layers of two networks, by hand: 2 mb oc ic/g taps_h taps_w.
        const Network alexnet = read_benchdnn_list(folder + "/conv_shapes_alexnet");
        CHECK(useful_flops(alexnet.layers[0].layer, Pass::forward).value() ==
              2.0 * 256 * 96 * 3 * (11 * 55) * (11 * 55));
        CHECK(useful_flops(alexnet.layers[4].layer, Pass::forward).value() ==
              2.0 * 256 * 256 * 192 * 37 * 37);
        const Network resnet = read_benchdnn_list(folder + "/conv_shapes_resnet_50_sparse");
        CHECK(useful_flops(resnet.layers[0].layer, Pass::forward).value() == 50.0 * 232429056);
    }
}

}  // namespace ridge::test
