// Errors a user sees: one line that names what and where, what was expected and what was found,
// and the exit code that the program ends with.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ridge {

/// Exit codes of `ridge`, part of its interface.
enum class ExitCode : int {
    done = 0,
    job_failed = 1,    ///< the job was possible and did not succeed
    bad_input = 2,     ///< an argument, file or key is wrong
    not_possible = 3,  ///< this machine cannot do what was asked for by name
};

/// The only exception type that Ridgepoint throws on purpose. `what()` is one line without a
/// trailing newline.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& line) : std::runtime_error(line), code_(code) {}
    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

/// `text` as one harmless line: names come from files and command lines, and a line break, an
/// escape sequence or a byte that is no UTF-8 must reach neither the line nor the terminal; each
/// becomes '?'.
[[nodiscard]] std::string one_line(std::string_view text);

/// "WHERE: expected EXPECTED, found FOUND". `where` is a file with line or key, an option, or a
/// layer line.
[[nodiscard]] Error bad_input(std::string_view where, std::string_view expected,
                              std::string_view found);

/// "WHAT is not possible here: REASON". The reason holds the remedy where there is one.
[[nodiscard]] Error not_possible(std::string_view what, std::string_view reason);

/// "WHAT failed: REASON".
[[nodiscard]] Error job_failed(std::string_view what, std::string_view reason);

}  // namespace ridge
