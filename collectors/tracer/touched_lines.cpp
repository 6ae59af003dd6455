#include "collectors/tracer/touched_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge {

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

std::vector<Region> TouchedLines::unmarked(std::size_t tensor, std::uint8_t mark) const {
    const Marked& marked = regions_[tensor];
    std::vector<Region> runs;
    for (std::size_t i = 0; i < marked.marks.size(); ++i) {
        if ((marked.marks[i] & mark) != 0) continue;
        const std::uint64_t address = (marked.first + i) * line_bytes_;
        if (!runs.empty() && runs.back().address + runs.back().bytes == address)
            runs.back().bytes += line_bytes_;
        else
            runs.push_back({marked.region.name, address, line_bytes_});
    }
    return runs;
}

MissingWork missing_work(const Kernel& kernel, const Layer& layer, const TouchedLines& lines) {
    const Dims& d = layer.dims;
    const bool skips = (layer.kind == LayerKind::convolution || layer.kind == LayerKind::pooling) &&
                       (d.sh > d.kh || d.sw > d.kw);
    MissingWork work;
    const auto logical = ridge::tensors(layer, kernel.description().key.pass);
    const auto tensors = kernel.tensors();
    const auto counts = lines.tensors();
    const auto check = [&](std::size_t i, double touched, std::uint8_t mark, const char* how) {
        work.needed_lines += counts[i].lines;
        const double missing = counts[i].lines - touched;
        // What a format pads a tensor with need not be touched.
        const bool padded = std::any_of(logical.begin(), logical.end(), [&](const TensorUse& use) {
            return use.name == tensors[i].role && touched * lines.line_bytes() >= use.size.value();
        });
        if (missing <= 0 || padded) return;
        work.missing_lines += missing;
        work.text += fmt::format("{}{:.0f} of {:.0f} lines of {} are not {} by generated code",
                                 work.text.empty() ? "" : "; ", missing, counts[i].lines,
                                 tensors[i].role, how);
        auto& to = mark == 1 ? work.unread : work.unwritten;
        const auto runs = lines.unmarked(i, mark);
        to.insert(to.end(), runs.begin(), runs.end());
    };
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].scratchpad) continue;
        // A stride leaves source lines out; the gradient does not depend on the shift.
        const bool skipped =
            (skips && tensors[i].role.starts_with("src")) ||
            (layer.kind == LayerKind::batch_normalization && tensors[i].role == "shift" &&
             kernel.description().key.pass == Pass::backward);
        if (tensors[i].read && !skipped) check(i, counts[i].read, 1, "read");
        if (tensors[i].written) check(i, counts[i].written, 2, "written");
    }
    return work;
}

}  // namespace ridge
