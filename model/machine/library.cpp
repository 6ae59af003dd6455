// Machine files by name.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/files.hpp"
#include "core/words_near.hpp"
#include "model/machine/checks.hpp"
#include "model/machine/machine_yaml.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"

namespace ridge {
namespace {

bool is_path(std::string_view name) {
    return name.find('/') != std::string_view::npos || name.ends_with(".yaml") ||
           name.ends_with(".yml");
}

std::string shipped_folder() {
    return share_directory() + "/machines";
}

std::string path_of(std::string_view name) {
    if (is_path(name)) return std::string(name);
    if (name == "local") {
        const auto path = local_machine_path();
        if (!file_exists(path))
            throw bad_input("machine 'local'",
                            "a machine file at " + path + " ('ridge machine probe' writes it)",
                            "none");
        return path;
    }
    std::vector<std::string> known{"local"};
    for (const auto& entry : std::filesystem::directory_iterator(
             shipped_folder(), std::filesystem::directory_options::skip_permission_denied)) {
        if (entry.path().extension() != ".yaml") continue;
        if (entry.path().stem() == name) return entry.path().string();
        known.push_back(entry.path().stem().string());
    }
    std::sort(known.begin(), known.end());
    throw bad_input("machine", "one of " + list_of(known) + " or the path of a .yaml file",
                    fmt::format("'{}'", name));
}

}  // namespace

Machine load_machine(std::string_view name_or_path) {
    const std::string path = path_of(name_or_path);
    return machine_from_yaml(read_file(path), path);
}

void save_machine(const Machine& machine, const std::string& path) {
    for (const auto& finding : check_machine(machine))
        if (finding.impossible)
            throw job_failed("writing " + path,
                             fmt::format("{}: expected {}, found {}", finding.where,
                                         finding.expected, finding.found));
    write_file(path, machine_to_yaml(machine));
}

std::string local_machine_path() {
    return data_directory(false) + "/machine.yaml";
}

std::vector<MachineEntry> shipped_machines() {
    std::vector<MachineEntry> machines;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(shipped_folder(), absent)) {
        if (entry.path().extension() != ".yaml") continue;
        const auto machine = load_machine(entry.path().string());
        machines.push_back(
            {entry.path().stem().string(), machine.description, entry.path().string()});
    }
    std::sort(machines.begin(), machines.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return machines;
}

}  // namespace ridge
