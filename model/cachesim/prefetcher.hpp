// The hardware prefetchers that the simulator can add to a level, in an optimistic form: what they
// ask for arrives at once. Their effect is shown as a band beside the plain result, because real
// ones are throttled in ways that nobody publishes.
#pragma once

#include <array>
#include <cstdint>

#include "ridge/cachesim.hpp"

namespace ridge::cachesim {

class PrefetchEngine {
public:
    PrefetchEngine(Prefetcher kind, int line_bytes)
        : kind_(kind), lines_per_page_(4096 / static_cast<std::uint64_t>(line_bytes)) {}

    [[nodiscard]] bool active() const { return kind_ != Prefetcher::none; }

    /// Called for each demand miss; calls `prefetch(line)` for the lines to bring in. Prefetchers
    /// see physical addresses and stop at the border of a 4 KiB page.
    template <class Prefetch>
    void on_miss(std::uint64_t line, Prefetch prefetch) {
        if (kind_ == Prefetcher::next_line) {
            ask(line, line + 1, prefetch);
            return;
        }
        // A stream is confirmed by two misses next to each other; then two lines ahead are asked
        // for, and the stream moves on with them so that the next miss it expects lies behind.
        for (Stream& stream : streams_) {
            const std::int64_t step = static_cast<std::int64_t>(line - stream.last);
            if (!stream.live || step < -max_step || step > max_step || step == 0) continue;
            const std::int64_t direction = step > 0 ? 1 : -1;
            const std::uint64_t first = line + static_cast<std::uint64_t>(direction);
            const std::uint64_t second = first + static_cast<std::uint64_t>(direction);
            stream.last = line;
            ask(line, first, prefetch);
            ask(line, second, prefetch);
            return;
        }
        streams_[next_] = {line, true};
        next_ = (next_ + 1) % streams_.size();
    }

private:
    static constexpr std::int64_t max_step = 3;  ///< the two lines asked for and the next

    struct Stream {
        std::uint64_t last = 0;
        bool live = false;
    };

    template <class Prefetch>
    void ask(std::uint64_t from, std::uint64_t line, Prefetch prefetch) const {
        if (from / lines_per_page_ == line / lines_per_page_) prefetch(line);
    }

    Prefetcher kind_;
    std::uint64_t lines_per_page_;
    std::array<Stream, 16> streams_{};
    std::size_t next_ = 0;
};

}  // namespace ridge::cachesim
