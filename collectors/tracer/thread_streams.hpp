// The streams of several threads, kept apart while they run and merged afterwards.
#pragma once

#include <deque>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::tracer {

class StoredStream : public RunSink {
public:
    void consume(std::span<const LineRun> chunk) override {
        runs.insert(runs.end(), chunk.begin(), chunk.end());
    }
    std::vector<LineRun> runs;
};

/// Hands the streams to `sink` as if the threads ran side by side at constant pace: each time the
/// one that is the furthest behind, relative to its length, gives its next runs.
void merge_streams(const std::vector<const StoredStream*>& streams, RunSink& sink);

}  // namespace ridge::tracer
