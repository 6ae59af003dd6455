// Ranges and ticks that every writer draws alike.
#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace ridge::report {

/// The finite values that an axis must show; those <= 0 or not finite are left out.
class PositiveRange {
public:
    void include(double value);
    [[nodiscard]] bool empty() const { return low_ > high_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }

private:
    double low_ = 1, high_ = 0;
};

/// Logarithmic axis that shows `range` with room of a factor `below` and `above`; 1 to 10 when the
/// range is empty. Ticks at every decade, labelled with SI prefixes: "10 G".
[[nodiscard]] Axis log_axis(std::string title, const PositiveRange& range, double below,
                            double above);
/// From 0 to the next round step above `high`; 0 to 1 when `high` is not positive.
[[nodiscard]] Axis linear_axis(std::string title, double high);
/// "10 G", "200 m", "0.5": as few digits as the value needs.
[[nodiscard]] std::string tick_label(double value);

}  // namespace ridge::report
