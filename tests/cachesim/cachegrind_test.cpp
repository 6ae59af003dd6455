// Equality with Cachegrind to the last count, on the trace that lackey gives of the same program.
// Both tools run it under setarch -R with equal arguments and environment.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ridge/cachesim.hpp"
#include "ridge/trace_file.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

struct Geometry {
    std::uint64_t capacity;
    int ways, line;
    [[nodiscard]] std::string option() const {
        return std::to_string(capacity) + "," + std::to_string(ways) + "," + std::to_string(line);
    }
    [[nodiscard]] CacheSpec spec(const std::string& name) const {
        CacheSpec level;
        level.name = name;
        level.capacity_bytes = capacity;
        level.ways = ways;
        level.line_bytes = line;
        level.write_policy = WritePolicy::untracked;
        return level;
    }
};
struct Caches {
    Geometry i1, d1, ll;
};

const std::vector<Caches>& geometries() {
    static const std::vector<Caches> all{{{32768, 8, 64}, {32768, 8, 64}, {1048576, 16, 64}},
                                         {{4096, 2, 64}, {4096, 1, 64}, {32768, 4, 64}},
                                         {{8192, 4, 32}, {16384, 8, 32}, {65536, 8, 32}},
                                         {{16384, 4, 128}, {24576, 3, 128}, {262144, 16, 128}}};
    return all;
}

/// A path to a program built beside the tests whose length leaves 3 over a multiple of 4. Valgrind
/// puts LD_PRELOAD's text right before the 16 random bytes that each process gets, and the dynamic
/// linker scans it in groups of 4 bytes: with another length of path and working directory
/// together it goes on into them and indexes a table by random bytes.
std::string path_of(const std::string& program, const TemporaryFolder& folder) {
    std::string path = folder.file(program);
    while (path.size() % 4 != 3) path += '_';
    std::filesystem::create_symlink(std::string(RIDGE_TEST_PROGRAMS) + "/" + program, path);
    return path;
}

std::vector<std::string> under_valgrind(const std::vector<std::string>& options,
                                        const std::string& program) {
    // A fixed environment: the size of the environment moves the stack.
    std::vector<std::string> command{"env",
                                     "-C",
                                     "/",
                                     "-i",
                                     "PATH=/usr/bin:/bin",
                                     "OMP_NUM_THREADS=1",
                                     "ONEDNN_MAX_CPU_ISA=AVX2",
                                     "setarch",
                                     "-R",
                                     "valgrind"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(program);
    return command;
}

/// Cachegrind tells Valgrind's translator that only the stack pointer must be right at a memory
/// access; lackey keeps its default, all registers that unwinding needs. The optimiser drops a load
/// whose value it already holds and holds fewer values under the stricter rule: of the oneDNN
/// program's 2.3 million loads, lackey's trace has 144 that Cachegrind's translation does not make.
/// With the option both run the same translation.
void lackey(const std::string& program, const std::string& trace) {
    const auto outcome =
        run_program(under_valgrind({"--tool=lackey", "--trace-mem=yes",
                                    "--px-default=sp-at-mem-access", "--log-file=" + trace},
                                   program));
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
}

/// The "summary:" line of the output file: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
std::vector<double> cachegrind(const std::string& program, const Caches& caches,
                               const std::string& file) {
    const auto outcome = run_program(under_valgrind(
        {"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + file,
         "--I1=" + caches.i1.option(), "--D1=" + caches.d1.option(), "--LL=" + caches.ll.option()},
        program));
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line))
        if (line.starts_with("summary:")) {
            std::istringstream numbers(line.substr(8));
            std::vector<double> counts;
            for (double count; numbers >> count;) counts.push_back(count);
            return counts;
        }
    FAIL("no summary in " << file);
    return {};
}

std::vector<double> ours(const std::string& trace, const Caches& caches) {
    HierarchySpec spec;
    spec.convention = Convention::cachegrind;
    spec.instruction = caches.i1.spec("I1");
    spec.levels = {caches.d1.spec("D1"), caches.ll.spec("LL")};
    const auto source =
        open_trace(trace, {.line_bytes = caches.d1.line, .merge_across_fetches = true});
    const Traffic t = simulate(*source, spec);
    const LevelCounts &i1 = t.levels[0].counts, &d1 = t.levels[1].counts, &ll = t.levels[2].counts;
    return {i1.fetches,     i1.fetch_misses, ll.fetch_misses, d1.loads,       d1.load_misses,
            ll.load_misses, d1.stores,       d1.store_misses, ll.store_misses};
}

/// Lines by which two traces differ; the address of the log's own buffers is the usual cause.
std::string difference(const std::string& first, const std::string& second) {
    std::ifstream a(first), b(second);
    std::string line_a, line_b;
    for (std::uint64_t number = 1;; ++number) {
        const bool more_a = static_cast<bool>(std::getline(a, line_a));
        const bool more_b = static_cast<bool>(std::getline(b, line_b));
        if (!more_a && !more_b) return {};
        const bool remarks = line_a.starts_with("==") && line_b.starts_with("==");
        if (more_a != more_b || (line_a != line_b && !remarks))
            return "line " + std::to_string(number) + ": \"" + line_a + "\" and \"" + line_b + "\"";
    }
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("I1, D1 and LL count as Cachegrind does") {
        if (run_program({"valgrind", "--version"}).exit_code != 0) {
            MESSAGE("Valgrind is not installed: the comparison with Cachegrind was not made");
            return;
        }
        for (const std::string program :
             {"blocked_matmul", "stencil", "linked_list", "unaligned_copy", "onednn_convolution"}) {
            CAPTURE(program);
            TemporaryFolder folder;
            const std::string trace = folder.file("trace"), again = folder.file("again");
            const std::string path = path_of(program, folder);
            lackey(path, trace);
            lackey(path, again);
            const std::string different = difference(trace, again);
            std::filesystem::remove(again);
            if (!different.empty()) {
                // Then Cachegrind's run is a third one, and no comparison would mean anything.
                MESSAGE(program, ": two lackey runs differ, no comparison: ", different);
                continue;
            }
            for (const Caches& caches : geometries()) {
                CAPTURE(caches.d1.option());
                CAPTURE(caches.ll.option());
                const auto expected = cachegrind(path, caches, folder.file("out"));
                const auto counted = ours(trace, caches);
                REQUIRE(counted.size() == expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    CAPTURE(i);  // Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
                    CHECK(counted[i] == expected[i]);
                }
            }
        }
    }
}

}  // namespace ridge::test
