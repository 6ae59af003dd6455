// Traces that are damaged, empty, or written by other hands: what is an error and what is not.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "collectors/import/readers.hpp"
#include "ridge/error.hpp"
#include "tests/cachesim/support.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

/// The runs, or the error's text.
struct Read {
    std::vector<LineRun> runs;
    std::string error;
};

Read read(const std::string& bytes, const TraceOptions& options = {}) {
    Collected sink;
    std::string text;
    try {
        import::open_trace_bytes(bytes, "trace", options)->replay(sink);
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        text = error.what();
    }
    return {sink.runs, text};
}

/// A trace in the own form, compressed as it is written.
std::string own_form(const std::vector<LineRun>& runs, const TraceInfo& info = {}) {
    const TemporaryFolder folder;
    TraceWriter writer(folder.file("t"), info);
    writer.consume(runs);
    writer.close();
    std::ifstream in(folder.file("t"), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string through(const std::string& tool, const std::string& bytes) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("in"), std::ios::binary) << bytes;
    const auto outcome = run_program({"sh", "-c", tool + " < " + folder.file("in")});
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
    return outcome.out;
}

std::vector<LineRun> some_runs(std::size_t count) {
    std::vector<LineRun> runs;
    std::mt19937_64 random(11);
    for (std::size_t i = 0; i < count; ++i)
        runs.push_back({.line = 0x4000 + random() % 5000,
                        .count = static_cast<std::uint32_t>(1 + random() % 40),
                        .stride = static_cast<std::int32_t>(random() % 5) + 1,
                        .bytes = static_cast<std::uint16_t>(8 + random() % 50),
                        .kind = static_cast<TouchKind>(random() % 3)});
    return runs;
}

bool is_start_of(const std::vector<LineRun>& part, const std::vector<LineRun>& whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("one flipped bit anywhere is an error with its byte before anything wrong is used") {
        const std::vector<LineRun> runs = some_runs(60);
        TraceInfo info;
        info.regions = {{"src", 0x100000, 4096}};
        const std::string zstd = own_form(runs, info), plain = through("zstd -dqc", zstd);
        // The containers have bits without meaning (the time stamp of gzip), the own form none.
        for (const auto& [whole, most_harmless] : std::vector<std::pair<std::string, int>>{
                 {plain, 0}, {zstd, 40}, {through("gzip -nc", zstd), 80}}) {
            int harmless = 0;
            for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
                std::string flipped = whole;
                flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
                const Read got = read(flipped);
                CAPTURE(bit);
                // No count that was never written may reach a simulator: it could run for ever.
                REQUIRE(is_start_of(got.runs, runs));
                if (got.error.empty()) {
                    REQUIRE(got.runs == runs);
                    ++harmless;
                } else {
                    REQUIRE_MESSAGE(got.error.find("byte ") != std::string::npos, got.error);
                }
            }
            CHECK(harmless <= most_harmless);
        }
    }

    TEST_CASE("random flips in a trace of many blocks are found in the block") {
        const std::vector<LineRun> runs = some_runs(60000);
        const std::string plain = through("zstd -dqc", own_form(runs));
        REQUIRE(plain.size() > 200000);
        std::mt19937_64 random(5);
        for (int i = 0; i < 100; ++i) {
            std::string flipped = plain;
            const std::size_t bit = random() % (8 * plain.size());
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
            const Read got = read(flipped);
            CHECK(is_start_of(got.runs, runs));
            CHECK(got.error.find("byte ") != std::string::npos);
            // What lies in the blocks before is there on request.
            const Read kept = read(flipped, {.partial = true});
            CHECK(is_start_of(kept.runs, runs));
            if (bit / 8 > 80000) CHECK(kept.runs.size() > 1000);
        }
    }

    TEST_CASE("the own form is read within gzip, and within both") {
        const std::vector<LineRun> runs = some_runs(500);
        const std::string own = own_form(runs);
        for (const char* tool :
             {"gzip -nc", "zstd -dqc", "zstd -dqc | gzip -nc", "gzip -nc | zstd -qc", "zstd -qc"}) {
            CAPTURE(tool);
            const Read got = read(through(tool, own));
            CHECK(got.error == "");
            CHECK(got.runs == runs);
        }
    }

    TEST_CASE("a trace without any access is an error that says what was there") {
        for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
                 {"==1== Lackey\n==1== Command: a\n",
                  "trace: expected at least one access, found none in 2 lines"},
                 {"address,size,kind\n",
                  "trace: expected at least one access, found none in 1 lines"},
                 {own_form({}), "trace: expected at least one access, found none"}}) {
            CHECK(read(text).error == says);
            CHECK(read(text, {.partial = true}).error == says);
        }
        const std::string fetches = "I  00001000,4\nI  00001004,4\n";
        CHECK(read(fetches).error == "");
        CHECK(read(fetches, {.fetches = false}).error ==
              "trace: expected at least one access to data, found instruction fetches only in 2 "
              "lines");
        // Damage before the first access leaves nothing that could be used.
        CHECK(read(" L 1000,0\n", {.partial = true}).error.find("line 1") != std::string::npos);
    }

    TEST_CASE("text with the line ends of Windows is the same trace") {
        const std::string lackey = "==1== a\nI  00001000,4\n L 1ffefff7e0,8\n S 2000,4\n";
        const std::string csv = "address,size,kind\n0x1000,8,load\n64,4,store\n";
        for (const std::string& text : {lackey, csv}) {
            std::string windows;
            for (const char c : text)
                windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
            const Read got = read(windows);
            CHECK(got.error == "");
            CHECK(got.runs == read(text).runs);
        }
        CHECK(read(" L 1000,4\rx\n").error.find("line's end") != std::string::npos);
    }

    TEST_CASE("the last line of a CSV needs no end, that of lackey does") {
        const std::string csv = "address,size,kind\n0x1000,8,load\n64,4,store";
        CHECK(read(csv).error == "");
        CHECK(read(csv).runs == read(csv + "\n").runs);
        CHECK(read("address,size,kind\n0x1000,8,lo").error.find("line 2: expected load, store") !=
              std::string::npos);
        CHECK(read(" L 1000,8\n L 1040,1").error.find("line 2: expected a complete line") !=
              std::string::npos);
    }

    TEST_CASE("errors of the header name the byte, other versions are told") {
        const std::string plain = through("zstd -dqc", own_form(some_runs(3)));
        CHECK(read("ridge-trace 1\n{}\n").error.find("byte 0: expected \"ridge-trace 2 \"") !=
              std::string::npos);
        std::string changed = plain;
        changed[plain.find("line_bytes") + 2] = 'x';
        CHECK(read(changed).error.find("byte 31: expected a header with the checksum") !=
              std::string::npos);
    }

    TEST_CASE("a pipe is read once: a second replay says so") {
        const TemporaryFolder folder;
        const std::string file = folder.file("t"), pipe = folder.file("pipe");
        std::ofstream(file) << " L 1000,8\n S 2000,4\n";
        REQUIRE(run_program({"mkfifo", pipe}).exit_code == 0);
        REQUIRE(
            run_program({"sh", "-c", "cat " + file + " > " + pipe + " 2>/dev/null &"}).exit_code ==
            0);
        const auto reader = open_trace(pipe);
        CHECK(reader->read_once());
        Collected sink;
        reader->replay(sink);
        CHECK(sink.runs.size() == 2);
        CHECK_THROWS_WITH_AS(reader->replay(sink), doctest::Contains("which can be read once"),
                             Error);
        CHECK_FALSE(open_trace(file)->read_once());
    }
}

}  // namespace ridge::test
