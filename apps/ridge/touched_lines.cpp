#include "apps/ridge/touched_lines.hpp"

namespace ridge::app {

TouchedLines::TouchedLines(const TraceInfo& info)
    : line_bytes_(static_cast<std::uint64_t>(info.line_bytes)) {
    for (const Region& region : info.regions) {
        Marked marked{region, region.address / line_bytes_, {}};
        const std::uint64_t past = (region.address + region.bytes + line_bytes_ - 1) / line_bytes_;
        marked.marks.resize(static_cast<std::size_t>(past - marked.first));
        regions_.push_back(std::move(marked));
    }
}

void TouchedLines::mark(std::uint64_t line, std::uint8_t how) {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const std::size_t at = (last_ + i) % regions_.size();
        Marked& marked = regions_[at];
        if (line - marked.first >= marked.marks.size()) continue;
        marked.marks[static_cast<std::size_t>(line - marked.first)] |= how;
        last_ = at;
        return;
    }
    other_.insert(line);
}

void TouchedLines::consume(std::span<const LineRun> chunk) {
    for (const LineRun& run : chunk) {
        if (run.kind == TouchKind::prefetch || run.kind == TouchKind::fetch) continue;
        const std::uint8_t how = run.kind == TouchKind::load     ? 1
                                 : run.kind == TouchKind::modify ? 3
                                                                 : 2;
        const std::uint64_t further = (run.offset + run.bytes - 1U) / line_bytes_;
        for (std::uint32_t i = 0; i < run.count; ++i) {
            const std::uint64_t first =
                run.line + static_cast<std::uint64_t>(std::int64_t{run.stride} * i);
            for (std::uint64_t line = first; line <= first + further; ++line) mark(line, how);
        }
    }
}

std::vector<TensorLines> TouchedLines::tensors() const {
    std::vector<TensorLines> all;
    for (const Marked& marked : regions_) {
        TensorLines lines{marked.region.name, static_cast<double>(marked.marks.size()), 0, 0};
        for (const std::uint8_t m : marked.marks) {
            lines.read += m & 1;
            lines.written += (m >> 1) & 1;
        }
        all.push_back(lines);
    }
    return all;
}

}  // namespace ridge::app
