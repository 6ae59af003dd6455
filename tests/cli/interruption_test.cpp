// `ridge collect` is killed at random moments and resumed: nothing measured is lost or doubled.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ridge/run_store.hpp"
#include "tests/support/run_ridge.hpp"

using ridge::test::run_program;
using ridge::test::run_ridge;
using ridge::test::TemporaryFolder;

namespace {

using SamplesOfRows = std::map<ridge::RowKey, std::vector<ridge::Sample>>;

SamplesOfRows samples_of(const ridge::RunStore& store, std::int64_t run) {
    SamplesOfRows all;
    for (const auto& row : store.load_run(run).rows) all[row.key] = store.samples(run, row.key);
    return all;
}

/// Every sample of `before` stands at the same place in `after`.
bool kept(const SamplesOfRows& before, const SamplesOfRows& after) {
    for (const auto& [key, samples] : before) {
        const auto it = after.find(key);
        if (it == after.end() || it->second.size() < samples.size()) return false;
        for (std::size_t i = 0; i < samples.size(); ++i)
            if (it->second[i].visit != samples[i].visit ||
                it->second[i].raw_time != samples[i].raw_time)
                return false;
    }
    return true;
}

bool visit_doubled(const SamplesOfRows& rows) {
    for (const auto& [key, samples] : rows)
        for (std::size_t i = 1; i < samples.size(); ++i)
            if (samples[i].visit < samples[i - 1].visit) return true;
    return false;
}

/// The newest run, when it is not complete.
std::optional<std::int64_t> interrupted(const std::string& path) {
    if (!std::filesystem::exists(path)) return std::nullopt;
    const ridge::RunStore store(path, ridge::StoreAccess::write);
    const auto runs = store.list_runs();
    if (runs.empty() || runs.front().complete) return std::nullopt;
    return runs.front().id;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("kill -9 at 20 random moments: what was measured is there, once") {
        const TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        const std::vector<std::string> collect{
            "collect",    "lenet", "--batch", "1",  "--threads", "1",
            "--budget",   "0.6",   "--store", path, "--machine", "xeon-platinum-8180",
            "--counters", "none"};
        const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path()};
        std::vector<std::string> resume = collect;
        resume.emplace_back("--resume");

        // The first run on a machine looks for its quiet levels before it measures.
        REQUIRE(run_ridge(collect, environment).exit_code == 0);

        const auto seed = std::random_device{}();
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> moment(0.02, 1.2);
        int kills = 0, resumed = 0;
        // On a slow machine most moments come before the run has begun: more of them then.
        for (int attempt = 0; attempt < 200 && (kills < 20 || resumed < 10); ++attempt) {
            std::vector<std::string> command{"timeout", "-s", "KILL",
                                             std::to_string(moment(random)),
                                             std::getenv("RIDGE_BINARY")};
            command.insert(command.end(), collect.begin(), collect.end());
            const auto outcome = run_program(command, environment);
            if (outcome.exit_code == 0) continue;  // it was done before the moment came
            REQUIRE_MESSAGE(outcome.exit_code == 137, outcome.err);
            ++kills;
            const auto run = interrupted(path);
            if (!run) {
                CHECK(run_ridge(resume, environment).exit_code == 2);  // nothing had begun
                continue;
            }
            ++resumed;
            const auto before = samples_of(ridge::RunStore(path, ridge::StoreAccess::write), *run);
            const auto finished = run_ridge(resume, environment);
            REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
            const ridge::RunStore store(path, ridge::StoreAccess::read);
            CHECK(store.load_run(*run).info.complete);
            const auto after = samples_of(store, *run);
            CHECK(kept(before, after));
            CHECK_FALSE(visit_doubled(after));
            CHECK(store.check() == std::vector<std::string>{});
        }
        CHECK(kills >= 20);
        CHECK(resumed >= 10);
        MESSAGE(kills, " kills, ", resumed, " runs resumed");
    }
}
