// The end of the hierarchy: counts what reaches memory.
#pragma once

#include <bit>

#include "model/cachesim/level.hpp"

namespace ridge::cachesim {

class Memory final : public Level {
public:
    Memory(int line_bytes, const Sectoring& sectoring)
        : line_bytes_(static_cast<std::uint64_t>(line_bytes)), sectoring_(sectoring) {}

    void process(std::span<const Request> requests) override {
        for (const Request& one : requests) serve(one);
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
                read_bytes += bytes_of(one.sectors);
                break;
            case RequestKind::write_back:
            case RequestKind::victim:
                written_bytes += bytes_of(one.sectors);
                break;
            case RequestKind::store:
                written_bytes += one.bytes;
                break;
            case RequestKind::store_nt:
                // DRAM moves whole lines: what the buffer did not collect is read and merged.
                written_bytes += line_bytes_;
                if (one.covers) {
                    non_temporal_bytes += line_bytes_;
                } else {
                    partial_line_bytes += line_bytes_;
                    read_bytes += line_bytes_;
                }
                break;
        }
    }
    [[nodiscard]] std::uint64_t bytes_of(SectorMask sectors) const {
        return static_cast<std::uint64_t>(std::popcount(sectors)) *
               static_cast<std::uint64_t>(sectoring_.granule_bytes);
    }

    std::uint64_t line_bytes_;
    Sectoring sectoring_;
};

}  // namespace ridge::cachesim
