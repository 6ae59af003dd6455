#include "tests/onednn/check_layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "collectors/step/values.hpp"
#include "tests/onednn/naive.hpp"

namespace ridge::test {
namespace {

naive::Values read_all(const TrainingStep& step, const std::string& layer) {
    naive::Values values;
    for (const std::string& role : step.memory->tensors(layer)) {
        const std::vector<float> read = step.memory->read(layer, role);
        values[role].assign(read.begin(), read.end());
    }
    return values;
}

/// New inputs for all passes; in place, the ones that the first run overwrote are whole again.
void write_inputs(const TrainingStep& step, const std::string& layer, double scale) {
    std::uint32_t seed = 99;
    for (const std::string& role : step.memory->tensors(layer)) {
        const bool source = role.rfind("src", 0) == 0;
        if (!source && role.rfind("diff_dst", 0) != 0) continue;
        const auto bound = static_cast<float>(source ? scale : 1.0);
        const std::size_t count = step.memory->read(layer, role).size();
        step.memory->write(layer, role, step::make_values(count, {-bound, bound}, ++seed));
    }
}

/// Outputs are rounded to their type once, sums are formed in f32: the error of an element is a
/// few roundings of itself plus a few roundings of the largest terms that were added.
void compare(const std::vector<double>& found, const std::vector<double>& expected, bool bf16) {
    REQUIRE(found.size() == expected.size());
    const double rounding = bf16 ? 0x1p-8 : 0x1p-19;
    double largest = 0;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    double worst = 0;
    std::size_t worst_at = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double allowed = rounding * (std::abs(expected[i]) + largest);
        const double error = std::abs(found[i] - expected[i]) / std::max(allowed, 1e-30);
        if (!(error <= worst)) worst = error, worst_at = i;
    }
    CAPTURE(worst_at);
    CAPTURE(found[worst_at]);
    CAPTURE(expected[worst_at]);
    CHECK(worst <= 1);
}

bool lists(const TrainingStep& step, Pass pass) {
    return std::any_of(step.unavailable.begin(), step.unavailable.end(),
                       [&](const auto& entry) { return entry.first.pass == pass; });
}

}  // namespace

std::vector<Pass> check_layer(const BuildStep& build, const LayerCheck& check) {
    CAPTURE(check.line);
    CAPTURE(to_string(check.dtype));
    Layer layer = parse_layer(check.line);
    layer.name = "layer";
    const Network network = with_dtype(single_layer_network(layer), check.dtype);
    const TrainingStep step = build(network, check.options);
    write_inputs(step, layer.name, check.source_scale);

    std::vector<Pass> compared;
    for (const auto& kernel : step.kernels) {
        const Measurement& row = kernel->description();
        const naive::Values before = read_all(step, layer.name);
        kernel->execute();
        if (!row.key.part.empty()) continue;
        CAPTURE(to_string(row.key.pass));
        CAPTURE(row.implementation);
        CAPTURE(row.formats);
        const naive::Values after = read_all(step, layer.name);
        naive::Values in = before;
        if (after.contains("mask")) in["mask"] = after.at("mask");
        const naive::Sgd sgd{static_cast<float>(check.options.learning_rate),
                             static_cast<float>(check.options.momentum)};
        const naive::Values expected = naive::compute(layer, row.key.pass, in, sgd);
        REQUIRE_FALSE(expected.empty());
        for (const auto& [role, values] : expected) {
            CAPTURE(role);
            REQUIRE(after.contains(role));
            compare(after.at(role), values, check.dtype == DataType::bf16);
        }
        compared.push_back(row.key.pass);
    }
    for (const Pass pass : network.layers.front().passes) {
        CAPTURE(to_string(pass));
        const auto times = std::count(compared.begin(), compared.end(), pass);
        CHECK(times + (lists(step, pass) ? 1 : 0) == 1);
    }
    return compared;
}

}  // namespace ridge::test
