#include "collectors/step/available_memory.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "ridge/error.hpp"
#include "ridge/format.hpp"

namespace ridge::step {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const fs::path& file) {
    std::ifstream in(file);
    in.imbue(std::locale::classic());
    double value = 0;
    if (in >> value) return value;  // "max" is no number: no limit
    return std::nullopt;
}

/// A line "key value" or "key: value kB" of /proc/meminfo and memory.stat.
std::optional<double> keyed_number(const fs::path& file, const std::string& key) {
    std::ifstream in(file);
    in.imbue(std::locale::classic());
    std::string word;
    double value = 0;
    while (in >> word) {
        if (word == key && in >> value) return value;
        in.clear();
        std::getline(in, word);
    }
    return std::nullopt;
}

/// What one control group leaves: its limit less what it uses. Cache of files that nobody uses
/// counts as used there but is given back when needed.
std::optional<double> left_in_group(const fs::path& group, const char* limit_file,
                                    const char* usage_file, const char* reclaimable) {
    const auto limit = number_in(group / limit_file);
    const auto usage = number_in(group / usage_file);
    if (!limit || !usage) return std::nullopt;
    const double cache = keyed_number(group / "memory.stat", reclaimable).value_or(0);
    return std::max(0.0, *limit - std::max(0.0, *usage - cache));
}

/// Path of this process in the hierarchy: the line "0::PATH" (v2) or "N:...memory...:PATH" (v1).
std::optional<std::string> group_path(const fs::path& cgroup_file, bool v2) {
    std::ifstream in(cgroup_file);
    std::string line;
    while (std::getline(in, line)) {
        const auto first = line.find(':');
        const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (v2 ? controllers == ",," : controllers.find(",memory,") != controllers.npos)
            return line.substr(second + 1);
    }
    return std::nullopt;
}

/// Least of all groups from `path` up to the root of the hierarchy. A container may see its own
/// group as the root: paths that are not there are passed over.
std::optional<double> left_in_hierarchy(const fs::path& mount, std::string path, bool v2) {
    std::optional<double> least;
    for (;;) {
        const fs::path group = mount / fs::path(path).relative_path();
        const auto left = v2 ? left_in_group(group, "memory.max", "memory.current", "inactive_file")
                             : left_in_group(group, "memory.limit_in_bytes",
                                             "memory.usage_in_bytes", "total_inactive_file");
        if (left) least = std::min(least.value_or(*left), *left);
        if (path.empty() || path == "/") return least;
        path = fs::path(path).parent_path().string();
    }
}

}  // namespace

AvailableMemory available_memory(const std::string& root) {
    AvailableMemory result;
    const fs::path proc = root + "/proc";
    if (const auto kib = keyed_number(proc / "meminfo", "MemAvailable:"))
        result = {Bytes(*kib * 1024), "this machine"};
    const struct {
        const char* mount;
        bool v2;
    } hierarchies[] = {{"/sys/fs/cgroup", true},
                       {"/sys/fs/cgroup/unified", true},
                       {"/sys/fs/cgroup/memory", false}};
    for (const auto& h : hierarchies) {
        const auto path = group_path(proc / "self/cgroup", h.v2);
        if (!path) continue;
        const auto left = left_in_hierarchy(root + h.mount, *path, h.v2);
        if (left && (result.limited_by.empty() || *left < result.size.value()))
            result = {Bytes(*left), "the memory limit of this container"};
    }
    return result;
}

void require_memory(const std::string& what, Bytes needed, const AvailableMemory& available) {
    if (available.limited_by.empty() || needed <= available.size) return;
    throw bad_input(what,
                    fmt::format("at most {} of memory (available, by {})", format(available.size),
                                available.limited_by),
                    fmt::format("a step that needs {}", format(needed)));
}

}  // namespace ridge::step
