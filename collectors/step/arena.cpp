#include "collectors/step/arena.hpp"

#include <omp.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "ridge/error.hpp"

namespace ridge::step {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;
constexpr std::size_t kLinesPerPage = kPage / kLine;
/// Coprime to 64 and far from its fractions: neighbouring slots are far apart, and 64 in a row
/// differ.
constexpr std::size_t kStagger = 27;
/// Wanted address: low enough for any address arithmetic, away from heap, stack and libraries.
constexpr std::uintptr_t kWanted = std::uintptr_t{1} << 40;

constexpr std::size_t round_up(std::size_t n, std::size_t to) {
    return (n + to - 1) / to * to;
}

}  // namespace

int Arena::reserve(std::size_t bytes) {
    const std::size_t start =
        round_up(end_, kPage) + (slots_.size() * kStagger % kLinesPerPage) * kLine;
    slots_.push_back({start, bytes});
    end_ = start + bytes;
    return static_cast<int>(slots_.size()) - 1;
}

Bytes Arena::planned() const {
    return Bytes(static_cast<double>(round_up(end_, kHugePage)));
}

void Arena::allocate(int threads) {
    const std::size_t size = round_up(end_, kHugePage);
    mapping_size_ = size + kHugePage;
    // The hint is not an order: an address in use, or an address space that a sanitizer took, moves
    // the mapping elsewhere.
    void* wanted = reinterpret_cast<void*>(kWanted);
    mapping_ =
        mmap(wanted, mapping_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
        mapping_ = nullptr;
        throw job_failed("mapping the memory of the step", std::strerror(errno));
    }
    base_ = reinterpret_cast<std::byte*>(
        round_up(reinterpret_cast<std::uintptr_t>(mapping_), kHugePage));
    madvise(base_, size, MADV_HUGEPAGE);  // refused on kernels without it: small pages then
#pragma omp parallel num_threads(threads)
    {
        const auto parts = static_cast<std::size_t>(omp_get_num_threads());
        const auto part = static_cast<std::size_t>(omp_get_thread_num());
        for (const Slot& slot : slots_) {
            const std::size_t begin = slot.size * part / parts;
            const std::size_t end = slot.size * (part + 1) / parts;
            std::memset(base_ + slot.offset + begin, 0, end - begin);
        }
    }
}

double Arena::huge_page_share() const {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    std::ostringstream start;
    start << std::hex << reinterpret_cast<std::uintptr_t>(mapping_) << '-';
    bool inside = false;
    double huge_bytes = 0;
    while (std::getline(maps, line)) {
        if (line.rfind(start.str(), 0) == 0) inside = true;
        if (inside && line.rfind("AnonHugePages:", 0) == 0) {
            huge_bytes = 1024 * std::stod(line.substr(14));
            break;
        }
    }
    return mapping_size_ > 0 ? huge_bytes / static_cast<double>(mapping_size_) : 0;
}

Arena::~Arena() {
    if (mapping_ != nullptr) munmap(mapping_, mapping_size_);
}

}  // namespace ridge::step
