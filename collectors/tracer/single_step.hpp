// Compares one native call, instruction by instruction, with what the emulator said it would do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/tracer/code_hook.hpp"
#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/emulator.hpp"

namespace ridge::tracer {

class SingleStep {
public:
    /// The native call that begins now is expected to run `blocks`.
    void begin(const HookSite& site, const CodeMap& code, const CodeHooks& hooks,
               std::uint64_t stack_pointer, std::uint64_t return_address,
               std::vector<BlockStart> blocks);
    [[nodiscard]] bool active() const { return active_; }
    /// About to execute `address`; false when the call has returned.
    bool step(std::uint64_t address, const std::uint64_t (&registers)[16]);

    double calls = 0, instructions = 0, compared = 0;
    std::string mismatch;

private:
    /// Address in the function of a displaced instruction; the address itself elsewhere; 0 for
    /// instructions that are none of the function's.
    [[nodiscard]] std::uint64_t original(std::uint64_t address) const;
    void compare(std::uint64_t address, const std::uint64_t (&registers)[16]);

    bool active_ = false;
    const HookSite* site_ = nullptr;
    const CodeMap* code_ = nullptr;
    const CodeHooks* hooks_ = nullptr;
    std::uint64_t stack_pointer_ = 0, return_address_ = 0;
    std::vector<BlockStart> blocks_;
    std::size_t next_ = 0;
    std::uint64_t executed_ = 0;
};

}  // namespace ridge::tracer
