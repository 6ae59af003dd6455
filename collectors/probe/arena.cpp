#include "collectors/probe/arena.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "ridge/error.hpp"

namespace ridge::probe {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t small_page = 4096;

}  // namespace

Arena::Arena(Bytes size) {
    size_ = (static_cast<std::size_t>(size.value()) + huge_page - 1) / huge_page * huge_page;
    // One page more than needed, of which the unaligned ends are given back.
    const std::size_t mapped = size_ + huge_page;
    void* raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        throw job_failed("probe memory",
                         "the system has no " + std::to_string(size_ >> 20) + " MiB");
    auto* begin = static_cast<std::byte*>(raw);
    const std::size_t offset =
        (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
    if (offset > 0) munmap(begin, offset);
    if (offset < huge_page) munmap(begin + offset + size_, huge_page - offset);
    data_ = begin + offset;
    madvise(data_, size_, MADV_HUGEPAGE);
}

Arena::~Arena() {
    if (data_) munmap(data_, size_);
}

Arena::Arena(Arena&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

double Arena::huge_page_share() const {
    std::ifstream smaps("/proc/self/smaps");
    const auto first = reinterpret_cast<std::uintptr_t>(data_);
    bool inside = false;
    double resident_kib = 0, huge_kib = 0;
    for (std::string line; std::getline(smaps, line);) {
        std::uintptr_t begin = 0, end = 0;
        double kib = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
            inside = begin < first + size_ && end > first;
        else if (inside && std::sscanf(line.c_str(), "Rss: %lf kB", &kib) == 1)
            resident_kib += kib;
        else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %lf kB", &kib) == 1)
            huge_kib += kib;
    }
    return resident_kib > 0 ? std::min(1.0, huge_kib / resident_kib) : -1;
}

std::vector<int> Arena::page_nodes() const {
    constexpr std::size_t samples = 16;
    std::vector<void*> pages;
    for (std::size_t i = 0; i < samples; ++i)
        pages.push_back(data_ + size_ / samples * i / small_page * small_page);
    std::vector<int> status(samples, -1);
    // Without target nodes, move_pages(2) moves nothing and reports where each page is.
    if (syscall(SYS_move_pages, 0, samples, pages.data(), nullptr, status.data(), 0) != 0)
        return {};
    std::erase_if(status, [](int node) { return node < 0; });
    return status;
}

namespace {

/// A number of bytes in a one-line file; nothing ("max", no file) is no limit.
double limit_in(const std::string& path) {
    std::ifstream file(path);
    double bytes = 0;
    return file >> bytes ? bytes : -1;
}

}  // namespace

Bytes available_memory() {
    double available = 0;
    std::ifstream meminfo("/proc/meminfo");
    for (std::string line; std::getline(meminfo, line);) {
        double kib = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %lf kB", &kib) == 1) available = kib * 1024;
    }
    // Control group version 2 and 1 as a container sees them.
    for (const auto& [limit, used] :
         {std::pair{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
          std::pair{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                    "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
        const double most = limit_in(limit), taken = std::max(0.0, limit_in(used));
        if (most > 0) available = std::min(available, std::max(0.0, most - taken));
    }
    return Bytes(available);
}

}  // namespace ridge::probe
