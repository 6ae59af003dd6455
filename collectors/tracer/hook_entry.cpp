// The way from a hooked function into the handler and back: assembly that saves everything which a
// generated function may expect to find, and the signal handler of breakpoints and single steps.
#include "collectors/tracer/hook_entry.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cstdlib>
#include <map>

namespace ridge::tracer {
namespace {

HookHandler* active_handler = nullptr;
std::map<std::uint64_t, std::uint64_t> breakpoints;  // entry to stub
struct sigaction earlier_action;

constexpr std::uint64_t trap_flag = 0x100;
constexpr int machine_order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                   REG_R12, REG_R13, REG_R14, REG_R15};

void on_trap(int signal, siginfo_t* info, void* raw) {
    auto& registers = static_cast<ucontext_t*>(raw)->uc_mcontext.gregs;
    const auto address = static_cast<std::uint64_t>(registers[REG_RIP]);
    if (info->si_code == TRAP_TRACE) {
        std::uint64_t general[16];
        for (int i = 0; i < 16; ++i)
            general[i] = static_cast<std::uint64_t>(registers[machine_order[i]]);
        if (active_handler == nullptr || !active_handler->step(address, general))
            registers[REG_EFL] &= ~static_cast<greg_t>(trap_flag);
        return;
    }
    const auto found = breakpoints.find(address - 1);
    if (found != breakpoints.end()) {
        registers[REG_RIP] = static_cast<greg_t>(found->second);
        return;
    }
    // Not ours: as it would have been.
    sigaction(SIGTRAP, &earlier_action, nullptr);
    raise(signal);
}

}  // namespace

void set_hook_handler(HookHandler* handler) {
    if (handler != nullptr && active_handler == nullptr) {
        struct sigaction action = {};
        action.sa_sigaction = on_trap;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        sigaction(SIGTRAP, &action, &earlier_action);
    } else if (handler == nullptr && active_handler != nullptr) {
        sigaction(SIGTRAP, &earlier_action, nullptr);
    }
    active_handler = handler;
}

bool hook_handler_set() {
    return active_handler != nullptr;
}

void add_breakpoint(std::uint64_t entry, std::uint64_t stub) {
    breakpoints[entry] = stub;
}

void remove_breakpoint(std::uint64_t entry) {
    breakpoints.erase(entry);
}

}  // namespace ridge::tracer

extern "C" __attribute__((used, visibility("hidden"))) void ridge_tracer_enter(
    ridge::tracer::SavedRegisters* registers, const ridge::tracer::HookSite* site) {
    if (ridge::tracer::active_handler != nullptr)
        ridge::tracer::active_handler->enter(*site, *registers);
}

// 0xe6: SSE, AVX, opmask and both parts of AVX-512 state; the processor takes those that it has.
// The header of the save area must be zero. 8 + 8 x 16 bytes were pushed before the frame.
asm(R"(
    .text
    .intel_syntax noprefix
    .hidden ridge_tracer_thunk
    .globl ridge_tracer_thunk
    .type ridge_tracer_thunk, @function
ridge_tracer_thunk:
    pushfq
    push rcx
    push rdx
    push rbx
    push rbp
    push rsi
    push rdi
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
    cld
    mov rdi, rsp
    mov rsi, rax
    mov rbx, rsp
    and rsp, -64
    sub rsp, 4096
    xor eax, eax
    mov qword ptr [rsp + 512], rax
    mov qword ptr [rsp + 520], rax
    mov qword ptr [rsp + 528], rax
    mov qword ptr [rsp + 536], rax
    mov qword ptr [rsp + 544], rax
    mov qword ptr [rsp + 552], rax
    mov qword ptr [rsp + 560], rax
    mov qword ptr [rsp + 568], rax
    mov eax, 0xe6
    xor edx, edx
    xsave64 [rsp]
    call ridge_tracer_enter
    mov eax, 0xe6
    xor edx, edx
    xrstor64 [rsp]
    mov rsp, rbx
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
    pop r9
    pop r8
    pop rdi
    pop rsi
    pop rbp
    pop rbx
    pop rdx
    pop rcx
    popfq
    pop rax
    ret
    .size ridge_tracer_thunk, . - ridge_tracer_thunk
    .att_syntax
)");
