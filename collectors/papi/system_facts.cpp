// What of this system decides about counters: files of the kernel, nothing is changed.
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ridge/counters.hpp"

namespace ridge {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::optional<int> whole(const std::string& text) {
    int value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest == text.data()) return std::nullopt;
    return value;
}

/// "0,28" or "0-3": processors in the kernel's notation.
std::vector<int> cpu_list(const std::string& text) {
    std::vector<int> cpus;
    std::stringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const auto first = whole(part);
        const auto dash = part.find('-');
        const auto last = dash == std::string::npos ? first : whole(part.substr(dash + 1));
        if (!first || !last || *last - *first > 4096) continue;
        for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    }
    return cpus;
}

bool effective_capability(const std::string& root, int bit) {
    std::ifstream file(root + "/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("CapEff:", 0) != 0) continue;
        const auto digits = line.find_first_not_of(" \t", 7);
        if (digits == std::string::npos) return false;
        std::uint64_t mask = 0;
        std::from_chars(line.data() + digits, line.data() + line.size(), mask, 16);
        return (mask >> bit & 1) != 0;
    }
    return false;
}

}  // namespace

bool SystemFacts::core_pmu() const {
    for (const auto& [name, cpus] : devices)
        if (name == "cpu" || name.rfind("cpu_", 0) == 0 || name.rfind("armv", 0) == 0) return true;
    return false;
}

SystemFacts read_system_facts(const std::string& root) {
    SystemFacts facts;
    facts.paranoid = whole(first_line(root + "/proc/sys/kernel/perf_event_paranoid"));
    facts.nmi_watchdog = whole(first_line(root + "/proc/sys/kernel/nmi_watchdog")) == 1;
    facts.root = ::geteuid() == 0;
    constexpr int cap_sys_admin = 21, cap_perfmon = 38;  // linux/capability.h
    facts.cap_perfmon =
        effective_capability(root, cap_perfmon) || effective_capability(root, cap_sys_admin);
    std::error_code error;
    facts.container =
        fs::exists(root + "/.dockerenv", error) || fs::exists(root + "/run/.containerenv", error);
    for (const auto& entry : fs::directory_iterator(root + "/sys/bus/event_source/devices", error))
        facts.devices.emplace(entry.path().filename().string(),
                              cpu_list(first_line(entry.path().string() + "/cpumask")));
    return facts;
}

}  // namespace ridge
