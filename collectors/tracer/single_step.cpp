#include "collectors/tracer/single_step.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace ridge::tracer {
namespace {

constexpr std::array<std::string_view, 16> register_names{"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                                          "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                                          "r12", "r13", "r14", "r15"};

}  // namespace

void SingleStep::begin(const HookSite& site, const CodeMap& code, const CodeHooks& hooks,
                       std::uint64_t stack_pointer, std::uint64_t return_address,
                       std::vector<BlockStart> blocks) {
    site_ = &site;
    code_ = &code;
    hooks_ = &hooks;
    stack_pointer_ = stack_pointer;
    return_address_ = return_address;
    blocks_ = std::move(blocks);
    next_ = 0;
    executed_ = 0;
    active_ = true;
}

std::uint64_t SingleStep::original(std::uint64_t address) const {
    const Function* function = code_->find(address);
    if (function != nullptr)
        // The patched entry itself leads to the trampoline, where its instructions are counted.
        return function->hooked && address == function->address ? 0 : address;
    for (const auto& site : hooks_->sites())
        if (address >= site->trampoline && address < site->trampoline + site->displaced)
            return site->function->address + (address - site->trampoline);
    return 0;
}

bool SingleStep::step(std::uint64_t address, const std::uint64_t (&registers)[16]) {
    if (!active_) return false;
    if (address == return_address_ && registers[register_rsp] == stack_pointer_ + 8) {
        active_ = false;
        ++calls;
        if (next_ != blocks_.size() && mismatch.empty())
            mismatch = fmt::format("{}: {} blocks expected, {} run", site_->function->name,
                                   blocks_.size(), next_);
        return false;
    }
    const std::uint64_t at = original(address);
    if (at != 0) compare(at, registers);
    return true;
}

void SingleStep::compare(std::uint64_t address, const std::uint64_t (&registers)[16]) {
    ++instructions;
    const std::uint64_t index = executed_++;
    if (next_ == blocks_.size() || blocks_[next_].instruction != index) return;
    const BlockStart& expected = blocks_[next_++];
    ++compared;
    if (!mismatch.empty()) return;
    const std::uint64_t base = site_->function->address;
    if (address != expected.address) {
        mismatch =
            fmt::format("{}: instruction {} is at +{:#x}, expected at +{:#x}",
                        site_->function->name, index, address - base, expected.address - base);
        return;
    }
    for (std::size_t i = 0; i < register_names.size(); ++i)
        if (registers[i] != expected.registers[i]) {
            mismatch =
                fmt::format("{}: {} at +{:#x} is {:#x}, expected {:#x}", site_->function->name,
                            register_names[i], address - base, registers[i], expected.registers[i]);
            return;
        }
}

}  // namespace ridge::tracer
