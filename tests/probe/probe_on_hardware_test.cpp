// One quick probe of the machine that the tests run on. Whatever else runs here, its result must be
// consistent: each figure either passes its checks or is named as suspicious.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/probe/compute_kernels.hpp"
#include "collectors/probe/names.hpp"
#include "collectors/probe/topology.hpp"
#include "ridge/machine.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using namespace ridge::probe;

namespace {

bool any_mentions(const nlohmann::json& lines, const std::string& name) {
    return std::any_of(lines.begin(), lines.end(), [&](const nlohmann::json& line) {
        return line.get<std::string>().find(name) != std::string::npos;
    });
}

}  // namespace

TEST_SUITE("hardware") {
    TEST_CASE("a quick probe keeps its budget and explains every figure that fails a check") {
        test::TemporaryFolder home;
        const auto outcome = test::run_ridge({"machine", "probe", "--quick", "--json"},
                                             {"XDG_DATA_HOME=" + home.path()});
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        const auto json = nlohmann::json::parse(outcome.out);
        CHECK(json.at("took_s").get<double>() <= 20);
        CHECK(json.at("path") == home.file("ridge/machine.yaml"));
        CHECK(std::filesystem::exists(home.file("ridge/quiet.json")));

        const Machine m = load_machine(home.file("ridge/machine.yaml"));
        CHECK(m.virtualised == this_cpu().hypervisor);
        CHECK(m.cores == static_cast<int>(read_topology().cores.size()));
        REQUIRE(m.quiet);
        CHECK(m.quiet->fma.value() > 0);

        // Every kernel of this processor is there, or was told to be missing.
        const CpuFeatures cpu = this_cpu();
        for (const ComputeKernel& kernel : compute_kernels()) {
            if (!cpu.supports(kernel.isa, kernel.fma, kernel.dtype)) continue;
            const std::string name =
                name_of(ComputeCeiling{kernel.isa, kernel.fma, kernel.dtype, 1, {}, {}, {}});
            const bool measured = std::any_of(m.compute.begin(), m.compute.end(),
                                              [&](const auto& c) { return name_of(c) == name; });
            CHECK((measured || any_mentions(json.at("not_measured"), name)));
        }
        for (const ComputeCeiling& ceiling : m.compute) {
            CAPTURE(name_of(ceiling));
            CHECK(ceiling.chain_clock_hz);
            if (!ceiling.datasheet_flops_per_s || ceiling.dtype != DataType::f32 || !ceiling.fma)
                continue;
            const bool reached =
                ceiling.flops_per_s.value >= 0.97 * ceiling.datasheet_flops_per_s->value;
            CHECK((reached || any_mentions(json.at("suspicious"), name_of(ceiling))));
        }
        for (const MemoryLevel& level : m.levels) {
            CAPTURE(level.name);
            CHECK((level.latency_s || any_mentions(json.at("not_measured"), level.name)));
            CHECK((!level.bandwidths.empty() || any_mentions(json.at("not_measured"), level.name)));
        }
    }
}
