// ridge simulate as a user meets it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

Outcome simulate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    arguments.insert(arguments.end(), {"--machine", "xeon-platinum-8180"});
    return run_ridge(arguments);
}

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("simulate: JSON holds the closed form of a copy") {
        const auto outcome = simulate({"copy:bytes=1MiB,nt=1", "--json"});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const auto json = nlohmann::json::parse(outcome.out);
        CHECK(json["memory"]["read_bytes"] == 1048576.0);
        CHECK(json["memory"]["non_temporal_bytes"] == 1048576.0);
        CHECK(json["source"] == "simulated");
        CHECK(json["method"] == "exact");
    }

    TEST_CASE("simulate: a layer names its source, every mode answers") {
        for (const char* mode : {"exact", "periodic", "sampled", "analytic"}) {
            CAPTURE(mode);
            const auto outcome =
                simulate({"conv:mb2ic16ih14oc16oh14kh3ph1", "--mode", mode, "--stream", "nest"});
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            CHECK(outcome.out.find("not the trace of a library's kernel") != std::string::npos);
            CHECK(outcome.out.find(std::string(mode) + " mode") != std::string::npos);
        }
    }

    TEST_CASE("simulate: a saved trace gives the same bytes") {
        TemporaryFolder folder;
        const std::string trace = folder.file("t.ridge");
        const std::string layer = "conv:mb2ic16ih14oc16oh14kh3ph1";
        const auto direct = simulate({layer, "--json", "--save-trace", trace});
        const auto again = simulate({trace, "--json"});
        REQUIRE_MESSAGE(again.exit_code == 0, again.err);
        CHECK(nlohmann::json::parse(direct.out)["levels"] ==
              nlohmann::json::parse(again.out)["levels"]);
    }

    TEST_CASE("simulate: a damaged or impossible trace names its line or byte") {
        TemporaryFolder folder;
        const std::string binary = folder.file("t.ridge");
        REQUIRE(simulate({"copy:bytes=1MiB", "--save-trace", binary}).exit_code == 0);
        std::ifstream in(binary, std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(in), {}};
        const std::string csv = "address,size,kind\n";
        for (const auto& [content, says] : std::vector<std::pair<std::string, std::string>>{
                 {"", "an empty file"},
                 {" L 1000,8\n Q 1040,8\n", "line 2: expected a record I, L, S or M"},
                 {" L 1000,8\n L ffffffffffffffff,8\n",
                  "line 2: expected an access within 64 bits"},
                 {" L 1000,0\n", "line 1: expected a size from 1 to 4096 bytes"},
                 {" L 1000,4097\n", "line 1: expected a size from 1 to 4096 bytes"},
                 {csv + "0x10,8,leap\n", "line 2: expected load, store"},
                 {csv + "-5,8,load\n", "line 2: expected a 64-bit address"},
                 {csv + "99999999999999999999,8,load\n", "line 2: expected a 64-bit address"},
                 {csv + "1,2\n", "line 2: expected address,size,kind"},
                 {"ridge-trace 9\n{}\n", "byte 0: expected \"ridge-trace 2 \""},
                 {"ridge-trace 2 0123456789abcdef\n{}\n", "byte 31: expected a header with"},
                 {"ridge-trace 2 0123456789abcdef\n{", "byte 14: expected a checksum and"},
                 {whole.substr(0, whole.size() / 2), "cut off"}}) {
            const std::string path = folder.file("bad");
            std::ofstream(path, std::ios::binary) << content;
            const auto outcome = simulate({path});
            CAPTURE(says);
            CHECK_MESSAGE(outcome.err.find(says) != std::string::npos, outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.out.empty());
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
    }

    TEST_CASE("simulate: impossible caches name the level and the key") {
        TemporaryFolder folder;
        const auto cache = [](const char* name, int bytes, const std::string& rest) {
            return "  - {name: " + std::string(name) +
                   ", capacity_bytes: " + std::to_string(bytes) + ", shared_by: 1, " + rest + "}\n";
        };
        const std::string l1 = cache("L1", 32768, "ways: 8"), l2 = cache("L2", 1 << 20, "ways: 16");
        for (const auto& [levels, says] : std::vector<std::pair<std::string, std::string>>{
                 {cache("L1", 32768, "ways: 7") + l2, "capacity_bytes"},
                 {cache("L1", 32768, "ways: 512") + l2, "L1.ways: expected 1 to 64 ways"},
                 {cache("L1", 32768, "ways: 8, line_bytes: 48") + l2, "line_bytes"},
                 {l1 + cache("L2", 1 << 20, "ways: 16, line_bytes: 128"), "L2.line: expected 64"},
                 {cache("L1", 32768, "ways: 8, behaviour: {policy: fifo}") + l2,
                  "L1.policy: expected one of lru"},
                 {l1 + cache("L2", 1441792, "ways: 11, behaviour: {policy: tree_plru}"),
                  "L2.ways: expected a power of two"},
                 {l1 + cache("L2", 16384, "ways: 16, behaviour: {inclusion: inclusive}"),
                  "expected at least the 32 KiB of L1"},
                 {cache("L1", 32768, "ways: 8, behaviour: {write_allocate_evasion: 2}") + l2,
                  "write_allocate_evasion"},
                 {cache("L1", 32768, "ways: 8, behaviour: {sector_bytes: 48}") + l2, "L1.sector"},
                 {cache("L1", 32768, "ways: 8, behaviour: {inclusion: maybe}") + l2,
                  "L1.behaviour.inclusion"}}) {
            const std::string path = folder.file("m.yaml");
            std::ofstream(path) << "ridge_machine: 1\nname: odd\ncpu: {model: odd, vendor: Odd, "
                                   "sockets: 1, cores: 1, threads: 1, isa_flags: []}\n"
                                << "levels:\n"
                                << levels << "  - {name: DRAM, shared_by: 1}\n";
            const auto outcome = run_ridge({"simulate", "stream:bytes=1MiB", "--machine", path});
            CAPTURE(levels);
            CHECK_MESSAGE(outcome.err.find(says) != std::string::npos, outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
    }

    TEST_CASE("simulate: bad input is one line and exit code 2") {
        TemporaryFolder folder;
        const std::string cut = folder.file("cut");
        std::ofstream(cut) << " L 1000,8\n L 1040,8\n L 10";
        for (const auto& arguments : std::vector<std::vector<std::string>>{
                 {"nothing"},
                 {"copy:bytes=1MiB,size=3"},
                 {"copy:bytes=100"},
                 {"copy:bytes=1MiB,nt=7"},
                 {"strided:bytes=1e15,stride=1"},
                 {"blocked_matmul:m=1e9,n=1e9,k=1e9"},
                 {"conv:mb2"},
                 {"conv:mb2ic16ih14oc16oh14kh3ph1", "--pass", "backward"},
                 {"stream:bytes=1MiB", "--mode", "guess"},
                 {"stream:bytes=1MiB", "--threads", "0"},
                 {"stream:bytes=1MiB", "--threads", "29"},
                 {"stream:bytes=1MiB", "--pass", "forward"},
                 {"stream:bytes=1MiB", "--seed", "-1"},
                 {"stream:bytes=1MiB", "--seed", "99999999999999999999"},
                 {"stream:bytes=1MiB", "--tolerance", "nan"},
                 {"stream:bytes=1MiB", "--save-trace", folder.file("no/such/trace")},
                 {"stream:bytes=1MiB", "--save-trace", "/dev/full", "--mode", "guess"},
                 {"stream:bytes=1MiB,bytes=2MiB"},
                 {"copy:bytes=1MiB,nt=2"},
                 {"strided:bytes=1e15,stride=1"},
                 {"blocked_matmul:m=9e9,n=9e9,k=9e9"},
                 {"blocked_matmul:m=131072,n=131072,k=131072,block=131072"},
                 {"conv:mb2ic16ih14oc16oh14kh3ph1", "--pass", "sideways"},
                 {"stream:bytes=1MiB", "--set", "l1.capacity=5000"},
                 {cut}}) {
            const auto outcome = simulate(arguments);
            CAPTURE(arguments.front());
            CAPTURE(outcome.err);
            CHECK(outcome.exit_code == 2);
            CHECK(outcome.out.empty());
            CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
        }
        // Refused before or after the trace was opened, no part of it is left.
        const std::string trace = folder.file("trace");
        CHECK(simulate({"stream:bytes=1MiB", "--save-trace", trace, "--mode", "guess"}).exit_code ==
              2);
        CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
        const auto partial = simulate({cut, "--partial", "--json"});
        REQUIRE(partial.exit_code == 0);
        CHECK(nlohmann::json::parse(partial.out)["memory"]["read_bytes"] == 128.0);
        CHECK(partial.out.find("line 3") != std::string::npos);
    }
}

}  // namespace ridge::test
