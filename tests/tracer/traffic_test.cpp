// Bytes per level of real kernels against a study that found them with another tracer and another
// simulator, and streams that lie elsewhere in the address space.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ridge/cachesim.hpp"
#include "tests/tracer/traced_layer.hpp"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A tensor's lines somewhere else.
struct Move {
    std::uint64_t first, past, shift;  ///< lines
};

/// A stream with its lines moved.
class MovedSource : public RunSource {
public:
    MovedSource(RunSource& source, std::vector<Move> moves)
        : source_(source), moves_(std::move(moves)) {}
    [[nodiscard]] const TraceInfo& info() const override { return source_.info(); }
    void replay(RunSink& sink) override {
        Moved moved(sink, moves_);
        source_.replay(moved);
    }

private:
    struct Moved : RunSink {
        Moved(RunSink& to, const std::vector<Move>& all) : sink(to), moves(all) {}
        void consume(std::span<const LineRun> chunk) override {
            runs.assign(chunk.begin(), chunk.end());
            for (LineRun& run : runs)
                for (const Move& move : moves)
                    if (run.line >= move.first && run.line < move.past) {
                        run.line += move.shift;
                        break;
                    }
            sink.consume(runs);
        }
        RunSink& sink;
        const std::vector<Move>& moves;
        std::vector<LineRun> runs;
    };

    RunSource& source_;
    std::vector<Move> moves_;
};

/// Places the tensors as the study did: from 2^40 on, each at the start of a page, two empty pages
/// behind it. Where tensors lie relative to each other moves L1 misses by some percent.
std::vector<Move> study_places(const Kernel& kernel, const std::vector<std::string>& order) {
    std::vector<KernelTensor> tensors;
    for (const std::string& role : order)
        for (const KernelTensor& tensor : kernel.tensors())
            if (!tensor.scratchpad && tensor.role == role) tensors.push_back(tensor);
    REQUIRE(tensors.size() == order.size());
    for (const KernelTensor& tensor : kernel.tensors())
        if (tensor.scratchpad) tensors.push_back(tensor);
    std::vector<Move> moves;
    std::uint64_t address = std::uint64_t{1} << 40;
    for (const KernelTensor& tensor : tensors) {
        const auto bytes = static_cast<std::uint64_t>(tensor.bytes);
        const std::uint64_t first = tensor.address / 64;
        moves.push_back({first, (tensor.address + bytes + 63) / 64, address / 64 - first});
        address += ((bytes + 4095) / 4096 + 2) * 4096;
    }
    return moves;
}

/// The geometry of the study.
HierarchySpec server() {
    HierarchySpec spec;
    spec.levels = {{.name = "L1", .capacity_bytes = 48 << 10, .ways = 12},
                   {.name = "L2", .capacity_bytes = 2 << 20, .ways = 16},
                   {.name = "L3", .capacity_bytes = 32 << 20, .ways = 16}};
    return spec;
}

/// Megabytes: L2 to L1, L3 to L2, DRAM read, DRAM written with what is still dirty at the end.
using Megabytes = std::array<double, 4>;

/// What the study's tracer found, on the study's machine (Emerald Rapids, 2 MiB L2) and on a second
/// one (Zen 4, 1 MiB L2, 32 MiB L3): oneDNN blocks loops by the cache sizes of the machine it runs
/// on, so some kernels differ.
struct Found {
    std::string line;
    Pass pass;
    std::vector<std::string> order;  ///< of the tensors in memory
    Megabytes emerald_rapids, zen4;
};

/// What memory got and will still get. A line that is dirty in two levels counts twice, which the
/// tolerance covers.
double written_in_the_end(const Traffic& traffic) {
    double bytes = traffic.memory.written_bytes;
    for (const LevelTraffic& level : traffic.levels) bytes += level.counts.dirty_bytes;
    return bytes;
}

/// Within 3 %, or half of the last digit printed where that is more.
bool agrees(const Megabytes& found, const Megabytes& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double digit = expected[i] < 1 ? 0.01 : expected[i] < 100 ? 0.1 : 1;
        if (std::abs(found[i] - expected[i]) > std::max(0.03 * expected[i], digit / 2))
            return false;
    }
    return true;
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("bytes per level are those of the study" * doctest::skip(!wide_vectors())) {
        const Pass fwd = Pass::forward, data = Pass::backward_data, wei = Pass::backward_weights;
        const std::vector<std::string> forward{"src", "wei", "bias", "dst"};
        const std::vector<std::string> weights{"src", "diff_wei", "diff_bias", "diff_dst"};
        for (const Found& f : {
                 Found{"conv:mb32ic64ih56oc64oh56kh3ph1",
                       fwd,
                       forward,
                       {698, 53.8, 51.5, 25.7},
                       {703.7, 51.5, 51.5, 25.7}},
                 Found{"conv:mb32ic64ih56oc64oh56kh3ph1",
                       data,
                       {"diff_src", "wei", "diff_dst"},
                       {210, 55.6, 51.5, 25.7},
                       {382.8, 53.8, 51.5, 25.7}},
                 Found{"conv:mb32ic256ih14oc256oh14kh3ph1",
                       fwd,
                       forward,
                       {188, 112, 15.2, 6.4},
                       {187.6, 111.5, 15.2, 6.4}},
                 Found{"conv:mb32ic256ih14oc256oh14kh3ph1",
                       wei,
                       weights,
                       {187, 88.4, 15.2, 4.1},
                       {186.8, 88.4, 15.2, 4.1}},
                 Found{"conv:mb32ic64ih56oc256oh56kh1ph0",
                       fwd,
                       forward,
                       {259, 131, 128.5, 102.8},
                       {265.5, 128.5, 128.5, 102.8}},
                 Found{"conv:mb32ic256ih56oc64oh56kh1ph0",
                       wei,
                       weights,
                       {1242, 128.5, 128.5, 0.07},
                       {1241.6, 128.5, 128.5, 0.07}},
                 Found{"bnorm:mb32ic64ih56",
                       fwd,
                       {"src", "dst"},
                       {77, 77, 25.7, 25.7},
                       {77.1, 77.1, 25.7, 25.7}},
                 Found{"bnorm:mb32ic64ih56",
                       Pass::backward,
                       {"src", "diff_dst", "diff_src"},
                       {103, 103, 102.8, 25.7},
                       {102.8, 102.8, 51.4, 25.7}},
                 Found{"ip:mb64ic9216oc4096",
                       fwd,
                       forward,
                       {1841, 303, 154.4, 1.05},
                       {1841.4, 303.1, 154.4, 1.05}},
             }) {
            CAPTURE(f.line);
            CAPTURE(to_string(f.pass));
            TracedStep traced = traced_step(f.line);
            Kernel* kernel = traced.row(f.pass);
            REQUIRE(kernel != nullptr);
            CAPTURE(kernel->description().implementation);
            RowSource row(traced, *kernel);
            MovedSource source(row, study_places(*kernel, f.order));
            const Traffic traffic = simulate(source, server());
            const Megabytes found{traffic.levels[0].counts.read_bytes / 1e6,
                                  traffic.levels[1].counts.read_bytes / 1e6,
                                  traffic.memory.read_bytes / 1e6,
                                  written_in_the_end(traffic) / 1e6};
            CHECK_MESSAGE((agrees(found, f.emerald_rapids) || agrees(found, f.zen4)),
                          doctest::toString(found[0]), " ", doctest::toString(found[1]), " ",
                          doctest::toString(found[2]), " ", doctest::toString(found[3]));
        }
    }

    TEST_CASE("addresses near 2^47 and 2^56 change no byte") {
        TracedStep traced = traced_step("conv:mb1ic64ih28oc64oh28kh3ph1");
        Kernel* kernel = traced.row(Pass::forward);
        REQUIRE(kernel != nullptr);
        const auto moved = [&](std::uint64_t shift) {
            RowSource row(traced, *kernel);
            MovedSource source(row, {{0, ~std::uint64_t{0}, shift}});
            return simulate(source, server());
        };
        const std::uint64_t sets = 32768;  // of L3; a multiple keeps every line in its sets
        const std::uint64_t first = kernel->tensors().front().address / 64;
        const Traffic here = moved(0);
        for (const int bit : {47, 56}) {
            const std::uint64_t target = (std::uint64_t{1} << (bit - 6)) - sets;
            const Traffic there = moved((target - first) / sets * sets);
            for (std::size_t i = 0; i < here.levels.size(); ++i) {
                const LevelCounts &a = here.levels[i].counts, &b = there.levels[i].counts;
                CHECK(a.read_bytes == b.read_bytes);
                CHECK(a.written_bytes == b.written_bytes);
                CHECK(a.dirty_bytes == b.dirty_bytes);
            }
            CHECK(here.memory.written_bytes == there.memory.written_bytes);
        }
    }
}
