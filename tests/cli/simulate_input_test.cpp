// ridge simulate: what it takes as its subject, by which way, and which options go with it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/run_ridge.hpp"

namespace ridge::test {
namespace {

using nlohmann::json;

Outcome simulate(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "simulate");
    arguments.insert(arguments.end(), {"--machine", "xeon-platinum-8180"});
    return run_ridge(arguments);
}

/// `ridge simulate` at the end of a shell's pipe.
Outcome piped(const std::string& before, const std::string& arguments) {
    return run_program({"bash", "-c",
                        before + " | " + std::getenv("RIDGE_BINARY") + " simulate " + arguments +
                            " --machine xeon-platinum-8180"});
}

void expect_refusal(const Outcome& outcome, const std::vector<std::string>& says) {
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    for (const std::string& text : says) {
        CAPTURE(text);
        CHECK(outcome.err.find(text) != std::string::npos);
    }
}

const std::string lackey = "==1== a\n L 1000,8\n S 2000,4\n L 1008,8\n M 30fc,8\n";
const std::string layer = "conv:mb2ic16ih14oc16oh14kh3ph1";

}  // namespace

TEST_SUITE("cli") {
    TEST_CASE("simulate: every form comes through a pipe, with copies in the same pass") {
        TemporaryFolder folder;
        const std::string text = folder.file("a.lackey"), own = folder.file("a.rt");
        const std::string csv = folder.file("a.csv"), again = folder.file("again.rt");
        std::ofstream(text) << lackey;
        std::ofstream(csv) << "address,size,kind\n0x1000,8,load\n0x2000,4,store\n0x1008,8,load\n"
                              "0x30fc,8,modify\n";
        const auto direct = simulate({text, "--json", "--curve", "--save-trace", own});
        REQUIRE_MESSAGE(direct.exit_code == 0, direct.err);
        const json expected = json::parse(direct.out);
        CHECK(expected["memory"]["read_bytes"] == 4 * 64);
        for (const std::string& sender : {"cat " + text, "gzip -c " + text, "zstd -qc " + text,
                                          "cat " + csv, "cat " + own, "gzip -c " + own}) {
            for (const char* name : {"-", "/dev/stdin"}) {
                CAPTURE(sender);
                const auto outcome =
                    piped(sender, std::string(name) + " --json --curve --save-trace " + again);
                REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
                const json found = json::parse(outcome.out);
                CHECK(found["levels"] == expected["levels"]);
                CHECK(found["miss_ratio_curve"] == expected["miss_ratio_curve"]);
                CHECK(json::parse(simulate({again, "--json"}).out)["levels"] == expected["levels"]);
            }
        }
        const auto named =
            run_program({"bash", "-c",
                         std::getenv("RIDGE_BINARY") + std::string(" simulate <(cat ") + own +
                             ") --json --machine xeon-platinum-8180"});
        REQUIRE_MESSAGE(named.exit_code == 0, named.err);
        CHECK(json::parse(named.out)["levels"] == expected["levels"]);
        CHECK(piped("cat " + own, "- --mode periodic").exit_code == 0);
        CHECK(piped("cat " + own, "- --mode sampled").exit_code == 0);
        for (const char* protocol : {"warm", "in_step"})
            expect_refusal(piped("cat " + own, "- --protocol " + std::string(protocol)),
                           {std::string("--protocol ") + protocol, "read twice", "standard input"});
    }

    TEST_CASE("simulate: lackey's output goes straight in") {
        if (run_program({"sh", "-c", "command -v valgrind"}).exit_code != 0) return;
        const auto outcome =
            piped("valgrind --tool=lackey --trace-mem=yes /bin/true 2>&1 >/dev/null", "- --json");
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        CHECK(json::parse(outcome.out)["accesses"] > 10000);
    }

    TEST_CASE("simulate: a trace brings its threads") {
        TemporaryFolder folder;
        const std::string trace = folder.file("two.rt");
        const auto direct = simulate(
            {layer, "--stream", "nest", "--threads", "2", "--save-trace", trace, "--json"});
        REQUIRE_MESSAGE(direct.exit_code == 0, direct.err);
        for (const auto& threads : {std::vector<std::string>{}, {"--threads", "2"}}) {
            std::vector<std::string> arguments{trace, "--json"};
            arguments.insert(arguments.end(), threads.begin(), threads.end());
            const auto again = simulate(arguments);
            REQUIRE_MESSAGE(again.exit_code == 0, again.err);
            CHECK(json::parse(again.out)["levels"] == json::parse(direct.out)["levels"]);
            CHECK(json::parse(again.out)["threads"] == 2);
        }
        for (const char* threads : {"1", "3"})
            expect_refusal(
                simulate({trace, "--threads", threads}),
                {"--threads: expected 2 as in " + trace, std::string("found ") + threads});
        const std::string text = folder.file("a.lackey");
        std::ofstream(text) << lackey;
        expect_refusal(simulate({text, "--threads", "2"}), {"--threads: expected 1 as in " + text});
        for (const char* threads : {"1e9", "1.5", "29", "0", "-1"})
            expect_refusal(simulate({"stream:bytes=1MiB", "--threads", threads}),
                           {"--threads: expected 1 to the 28 cores", threads});
        const auto small =
            run_ridge({"simulate", trace, "--machine", "core-i7-5930k", "--set", "l2.capacity=2x"});
        CHECK_MESSAGE(small.exit_code == 0, small.err);
    }

    TEST_CASE("simulate: unknown subjects list what there is, the help shows what can be typed") {
        for (const char* what : {"foo:bytes=1MiB", "nothing", "no/such/file"})
            expect_refusal(simulate({what}), {what, "sweep:bytes=1MiB[,passes=2]",
                                              "a layer such as", "no such file"});
        for (const char* what : {"stream", "stream:", "stream:1MiB", "stream:bytes=1MiB,stride=64"})
            expect_refusal(simulate({what}), {"expected stream:bytes=1MiB"});
        const auto help = run_ridge({"simulate", "--help"});
        CHECK(help.out.find("ridge simulate sweep:bytes=48KiB,passes=10") != std::string::npos);
        // What the help shows for each generator works without its brackets.
        for (const char* shown :
             {"stream:bytes=1MiB", "sweep:bytes=1MiB", "strided:bytes=1MiB", "copy:bytes=1MiB",
              "triad:bytes=1MiB", "blocked_matmul:m=256,n=256,k=256"}) {
            CHECK(help.out.find(shown) != std::string::npos);
            CHECK(simulate({shown}).exit_code == 0);
        }
    }

    TEST_CASE("simulate: numbers of generators are whole") {
        for (const auto& [what, says] : std::vector<std::pair<std::string, std::string>>{
                 {"sweep:bytes=64KiB,passes=1.5", "passes: expected a whole number, found '1.5'"},
                 {"sweep:bytes=64KiB,passes=2KiB", "passes: expected a whole number"},
                 {"sweep:bytes=64KiB,passes=0", "passes: expected 1 to"},
                 {"sweep:bytes=64KiB,passes=nan", "passes: expected"},
                 {"stream:bytes=512.5", "bytes: expected a whole number of bytes"},
                 {"strided:bytes=64KiB,stride=64.5", "stride: expected a whole number of bytes"},
                 {"blocked_matmul:m=64.5,n=64,k=64", "m: expected a whole number"},
                 {"blocked_matmul:m=64,n=64,k=64,block=16.5", "block: expected a whole number"}})
            expect_refusal(simulate({what}), {says});
        CHECK(simulate({"sweep:bytes=1.5KiB,passes=1e1"}).exit_code == 0);
    }

    TEST_CASE("simulate: an option without effect is refused") {
        TemporaryFolder folder;
        const std::string text = folder.file("a.lackey");
        std::ofstream(text) << lackey;
        const std::string generator = "stream:bytes=1MiB";
        for (const auto& arguments : std::vector<std::vector<std::string>>{
                 {generator, "--stream", "nest"},
                 {generator, "--stream", "auto"},
                 {generator, "--partial"},
                 {generator, "--pass", "forward"},
                 {generator, "--seed", "3"},
                 {generator, "--groups", "4"},
                 {generator, "--tolerance", "0.01"},
                 {generator, "--tolerance", "0.01", "--mode", "sampled"},
                 {generator, "--seed", "3", "--mode", "periodic"},
                 {text, "--stream", "traced"},
                 {text, "--pass", "forward"},
                 {layer, "--partial"}}) {
            const std::string option = arguments[1];
            expect_refusal(simulate(arguments), {option, "to go with it"});
        }
    }

    TEST_CASE("simulate: a million million repeats cost nothing, what cannot end is refused") {
        const auto start = std::chrono::steady_clock::now();
        const auto outcome =
            simulate({"sweep:bytes=48KiB,passes=1e15", "--mode", "periodic", "--json"});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        // 768 lines in a first level of 512 under LRU all miss; the second level holds them.
        const json result = json::parse(outcome.out);
        CHECK(result["levels"][0]["misses"] == 768e15);
        CHECK(result["levels"][1]["misses"] == 768);
        // An hour would do to tell it from 1e15 passes.
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::hours(1));
        expect_refusal(simulate({"sweep:bytes=48KiB,passes=1e15"}),
                       {"about a day", "periodic", "days"});
        expect_refusal(simulate({"sweep:bytes=1e15,passes=2", "--mode", "periodic"}),
                       {"about a day", "analytic", "days"});
        expect_refusal(simulate({"sweep:bytes=48KiB,passes=1e15", "--mode", "periodic", "--curve"}),
                       {"neither --curve nor --save-trace"});
        CHECK(simulate({"sweep:bytes=1e15,passes=1e15", "--mode", "analytic"}).exit_code == 0);
    }

    TEST_CASE("simulate: a signal while a trace is saved leaves nothing behind") {
        for (const char* signal : {"TERM", "INT", "KILL"}) {
            TemporaryFolder folder;
            CAPTURE(signal);
            const auto outcome = run_program(
                {"timeout", "--preserve-status", "-s", signal, "0.5", std::getenv("RIDGE_BINARY"),
                 "simulate", "stream:bytes=16GiB", "--save-trace", folder.file("t.rt"), "--machine",
                 "xeon-platinum-8180"});
            REQUIRE(outcome.exit_code > 128);
            CHECK(std::filesystem::is_empty(folder.path()));
        }
    }

    TEST_CASE("simulate: what-if keeps the ways that fit and says when it cannot") {
        const auto notes = [](const std::string& change) {
            const auto outcome = simulate({"stream:bytes=1MiB", "--set", change, "--json"});
            REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
            return json::parse(outcome.out)["notes"].dump();
        };
        CHECK(notes("l2.capacity=2x").find("assumed") == std::string::npos);
        CHECK(notes("l3.capacity=1.5x").find("assumed") == std::string::npos);
        CHECK(notes("l2.capacity=2x").find("changes no cache") == std::string::npos);
        CHECK(notes("l2.bandwidth=2x").find("l2.bandwidth=2x changes no cache") !=
              std::string::npos);
        CHECK(notes("l1.capacity=40000").find("L1: 1 ways assumed") != std::string::npos);
    }

    TEST_CASE("simulate: the curve marks the machine's levels, ratios are per access") {
        const auto outcome = simulate({"sweep:bytes=48KiB,passes=10", "--curve", "--json"});
        REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err);
        const json result = json::parse(outcome.out);
        std::string marked;
        for (const auto& point : result["miss_ratio_curve"]) {
            if (point["level"].is_null()) continue;
            marked += point["level"].get<std::string>() + " ";
            // 768 lines ten times: all miss in 32 KiB, only the first pass in what holds them.
            const double expected = point["level"] == "L1" ? 1 : 0.1;
            CHECK(point["miss_ratio"] == doctest::Approx(expected));
        }
        CHECK(marked == "L1 L2 L3 ");
        const auto text = simulate({"sweep:bytes=48KiB,passes=10", "--curve"});
        CHECK(text.out.find("% of accesses") != std::string::npos);
        CHECK(text.out.find("An access counts once in each line") != std::string::npos);
    }
}

}  // namespace ridge::test
