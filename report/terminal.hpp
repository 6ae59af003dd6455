// What the stream we print to can show: width and colour. Asked once per verb and passed on, so
// that printers stay pure functions of their input.
#pragma once

namespace ridge::report {

struct Terminal {
    bool interactive = false;  ///< a terminal, not a pipe or file
    int width = 0;             ///< columns; 0: unlimited (not a terminal)
    bool colour = false;       ///< interactive, TERM is not "dumb", NO_COLOR is unset or empty
};

/// The terminal behind a file descriptor (1: stdout, 2: stderr).
[[nodiscard]] Terminal terminal(int descriptor);

}  // namespace ridge::report
