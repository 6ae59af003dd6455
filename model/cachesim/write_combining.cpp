#include "model/cachesim/write_combining.hpp"

#include <algorithm>

namespace ridge::cachesim {

void WriteCombining::store(const LineRun& run) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
        std::uint64_t line =
            run.line + static_cast<std::uint64_t>(static_cast<std::int64_t>(run.stride) * i);
        int first = run.offset;
        for (int rest = run.bytes; rest > 0; ++line) {
            const int last = std::min(line_bytes_, first + rest) - 1;
            store_part(line, first, last);
            rest -= last - first + 1;
            first = 0;
        }
    }
}

void WriteCombining::store_part(std::uint64_t line, int first, int last) {
    auto entry = std::find_if(used_.begin(), used_.end(),
                              [line](const Entry& one) { return one.line == line; });
    if (entry == used_.end()) {
        if (used_.size() == entries_) {
            send(used_.front());
            used_.erase(used_.begin());
        }
        if (first == 0 && last == line_bytes_ - 1) {  // complete at once: most lines are
            send_whole(line);
            return;
        }
        entry = used_.insert(used_.end(), Entry{line, {}});
    }
    for (int byte = first; byte <= last; ++byte) entry->bytes.set(static_cast<std::size_t>(byte));
    if (entry->bytes.count() == static_cast<std::size_t>(line_bytes_)) {
        send(*entry);
        used_.erase(entry);
    }
}

void WriteCombining::give_way(const LineRun& run) {
    const std::uint64_t span =
        static_cast<std::uint64_t>((run.offset + run.bytes - 1) / line_bytes_);
    const auto hit = [&](const Entry& entry) {
        for (std::uint64_t ahead = 0; ahead <= span; ++ahead) {
            const auto distance = static_cast<std::int64_t>(entry.line - ahead - run.line);
            if (run.stride == 0 ? distance == 0
                                : distance % run.stride == 0 && distance / run.stride >= 0 &&
                                      distance / run.stride < run.count)
                return true;
        }
        return false;
    };
    for (auto entry = used_.begin(); entry != used_.end();) {
        if (hit(*entry)) {
            send(*entry);
            entry = used_.erase(entry);
        } else {
            ++entry;
        }
    }
}

void WriteCombining::drain() {
    for (const Entry& entry : used_) send(entry);
    used_.clear();
}

void WriteCombining::send_whole(std::uint64_t line) {
    below_.request({.line = line,
                    .bytes = static_cast<std::uint16_t>(line_bytes_),
                    .kind = RequestKind::store_nt,
                    .covers = true});
}

void WriteCombining::send(const Entry& entry) {
    const std::size_t bytes = entry.bytes.count();
    const Request one{.line = entry.line,
                      .bytes = static_cast<std::uint16_t>(bytes),
                      .kind = RequestKind::store_nt,
                      .covers = bytes == static_cast<std::size_t>(line_bytes_)};
    below_.request(one);
}

}  // namespace ridge::cachesim
