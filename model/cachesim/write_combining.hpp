// The write-combining buffer of one thread: non-temporal stores collect here until a line is
// complete (one full-line write, nothing read) or its entry is needed for another line or touched
// by an ordinary access (a partial line, which memory has to read first).
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "model/cachesim/level.hpp"
#include "ridge/trace.hpp"

namespace ridge::cachesim {

class WriteCombining {
public:
    /// Lines longer than max_line_bytes are refused by check().
    static constexpr int max_line_bytes = 256;

    WriteCombining(int entries, int line_bytes, Level& below)
        : entries_(static_cast<std::size_t>(entries)), line_bytes_(line_bytes), below_(below) {}

    [[nodiscard]] bool empty() const { return used_.empty(); }
    void store(const LineRun& run);
    /// Sends on what an ordinary access to the lines of this run would collide with.
    void give_way(const LineRun& run);
    void drain();

private:
    struct Entry {
        std::uint64_t line;
        std::bitset<max_line_bytes> bytes;
    };
    void store_part(std::uint64_t line, int first, int last);
    void send(const Entry& entry);
    void send_whole(std::uint64_t line);

    std::size_t entries_;
    int line_bytes_;
    Level& below_;
    std::vector<Entry> used_;  ///< oldest first
};

}  // namespace ridge::cachesim
