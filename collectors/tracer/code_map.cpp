#include "collectors/tracer/code_map.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <utility>

#include "collectors/tracer/decoder.hpp"

namespace ridge::tracer {
namespace {

/// A yes where no is right costs time and nothing else.
bool brings_vectors_back(const Function& function) {
    return any_instruction(function, [](const Instruction& i) {
        return i.operation == Operation::compare_lane ||
               i.operation == Operation::vector_to_general || i.vector_mask;
    });
}

}  // namespace

/// Whether the functions listed just before make up this range: the library lists its parts, then
/// the whole. Parts behind the first do not begin on a page, as allocations of their own do; older
/// parts that still lie here were freed and their place used again.
bool CodeMap::made_of_parts(std::uint64_t address, std::uint64_t end) const {
    std::map<std::uint64_t, std::uint64_t, std::greater<>> inside;  // newest first: to address
    for (auto it = functions_.lower_bound(address); it != functions_.end() && it->first < end; ++it)
        if (it->second->end() <= end) inside[it->second->sequence] = it->first;
    std::uint64_t expected = listed_;
    for (const auto& [sequence, at] : inside) {
        if (sequence + 1 != expected) return false;
        if (at % 4096 != 0) return true;
        expected = sequence;
    }
    return false;
}

Function* CodeMap::add(std::uint64_t address, std::uint64_t bytes, std::string name) {
    const std::uint64_t end = address + bytes;
    const bool whole = made_of_parts(address, end);
    const std::uint64_t sequence = listed_++;
    if (whole) return nullptr;
    auto it = functions_.upper_bound(address);
    if (it != functions_.begin() && std::prev(it)->second->end() > address) --it;
    while (it != functions_.end() && it->first < end) it = functions_.erase(it);
    auto function = std::make_unique<Function>();
    function->address = address;
    function->sequence = sequence;
    function->name = std::move(name);
    const auto* code = reinterpret_cast<const std::uint8_t*>(address);
    function->code.assign(code, code + bytes);
    function->brings_vectors_back = brings_vectors_back(*function);
    return (functions_[address] = std::move(function)).get();
}

Function* CodeMap::find(std::uint64_t address) const {
    auto it = functions_.upper_bound(address);
    if (it == functions_.begin()) return nullptr;
    --it;
    return it->second->contains(address) ? it->second.get() : nullptr;
}

ExecutableRanges::ExecutableRanges() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    std::uint64_t last_end = 0, last_start = 0;
    while (std::getline(maps, line)) {
        unsigned long long start = 0, end = 0;
        char flags[5] = {};
        if (std::sscanf(line.c_str(), "%llx-%llx %4s", &start, &end, flags) != 3) continue;
        if (flags[0] != 'r' || flags[2] != 'x') continue;
        if (start != last_end) last_start = start;
        ranges_[last_start] = last_end = end;
    }
}

bool ExecutableRanges::contains(std::uint64_t address, std::uint64_t bytes) const {
    auto it = ranges_.upper_bound(address);
    if (it == ranges_.begin()) return false;
    --it;
    return address + bytes <= it->second;
}

}  // namespace ridge::tracer
