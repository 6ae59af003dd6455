// Which lines of each tensor a stream reads and writes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::app {

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

}  // namespace ridge::app
