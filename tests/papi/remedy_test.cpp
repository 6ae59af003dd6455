// What is said when counters cannot be had, and what of the system it follows from.
#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "collectors/papi/device_counters.hpp"
#include "collectors/papi/nearest_events.hpp"
#include "collectors/papi/pass_plan.hpp"
#include "ridge/counters.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using namespace ridge::papi;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

SystemFacts with_pmu() {
    SystemFacts facts;
    facts.devices.emplace("cpu", std::vector<int>{});
    facts.paranoid = 4;
    return facts;
}

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("each errno has its remedy in one line (C2)") {
        const SystemFacts facts = with_pmu();
        const auto text = [&](int error) { return remedy({error, "e", {}}, facts, "fake"); };
        for (const int error : {EACCES, EPERM}) {
            CHECK(has(text(error), "perf_event_paranoid is 4"));
            CHECK(has(text(error), "CAP_PERFMON"));
            CHECK(has(text(error), "sysctl kernel.perf_event_paranoid=0"));
        }
        CHECK(has(text(ENOENT), "event e is not known to this CPU, kernel or VM"));
        for (const int error : {ENODEV, ENXIO, EOPNOTSUPP}) CHECK(has(text(error), "no PMU"));
        CHECK(has(text(EINVAL), "attributes"));
        CHECK(has(text(EMFILE), "ulimit -n"));
        CHECK(has(text(EBUSY), "counter in use"));
        for (int error = 1; error < 130; ++error)
            CHECK(text(error).find('\n') == std::string::npos);
    }

    TEST_CASE("in a container the remedy is the container's (C2)") {
        SystemFacts facts = with_pmu();
        facts.container = true;
        CHECK(has(remedy({EPERM, "e", {}}, facts, "fake"), "--cap-add CAP_PERFMON"));
    }

    TEST_CASE("the NMI watchdog is named when it runs (C9)") {
        SystemFacts facts = with_pmu();
        CHECK(!has(remedy({EBUSY, "e", {}}, facts, "fake"), "watchdog"));
        facts.nmi_watchdog = true;
        CHECK(has(remedy({EBUSY, "e", {}}, facts, "fake"), "kernel.nmi_watchdog=0"));
    }

    TEST_CASE("an unknown event on a machine without a PMU means that there is none (C3)") {
        SystemFacts facts;
        facts.hypervisor = true;
        CHECK(has(remedy({ENOENT, "skx::X", {}}, facts, "fake"), "no PMU in this virtual machine"));
        CHECK(has(remedy({ENOENT, "skx::X", {}}, facts, "fake"), "pmu=on"));
        CHECK(has(remedy({ENOENT, "sde:::x::y", {}}, facts, "fake"), "not known"));
    }

    TEST_CASE("the three nearest names of a mistyped event (C7)") {
        CHECK(nearest_events("skx::L1D:REPLACEMNT",
                             {"skx::L1D:REPLACEMENT", "skx::L1D_PEND_MISS:PENDING",
                              "skx::L2_TRANS:L2_WB", "skx::L2_LINES_IN:ALL"})
                  .front() == "skx::L1D:REPLACEMENT");
        CHECK(nearest_events("x", {"b", "a", "d", "c"}) == std::vector<std::string>{"a", "b", "c"});
        CHECK(nearest_events("x", {}).empty());
    }

    TEST_CASE("facts are read from the kernel's files") {
        const test::TemporaryFolder folder;
        const std::string devices = folder.path() + "/sys/bus/event_source/devices/";
        write(folder.path() + "/proc/sys/kernel/perf_event_paranoid", "3\n");
        write(folder.path() + "/proc/sys/kernel/nmi_watchdog", "1\n");
        write(folder.path() + "/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
        write(folder.path() + "/run/.containerenv", "");
        write(devices + "cpu/type", "4\n");
        write(devices + "uncore_imc_0/cpumask", "0,28\n");
        write(devices + "uncore_imc_11/cpumask", "0-1\n");
        write(devices + "uncore_imc_free_running_0/cpumask", "0\n");
        const SystemFacts facts = read_system_facts(folder.path());
        CHECK(facts.paranoid == 3);
        CHECK(facts.nmi_watchdog);
        CHECK(facts.cap_perfmon);  // bit 38
        CHECK(facts.container);
        CHECK(facts.core_pmu());
        CHECK(facts.devices.at("uncore_imc_0") == std::vector<int>{0, 28});
        CHECK(facts.devices.at("uncore_imc_11") == std::vector<int>{0, 1});
        CHECK(instances(facts, "uncore_imc") ==
              std::vector<std::string>{"uncore_imc_0", "uncore_imc_11"});
        const test::TemporaryFolder empty;
        const SystemFacts nothing = read_system_facts(empty.path());
        CHECK(!nothing.paranoid.has_value());
        CHECK(!nothing.core_pmu());
    }

    TEST_CASE("fields of a device go where its formats say") {
        const test::TemporaryFolder folder;
        write(folder.path() + "/amd_df/type", "14\n");
        write(folder.path() + "/amd_df/format/event", "config:0-7,32-35,59-60\n");
        write(folder.path() + "/amd_df/format/umask", "config:8-15\n");
        write(folder.path() + "/amd_umc_3/type", "30\n");
        write(folder.path() + "/amd_umc_3/format/event", "config:0-7\n");
        write(folder.path() + "/amd_umc_3/format/rdwrmask", "config:8-9\n");
        write(folder.path() + "/amd_umc_3/format/other", "config1:5\n");
        const auto resolved = [&](const std::string& spelling) {
            DeviceConfig config;
            std::string why;
            CHECK_MESSAGE(resolve_device_event(spelling, folder.path(), config, why), why);
            return config;
        };
        const DeviceConfig df = resolved("amd_df/event=0x1c7,umask=0x38/");
        CHECK(df.type == 14);
        CHECK(df.config == 0x1000038c7ULL);  // 0xc7, the ninth bit at 32, 0x38 at 8
        CHECK(resolved("amd_umc_3/event=0x0a,rdwrmask=0x2/").config == 0x20a);
        CHECK(resolved("amd_umc_3/event=10,other=1/").config1 == 1U << 5);
        DeviceConfig config;
        std::string why;
        CHECK(!resolve_device_event("uncore_imc_0/event=1/", folder.path(), config, why));
        CHECK(has(why, "no device uncore_imc_0"));
        CHECK(!resolve_device_event("amd_df/cas=1/", folder.path(), config, why));
        CHECK(has(why, "no field for cas=1"));
        CHECK(!resolve_device_event("amd_umc_3/rdwrmask=4/", folder.path(), config, why));
    }
}
