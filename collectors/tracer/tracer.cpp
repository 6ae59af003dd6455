#include "ridge/tracer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

#include "collectors/tracer/code_hook.hpp"
#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/emulator.hpp"
#include "collectors/tracer/perf_map.hpp"
#include "collectors/tracer/single_step.hpp"
#include "collectors/tracer/thread_streams.hpp"
#include "collectors/tracer/trap_stack.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

using namespace tracer;

constexpr std::uint64_t trap_flag = 0x100;
/// Single steps cost 33 microseconds each: a check ends here.
constexpr double most_steps = 400000;

/// What one thread of the traced program has.
struct ThreadTracer {
    ThreadTracer(const CodeMap& code, std::uint8_t number) : emulator(code, number) {}
    Emulator emulator;
    StoredStream stored;
    std::unique_ptr<RunBuffer> buffer;
    SingleStep steps;
    std::map<const Function*, int> checked;  ///< calls compared so far
    // In this trace:
    bool takes_part = false, first = false;
    bool crowded = false;    ///< beyond the threads announced
    std::uint64_t skip = 0;  ///< entries that emulation has already been through
};

/// Which thread this is, to the tracer that is alive.
struct Here {
    std::uint64_t owner = 0;
    ThreadTracer* tracer = nullptr;
};
thread_local Here here;
std::atomic<std::uint64_t> tracers_made{0};

Registers registers_of(const SavedRegisters& s) {
    return {s.rax, s.rcx, s.rdx, s.rbx, reinterpret_cast<std::uint64_t>(&s.return_address),
            s.rbp, s.rsi, s.rdi, s.r8,  s.r9,
            s.r10, s.r11, s.r12, s.r13, s.r14,
            s.r15};
}

/// Executes with the stack at the same place each time, however deep the caller is: lines of the
/// stack are part of the stream, and where they lie decides which sets of a cache they share.
/// `stack_at`: that place, chosen by the first call (0 before); a multiple of 64 KiB, so that the
/// sets of most caches are the same in every process too. The address sanitizer would pad `skipped`
/// by an amount that depends on the caller, so it leaves this frame alone.
[[gnu::noinline, gnu::no_sanitize("address")]] void execute_with_stack_at(std::uint64_t& stack_at,
                                                                          Kernel& kernel) {
    constexpr std::uint64_t unit = 64 << 10, most = 16 * unit;
    const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    if (frame < stack_at + unit / 2 || frame > stack_at + most)
        stack_at = frame / unit * unit - unit;
    void* skipped = __builtin_alloca(frame - stack_at);
    kernel.execute();
    asm volatile("" : : "r"(skipped) : "memory");  // until here the frame must stay
}

}  // namespace

struct Tracer::Impl : HookHandler {
    Impl() : hooks(*this) {
        const ExecutableRanges ranges;
        for (const PerfMapEntry& entry : read_perf_map()) {
            if (!ranges.contains(entry.address, entry.bytes)) continue;  // freed meanwhile
            code.add(entry.address, entry.bytes, entry.name);
        }
        for (const auto& [address, function] : code.all()) {
            const std::string reason = hooks.add(*function);
            if (!reason.empty())
                not_hooked.push_back(fmt::format("{}: {}", function->name, reason));
        }
    }

    ThreadTracer& this_thread() {
        if (here.owner == number) return *here.tracer;
        const std::lock_guard lock(mutex);
        threads.push_back(
            std::make_unique<ThreadTracer>(code, static_cast<std::uint8_t>(threads.size())));
        here = {number, threads.back().get()};
        prepare(*threads.back());
        return *threads.back();
    }

    void prepare(ThreadTracer& t) {
        t.stored.runs.clear();
        t.skip = 0;
        t.takes_part = t.first = t.crowded = false;
        t.buffer.reset();
        if (sink != nullptr) {
            RunSink& to = options.threads > 1 ? static_cast<RunSink&>(t.stored) : *sink;
            t.buffer = std::make_unique<RunBuffer>(to);
        }
        t.emulator.begin(t.buffer.get(), options.compressed, tensors);
        t.steps = {};
        t.checked.clear();
    }

    void enter(const HookSite& site, SavedRegisters& saved) override {
        if (!tracing) return;
        ThreadTracer& t = this_thread();
        // A stream of one thread cannot be kept in order when several write to it.
        if (!t.takes_part) {
            t.takes_part = true;
            const int before = taking_part++;
            t.first = before == 0;
            t.crowded = sink != nullptr && before >= options.threads;
        }
        if (t.crowded || !t.emulator.failure().empty()) return;
        if (t.skip > 0) {
            --t.skip;
            return;
        }
        const Registers entry = registers_of(saved);
        const bool check = t.first && options.self_check_calls > 0 &&
                           t.checked[site.function] < options.self_check_calls &&
                           t.steps.instructions < most_steps;
        if (!check) {
            t.skip = t.emulator.call(*site.function, entry);
            return;
        }
        ++t.checked[site.function];
        std::vector<BlockStart> blocks;
        t.skip = t.emulator.call(*site.function, entry, &blocks);
        if (!t.emulator.failure().empty() || blocks.empty() ||
            static_cast<double>(blocks.back().instruction) > most_steps || !use_trap_stack())
            return;
        t.steps.begin(site, code, hooks, entry[register_rsp], saved.return_address,
                      std::move(blocks));
        saved.flags |= trap_flag;
    }

    bool step(std::uint64_t address, const std::uint64_t (&registers)[16]) override {
        return here.owner == number && here.tracer->steps.step(address, registers);
    }

    const std::uint64_t number = ++tracers_made;
    CodeMap code;
    CodeHooks hooks;
    std::vector<std::string> not_hooked;
    std::mutex mutex;
    std::vector<std::unique_ptr<ThreadTracer>> threads;
    bool tracing = false;
    std::atomic<int> taking_part{0};
    RunSink* sink = nullptr;
    TracerOptions options;
    std::vector<Region> tensors;
    std::uint64_t stack_at = 0;
};

std::string tracer_unavailable() {
    return __builtin_cpu_supports("avx") ? "" : "the processor has no AVX";
}

Tracer::Tracer() : impl_(std::make_unique<Impl>()) {}
Tracer::~Tracer() = default;

const std::vector<std::string>& Tracer::not_hooked() const {
    return impl_->not_hooked;
}

int Tracer::hooked() const {
    return static_cast<int>(impl_->hooks.sites().size());
}

KernelTrace Tracer::trace(Kernel& kernel, RunSink* sink, const TracerOptions& options) {
    impl_->options = options;
    impl_->sink = sink;
    impl_->tensors.clear();
    for (const KernelTensor& tensor : kernel.tensors())
        if (!tensor.scratchpad)
            impl_->tensors.push_back({tensor.role, tensor.address, tensor.bytes});
    for (auto& thread : impl_->threads) impl_->prepare(*thread);
    impl_->taking_part = 0;
    impl_->tracing = true;
    try {
        execute_with_stack_at(impl_->stack_at, kernel);
    } catch (...) {
        impl_->tracing = false;
        throw;
    }
    impl_->tracing = false;

    KernelTrace trace;
    std::vector<const StoredStream*> streams;
    for (auto& thread : impl_->threads) {
        if (thread->buffer) thread->buffer->flush();
        streams.push_back(&thread->stored);
        thread->emulator.add_to(trace);
        trace.self_check.calls += thread->steps.calls;
        trace.self_check.instructions += thread->steps.instructions;
        trace.self_check.blocks += thread->steps.compared;
        if (trace.self_check.mismatch.empty()) trace.self_check.mismatch = thread->steps.mismatch;
    }
    if (sink != nullptr && impl_->taking_part > options.threads)
        trace.unavailable =
            fmt::format("it ran on more threads than the {} that were announced", options.threads);
    if (!trace.self_check.mismatch.empty() && trace.unavailable.empty())
        trace.unavailable = "the native run went another way: " + trace.self_check.mismatch;
    if (trace.unavailable.empty() && trace.counts.calls == 0)
        trace.unavailable = "no generated code ran: " + kernel.description().implementation +
                            " is compiled code, which the tracer does not see";
    if (sink != nullptr && options.threads > 1) merge_streams(streams, *sink);
    return trace;
}

}  // namespace ridge
