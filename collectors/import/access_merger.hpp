// From single accesses to runs of lines, on the fly: repeated touches of the latest line become
// repeats, steady steps become strides.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::import {

class AccessMerger {
public:
    AccessMerger(RunSink& sink, int line_bytes, bool across_fetches)
        : sink_(sink),
          shift_(std::countr_zero(static_cast<unsigned>(line_bytes))),
          line_bytes_(static_cast<std::uint32_t>(line_bytes)),
          across_fetches_(across_fetches) {
        runs_.reserve(runs_per_chunk);
    }

    void access(TouchKind kind, std::uint64_t address, std::uint32_t bytes) {
        const std::uint64_t line = address >> shift_;
        const auto offset = static_cast<std::uint32_t>(address & (line_bytes_ - 1));
        const bool fetch = kind == TouchKind::fetch;
        const std::size_t latest = fetch ? latest_fetch_ : latest_data_;
        if (latest != none && (across_fetches_ || latest + 1 == runs_.size())) {
            LineRun& run = runs_[latest];
            const std::uint32_t end = offset + bytes;
            if (run.line == line && run.kind == kind && run.count == 1 && end <= line_bytes_ &&
                std::uint32_t{run.offset} + run.bytes <= line_bytes_ && run.repeats < 0xffff) {
                ++run.repeats;
                const std::uint32_t first = std::min<std::uint32_t>(run.offset, offset);
                const std::uint32_t last = std::max<std::uint32_t>(run.offset + run.bytes, end);
                run.offset = static_cast<std::uint16_t>(first);
                run.bytes = static_cast<std::uint16_t>(last - first);
                return;
            }
        }
        push({.line = line,
              .count = 1,
              .stride = 1,
              .repeats = 1,
              .offset = static_cast<std::uint16_t>(offset),
              .bytes = static_cast<std::uint16_t>(bytes),
              .kind = kind});
        (fetch ? latest_fetch_ : latest_data_) = runs_.size() - 1;
    }

    void flush() {
        if (!runs_.empty()) sink_.consume(runs_);
        runs_.clear();
        latest_fetch_ = latest_data_ = none;
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    /// A complete run that continues the one before it joins it.
    void push(const LineRun& run) {
        if (runs_.size() >= 2) join(runs_[runs_.size() - 2], runs_.back());
        if (runs_.size() == runs_per_chunk) flush();
        runs_.push_back(run);
    }

    void join(LineRun& first, const LineRun& second) {
        if (first.kind != second.kind || first.repeats != second.repeats ||
            first.offset != second.offset || first.bytes != second.bytes || second.count != 1)
            return;
        const auto step = static_cast<std::int64_t>(second.line - first.line);
        const std::int64_t stride = first.count == 1 ? step : first.stride;
        if (stride < -0x7fffffff || stride > 0x7fffffff || first.count == 0xffffffff ||
            step != stride * first.count)
            return;
        first.stride = static_cast<std::int32_t>(stride);
        ++first.count;
        // Its place in the list changed: what could still be repeated is no longer a single touch.
        runs_.pop_back();
        latest_fetch_ = latest_data_ = none;
    }

    RunSink& sink_;
    int shift_;
    std::uint32_t line_bytes_;
    bool across_fetches_;
    std::vector<LineRun> runs_;
    std::size_t latest_fetch_ = none, latest_data_ = none;
};

}  // namespace ridge::import
