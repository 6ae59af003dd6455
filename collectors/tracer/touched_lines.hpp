// Which lines of each tensor a stream reads and writes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/layer.hpp"
#include "ridge/trace.hpp"

namespace ridge {

struct TensorLines {
    std::string name;
    double lines = 0, read = 0, written = 0;
};

class TouchedLines : public RunSink {
public:
    explicit TouchedLines(const TraceInfo& info);
    void consume(std::span<const LineRun> chunk) override;
    [[nodiscard]] std::vector<TensorLines> tensors() const;
    /// Demand accesses elsewhere: stack, constants in the code, parameters.
    [[nodiscard]] double other_lines() const { return static_cast<double>(other_.size()); }
    [[nodiscard]] double line_bytes() const { return static_cast<double>(line_bytes_); }
    /// Lines of a tensor without the mark (1 read, 2 written), as runs of neighbours.
    [[nodiscard]] std::vector<Region> unmarked(std::size_t tensor, std::uint8_t mark) const;

private:
    struct Marked {
        Region region;
        std::uint64_t first = 0;
        std::vector<std::uint8_t> marks;  ///< 1 read, 2 written
    };
    void mark(std::uint64_t line, std::uint8_t how);

    std::uint64_t line_bytes_;
    std::vector<Marked> regions_;
    std::size_t last_ = 0;
    std::unordered_set<std::uint64_t> other_;
};

/// What a pass reads or writes but a stream does not: work of compiled code.
struct MissingWork {
    double needed_lines = 0, missing_lines = 0;  ///< a tensor that is read and written counts twice
    std::string text;                            ///< empty when nothing is missing
    std::vector<Region> unread, unwritten;
};
/// Source lines that a stride skips are not missing, nor is what pads a tensor's format. `lines`
/// has seen the stream of `kernel`.
[[nodiscard]] MissingWork missing_work(const Kernel& kernel, const Layer& layer,
                                       const TouchedLines& lines);

}  // namespace ridge
