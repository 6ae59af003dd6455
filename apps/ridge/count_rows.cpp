#include "apps/ridge/count_rows.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <tuple>

#include "apps/ridge/traced_layer.hpp"
#include "collectors/tracer/touched_lines.hpp"
#include "ridge/counter_names.hpp"
#include "ridge/format.hpp"
#include "ridge/kept_caches.hpp"
#include "ridge/progress.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {
namespace {

using Clock = std::chrono::steady_clock;

/// A row may use this share of the budget for its simulation; beyond it only counting goes on.
constexpr double row_share = 0.25;

Seconds since(Clock::time_point start) {
    return Seconds(std::chrono::duration<double>(Clock::now() - start).count());
}

/// Hands a stream to two sinks until its time is over.
class Limited final : public RunSink {
public:
    Limited(RunSink& first, RunSink* second, Seconds limit)
        : first_(first), second_(second), limit_(limit) {}
    void consume(std::span<const LineRun> chunk) override {
        used_ = true;
        if (expired_ || (expired_ = since(start_) > limit_)) return;
        first_.consume(chunk);
        if (second_ != nullptr) second_->consume(chunk);
    }
    [[nodiscard]] bool expired() const { return expired_; }
    [[nodiscard]] bool used() const { return used_; }

private:
    RunSink& first_;
    RunSink* second_;
    Seconds limit_;
    Clock::time_point start_ = Clock::now();
    bool expired_ = false, used_ = false;
};

/// Discards.
class Nothing final : public RunSink {
public:
    void consume(std::span<const LineRun>) override {}
};

using Work = std::tuple<std::string, Pass, std::string, std::string, std::string, DataType>;

/// The row without names.
Work work_of(const Measurement& row) {
    Layer layer = parse_layer(row.problem);
    layer.name.clear();
    return {to_line(layer), row.key.pass, row.key.part, row.implementation, row.formats, row.dtype};
}

class Counting {
public:
    explicit Counting(const CountingTask& task)
        : task_(task), kernels_(task.step->kernels), tracer_(std::make_unique<Tracer>()) {
        if (!task.caches)
            no_bytes_ = task.no_caches;
        else if (task.caches->levels.front().line_bytes != 64)
            no_bytes_ = "the stream is of lines of 64 bytes, those of the machine file have others";
        if (no_bytes_.empty()) caches_ = std::make_unique<KeptCaches>(*task.caches);
    }

    CountingResult run(std::vector<Counters>& counters, CounterSink& sink) {
        Progress progress("tracing", static_cast<double>(kernels_.size()), task_.quiet);
        CountingResult result;
        if (task_.state == CacheState::in_step) begin_step();
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            if (sink.stop_requested()) return result;
            Kernel& kernel = *kernels_[i];
            const Measurement& row = kernel.description();
            progress.update(static_cast<double>(i), row.key.layer);
            const auto known = done_.find(work_of(row));
            if (!task_.wanted[i] || !counters[i].empty() || known != done_.end()) {
                if (task_.state == CacheState::in_step) touch_tensors(kernel);
                if (task_.wanted[i] && counters[i].empty()) {
                    counters[i] = *known->second;
                    sink.add_counters(i, counters[i]);
                }
            } else {
                counters[i] = count(kernel, result);
                sink.add_counters(i, counters[i]);
            }
            if (!counters[i].empty()) done_.try_emplace(work_of(row), &counters[i]);
        }
        result.finished = true;
        result.time = since(start_);
        return result;
    }

private:
    /// The caches as the step before leaves them: what its last rows touched.
    void begin_step() {
        if (!caches_) return;
        std::uint64_t bytes = 0;
        std::size_t first = kernels_.size();
        while (first > 0 && bytes < caches_->largest_bytes())
            for (const KernelTensor& tensor : kernels_[--first]->tensors()) bytes += tensor.bytes;
        for (; first < kernels_.size(); ++first) touch_tensors(*kernels_[first]);
        (void)caches_->take();
    }

    /// Reads and writes each tensor once.
    void touch_tensors(const Kernel& kernel) {
        if (!caches_) return;
        for (const KernelTensor& tensor : kernel.tensors()) {
            const TouchKind kind = !tensor.written ? TouchKind::load
                                   : tensor.read   ? TouchKind::modify
                                                   : TouchKind::store;
            caches_->touch(tensor.address, tensor.bytes, kind);
        }
    }

    KernelTrace trace(Kernel& kernel, RunSink* sink) {
        TracerOptions options;
        options.threads = task_.threads;
        return tracer_->trace(kernel, sink, options);
    }

    Counters count(Kernel& kernel, CountingResult& result) {
        if (since(start_) > task_.budget) {
            if (task_.state == CacheState::in_step) touch_tensors(kernel);
            return unavailable(fmt::format("not traced: the {} for tracing this run were spent",
                                           format(task_.budget)));
        }
        if (caches_ && task_.state != CacheState::in_step)
            caches_ = std::make_unique<KeptCaches>(*task_.caches);
        const Seconds limit = task_.budget * row_share;
        if (caches_ && task_.state == CacheState::warm) {
            Nothing nothing;
            Limited before(*caches_, nullptr, limit);
            (void)trace(kernel, &before);
        }
        if (caches_) (void)caches_->take();

        TouchedLines lines(trace_info(kernel, task_.threads));
        Limited sink(lines, caches_.get(), limit);
        const KernelTrace traced = trace(kernel, &sink);
        if (!traced.unavailable.empty()) return compiled(kernel, traced.unavailable, sink.used());
        ++result.traced;
        return of_trace(kernel, traced, lines, sink.expired());
    }

    [[nodiscard]] Counters unavailable(const std::string& reason) const {
        Counters counters;
        counters.emplace(counter::flops, Reading::unavailable(reason));
        counters.emplace(counter::instructions, Reading::unavailable(reason));
        counters.emplace(counter::sse_transitions, Reading::unavailable(reason));
        counters.emplace(counter::traced_share, Reading(0, Source::traced));
        counters.emplace(counter::untraced_work, Reading::unavailable(reason));
        return counters;
    }

    /// Code that the tracer does not follow: its tensors, each once.
    Counters compiled(Kernel& kernel, const std::string& reason, bool disturbed) {
        Counters counters = unavailable(reason);
        if (!caches_ || disturbed) {  // part of the stream is in the caches already
            add_no_bytes(counters, caches_ ? reason : no_bytes_);
            return counters;
        }
        if (task_.state == CacheState::warm) {
            touch_tensors(kernel);
            (void)caches_->take();
        }
        touch_tensors(kernel);
        add_bytes(counters, caches_->take(), Source::algorithmic);
        double read = 0, written = 0;
        for (const KernelTensor& tensor : kernel.tensors()) {
            if (tensor.read) read += static_cast<double>(tensor.bytes);
            if (tensor.written) written += static_cast<double>(tensor.bytes);
        }
        add_first_level(counters, read, written, Source::algorithmic);
        return counters;
    }

    Counters of_trace(Kernel& kernel, const KernelTrace& traced, const TouchedLines& lines,
                      bool expired) {
        const Measurement& row = kernel.description();
        const KernelCounts& c = traced.counts;
        Counters counters;
        counters.emplace(counter::instructions, Reading(c.instructions, Source::traced));
        counters.emplace(counter::loads, Reading(c.scalar_loads.accesses + c.vector_loads.accesses +
                                                     c.broadcast_loads.accesses,
                                                 Source::traced));
        counters.emplace(counter::stores,
                         Reading(c.scalar_stores.accesses + c.vector_stores.accesses +
                                     c.non_temporal_stores.accesses,
                                 Source::traced));
        counters.emplace(counter::sse_transitions, Reading(c.sse_transitions, Source::traced));
        const MissingWork missing =
            expired ? MissingWork{} : missing_work(kernel, parse_layer(row.problem), lines);
        counters.emplace(counter::flops, flops(row, traced, missing));

        double read = c.scalar_loads.bytes + c.vector_loads.bytes + c.broadcast_loads.bytes;
        double written =
            c.scalar_stores.bytes + c.vector_stores.bytes + c.non_temporal_stores.bytes;
        double share = 1;
        if (missing.missing_lines > 0) {
            share = 1 - missing.missing_lines / missing.needed_lines;
            counters.emplace(counter::untraced_work,
                             Reading::unavailable(missing.text + "; added as touched once"));
            read += add_missing(missing.unread, TouchKind::load);
            written += add_missing(missing.unwritten, TouchKind::store);
        }
        counters.emplace(counter::traced_share, Reading(share, Source::traced));
        if (!caches_)
            add_no_bytes(counters, no_bytes_);
        else if (expired)
            add_no_bytes(counters, fmt::format("simulating this row takes more than {}",
                                               format(task_.budget * row_share)));
        else
            add_bytes(counters, caches_->take(), Source::simulated);
        if (expired && task_.state == CacheState::in_step) touch_tensors(kernel);
        if (caches_ && !expired) add_first_level(counters, read, written, Source::traced);
        return counters;
    }

    /// Where compiled code did part of the work, a count below the useful one is no count.
    static Reading flops(const Measurement& row, const KernelTrace& traced,
                         const MissingWork& missing) {
        if (!traced.flops_unavailable.empty())
            return Reading::unavailable(traced.flops_unavailable);
        const double executed = traced.counts.flops();
        const double useful = useful_flops(parse_layer(row.problem), row.key.pass).value();
        if (missing.missing_lines > 0 && executed < useful)
            return Reading::unavailable("part of the work is compiled code: " + missing.text);
        return {executed, Source::traced};
    }

    double add_missing(const std::vector<Region>& regions, TouchKind kind) {
        double bytes = 0;
        for (const Region& region : regions) {
            if (caches_) caches_->touch(region.address, region.bytes, kind);
            bytes += static_cast<double>(region.bytes);
        }
        return bytes;
    }

    void add_bytes(Counters& counters, const std::vector<BoundaryBytes>& levels, Source source) {
        for (const BoundaryBytes& level : levels) {
            counters.emplace(counter::read_bytes(level.level), Reading(level.read, source));
            counters.emplace(counter::written_bytes(level.level), Reading(level.written, source));
        }
    }
    /// Between the core and its first cache.
    void add_first_level(Counters& counters, double read, double written, Source source) {
        const std::string& first = task_.caches->levels.front().name;
        counters.emplace(counter::read_bytes(first), Reading(read, source));
        counters.emplace(counter::written_bytes(first), Reading(written, source));
    }
    void add_no_bytes(Counters& counters, const std::string& reason) {
        const std::string memory = task_.caches ? task_.caches->memory_name : "DRAM";
        counters.emplace(counter::read_bytes(memory), Reading::unavailable(reason));
        counters.emplace(counter::written_bytes(memory), Reading::unavailable(reason));
    }

    const CountingTask& task_;
    const std::vector<std::unique_ptr<Kernel>>& kernels_;
    std::unique_ptr<Tracer> tracer_;
    std::unique_ptr<KeptCaches> caches_;
    std::string no_bytes_;
    std::map<Work, const Counters*> done_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

CountingResult count_rows(const CountingTask& task, std::vector<Counters>& counters,
                          CounterSink& sink) {
    return Counting(task).run(counters, sink);
}

}  // namespace ridge::app
