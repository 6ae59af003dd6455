// Chains of dependent loads in random order: what a load costs when nothing can be overlapped or
// prefetched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ridge::probe {

/// A permutation of 0 .. size-1 without structure that a prefetcher follows, computed from the
/// index alone, so that a chain through gigabytes is built without a table.
class Scramble {
public:
    /// Precondition: size > 0.
    explicit Scramble(std::uint64_t size);
    [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

private:
    [[nodiscard]] std::uint64_t mix(std::uint64_t value) const;
    std::uint64_t size_;
    int bits_ = 1;  ///< mix() permutes the numbers of so many bits, at least `size` many
};

/// Links the `line_bytes` lines of `bytes` bytes into one cycle that visits each once, in scrambled
/// order; the first word of a line holds the address of the next. Returns the line it starts at.
std::byte* build_chain(std::byte* memory, std::size_t bytes, std::size_t line_bytes);

inline constexpr std::int64_t chase_step = 16;
/// Follows the chain for a multiple of chase_step loads and returns where it ends.
[[nodiscard]] const std::byte* chase(const std::byte* start, std::int64_t loads);

}  // namespace ridge::probe
