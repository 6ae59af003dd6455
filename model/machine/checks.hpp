// What cannot be or should not be in a machine file, behind lint(), load_machine() and
// save_machine().
#pragma once

#include <string>
#include <vector>

#include "ridge/machine.hpp"

namespace ridge {

struct Finding {
    bool impossible = false;  ///< refused by load_machine; else only reported by lint
    std::string where;  ///< path of the key: "compute[3].flops_per_s", "levels[1].capacity_bytes"
    std::string expected, found;
};

/// Everything that is wrong with a machine, impossible or odd, in the order of the file.
[[nodiscard]] std::vector<Finding> check_machine(const Machine& machine);

/// The level behind all caches.
[[nodiscard]] inline bool is_main_memory(const MemoryLevel& level) {
    return level.name == "DRAM";
}

}  // namespace ridge
