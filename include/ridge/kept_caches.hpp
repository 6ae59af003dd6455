// Caches that keep their contents from one piece of a program to the next, for streams that come
// one after the other: each layer of a step finds what the layers before it left.
//
//   KeptCaches caches(hierarchy_of(machine, 1));
//   tracer.trace(*first, &caches);   caches.take();
//   tracer.trace(*second, &caches);  std::vector<BoundaryBytes> bytes = caches.take();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ridge/cachesim.hpp"

namespace ridge {

/// Bytes between a level and everything nearer to the core.
struct BoundaryBytes {
    std::string level;  ///< "L2"..., the last one is memory
    double read = 0, written = 0;
};

class KeptCaches final : public RunSink {
public:
    /// Empty caches. Prefetchers of the machine file are left out.
    explicit KeptCaches(const HierarchySpec& spec);
    ~KeptCaches() override;
    KeptCaches(const KeptCaches&) = delete;
    KeptCaches& operator=(const KeptCaches&) = delete;

    void consume(std::span<const LineRun> chunk) override;
    /// Each line of a range of addresses once, in order. On several threads each takes an equal
    /// contiguous part.
    void touch(std::uint64_t address, std::uint64_t bytes, TouchKind kind);

    /// What crossed each boundary since the last call. Dirty lines that are still in a cache cross
    /// it later, in whatever displaces them. Bytes of non-temporal stores go to memory only.
    [[nodiscard]] std::vector<BoundaryBytes> take();
    /// Largest level, all instances together.
    [[nodiscard]] std::uint64_t largest_bytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Everything about the caches that decides how many bytes cross them, in one line: counts that
/// were simulated with these caches hold for no others.
[[nodiscard]] std::string describe_caches(const HierarchySpec& spec);

}  // namespace ridge
