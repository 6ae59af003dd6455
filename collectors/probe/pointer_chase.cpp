#include "collectors/probe/pointer_chase.hpp"

#include <array>
#include <cstring>

namespace ridge::probe {

Scramble::Scramble(std::uint64_t size) : size_(size) {
    while ((std::uint64_t{1} << bits_) < size) ++bits_;
}

/// Multiplying by an odd number and folding the upper bits into the lower ones are both bijections
/// modulo a power of two (hash finalisers have this form). A product carries upwards only, hence
/// the folds, and several rounds as few bits take more of them to mix.
std::uint64_t Scramble::mix(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    const int half = (bits_ + 1) / 2;
    constexpr std::array<std::uint64_t, 4> factors{0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u,
                                                   0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u};
    for (const std::uint64_t factor : factors) {
        value = (value * factor + 0x632be59bd9b4e019u) & mask;
        value ^= value >> half;
    }
    return value;
}

/// Repeating a permutation of a larger set until it falls inside is a permutation of the smaller
/// one (cycle walking).
std::uint64_t Scramble::operator()(std::uint64_t index) const {
    do index = mix(index);
    while (index >= size_);
    return index;
}

std::byte* build_chain(std::byte* memory, std::size_t bytes, std::size_t line_bytes) {
    const std::uint64_t lines = bytes / line_bytes;
    const Scramble order(lines);
    const auto line = [&](std::uint64_t k) { return memory + order(k) * line_bytes; };
    std::byte* const first = line(0);
    std::byte* current = first;
    for (std::uint64_t k = 1; k < lines; ++k) {
        std::byte* const next = line(k);
        std::memcpy(current, &next, sizeof(next));
        current = next;
    }
    std::memcpy(current, &first, sizeof(first));
    return first;
}

const std::byte* chase(const std::byte* start, std::int64_t loads) {
    std::int64_t turns = loads / chase_step;
#define FOUR_LOADS \
    "mov (%[at]), %[at]\n\t mov (%[at]), %[at]\n\t mov (%[at]), %[at]\n\t mov (%[at]), %[at]\n\t"
    asm volatile("1:\n\t" FOUR_LOADS FOUR_LOADS FOUR_LOADS FOUR_LOADS
                 "dec %[turns]\n\t"
                 "jnz 1b\n\t"
                 : [at] "+r"(start), [turns] "+r"(turns)
                 :
                 : "cc", "memory");
    return start;
}

}  // namespace ridge::probe
