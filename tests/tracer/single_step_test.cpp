// Single steps of a function that points rsp at memory of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectors/tracer/code_hook.hpp"
#include "collectors/tracer/trap_stack.hpp"
#include "tests/tracer/assembled.hpp"

using namespace ridge;
using namespace ridge::test;

RIDGE_ASSEMBLED(ridge_test_own_stack,
                "mov rax, rsp\n mov rsp, rdi\n push rsi\n add rsi, rsi\n pop rsi\n mov rsp, rax\n");

namespace {

class StepThrough : public tracer::HookHandler {
public:
    void enter(const tracer::HookSite&, tracer::SavedRegisters& saved) override {
        if (!tracer::use_trap_stack()) return;
        end_ = saved.return_address;
        saved.flags |= 0x100;
    }
    bool step(std::uint64_t address, const std::uint64_t (&)[16]) override {
        ++steps;
        return address != end_;
    }
    int steps = 0;

private:
    std::uint64_t end_ = 0;
};

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("single steps write nothing below rsp, which may lie in another's memory") {
        tracer::CodeMap code;
        tracer::Function* function =
            code.add(reinterpret_cast<std::uint64_t>(ridge_test_own_stack),
                     static_cast<std::uint64_t>(ridge_test_own_stack_end - ridge_test_own_stack),
                     "own stack");
        constexpr std::size_t below = 8192;  // words: more than any frame of a signal
        std::vector<std::uint64_t> memory(below + 64, 0x5a);
        StepThrough handler;
        {
            tracer::CodeHooks hooks(handler);
            REQUIRE(hooks.add(*function) == "");
            reinterpret_cast<void (*)(void*, std::uint64_t)>(
                reinterpret_cast<std::uint64_t>(ridge_test_own_stack))(&memory[below], 7);
        }
        CHECK(handler.steps >= 7);
        CHECK(memory[below - 1] == 7);  // what it pushed itself
        CHECK(std::count(memory.begin(), memory.end(), 0x5a) ==
              static_cast<std::ptrdiff_t>(memory.size() - 1));
    }
}
