#include "apps/ridge/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

namespace ridge::app {
namespace {

/// Value of the first line of /proc/cpuinfo that starts with `key`.
std::string cpuinfo(std::string_view key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return "";
}

/// The flags that decide which kernels a library picks.
std::vector<std::string> useful_flags() {
    std::vector<std::string> useful;
    std::istringstream flags(cpuinfo("flags"));
    for (std::string flag; flags >> flag;)
        if (flag.starts_with("avx") || flag.starts_with("amx") || flag.starts_with("sse") ||
            flag == "fma" || flag == "f16c")
            useful.push_back(flag);
    std::sort(useful.begin(), useful.end());
    return useful;
}

std::string first_line(const std::string& path, const std::string& otherwise) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) && !line.empty() ? line : otherwise;
}

}  // namespace

std::string now_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

Environment describe_environment(const TrainingStep& step, const std::vector<int>& cpus) {
    utsname system{};
    uname(&system);
    Environment environment;
    environment.cpu_model = cpuinfo("model name");
    environment.cpu_flags = useful_flags();
    environment.kernel = fmt::format("{} {}", system.sysname, system.release);
    environment.hostname_hash =
        fmt::format("{:016x}", std::hash<std::string_view>{}(system.nodename));
    environment.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                                      "unavailable: this system does not show it");
    std::istringstream flags(cpuinfo("flags"));
    environment.virtualisation = "none seen";
    for (std::string flag; flags >> flag;)
        if (flag == "hypervisor") environment.virtualisation = "virtual machine";
    environment.library = step.library;
    environment.library_version = step.library_version;
    environment.library_isa = step.library_isa;
    environment.threads = static_cast<int>(cpus.size());
    environment.cpus = cpus;
    environment.ridge_version = RIDGE_VERSION;
    environment.compiler = fmt::format("{} {}",
#ifdef __clang__
                                       "clang", __clang_version__
#else
                                       "gcc", __VERSION__
#endif
    );
    return environment;
}

}  // namespace ridge::app
