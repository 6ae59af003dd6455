#include "collectors/tracer/trap_stack.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace ridge::tracer {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

class TrapStack {
public:
    TrapStack() = default;
    TrapStack(const TrapStack&) = delete;
    TrapStack& operator=(const TrapStack&) = delete;
    ~TrapStack() {
        if (memory_ == nullptr) return;
        if (in_use()) sigaltstack(&earlier_, nullptr);
        munmap(memory_, stack_bytes);
    }

    /// Asked each time: others set this stack too, and put back what they found.
    bool use() {
        if (memory_ == nullptr && !allocate()) return false;
        if (in_use()) return true;
        const stack_t own{.ss_sp = memory_, .ss_flags = 0, .ss_size = stack_bytes};
        return sigaltstack(&own, &earlier_) == 0;
    }

private:
    bool allocate() {
        void* got =
            mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (got != MAP_FAILED) memory_ = got;
        return memory_ != nullptr;
    }
    [[nodiscard]] bool in_use() const {
        stack_t now{};
        return sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_;
    }

    void* memory_ = nullptr;
    stack_t earlier_{};
};

}  // namespace

bool use_trap_stack() {
    thread_local TrapStack stack;
    return stack.use();
}

}  // namespace ridge::tracer
