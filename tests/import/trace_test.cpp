// Readers and the writer of traces.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "collectors/import/readers.hpp"
#include "ridge/error.hpp"
#include "tests/cachesim/support.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

std::vector<LineRun> runs_of(const std::string& text, TraceOptions options = {}) {
    Collected sink;
    import::open_trace_bytes(text, "trace", options)->replay(sink);
    return sink.runs;
}

/// The message of the error that reading gives, with the number of runs handed over before it.
std::string error_of(const std::string& text) {
    Collected sink;
    try {
        import::open_trace_bytes(text, "trace", {})->replay(sink);
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_input);
        return error.what() + std::string(" after ") + std::to_string(sink.runs.size());
    }
    return "no error";
}

std::string read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

const std::string remark = "==7== Lackey, an example Valgrind tool\n";

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("lackey text becomes runs") {
        const auto runs = runs_of(remark +
                                  "I  00001000,4\nI  00001004,4\n L 1ffefff7e0,8\n"
                                  " S 1ffefff7d8,8\n M 0000203c,8\n");
        REQUIRE(runs.size() == 4);
        CHECK(runs[0] == LineRun{.line = 0x40, .repeats = 2, .bytes = 8, .kind = TouchKind::fetch});
        CHECK(runs[1] == LineRun{.line = 0x1ffefff7e0 / 64, .offset = 0x20, .bytes = 8});
        CHECK(runs[2].kind == TouchKind::store);
        CHECK(runs[3] ==
              LineRun{.line = 0x80, .offset = 60, .bytes = 8, .kind = TouchKind::modify});
    }

    TEST_CASE("steady steps become one run") {
        std::string csv = "address,size,kind\n";
        for (int i = 0; i < 100; ++i) csv += std::to_string(65536 + 128 * i) + ",64,store\n";
        const auto runs = runs_of(csv);
        std::uint64_t touches = 0;
        for (const LineRun& run : runs) touches += run.count;
        CHECK(touches == 100);
        CHECK(runs.size() <= 3);
        CHECK(runs.front().stride == 2);
    }

    TEST_CASE("errors name the line, what was expected and what is there") {
        const std::string good = remark + "I  00001000,4\n";
        CHECK(error_of(good + " X 1000,4\n") ==
              "trace: line 3: expected a record I, L, S or M, found \" X 1000,4\" after 1");
        CHECK(error_of(good + " L 1000,0\n")
                  .starts_with("trace: line 3: expected a size from 1 to 4096 bytes"));
        CHECK(error_of(good + " L 1000,4097\n").find("1 to 4096") != std::string::npos);
        CHECK(error_of(good + " L ffffffffffffffff,2\n").find("within 64 bits") !=
              std::string::npos);
        CHECK(error_of(good + " L 10000000000000000,2\n").find("up to 16 digits") !=
              std::string::npos);
        CHECK(error_of(good + " L 1000,4").find("line 3: expected a complete line") !=
              std::string::npos);
        CHECK(error_of("hello\n").find("a trace") != std::string::npos);
        CHECK(error_of("").find("empty") != std::string::npos);
        CHECK(error_of("address,size,kind\n0x1000,4,jump\n").find("line 2") != std::string::npos);
    }

    TEST_CASE("own traces read back equal, tags near the end of the address space included") {
        TemporaryFolder folder;
        TraceInfo info;
        info.threads = 3;
        info.origin = "a \"test\"";
        info.regions = {{"src", 0x1000, 4096}, {"wei", std::uint64_t{1} << 56, 64}};
        std::vector<LineRun> runs;
        std::uint64_t x = 5;
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            runs.push_back({.line = (std::uint64_t{1} << 57) + (x >> 20) % 100000,
                            .count = static_cast<std::uint32_t>(1 + (x >> 50) % 7),
                            .stride = static_cast<std::int32_t>((x >> 40) % 9) - 4,
                            .repeats = static_cast<std::uint16_t>(1 + (x >> 55) % 3),
                            .offset = static_cast<std::uint16_t>((x >> 30) % 64),
                            .bytes = static_cast<std::uint16_t>(1 + (x >> 33) % 4096),
                            .kind = static_cast<TouchKind>((x >> 60) % touch_kinds),
                            .thread = static_cast<std::uint8_t>((x >> 45) % 3)});
        }
        const std::string path = folder.file("t.ridge");
        TraceWriter writer(path, info);
        writer.consume(runs);
        CHECK_FALSE(std::filesystem::exists(path));
        writer.close();
        const auto reader = open_trace(path);
        CHECK(reader->info().regions == info.regions);
        CHECK(reader->info().threads == 3);
        CHECK(reader->info().origin == info.origin);
        Collected sink;
        reader->replay(sink);
        CHECK(sink.runs == runs);

        // Cut anywhere, it is an error and never a crash; flipped bits do not pass the checksum.
        const std::string whole = read_all(path);
        for (const double part : {0.01, 0.3, 0.9, 0.9999}) {
            write_all(path, whole.substr(0, static_cast<std::size_t>(
                                                part * static_cast<double>(whole.size()))));
            Collected rest;
            CHECK_THROWS_AS(open_trace(path)->replay(rest), Error);
            CHECK(rest.runs.size() < runs.size());
        }
        std::string flipped = whole;
        flipped[whole.size() / 2] = static_cast<char>(flipped[whole.size() / 2] ^ 4);
        write_all(path, flipped);
        Collected rest;
        CHECK_THROWS_AS(open_trace(path)->replay(rest), Error);

        // On request what comes before the damage is used, and the damage is told.
        write_all(path, whole.substr(0, whole.size() * 9 / 10));
        const auto partial = open_trace(path, {.partial = true});
        Collected kept;
        partial->replay(kept);
        CHECK(kept.runs.size() > 0);
        CHECK(partial->damage().find("cut off") != std::string::npos);
    }

    TEST_CASE(
        "a short trace that lost its end or gained some keeps every whole record on request") {
        TemporaryFolder folder;
        const std::string path = folder.file("t.ridge");
        const std::vector<LineRun> runs{{.line = 7, .bytes = 8}, {.line = 900, .bytes = 64}};
        TraceWriter writer(path, {});
        writer.consume(runs);
        writer.close();
        const std::string whole = read_all(path);
        for (const std::string& damaged : {whole.substr(0, whole.size() - 1), whole + "more"}) {
            write_all(path, damaged);
            Collected refused;
            CHECK_THROWS_AS(open_trace(path)->replay(refused), Error);
            const auto partial = open_trace(path, {.partial = true});
            Collected kept;
            partial->replay(kept);
            CHECK(kept.runs == runs);
            CHECK(partial->damage().find("intact compressed data") != std::string::npos);
        }
    }

    TEST_CASE("text lines before the damage of their compression are kept on request") {
        TemporaryFolder folder;
        const std::string text = folder.file("t"), packed = folder.file("t.gz");
        write_all(text, " L 1000,8\n S 2000,4\n");
        REQUIRE(run_program({"sh", "-c", "gzip -c " + text + " > " + packed}).exit_code == 0);
        const std::string whole = read_all(packed);
        write_all(packed, whole.substr(0, whole.size() - 4));  // the checksum's second half
        const auto partial = open_trace(packed, {.partial = true});
        Collected kept;
        partial->replay(kept);
        CHECK(kept.runs.size() == 2);
        CHECK(partial->damage().find("cut off") != std::string::npos);
    }

    TEST_CASE("a trace goes through links and into pipes, as every file does") {
        TemporaryFolder folder;
        write_all(folder.file("real"), "old");
        std::filesystem::create_symlink("real", folder.file("link"));
        const std::vector<LineRun> runs{{.line = 7, .bytes = 8}};
        TraceWriter through(folder.file("link"), {});
        through.consume(runs);
        through.close();
        CHECK(std::filesystem::is_symlink(folder.file("link")));
        Collected one;
        open_trace(folder.file("real"))->replay(one);
        CHECK(one.runs == runs);

        const std::string pipe = folder.file("pipe");
        REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
        const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        REQUIRE(reader >= 0);
        TraceWriter into(pipe, {});
        into.consume(runs);
        into.close();
        std::string got(4096, '\0');
        const auto bytes = ::read(reader, got.data(), got.size());
        close(reader);
        CHECK(std::filesystem::is_fifo(pipe));
        REQUIRE(bytes > 0);
        CHECK(got.substr(0, static_cast<std::size_t>(bytes)) == read_all(folder.file("real")));
    }

    TEST_CASE("gzip and zstd are recognised by content") {
        TemporaryFolder folder;
        std::string text = remark;
        for (int i = 0; i < 5000; ++i) text += " S 00" + std::to_string(100000 + 8 * i) + ",8\n";
        const std::string plain = folder.file("plain.txt");
        write_all(plain, text);
        const auto expected = runs_of(text);
        for (const char* tool : {"gzip", "zstd"}) {
            CAPTURE(tool);
            const std::string named = folder.file(std::string("no-suffix-") + tool);
            const auto packed =
                run_program({"sh", "-c", std::string(tool) + " -c " + plain + " > " + named});
            if (packed.exit_code == 127) continue;
            REQUIRE(packed.exit_code == 0);
            Collected sink;
            open_trace(named)->replay(sink);
            CHECK(sink.runs == expected);
        }
    }

    TEST_CASE("merging across fetches changes no count") {
        std::string text;
        std::uint64_t x = 3;
        for (int i = 0; i < 60000; ++i) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            char line[64];
            const auto kind = "ILSM"[(x >> 60) % 4];
            if (kind == 'I')
                std::snprintf(line, sizeof(line), "I  %08llx,4\n",
                              0x400000ull + (x >> 40) % 2048 * 4);
            else
                std::snprintf(line, sizeof(line), " %c %08llx,8\n", kind,
                              0x800000ull + (x >> 33) % 4096);
            text += line;
        }
        HierarchySpec spec = small_machine();
        spec.instruction = cache("I1", 2048, 4);
        const auto traffic = [&](bool merge) {
            const auto source =
                import::open_trace_bytes(text, "t", {.merge_across_fetches = merge});
            return simulate(*source, spec);
        };
        const Traffic merged = traffic(true), plain = traffic(false);
        CHECK(merged.accesses == plain.accesses);
        for (std::size_t i = 0; i < plain.levels.size(); ++i) {
            CHECK(merged.levels[i].counts.misses() == plain.levels[i].counts.misses());
            CHECK(merged.levels[i].counts.written_bytes == plain.levels[i].counts.written_bytes);
        }
    }
}

}  // namespace ridge::test
