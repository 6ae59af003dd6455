// One memory level as its neighbours see it. Levels pass each other requests: in batches where
// nothing flows back up (non-inclusive links), one by one where the answer or a back-invalidation
// changes the level above (inclusive and exclusive links).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "model/cachesim/region_map.hpp"
#include "ridge/trace.hpp"

namespace ridge::cachesim {

/// Sectors of a line, one bit each; hierarchies without sectors use bit 0 for the whole line.
using SectorMask = std::uint16_t;

enum class RequestKind : std::uint8_t {
    read,        ///< for a load
    own,         ///< for a store that allocates (read for ownership)
    fetch,       ///< for an instruction
    prefetch,    ///< hint or hardware prefetch
    write_back,  ///< dirty line evicted above
    victim,      ///< line evicted above, clean or dirty, into an exclusive level
    store,       ///< store passed down by write-through or no-allocate
    store_nt,    ///< non-temporal line: passes all levels, dropping their copies
};

struct Request {
    std::uint64_t line = 0;
    SectorMask sectors = 1;   ///< wanted, or dirty
    std::uint16_t bytes = 0;  ///< of store and store_nt
    RequestKind kind = RequestKind::read;
    bool covers = false;  ///< the store writes every byte of `sectors`
    std::uint16_t unused = 0;

    /// A copy of another kind. Field by field: as a whole it is copied in two words, and a word
    /// that was written in parts shortly before makes the processor wait.
    [[nodiscard]] Request as(RequestKind other) const {
        return {line, sectors, bytes, other, covers};
    }
};

/// A request as two words: what a loop stores often is written whole, and what it says beside its
/// line is made once.
struct RequestWords {
    std::uint64_t line, rest;
};
[[nodiscard]] inline std::uint64_t rest_of(const Request& one) {
    return std::bit_cast<RequestWords>(one).rest;
}
inline void put(Request& at, std::uint64_t line, std::uint64_t rest) {
    const RequestWords words{line, rest};
    std::memcpy(static_cast<void*>(&at), &words, sizeof(at));  // an assignment goes field by field
}

/// What a coupled request brings back.
struct Reply {
    SectorMask dirty = 0;  ///< an exclusive level moves dirty data up
};

/// What a back-invalidation finds.
struct Dropped {
    bool present = false;
    SectorMask dirty = 0;
};

/// Whole-number events; see LevelCounts for their meaning.
struct Counts {
    std::uint64_t loads = 0, stores = 0, fetches = 0;
    std::uint64_t load_misses = 0, store_misses = 0, fetch_misses = 0;
    std::uint64_t prefetches = 0, prefetch_misses = 0;
    std::uint64_t write_backs_in = 0, forwarded_stores = 0;
    std::uint64_t fills = 0, insertions = 0, evictions = 0, write_backs = 0, invalidations = 0;
    std::uint64_t evaded = 0;
    std::uint64_t read_bytes = 0, written_bytes = 0;
    std::uint64_t supplied_bytes = 0, received_bytes = 0;  ///< as seen from the level above
};

/// Geometry and behaviour of the sectors, equal for all levels of a hierarchy.
struct Sectoring {
    int granule_bytes = 64;  ///< bytes per bit of a SectorMask
    SectorMask all = 1;
    std::uint64_t line_bytes = 64;

    /// Whole lines and nothing first: without an instruction for it, counting bits is a call.
    [[nodiscard]] std::uint64_t bytes_of(SectorMask mask) const {
        if (mask == all) return line_bytes;
        if (mask == 0) return 0;
        return static_cast<std::uint64_t>(std::popcount(mask)) *
               static_cast<std::uint64_t>(granule_bytes);
    }
};

class Level {
public:
    virtual ~Level() = default;
    /// Requests of the level above, in order, whose replies nobody needs.
    virtual void process(std::span<const Request> requests) = 0;
    /// One request whose reply the level above needs before it goes on.
    virtual Reply request(const Request& request) = 0;
};

class Cache : public Level {
public:
    /// Touches of the program: only for a first level.
    virtual void touch(std::span<const LineRun> runs) = 0;
    /// Drops a line because an inclusive level below lost it, or a non-temporal store passed.
    virtual Dropped drop(std::uint64_t line) = 0;
    /// A touch without counts, traffic or dirtiness; true when the line was there.
    virtual bool reference(std::uint64_t line) = 0;
    /// Hands buffered requests to the level below.
    virtual void flush() = 0;
    /// Lines held, with dirty sectors and the policy's signature of their place.
    using Visitor = std::function<void(std::uint64_t line, SectorMask dirty, std::uint64_t place)>;
    virtual void visit(const Visitor& visitor) const = 0;
    [[nodiscard]] virtual std::uint64_t dirty_bytes() const = 0;
    /// Tells an inclusive level of one above it, whose lines it must keep a superset of.
    virtual void add_inner(Cache* above) = 0;
    /// Bytes that this object holds on the host.
    [[nodiscard]] virtual std::size_t host_bytes() const = 0;

    Counts counts;
    /// Traffic with the level below by region; empty when no regions are known.
    std::vector<RegionBytes> region_bytes;
};

}  // namespace ridge::cachesim
