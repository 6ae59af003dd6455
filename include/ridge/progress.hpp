// Progress of long work with the remaining time, on stderr, only when that is a terminal.
#pragma once

#include <memory>
#include <string>

namespace ridge {

class Progress {
public:
    /// `total` steps of work named `what`. Quiet when stderr is not a terminal or `quiet`.
    Progress(std::string what, double total, bool quiet = false);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Absolute amount done; `detail` names the current item.
    void update(double done, const std::string& detail = {});
    /// Clears the line.
    void finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// True once SIGINT or SIGTERM arrived after install_interrupt_handler(): long work then stops at
/// the next safe point and says how to resume. A second signal ends the program at once.
[[nodiscard]] bool interrupted();
void install_interrupt_handler();

}  // namespace ridge
