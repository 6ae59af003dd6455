// ONNX models against the shipped networks, against the onnx library's own inference, and against
// closed forms.
#include <doctest/doctest.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>

#include "collectors/import/onnx_network.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"
#include "tests/import/onnx_models.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

OnnxNetwork network_of(const OnnxModel& model, OnnxSizes sizes = {.batch = 8, .dims = {}}) {
    return onnx_network(read_onnx(model.bytes(), "model.onnx"), sizes, "model.onnx");
}

std::string error_of(const OnnxModel& model, OnnxSizes sizes = {.batch = 2, .dims = {}}) {
    try {
        (void)network_of(model, std::move(sizes));
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        return error.what();
    }
    return "no error";
}

std::string line_of(const Layer& layer) {
    Layer unnamed = layer;
    unnamed.name.clear();
    return to_line(unnamed);
}

std::vector<std::string> lines_of(const Network& network) {
    std::vector<std::string> lines;
    for (const auto& entry : network.layers) {
        std::string line = line_of(entry.layer);
        for (const Pass pass : entry.passes) line += " " + std::string(to_string(pass));
        lines.push_back(line);
    }
    return lines;
}

/// The same work whatever the order in which branches are listed.
void check_equal(const OnnxNetwork& model, const std::string& name) {
    INFO(name);
    const Network shipped = load_network(name, 8);
    CHECK(model.chained);
    CHECK(model.bytes_only.empty());
    CHECK(model.unknown.empty());
    CHECK(parameters(model.network) == parameters(shipped));
    for (const Pass pass : all_passes) {
        INFO(to_string(pass));
        CHECK(useful_flops(model.network, pass).value() == useful_flops(shipped, pass).value());
        double mine = 0, theirs = 0;
        const auto bytes = [&](const Network& network, double& sum) {
            for (const auto& entry : network.layers)
                if (std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end())
                    sum += minimum_bytes(entry.layer, pass).value();
        };
        bytes(model.network, mine);
        bytes(shipped, theirs);
        CHECK(mine == theirs);
    }
    auto mine = lines_of(model.network), theirs = lines_of(shipped);
    std::sort(mine.begin(), mine.end());
    std::sort(theirs.begin(), theirs.end());
    REQUIRE(mine.size() == theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) CHECK(mine[i] == theirs[i]);
}

/// One encoder layer of width d with h heads and a feed-forward part of f, as exporters write it.
OnnxModel encoder_model(std::int64_t opset, std::int64_t d, std::int64_t h, std::int64_t f) {
    OnnxModel m(opset);
    const std::string x = m.input("x", {-1, -1, d}, {"batch", "seq"});
    const auto heads = [&](const std::string& in, const std::vector<std::int64_t>& order) {
        const std::string split = m.node("Reshape", {in, m.integers({0, 0, h, d / h})});
        const std::string turned = m.node("Transpose", {split});
        m.set("perm", order);
        return turned;
    };
    const std::string q = heads(m.linear(x, d, d), {0, 2, 1, 3});
    const std::string k = heads(m.linear(x, d, d), {0, 2, 3, 1});
    const std::string v = heads(m.linear(x, d, d), {0, 2, 1, 3});
    const std::string scores = m.node("Mul", {m.node("MatMul", {q, k}), m.number(0.125F)});
    const std::string weights = m.node("Softmax", {scores});
    m.set("axis", std::int64_t{-1});
    const std::string mixed = m.node("Transpose", {m.node("MatMul", {weights, v})});
    m.set("perm", std::vector<std::int64_t>{0, 2, 1, 3});
    const std::string joined = m.node("Reshape", {mixed, m.integers({0, 0, d})});
    const auto normalized = [&](const std::string& in) {
        const std::string out = m.node("LayerNormalization", {in, m.weight({d}), m.weight({d})});
        m.set("axis", std::int64_t{-1});
        return out;
    };
    const std::string y = normalized(m.node("Add", {x, m.linear(joined, d, d)}));
    const std::string wide = m.node("Relu", {m.linear(y, d, f)});
    normalized(m.node("Add", {y, m.linear(wide, f, d)}));
    return m;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("models built layer by layer equal the shipped networks") {
        for (const std::int64_t opset : {13, 18, 20, 23}) {
            INFO(opset);
            check_equal(network_of(alexnet_model(opset)), "alexnet");
            check_equal(network_of(vgg16_model(opset)), "vgg16");
            check_equal(network_of(resnet50_model(opset)), "resnet50");
        }
        const auto shipped = shipped_networks();
        if (std::any_of(shipped.begin(), shipped.end(),
                        [](const NetworkEntry& entry) { return entry.name == "mobilenet"; }))
            check_equal(network_of(mobilenet_model(13)), "mobilenet");
    }

    TEST_CASE("the predictions for a model are those for the shipped network") {
        const TemporaryFolder folder;
        const auto times = [](const std::string& what) {
            const Outcome outcome =
                run_ridge({"predict", what, "--batch", "8", "--threads", "1", "--machine",
                           "xeon-platinum-8180", "--calibration", "generic", "--json"});
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            const JsonReader step(outcome.out, what);
            std::vector<double> result;
            for (const auto& row : step.at("rows").items())
                result.push_back(row.at("prediction").at("time_s").number(0, 1e9));
            std::sort(result.begin(), result.end());
            return result;
        };
        for (const auto& [name, model] :
             std::vector<std::pair<std::string, OnnxModel>>{{"alexnet", alexnet_model(13)},
                                                            {"vgg16", vgg16_model(18)},
                                                            {"resnet50", resnet50_model(20)},
                                                            {"mobilenet", mobilenet_model(23)}}) {
            INFO(name);
            const std::string path = folder.file(name + ".onnx");
            std::ofstream(path, std::ios::binary) << model.bytes();
            const auto mine = times(path), theirs = times(name);
            REQUIRE(mine.size() == theirs.size());
            CHECK(mine.size() > 30);
            for (std::size_t i = 0; i < mine.size(); ++i) CHECK(mine[i] == theirs[i]);
        }
    }

    TEST_CASE("MobileNet has the parameters and multiply-adds that its paper prints") {
        const OnnxNetwork model = network_of(mobilenet_model(18));
        CHECK(multiply_adds_per_image(model.network) == doctest::Approx(569e6).epsilon(0.01));
        CHECK(static_cast<double>(parameters(model.network)) ==
              doctest::Approx(4.2e6).epsilon(0.01));
    }

    TEST_CASE("a transformer encoder has the work of its closed form, in every opset") {
        const std::int64_t d = 64, h = 4, f = 256, batch = 3, seq = 10;
        for (const std::int64_t opset : {17, 18, 20, 23}) {
            const OnnxNetwork model =
                network_of(encoder_model(opset, d, h, f), {.batch = batch, .dims = {{"seq", seq}}});
            CHECK(!model.chained);
            CHECK(model.unknown.empty());
            const double tokens = static_cast<double>(batch * seq);
            const auto D = static_cast<double>(d), F = static_cast<double>(f),
                       S = static_cast<double>(seq);
            // Four projections, two products over the sequence, two layers of the feed-forward
            // part.
            const double products = 2 * tokens * (4 * D * D + 2 * D * F) + 2 * 2 * tokens * S * D;
            double found = 0, weights = 0;
            for (const auto& entry : model.network.layers) {
                const LayerKind kind = entry.layer.kind;
                if (kind == LayerKind::inner_product || kind == LayerKind::matmul)
                    found += useful_flops(entry.layer, Pass::forward).value();
                weights += static_cast<double>(parameters(entry.layer));
            }
            CHECK(found == products);
            CHECK(weights == 4 * (D * D + D) + D * F + F + F * D + D);
            // The input needs no gradient, what comes behind it does.
            const auto& first = model.network.layers.front();
            CHECK(first.layer.kind == LayerKind::inner_product);
            CHECK(std::find(first.passes.begin(), first.passes.end(), Pass::backward_data) ==
                  first.passes.end());
            double backward = 0;
            for (const auto& entry : model.network.layers)
                if (entry.layer.kind == LayerKind::inner_product ||
                    entry.layer.kind == LayerKind::matmul)
                    for (const Pass pass : {Pass::backward_data, Pass::backward_weights})
                        if (std::find(entry.passes.begin(), entry.passes.end(), pass) !=
                            entry.passes.end())
                            backward += useful_flops(entry.layer, pass).value();
            CHECK(backward == 2 * products - 3 * 2 * tokens * D * D);
        }
    }

    TEST_CASE("operators of opset 18 to 23 have their shapes") {
        struct Case {
            std::string op;
            std::vector<std::int64_t> expected;
            std::function<void(OnnxModel&)> build;
        };
        using List = std::vector<std::int64_t>;
        const std::vector<Case> cases{
            {"ReduceMean",
             {2, 1, 5},
             [](OnnxModel& m) {
                 m.node("ReduceMean", {m.input("x", {2, 4, 5}), m.integers({1})});
             }},
            {"ReduceSum",
             {2, 5},
             [](OnnxModel& m) {
                 m.node("ReduceSum", {m.input("x", {2, 4, 5}), m.integers({-2})});
                 m.set("keepdims", std::int64_t{0});
             }},
            {"Split",
             {2, 3, 5},
             [](OnnxModel& m) {
                 m.node("Split", {m.input("x", {2, 8, 5})}, 3);
                 m.set("axis", std::int64_t{1}).set("num_outputs", std::int64_t{3});
             }},
            {"GroupNormalization",
             {2, 8, 5, 5},
             [](OnnxModel& m) {
                 m.node("GroupNormalization",
                        {m.input("x", {2, 8, 5, 5}), m.weight({8}), m.weight({8})});
                 m.set("num_groups", std::int64_t{4});
             }},
            {"Gelu",
             {2, 7},
             [](OnnxModel& m) {
                 m.node("Gelu", {m.input("x", {2, 7})});
             }},
            {"RMSNormalization",
             {2, 7},
             [](OnnxModel& m) {
                 m.node("RMSNormalization", {m.input("x", {2, 7}), m.weight({7})});
             }},
            {"RotaryEmbedding",
             {2, 4, 6, 8},
             [](OnnxModel& m) {
                 m.node("RotaryEmbedding", {m.input("x", {2, 4, 6, 8}), m.weight({6, 4}),
                                            m.weight({6, 4}), m.weight({2, 6})});
             }},
            {"Attention",
             {2, 6, 32},
             [](OnnxModel& m) {
                 const auto q = m.input("q", {2, 6, 32}), k = m.input("k", {2, 9, 16}),
                            v = m.input("v", {2, 9, 16});
                 m.node("Attention", {q, k, v});
                 m.set("q_num_heads", std::int64_t{4}).set("kv_num_heads", std::int64_t{2});
             }},
            {"Pad",
             {2, 4, 7},
             [](OnnxModel& m) {
                 m.node("Pad", {m.input("x", {2, 4, 5}), m.integers({1, 1}), "", m.integers({2})});
             }},
            {"Shape and Gather",
             {2, 20},
             [](OnnxModel& m) {
                 const auto x = m.input("x", {2, 4, 5});
                 const auto size = m.node("Shape", {x});
                 const auto first = m.node("Gather", {size, m.integers({0})});
                 const auto shape = m.node("Concat", {first, m.integers({-1})});
                 m.set("axis", std::int64_t{0});
                 m.node("Reshape", {x, shape});
             }},
            {"Slice",
             {2, 2, 3},
             [](OnnxModel& m) {
                 m.node("Slice", {m.input("x", {2, 4, 5}), m.integers({1, -1}), m.integers({3, -4}),
                                  m.integers({1, 2}), m.integers({1, -1})});
             }},
        };
        for (const Case& one : cases) {
            INFO(one.op);
            OnnxModel model(23);
            one.build(model);
            OnnxGraph graph = read_onnx(model.bytes(), "m");
            CHECK(infer_shapes(graph, {}, "m", nullptr).empty());
            CHECK(graph.tensors.at(graph.nodes.back().outputs[0]).shape == List(one.expected));
        }
    }

    TEST_CASE("own shape functions agree with the onnx library's") {
        std::size_t compared = 0;
        for (const OnnxModel& model : {alexnet_model(13), vgg16_model(13), resnet50_model(13),
                                       mobilenet_model(13), encoder_model(17, 64, 4, 256)}) {
            OnnxModel sized = model;
            for (auto& input : *sized.model.mutable_graph()->mutable_input()) {
                auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
                for (auto& dim : *shape->mutable_dim())
                    if (dim.has_dim_param()) dim.set_dim_value(dim.dim_param() == "seq" ? 10 : 8);
            }
            OnnxGraph graph = read_onnx(sized.bytes(), "m");
            CHECK(infer_shapes(graph, {}, "m", nullptr).empty());
            onnx::ModelProto library = sized.model;
            for (const auto& weight : library.graph().initializer()) {
                auto* info = library.mutable_graph()->add_input();
                info->set_name(weight.name());
                auto* type = info->mutable_type()->mutable_tensor_type();
                type->set_elem_type(weight.data_type());
                type->mutable_shape();
                for (const std::int64_t size : weight.dims())
                    type->mutable_shape()->add_dim()->set_dim_value(size);
            }
            onnx::shape_inference::InferShapes(library);
            for (const auto& info : library.graph().value_info()) {
                std::vector<std::int64_t> shape;
                for (const auto& dim : info.type().tensor_type().shape().dim())
                    shape.push_back(dim.dim_value());
                INFO(info.name());
                CHECK(graph.tensors.at(info.name()).shape == shape);
                ++compared;
            }
        }
        CHECK(compared > 300);
    }

    TEST_CASE("what is not known is listed and counted as bytes") {
        OnnxModel m(17);
        const auto x = m.node("Relu", {m.conv(m.input("x", {2, 3, 8, 8}), 3, 4, 3, 1, 1, true)});
        const auto y = m.node("HyperMixer", {x}, 1, "com.example");
        m.node("Gelu", {y});
        const OnnxNetwork model = network_of(m, {.batch = 2, .dims = {}});
        CHECK(model.unknown == std::map<std::string, int>{{"HyperMixer", 1}});
        CHECK(model.bytes_only ==
              std::map<std::string, int>{{"com.example.HyperMixer", 1}, {"Gelu", 1}});
        const auto& layer = model.network.layers[2].layer;
        CHECK(layer.kind == LayerKind::other);
        CHECK(minimum_bytes(layer, Pass::forward).value() == 2 * 2 * 4 * 8 * 8 * 4);
        CHECK(useful_flops(layer, Pass::forward).value() == 0);
    }

    TEST_CASE("symbolic dimensions come from the options; errors name file, node and what to do") {
        OnnxModel m(13);
        m.node("Relu", {m.input("x", {-1, -1, 6}, {"N", "seq"})});
        CHECK(error_of(m) ==
              "model.onnx: input 'x': expected a size for 'seq' (--dim seq=N), found none");
        CHECK(error_of(m, {.batch = 2, .dims = {{"seq", 4}, {"sqe", 4}}}) ==
              "--dim: expected a dimension that an input of the model has, found 'sqe'");
        CHECK(error_of(m, {.batch = 2, .dims = {{"seq", 4}}}) == "no error");

        OnnxModel wrong(13);
        wrong.node("MatMul", {wrong.input("x", {2, 3}), wrong.weight({4, 5})});
        CHECK(error_of(wrong).starts_with("model.onnx: node 'MatMul_"));
        CHECK(error_of(wrong).find("expected matrices that fit, found 2x3 and 4x5") !=
              std::string::npos);
        OnnxModel dangling(13);
        dangling.node("Relu", {"nobody"});
        CHECK(error_of(dangling).find("found 'nobody'") != std::string::npos);
        OnnxModel twice(13);
        twice.node("Relu", {twice.input("x", {2, 3})});
        twice.model.mutable_graph()->mutable_node(0)->set_output(0, "x");
        CHECK(error_of(twice).find("expected outputs that nothing else makes, found 'x'") !=
              std::string::npos);
        CHECK_THROWS_AS((void)read_onnx("no model at all", "x.onnx"), Error);
        CHECK_THROWS_AS((void)read_onnx("", "x.onnx"), Error);
    }

    TEST_CASE("a damaged model is an error or a network, never a crash") {
        const std::string good = resnet50_model(13).bytes();
        std::mt19937_64 random(11);
        int read = 0;
        for (int round = 0; round < 300; ++round) {
            std::string bytes = good;
            for (int n = 0; n < 3; ++n)
                bytes[random() % bytes.size()] = static_cast<char>(random());
            if (round % 10 == 0) bytes.resize(random() % bytes.size());
            try {
                (void)onnx_network(read_onnx(bytes, "m"), {.batch = 2, .dims = {}}, "m");
                ++read;
            } catch (const Error&) {
            }
        }
        CHECK(read < 300);
    }
}

}  // namespace ridge::test
