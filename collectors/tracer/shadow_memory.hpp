// Memory as the emulated call sees it. Emulation comes before the native call, on the same stack:
// what the call stores must not reach memory, and what lies below the stack pointer is not the
// call's but left over from earlier ones.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ridge/trace.hpp"

namespace ridge::tracer {

/// A value that was loaded. Tainted: it depends on data that the tracer does not follow.
struct Loaded {
    std::uint64_t value = 0;
    bool tainted = false;
};

class ShadowMemory {
public:
    static constexpr std::uint64_t stack_bytes = std::uint64_t{1} << 18;

    ShadowMemory() : bytes_(stack_bytes), states_(stack_bytes, State::unset) {}

    /// A call begins with this stack pointer. Its stack lies below.
    void begin(std::uint64_t stack_pointer) {
        top_ = stack_pointer;
        bottom_ = stack_pointer - stack_bytes;
        lowest_ = stack_pointer;
        elsewhere_.clear();
        uninitialised_loads = 0;
    }
    /// The call has ended.
    void end() {
        std::fill(states_.begin() + static_cast<std::ptrdiff_t>(lowest_ - bottom_), states_.end(),
                  State::unset);
    }
    /// Values of these ranges are data: loads from them are tainted.
    void set_tensors(std::vector<Region> tensors) { tensors_ = std::move(tensors); }

    /// Up to 8 bytes.
    [[nodiscard]] Loaded load(std::uint64_t address, unsigned bytes);
    void store(std::uint64_t address, unsigned bytes, std::uint64_t value, bool tainted);
    /// A vector was stored: its value is not known.
    void store_unknown(std::uint64_t address, std::uint64_t bytes);
    /// True when [address, address + bytes) meets the stack of the call.
    [[nodiscard]] bool meets_stack(std::uint64_t address, std::uint64_t bytes) const {
        return address < top_ && address + bytes > bottom_;
    }
    [[nodiscard]] bool stack_overflow() const { return lowest_ < bottom_ + 4096; }

    /// Loads of the current call from stack that it had not written.
    std::uint64_t uninitialised_loads = 0;

private:
    enum class State : std::uint8_t { unset, known, unknown };
    struct Byte {
        std::uint8_t value;
        bool tainted;
    };
    [[nodiscard]] bool on_stack(std::uint64_t address, unsigned bytes) const {
        return address >= bottom_ && address + bytes <= top_;
    }
    [[nodiscard]] std::size_t slot(std::uint64_t address) const {
        return static_cast<std::size_t>(address - bottom_);
    }
    [[nodiscard]] bool in_tensor(std::uint64_t address) const;

    std::vector<std::uint8_t> bytes_;
    std::vector<State> states_;
    std::uint64_t top_ = 0, bottom_ = 0, lowest_ = 0;
    std::unordered_map<std::uint64_t, Byte> elsewhere_;  ///< bytes stored outside the stack
    std::vector<Region> tensors_;
};

}  // namespace ridge::tracer
