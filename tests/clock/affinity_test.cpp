#include <doctest/doctest.h>
#include <omp.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "collectors/clock/affinity.hpp"
#include "ridge/error.hpp"

using namespace ridge;
using namespace ridge::clock;

namespace {

/// A root folder with the files that describe control groups.
struct FakeRoot {
    std::filesystem::path path;
    FakeRoot() {
        auto pattern = (std::filesystem::temp_directory_path() / "ridge-root-XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~FakeRoot() { std::filesystem::remove_all(path); }
    void put(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((path / file).parent_path());
        std::ofstream(path / file) << text << "\n";
    }
    [[nodiscard]] std::optional<double> quota() const { return cpu_quota(path.string() + "/"); }
};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("the tightest of the control groups around the process limits it") {
        const FakeRoot root;
        CHECK_FALSE(root.quota());
        root.put("proc/self/cgroup", "0::/jobs/one");
        CHECK_FALSE(root.quota());
        root.put("sys/fs/cgroup/jobs/one/cpu.max", "max 100000");
        CHECK_FALSE(root.quota());
        root.put("sys/fs/cgroup/jobs/cpu.max", "250000 100000");
        CHECK(root.quota() == 2.5);
        root.put("sys/fs/cgroup/jobs/one/cpu.max", "150000 100000");
        CHECK(root.quota() == 1.5);
    }

    TEST_CASE("version 1 groups") {
        const FakeRoot root;
        root.put("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/box");
        root.put("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000");
        root.put("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1");
        CHECK_FALSE(root.quota());
        root.put("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "400000");
        CHECK(root.quota() == 4);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("threads run where they are bound, and the caller is free again afterwards") {
        const auto before = allowed_cpus();
        REQUIRE(!before.empty());
        const std::vector<int> cpus(before.begin(),
                                    before.begin() + std::min<long>(2, std::ssize(before)));
        {
            const ThreadBinding binding(cpus);
            std::vector<int> seen(cpus.size(), -1);
#pragma omp parallel
            seen[static_cast<std::size_t>(omp_get_thread_num())] = sched_getcpu();
            CHECK(seen == cpus);
        }
        CHECK(allowed_cpus() == before);
    }

    TEST_CASE("a processor that does not exist is an error") {
        CHECK_THROWS_AS(ThreadBinding({1000}), Error);
        CHECK(allowed_cpus().size() > 0);
    }

    TEST_CASE("at least one thread is usable") {
        CHECK(usable_threads(1) == 1);
        CHECK(usable_threads(4) >= 1);
        CHECK(usable_threads(4) <= 4);
    }
}
