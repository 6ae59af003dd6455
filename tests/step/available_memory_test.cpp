#include "collectors/step/available_memory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "ridge/error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using step::available_memory;

namespace {

/// A /proc and /sys of our own.
class FakeRoot {
public:
    void write(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = folder_.path() + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] const std::string& path() const { return folder_.path(); }

private:
    test::TemporaryFolder folder_;
};

constexpr const char* kMeminfo =
    "MemTotal:       8000000 kB\nMemFree:         100000 kB\nMemAvailable:   5000000 kB\n";

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("what the kernel calls available, when no group limits this process") {
        const FakeRoot root;
        root.write("/proc/meminfo", kMeminfo);
        const auto found = available_memory(root.path());
        CHECK(found.size == Bytes(5000000.0 * 1024));
        CHECK(found.limited_by == "this machine");
    }

    TEST_CASE("control groups v2: the tightest of all parents counts, cache is given back") {
        const FakeRoot root;
        root.write("/proc/meminfo", kMeminfo);
        root.write("/proc/self/cgroup", "0::/outer/inner\n");
        root.write("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
        root.write("/sys/fs/cgroup/outer/inner/memory.current", "100\n");
        root.write("/sys/fs/cgroup/outer/memory.max", "2000000\n");
        root.write("/sys/fs/cgroup/outer/memory.current", "900000\n");
        root.write("/sys/fs/cgroup/outer/memory.stat", "anon 500000\ninactive_file 400000\n");
        const auto found = available_memory(root.path());
        CHECK(found.size == Bytes(2000000 - (900000 - 400000)));
        CHECK(found.limited_by.find("container") != std::string::npos);
    }

    TEST_CASE("control groups v1 beside a v2 hierarchy without limits") {
        const FakeRoot root;
        root.write("/proc/meminfo", kMeminfo);
        root.write("/proc/self/cgroup", "4:cpuset,memory:/job\n2:cpu:/job\n0::/\n");
        root.write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3000000\n");
        root.write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000000\n");
        root.write("/sys/fs/cgroup/memory/job/memory.stat", "total_inactive_file 0\n");
        CHECK(available_memory(root.path()).size == Bytes(2000000));
    }

    TEST_CASE("a container that sees its own group as the root") {
        const FakeRoot root;
        root.write("/proc/meminfo", kMeminfo);
        root.write("/proc/self/cgroup", "0::/not/visible/here\n");
        root.write("/sys/fs/cgroup/memory.max", "700000\n");
        root.write("/sys/fs/cgroup/memory.current", "200000\n");
        CHECK(available_memory(root.path()).size == Bytes(500000));
    }

    TEST_CASE("an unknown amount refuses nothing, a known one names need and supply") {
        const FakeRoot root;
        const auto unknown = available_memory(root.path());
        CHECK(unknown.limited_by.empty());
        step::require_memory("network x", Bytes(1e15), unknown);

        step::require_memory("network x", Bytes(100), {Bytes(100), "this machine"});
        try {
            step::require_memory("network x, batch 9", Bytes(47.3e9),
                                 {Bytes(24.1e9), "this machine"});
            FAIL("not refused");
        } catch (const Error& error) {
            const std::string line = error.what();
            CHECK(error.code() == ExitCode::bad_input);
            CHECK(line.find("network x, batch 9") != std::string::npos);
            CHECK(line.find("47.3 GB") != std::string::npos);
            CHECK(line.find("24.1 GB") != std::string::npos);
        }
    }
}
