// How much memory this process can still get, and the refusal of a step that needs more.
#pragma once

#include <string>

#include "ridge/units.hpp"

namespace ridge::step {

struct AvailableMemory {
    Bytes size;
    std::string limited_by;  ///< "this machine" or "the memory limit of this container"
};

/// Smallest of what the kernel calls available (MemAvailable) and what the control groups (v1 and
/// v2) of this process and their parents leave. `root` is prepended to /proc and /sys. Without any
/// readable file the size is 0 and limited_by empty.
[[nodiscard]] AvailableMemory available_memory(const std::string& root = "");

/// Throws Error bad_input naming `what`, the need and what is there when `needed` exceeds it. An
/// unknown amount never refuses.
void require_memory(const std::string& what, Bytes needed, const AvailableMemory& available);

}  // namespace ridge::step
