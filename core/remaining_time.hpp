// What a line of progress says; apart from the terminal it is written to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ridge/units.hpp"

namespace ridge {

struct ProgressState {
    std::string what = {}, detail = {};
    double done = 0, total = 0;
    Seconds elapsed = {};
    std::size_t width = 80;  ///< columns of the terminal
};

/// Time left at the average rate so far; nothing in the first second or before 1 % is done, when
/// that rate says little.
[[nodiscard]] std::optional<Seconds> remaining_time(const ProgressState& state);

/// "0:07", "12:05", "1:02:03"; rounded up, so that it ends with 0:00 only when done.
[[nodiscard]] std::string clock_text(Seconds time);

/// "alexnet [#####-----]  52 %  1:04 left  conv2 forward", cut to the width.
[[nodiscard]] std::string progress_line(const ProgressState& state);

}  // namespace ridge
