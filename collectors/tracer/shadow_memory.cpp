#include "collectors/tracer/shadow_memory.hpp"

#include <algorithm>

namespace ridge::tracer {

bool ShadowMemory::in_tensor(std::uint64_t address) const {
    return std::any_of(tensors_.begin(), tensors_.end(), [&](const Region& region) {
        return address >= region.address && address < region.address + region.bytes;
    });
}

Loaded ShadowMemory::load(std::uint64_t address, unsigned bytes) {
    Loaded loaded;
    if (on_stack(address, bytes)) {
        const std::size_t first = slot(address);
        for (unsigned i = 0; i < bytes; ++i) {
            const State state = states_[first + i];
            if (state != State::known) loaded.tainted = true;
            if (state == State::unset) ++uninitialised_loads;
            loaded.value |= std::uint64_t{bytes_[first + i]} << (8 * i);
        }
        return loaded;
    }
    std::memcpy(&loaded.value, reinterpret_cast<const void*>(address), bytes);
    if (!elsewhere_.empty())
        for (unsigned i = 0; i < bytes; ++i) {
            const auto found = elsewhere_.find(address + i);
            if (found == elsewhere_.end()) continue;
            loaded.value &= ~(std::uint64_t{0xff} << (8 * i));
            loaded.value |= std::uint64_t{found->second.value} << (8 * i);
            loaded.tainted |= found->second.tainted;
        }
    loaded.tainted |= in_tensor(address);
    return loaded;
}

void ShadowMemory::store(std::uint64_t address, unsigned bytes, std::uint64_t value, bool tainted) {
    if (on_stack(address, bytes)) {
        lowest_ = std::min(lowest_, address);
        const std::size_t first = slot(address);
        for (unsigned i = 0; i < bytes; ++i) {
            bytes_[first + i] = static_cast<std::uint8_t>(value >> (8 * i));
            states_[first + i] = tainted ? State::unknown : State::known;
        }
        return;
    }
    for (unsigned i = 0; i < bytes; ++i)
        elsewhere_[address + i] = {static_cast<std::uint8_t>(value >> (8 * i)), tainted};
}

void ShadowMemory::store_unknown(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t from = std::max(address, bottom_);
    const std::uint64_t to = std::min(address + bytes, top_);
    if (from >= to) return;
    lowest_ = std::min(lowest_, from);
    std::fill(states_.begin() + static_cast<std::ptrdiff_t>(from - bottom_),
              states_.begin() + static_cast<std::ptrdiff_t>(to - bottom_), State::unknown);
}

}  // namespace ridge::tracer
