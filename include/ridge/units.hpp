// Physical quantities as types, so that an interface cannot confuse milliseconds with seconds
// or GB with GiB. Every quantity is one double in the SI base unit named in its comment.
//
//   Seconds t = work / rate;            // Flops / FlopsPerSecond
//   double ms = t.value() * 1e3;        // leaving the type is explicit
//
// Prefixes are decimal: 1 GB = 1e9 bytes. GiB (2^30 bytes) is spelled GiB wherever it occurs.
#pragma once

#include <compare>

namespace ridge {

/// A double tagged with its unit. `Tag` is a type that is only ever named.
template <class Tag>
class Quantity {
public:
    constexpr Quantity() = default;
    constexpr explicit Quantity(double value) : value_(value) {}

    /// The number in the SI base unit of the tag.
    [[nodiscard]] constexpr double value() const { return value_; }

    constexpr auto operator<=>(const Quantity&) const = default;

    constexpr Quantity& operator+=(Quantity other) {
        value_ += other.value_;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other) {
        value_ -= other.value_;
        return *this;
    }

    friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
    friend constexpr Quantity operator*(Quantity a, double factor) {
        return Quantity(a.value_ * factor);
    }
    friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
    friend constexpr Quantity operator/(Quantity a, double divisor) {
        return Quantity(a.value_ / divisor);
    }
    /// Ratio of two like quantities: a plain number.
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

private:
    double value_ = 0;
};

using Seconds = Quantity<struct SecondsTag>;                // s
using Bytes = Quantity<struct BytesTag>;                    // B
using Flops = Quantity<struct FlopsTag>;                    // FLOP; multiply-add = 2
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;  // B/s
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag>;  // FLOP/s
using FlopsPerByte = Quantity<struct FlopsPerByteTag>;      // FLOP/B, arithmetic intensity
using Hertz = Quantity<struct HertzTag>;                    // 1/s
using InstructionsPerSecond = Quantity<struct InstructionsPerSecondTag>;  // instructions/s

constexpr BytesPerSecond operator/(Bytes b, Seconds t) {
    return BytesPerSecond(b.value() / t.value());
}
constexpr FlopsPerSecond operator/(Flops f, Seconds t) {
    return FlopsPerSecond(f.value() / t.value());
}
constexpr Seconds operator/(Bytes b, BytesPerSecond rate) {
    return Seconds(b.value() / rate.value());
}
constexpr Seconds operator/(Flops f, FlopsPerSecond rate) {
    return Seconds(f.value() / rate.value());
}
constexpr FlopsPerByte operator/(Flops f, Bytes b) {
    return FlopsPerByte(f.value() / b.value());
}
/// Ridge point: the intensity at which compute ceiling and bandwidth ceiling meet.
constexpr FlopsPerByte operator/(FlopsPerSecond peak, BytesPerSecond bandwidth) {
    return FlopsPerByte(peak.value() / bandwidth.value());
}
/// Height of a bandwidth ceiling at an intensity.
constexpr FlopsPerSecond operator*(FlopsPerByte intensity, BytesPerSecond bandwidth) {
    return FlopsPerSecond(intensity.value() * bandwidth.value());
}

}  // namespace ridge
