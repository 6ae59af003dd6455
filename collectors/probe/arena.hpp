// Memory for the bandwidth and latency probes.
#pragma once

#include <cstddef>
#include <vector>

#include "ridge/units.hpp"

namespace ridge::probe {

/// Anonymous memory, aligned to 2 MiB, for which huge pages were asked (madvise), so that address
/// translation is not what is measured. Not touched yet: whoever writes first owns the pages.
class Arena {
public:
    /// Throws Error job_failed naming the size when the system has no memory.
    explicit Arena(Bytes size);
    ~Arena();
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Share of the touched memory that the kernel backs with huge pages; -1 when it does not tell.
    [[nodiscard]] double huge_page_share() const;
    /// NUMA node of some pages spread over the arena; empty when the kernel does not tell.
    [[nodiscard]] std::vector<int> page_nodes() const;

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Memory that can be used without swapping, control group limits included. 0: unknown.
[[nodiscard]] Bytes available_memory();

}  // namespace ridge::probe
