#include "ridge/progress.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/remaining_time.hpp"

namespace ridge {
namespace {

using Clock = std::chrono::steady_clock;

/// A terminal that can return to the start of its line.
bool is_terminal() {
    const char* kind = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && kind && std::string_view(kind) != "dumb";
}

std::size_t terminal_width() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

void write_to_terminal(std::string_view text) {
    // Progress is worth nothing if it cannot be written.
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

constexpr std::string_view clear_line = "\r\x1b[K";

// The only way a signal can reach the program, hence a variable of the whole process.
volatile sig_atomic_t signal_received = 0;

extern "C" void on_interrupt(int signal_number) {
    if (signal_received == 0) {
        signal_received = 1;
        return;
    }
    write_to_terminal("\n");
    _exit(128 + signal_number);
}

}  // namespace

struct Progress::Impl {
    std::string what;
    double total;
    bool shown;
    Clock::time_point started = Clock::now();
    Clock::time_point drawn{};
};

Progress::Progress(std::string what, double total, bool quiet)
    : impl_(new Impl{std::move(what), total, !quiet && is_terminal()}) {}

Progress::~Progress() {
    finish();
}

void Progress::update(double done, const std::string& detail) {
    using namespace std::chrono_literals;
    const auto now = Clock::now();
    // Ten times a second is as often as anybody looks; the measurement comes first.
    if (!impl_->shown || now - impl_->drawn < 100ms) return;
    impl_->drawn = now;
    const double elapsed_s = std::chrono::duration<double>(now - impl_->started).count();
    write_to_terminal(std::string(clear_line) + progress_line({.what = impl_->what,
                                                               .detail = detail,
                                                               .done = done,
                                                               .total = impl_->total,
                                                               .elapsed = Seconds(elapsed_s),
                                                               .width = terminal_width()}));
}

void Progress::finish() {
    if (!impl_->shown) return;
    impl_->shown = false;
    if (impl_->drawn != Clock::time_point{}) write_to_terminal(clear_line);
}

bool interrupted() {
    return signal_received != 0;
}

void install_interrupt_handler() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    // No SA_RESTART: a wait must end so that the work can stop.
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

}  // namespace ridge
