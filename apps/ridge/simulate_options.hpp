// What `ridge simulate` was asked for, and what of it does not go together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

struct SimulateCommand {
    std::string what;
    std::string machine = "local";
    std::string mode = "exact", protocol = "cold";
    std::vector<std::string> changes;
    std::string save_trace;
    /// Absent where nobody asked: an option without effect is refused.
    std::optional<std::string> threads, pass, stream;
    std::optional<int> groups;
    std::optional<std::uint64_t> seed;
    std::optional<double> tolerance;
    bool json = false, partial = false, curve = false;
};

}  // namespace ridge::app
