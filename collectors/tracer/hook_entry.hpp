// Process-wide part of the hooks; see code_hook.hpp for the whole.
#pragma once

#include <cstdint>

#include "collectors/tracer/code_hook.hpp"

namespace ridge::tracer {

/// Sets or removes the one handler, and with it the handler of SIGTRAP.
void set_hook_handler(HookHandler* handler);
[[nodiscard]] bool hook_handler_set();
void add_breakpoint(std::uint64_t entry, std::uint64_t stub);
void remove_breakpoint(std::uint64_t entry);

}  // namespace ridge::tracer

/// Where stubs jump to. On the stack: rax, trampoline, return address; rax holds the site.
extern "C" void ridge_tracer_thunk();
