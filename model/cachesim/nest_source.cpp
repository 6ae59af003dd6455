// From a loop nest to runs of lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/cachesim/nest_loop.hpp"
#include "ridge/error.hpp"
#include "ridge/loop_nest.hpp"

namespace ridge {
namespace {

using cachesim::share_of;
using cachesim::uniform_loop;

class NestSource final : public RunSource {
public:
    NestSource(LoopNest nest, int line_bytes, int threads)
        : nest_(std::move(nest)), line_bytes_(line_bytes), threads_(threads) {
        info_.line_bytes = line_bytes;
        info_.threads = threads;
        info_.origin = nest_.name;
        info_.regions = nest_.arrays;
    }

    [[nodiscard]] const TraceInfo& info() const override { return info_; }

    void replay(RunSink& sink) override {
        replay_part(sink, 0, static_cast<std::uint64_t>(share()));
    }

    [[nodiscard]] std::optional<OuterLoop> outer_loop() const override {
        return uniform_loop(nest_, line_bytes_, threads_);
    }

    void replay_part(RunSink& sink, std::uint64_t first, std::uint64_t last) override {
        RunBuffer out(sink);
        index_.assign(1, 0);
        for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(last); ++i)
            for (int thread = 0; thread < threads_; ++thread) {
                index_[0] = thread * share() + i;
                if (index_[0] >= nest_.root.extent) continue;
                thread_ = static_cast<std::uint8_t>(thread);
                body(nest_.root, out);
            }
        out.flush();
    }

private:
    /// Iterations of the root for each thread.
    [[nodiscard]] std::int64_t share() const { return share_of(nest_, threads_); }

    void body(const NestLoop& loop, RunBuffer& out) {
        for (const NestNode& node : loop.body) {
            if (const auto* run = std::get_if<NestRun>(&node)) {
                emit(*run, out);
                continue;
            }
            const auto& inner = std::get<NestLoop>(node);
            index_.push_back(0);
            for (index_.back() = 0; index_.back() < inner.extent; ++index_.back()) body(inner, out);
            index_.pop_back();
        }
    }

    [[nodiscard]] std::int64_t weighted(std::int64_t start,
                                        const std::vector<std::int64_t>& steps) const {
        for (std::size_t d = 0; d < std::min(steps.size(), index_.size()); ++d)
            start += index_[d] * steps[d];
        return start;
    }

    void emit(const NestRun& run, RunBuffer& out) {
        if (run.guard) {
            const std::int64_t value = weighted(run.guard->start, run.guard->step);
            if (value < run.guard->low || value >= run.guard->high) return;
        }
        const std::uint64_t address = nest_.arrays[run.array].address +
                                      static_cast<std::uint64_t>(weighted(run.offset, run.move));
        const auto line = static_cast<std::uint64_t>(line_bytes_);
        const bool aligned_rows = run.pitch % line_bytes_ == 0;
        if (run.rows > 1 && aligned_rows && address % line + run.bytes <= line) {
            push(out, run.kind, address, run.bytes, run.rows,
                 static_cast<std::int32_t>(run.pitch / line_bytes_));
            return;
        }
        for (std::uint32_t row = 0; row < run.rows; ++row)
            contiguous(run, address + row * static_cast<std::uint64_t>(run.pitch), out);
    }

    /// Head up to a line border, whole lines, tail.
    void contiguous(const NestRun& run, std::uint64_t address, RunBuffer& out) const {
        const auto line = static_cast<std::uint64_t>(line_bytes_);
        // The last of equal parts may be shorter.
        const Region& array = nest_.arrays[run.array];
        const std::uint64_t end = array.address + array.bytes;
        if (address >= end) return;
        std::uint64_t rest = std::min<std::uint64_t>(run.bytes, end - address);
        if (const std::uint64_t inside = address % line; inside != 0) {
            const std::uint64_t head = std::min(rest, line - inside);
            push(out, run.kind, address, head, 1, 1);
            address += head;
            rest -= head;
        }
        if (const std::uint64_t whole = rest / line; whole > 0) {
            push(out, run.kind, address, line, static_cast<std::uint32_t>(whole), 1);
            address += whole * line;
            rest -= whole * line;
        }
        if (rest > 0) push(out, run.kind, address, rest, 1, 1);
    }

    void push(RunBuffer& out, TouchKind kind, std::uint64_t address, std::uint64_t bytes,
              std::uint32_t count, std::int32_t stride) const {
        const auto line = static_cast<std::uint64_t>(line_bytes_);
        out.push({.line = address / line,
                  .count = count,
                  .stride = stride,
                  .repeats = 1,
                  .offset = static_cast<std::uint16_t>(address % line),
                  .bytes = static_cast<std::uint16_t>(bytes),
                  .kind = kind,
                  .thread = thread_});
    }

    LoopNest nest_;
    int line_bytes_;
    int threads_;
    TraceInfo info_;
    std::vector<std::int64_t> index_;
    std::uint8_t thread_ = 0;
};

}  // namespace

std::unique_ptr<RunSource> make_source(LoopNest nest, int line_bytes, int threads) {
    if (threads < 1 || threads > 255)
        throw bad_input(nest.name, "1 to 255 threads", std::to_string(threads));
    return std::make_unique<NestSource>(std::move(nest), line_bytes, threads);
}

}  // namespace ridge
