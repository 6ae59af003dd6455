#include "collectors/tracer/thread_streams.hpp"

#include <algorithm>

namespace ridge::tracer {

void merge_streams(const std::vector<const StoredStream*>& streams, RunSink& sink) {
    constexpr std::size_t turn = 16;  // runs: the pieces of a few basic blocks
    std::vector<std::size_t> given(streams.size(), 0);
    RunBuffer out(sink);
    while (true) {
        std::size_t next = streams.size();
        double least = 1;
        for (std::size_t i = 0; i < streams.size(); ++i) {
            const std::size_t size = streams[i]->runs.size();
            if (given[i] == size) continue;
            const double share = static_cast<double>(given[i]) / static_cast<double>(size);
            if (next == streams.size() || share < least) least = share, next = i;
        }
        if (next == streams.size()) break;
        const auto& runs = streams[next]->runs;
        const std::size_t end = std::min(given[next] + turn, runs.size());
        while (given[next] < end) out.push(runs[given[next]++]);
    }
    out.flush();
}

}  // namespace ridge::tracer
