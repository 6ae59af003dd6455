// What was counted since begin(), added up over blocks and functions.
#include <algorithm>
#include <map>

#include "collectors/tracer/block_counts.hpp"
#include "collectors/tracer/emulator.hpp"

namespace ridge::tracer {

void Emulator::add_to(KernelTrace& trace) const {
    KernelCounts& sum = trace.counts;
    if (trace.unavailable.empty()) trace.unavailable = state_.failure;
    if (trace.flops_unavailable.empty()) trace.flops_unavailable = flops_failure_;
    std::map<std::uint64_t, std::uint64_t> code;  // executed ranges
    double hottest = 0;
    for (const Block* block : used_) {
        const auto executions = static_cast<double>(block->executions);
        add_executions(sum, block->once, executions);
        std::uint64_t& end = code[block->address];
        end = std::max(end, block->end);
        if (executions * block->once.hot_fmas > hottest) {
            hottest = executions * block->once.hot_fmas;
            sum.hot_fmas = block->once.hot_fmas;
            sum.hot_chain = block->once.hot_chain;
        }
    }
    add_executions(sum, dynamic_, 1);
    std::uint64_t done = 0, line_done = 0;
    double bytes = 0, lines = 0;
    for (const auto& [begin, end] : code) {
        if (end > std::max(begin, done)) bytes += static_cast<double>(end - std::max(begin, done));
        const std::uint64_t first = std::max(begin / 64, line_done), past = (end + 63) / 64;
        if (past > first) lines += static_cast<double>(past - first);
        done = std::max(done, end);
        line_done = std::max(line_done, past);
    }
    sum.code_bytes = std::max(sum.code_bytes, bytes);
    sum.code_lines = std::max(sum.code_lines, lines);
    for (const auto& [function, calls] : calls_) {
        sum.calls += static_cast<double>(calls);
        const auto same =
            std::find_if(trace.functions.begin(), trace.functions.end(),
                         [&](const TracedFunction& f) { return f.address == function->address; });
        if (same != trace.functions.end())
            same->calls += static_cast<double>(calls);
        else
            trace.functions.push_back({function->name, function->address, function->code.size(),
                                       static_cast<double>(calls)});
    }
    trace.emulation_s += seconds_;
}

}  // namespace ridge::tracer
