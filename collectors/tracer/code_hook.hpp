// Makes generated functions enter the tracer first: their first bytes become a jump to a stub,
// which saves the registers, calls the handler, restores them and goes on with the displaced
// instructions. Where five bytes of code cannot be moved, a breakpoint (int3, a signal) leads to
// the same stub: 2 microseconds a call instead of 0.1.
//
//   function: jmp stub            stub: push trampoline; push rax; mov rax, site; jmp enter
//   trampoline: displaced instructions; jmp function + n
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectors/tracer/code_map.hpp"

namespace ridge::tracer {

/// Registers at a function's entry, as the stub pushed them; lowest address first.
struct SavedRegisters {
    std::uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx;
    std::uint64_t flags;
    std::uint64_t rax;
    std::uint64_t trampoline;
    std::uint64_t return_address;  ///< top of the stack at the entry
};

struct HookSite {
    Function* function = nullptr;
    std::uint64_t stub = 0, trampoline = 0;
    std::uint32_t displaced = 0;  ///< bytes that the trampoline holds
    std::uint32_t patched = 0;    ///< bytes changed at the entry
};

/// Called at every entry of a hooked function.
class HookHandler {
public:
    virtual ~HookHandler() = default;
    virtual void enter(const HookSite& site, SavedRegisters& registers) = 0;
    /// A single step is about to execute the instruction at `address`; false ends stepping.
    virtual bool step(std::uint64_t address, const std::uint64_t (&registers)[16]) = 0;
};

/// Process-wide, because machine code is: at most one exists at a time.
class CodeHooks {
public:
    /// Throws Error not_possible on a machine without AVX, job_failed when another one exists.
    explicit CodeHooks(HookHandler& handler);
    /// Puts the code back.
    ~CodeHooks();
    CodeHooks(const CodeHooks&) = delete;
    CodeHooks& operator=(const CodeHooks&) = delete;

    /// Returns the reason when the function cannot be hooked, else an empty text.
    std::string add(Function& function, bool force_breakpoint = false);
    [[nodiscard]] const std::vector<std::unique_ptr<HookSite>>& sites() const { return sites_; }

private:
    [[nodiscard]] std::uint8_t* room_near(std::uint64_t address, std::size_t bytes);

    struct Pool {
        std::uint8_t* begin;
        std::size_t size, used;
    };
    std::vector<Pool> pools_;
    std::vector<std::unique_ptr<HookSite>> sites_;
};

}  // namespace ridge::tracer
