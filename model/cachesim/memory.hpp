// The end of the hierarchy: counts what reaches memory.
#pragma once

#include "model/cachesim/level.hpp"

namespace ridge::cachesim {

class Memory final : public Level {
public:
    explicit Memory(const Sectoring& sectoring) : sectoring_(sectoring) {}

    void process(std::span<const Request> requests) override {
        std::uint64_t read = 0, written = 0;
        for (const Request& one : requests) {
            if (one.kind <= RequestKind::prefetch)
                read += sectoring_.bytes_of(one.sectors);
            else if (one.kind <= RequestKind::victim)
                written += sectoring_.bytes_of(one.sectors);
            else
                serve(one);
        }
        read_bytes += read;
        written_bytes += written;
    }
    Reply request(const Request& one) override {
        serve(one);
        return {};
    }

    void clear_counts() {
        read_bytes = written_bytes = non_temporal_bytes = partial_line_bytes = 0;
    }

    std::uint64_t read_bytes = 0, written_bytes = 0;
    std::uint64_t non_temporal_bytes = 0, partial_line_bytes = 0;

private:
    void serve(const Request& one) {
        switch (one.kind) {
            case RequestKind::read:
            case RequestKind::own:
            case RequestKind::fetch:
            case RequestKind::prefetch:
                read_bytes += sectoring_.bytes_of(one.sectors);
                break;
            case RequestKind::write_back:
            case RequestKind::victim:
                written_bytes += sectoring_.bytes_of(one.sectors);
                break;
            case RequestKind::store:
                written_bytes += one.bytes;
                break;
            case RequestKind::store_nt:
                // DRAM moves whole lines: what the buffer did not collect is read and merged.
                written_bytes += sectoring_.line_bytes;
                if (one.covers) {
                    non_temporal_bytes += sectoring_.line_bytes;
                } else {
                    partial_line_bytes += sectoring_.line_bytes;
                    read_bytes += sectoring_.line_bytes;
                }
                break;
        }
    }

    Sectoring sectoring_;
};

}  // namespace ridge::cachesim
