#include "ridge/error.hpp"

#include <fmt/format.h>

namespace ridge {

Error bad_input(std::string_view where, std::string_view expected, std::string_view found) {
    return Error(ExitCode::bad_input,
                 fmt::format("{}: expected {}, found {}", where, expected, found));
}

Error not_possible(std::string_view what, std::string_view reason) {
    return Error(ExitCode::not_possible, fmt::format("{} is not possible here: {}", what, reason));
}

Error job_failed(std::string_view what, std::string_view reason) {
    return Error(ExitCode::job_failed, fmt::format("{} failed: {}", what, reason));
}

}  // namespace ridge
