// Which process measures a run, in a form that survives a recycled process id and a reboot.
#pragma once

#include <cstdint>
#include <string>

namespace ridge {

struct ProcessIdentity {
    std::int64_t pid = 0;
    /// Boot, process-id namespace and start time in clock ticks since boot.
    std::string start;
    bool operator==(const ProcessIdentity&) const = default;
};

[[nodiscard]] ProcessIdentity this_process();
/// False for a process that ended, became a zombie, or lives in another boot or namespace of
/// process ids (a container that is gone looks like that, too).
[[nodiscard]] bool is_alive(const ProcessIdentity& process);

}  // namespace ridge
