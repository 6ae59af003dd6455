#include "ridge/error.hpp"

#include <fmt/format.h>

namespace ridge {
namespace {

/// Names come from files and command lines: a line break or an escape sequence in one must not
/// break the promise of a single line, nor reach the terminal.
std::string one_line(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text;
}

}  // namespace

Error bad_input(std::string_view where, std::string_view expected, std::string_view found) {
    return {ExitCode::bad_input,
            one_line(fmt::format("{}: expected {}, found {}", where, expected, found))};
}

Error not_possible(std::string_view what, std::string_view reason) {
    return {ExitCode::not_possible,
            one_line(fmt::format("{} is not possible here: {}", what, reason))};
}

Error job_failed(std::string_view what, std::string_view reason) {
    return {ExitCode::job_failed, one_line(fmt::format("{} failed: {}", what, reason))};
}

}  // namespace ridge
