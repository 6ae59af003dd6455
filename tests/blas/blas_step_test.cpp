#include <doctest/doctest.h>

#include <set>

#include "collectors/blas/blas_step.hpp"
#include "ridge/error.hpp"

using namespace ridge;

TEST_SUITE("behaviour") {
    TEST_CASE("every pass of LeNet is a row or is listed with the reason why not") {
        const Network network = load_network("lenet", 2);
        const TrainingStep step = build_openblas_step(network, {});
        std::set<RowKey> keys;
        for (const auto& kernel : step.kernels) {
            kernel->execute();
            const Measurement& row = kernel->description();
            CAPTURE(row.problem);
            CHECK(keys.insert(row.key).second);
            CHECK(row.implementation.find("openblas sgemm") != std::string::npos);
            CHECK(row.formats.find("src:") != std::string::npos);
            CHECK_FALSE(row.creation.has_value());
            CHECK(row.first_call->value() > 0);
        }
        const std::size_t rows = keys.size();
        for (const auto& [key, reason] : step.unavailable) {
            CHECK(keys.insert(key).second);
            CHECK_FALSE(reason.empty());
        }
        std::size_t passes = 0;
        for (const NetworkLayer& layer : network.layers) passes += layer.passes.size();
        CHECK(keys.size() == passes);
        CHECK(rows == 4 * 3 - 1);  // two convolutions and two inner products, the first without
                                   // backward_data
        CHECK(step.library == "openblas");
        CHECK(step.library_version.find('.') != std::string::npos);
        CHECK_FALSE(step.library_isa.empty());
    }

    TEST_CASE("a pointwise convolution needs no columns, others say how much they take") {
        const auto columns = [](const char* line) {
            const TrainingStep step =
                build_openblas_step(single_layer_network(parse_layer(line)), {});
            return std::pair(step.kernels.front()->description().implementation,
                             step.kernels.front()->description().scratchpad->value());
        };
        const auto [direct, none] = columns("conv:mb1ic8oc8ih4kh1ph0");
        CHECK(direct == "openblas sgemm");
        CHECK(none == 0);
        const auto [lowered, some] = columns("conv:mb1ic8oc8ih4kh3ph1");
        CHECK(lowered == "im2col+openblas sgemm");
        CHECK(some == 8 * 9 * 16 * 4);  // ic kh kw x oh ow floats
    }

    TEST_CASE("what cannot be had ends with its exit code and one line") {
        const auto code = [](const Network& network) {
            try {
                (void)build_openblas_step(network, {});
            } catch (const Error& error) {
                CHECK(std::string(error.what()).find('\n') == std::string::npos);
                return error.code();
            }
            return ExitCode::done;
        };
        CHECK(code(with_dtype(load_network("lenet", 1), DataType::bf16)) == ExitCode::not_possible);
        CHECK(code(load_network("vgg16", 1'000'000)) == ExitCode::bad_input);
    }
}
