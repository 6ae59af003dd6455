#include "ridge/kept_caches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/cachesim/hierarchy.hpp"

namespace ridge {
namespace {

HierarchySpec without_prefetchers(HierarchySpec spec) {
    check(spec);
    for (CacheSpec& level : spec.levels) level.prefetcher = Prefetcher::none;
    return spec;
}

TraceInfo stream_for(const HierarchySpec& spec) {
    TraceInfo info;
    info.line_bytes = spec.levels.front().line_bytes;
    info.threads = spec.threads;
    return info;
}

}  // namespace

struct KeptCaches::Impl {
    explicit Impl(const HierarchySpec& wanted)
        : spec(without_prefetchers(wanted)), hierarchy(spec, stream_for(spec)) {}
    HierarchySpec spec;
    cachesim::Hierarchy hierarchy;
};

KeptCaches::KeptCaches(const HierarchySpec& spec) : impl_(std::make_unique<Impl>(spec)) {}
KeptCaches::~KeptCaches() = default;

void KeptCaches::consume(std::span<const LineRun> chunk) {
    impl_->hierarchy.consume(chunk);
}

void KeptCaches::touch(std::uint64_t address, std::uint64_t bytes, TouchKind kind) {
    if (bytes == 0) return;
    const auto line_bytes = static_cast<std::uint64_t>(impl_->spec.levels.front().line_bytes);
    const auto threads = static_cast<std::uint64_t>(impl_->spec.threads);
    const std::uint64_t first = address / line_bytes;
    const std::uint64_t lines = (address + bytes - 1) / line_bytes - first + 1;
    for (std::uint64_t thread = 0; thread < threads; ++thread) {
        std::uint64_t line = first + lines * thread / threads;
        const std::uint64_t past = first + lines * (thread + 1) / threads;
        while (line < past) {
            const std::uint64_t count = std::min<std::uint64_t>(past - line, 1U << 20);
            const LineRun run{.line = line,
                              .count = static_cast<std::uint32_t>(count),
                              .bytes = static_cast<std::uint16_t>(line_bytes),
                              .kind = kind,
                              .thread = static_cast<std::uint8_t>(thread)};
            impl_->hierarchy.consume({&run, 1});
            line += count;
        }
    }
}

std::vector<BoundaryBytes> KeptCaches::take() {
    auto& hierarchy = impl_->hierarchy;
    hierarchy.finish();
    std::vector<BoundaryBytes> bytes;
    for (int level = 0; level + 1 < hierarchy.levels(); ++level) {
        const auto counts = hierarchy.counts(level);
        bytes.push_back({impl_->spec.levels[static_cast<std::size_t>(level) + 1].name,
                         static_cast<double>(counts.read_bytes),
                         static_cast<double>(counts.written_bytes)});
    }
    bytes.push_back({impl_->spec.memory_name, static_cast<double>(hierarchy.memory().read_bytes),
                     static_cast<double>(hierarchy.memory().written_bytes)});
    hierarchy.clear_counts();
    return bytes;
}

std::uint64_t KeptCaches::largest_bytes() const {
    std::uint64_t largest = 0;
    for (const CacheSpec& level : impl_->spec.levels) {
        const int instances = (impl_->spec.threads + level.shared_by - 1) / level.shared_by;
        largest = std::max(largest, level.capacity_bytes * static_cast<std::uint64_t>(instances));
    }
    return largest;
}

std::string describe_caches(const HierarchySpec& spec) {
    std::string text = fmt::format("{} threads", spec.threads);
    for (const CacheSpec& level : spec.levels) {
        text += fmt::format("; {} {} bytes, {}-byte lines, {} ways, shared by {}, {}, {}, {}",
                            level.name, level.capacity_bytes, level.line_bytes, level.ways,
                            level.shared_by, level.policy, to_string(level.inclusion),
                            to_string(level.write_policy));
        if (!level.write_allocate) text += ", no write-allocate";
        if (level.hashed) text += ", hashed";
        if (level.write_allocate_evasion > 0)
            text += fmt::format(", evades {:.4g} of the allocations", level.write_allocate_evasion);
        if (level.sector_bytes > 0) text += fmt::format(", {}-byte sectors", level.sector_bytes);
    }
    return text + "; " + spec.memory_name;
}

}  // namespace ridge
