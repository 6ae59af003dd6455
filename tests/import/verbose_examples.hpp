// Lines of ONEDNN_VERBOSE for the tests, one per dialect, written after the printing code of the
// releases.
#pragma once

#include <string>
#include <vector>

namespace ridge::test {

struct VerboseExample {
    std::string line;
    std::string engine, kind, implementation, propagation, problem;
    double time_ms = -1;  ///< below 0: the line has none
    double flops = 0;     ///< by hand
};

/// Lines with decimal point.
[[nodiscard]] const std::vector<VerboseExample>& verbose_examples();

/// All of them as one log.
[[nodiscard]] std::string verbose_log_text();

}  // namespace ridge::test
