// Copies with unaligned 8-byte accesses: many touches straddle two lines.
#include <cstdint>
#include <cstring>

namespace {
char source[40000], target[40000];
}  // namespace

int main() {
    std::uint64_t sum = 0;
    for (std::size_t shift = 1; shift < 8; shift += 3)
        for (std::size_t i = shift; i + 8 < sizeof(source); i += 12) {
            std::uint64_t word;
            std::memcpy(&word, source + i, 8);
            word += i;
            std::memcpy(target + i, &word, 8);
            sum += word;
        }
    return sum == 1;
}
