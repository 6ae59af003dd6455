// What the simulator holds in memory does not depend on how long the stream is: at most twice the
// tags of the simulated caches and 64 MiB, by the peak that the kernel saw.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "tests/cachesim/support.hpp"

namespace ridge::test {
namespace {

constexpr double mib = 1 << 20;

/// A field of /proc/self/status in bytes.
double status_bytes(const std::string& field) {
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;)
        if (double kib = 0; word == field + ":" && in >> kib) return kib * 1024;
    return -1;
}

/// Growth of the resident set to its peak while `work` runs, in a process of its own: what earlier
/// tests have used and given back would hide it.
double peak_growth_bytes(const std::function<void()>& work) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const double before = status_bytes("VmRSS");
        work();
        const double growth = status_bytes("VmHWM") - before;
        const bool told = write(ends[1], &growth, sizeof(growth)) == sizeof(growth);
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    double growth = -1;
    const bool told = read(ends[0], &growth, sizeof(growth)) == sizeof(growth);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(told);
    REQUIRE(status == 0);
    return growth;
}

/// Touches of single lines all over 16 GiB, without period: nothing can be merged or skipped.
class RandomLines final : public RunSource {
public:
    explicit RandomLines(std::uint64_t touches) : touches_(touches) {}
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override {
        RunBuffer out(sink);
        std::uint64_t x = 1;
        for (std::uint64_t i = 0; i < touches_; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            out.push({.line = x >> 36,
                      .bytes = 64,
                      .kind = x >> 20 & 1 ? TouchKind::store : TouchKind::load});
        }
        out.flush();
    }

private:
    std::uint64_t touches_;
    TraceInfo info_;
};

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("memory stays below twice the tags plus 64 MiB whatever the length") {
        const HierarchySpec spec =
            hierarchy({cache("L1", 32768, 8), cache("L2", 1 << 20, 16), cache("L3", 32 << 20, 16)});
        double tags = 0;
        for (const CacheSpec& level : spec.levels)
            tags += 8 * static_cast<double>(level.capacity_bytes) / level.line_bytes;
        for (const TrafficMethod method :
             {TrafficMethod::exact, TrafficMethod::periodic, TrafficMethod::sampled}) {
            CAPTURE(to_string(method));
            for (const std::uint64_t touches : {2'000'000u, 20'000'000u}) {
                CAPTURE(touches);
                const double growth = peak_growth_bytes([&] {
                    RandomLines source(touches);
                    const Traffic t = simulate(source, spec, {.method = method});
                    if (t.touches != static_cast<double>(touches)) _exit(2);
                });
                MESSAGE(to_string(method), ", ", touches, " touches: ", growth / mib, " MiB, tags ",
                        tags / mib, " MiB");
                CHECK(growth > 0);
                CHECK(growth <= 2 * tags + 64 * mib);
            }
        }
    }
}

}  // namespace ridge::test
