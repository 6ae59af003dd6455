#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "collectors/onednn/onednn_step.hpp"

using namespace ridge;

TEST_SUITE("smoke") {
    TEST_CASE("LeNet's training step runs, and every row says what it is") {
        const TrainingStep step = build_onednn_step(load_network("lenet", 2), {});
        CHECK(step.unavailable.empty());
        CHECK(step.tensors.value() > 0);
        CHECK_FALSE(step.library_version.empty());
        CHECK_FALSE(step.library_isa.empty());
        std::set<RowKey> keys;
        for (std::size_t i = 0; i < step.kernels.size(); ++i) {
            step.kernels[i]->execute();
            const Measurement& row = step.kernels[i]->description();
            CAPTURE(row.problem);
            CHECK(keys.insert(row.key).second);
            CHECK(row.ordinal == static_cast<int>(i));
            CHECK_FALSE(row.implementation.empty());
            CHECK_FALSE(row.formats.empty());
            CHECK(row.creation.has_value());
            CHECK(row.first_call->value() > 0);
            CHECK(row.scratchpad.has_value());
            CHECK(to_line(parse_layer(row.problem)) == row.problem);
        }
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights,
                                Pass::backward, Pass::update})
            CHECK(std::ranges::any_of(keys, [&](const RowKey& key) { return key.pass == pass; }));
        const float loss = step.memory->read("loss", "loss").at(0);
        CHECK(std::isfinite(loss));
        CHECK(loss > 0);
    }
}
