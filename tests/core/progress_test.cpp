#include "ridge/progress.hpp"

#include <doctest/doctest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/remaining_time.hpp"

using namespace ridge;

namespace {

struct TerminalOutcome {
    std::string text;
    int status = 0;
};

/// Runs `work` in a child whose stderr is a terminal and returns what arrived there.
template <class Work>
TerminalOutcome on_terminal(const char* kind, Work&& work) {
    int controller = -1;
    winsize size{24, 100, 0, 0};
    const pid_t child = forkpty(&controller, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
        setenv("TERM", kind, 1);
        work();
        _exit(0);
    }
    TerminalOutcome outcome;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(controller, buffer, sizeof buffer)) > 0;)
        outcome.text.append(buffer, static_cast<std::size_t>(n));
    waitpid(child, &outcome.status, 0);
    close(controller);
    return outcome;
}

void show_some_progress() {
    Progress progress("alexnet", 10);
    progress.update(4, "conv2 forward");
    progress.finish();
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("the remaining time follows from the average rate") {
        const auto left = remaining_time({.done = 25, .total = 100, .elapsed = Seconds(10)});
        REQUIRE(left);
        CHECK(left->value() == doctest::Approx(30));
        CHECK(remaining_time({.done = 100, .total = 100, .elapsed = Seconds(10)}) == Seconds(0));
        CHECK(!remaining_time({.done = 0, .total = 100, .elapsed = Seconds(10)}));
        CHECK(!remaining_time({.done = 50, .total = 100, .elapsed = Seconds(0.5)}));
        CHECK(!remaining_time({.done = 5, .total = 0, .elapsed = Seconds(10)}));
        // More than expected is done: nothing is left, and no time is negative.
        CHECK(remaining_time({.done = 120, .total = 100, .elapsed = Seconds(10)}) == Seconds(0));
    }

    TEST_CASE("times as a clock shows them") {
        CHECK(clock_text(Seconds(0)) == "0:00");
        CHECK(clock_text(Seconds(6.2)) == "0:07");
        CHECK(clock_text(Seconds(725)) == "12:05");
        CHECK(clock_text(Seconds(3723)) == "1:02:03");
        CHECK(clock_text(Seconds(-5)) == "0:00");
    }

    TEST_CASE("a line of progress fits the terminal") {
        ProgressState state{.what = "alexnet",
                            .detail = "conv2 forward",
                            .done = 52,
                            .total = 100,
                            .elapsed = Seconds(64),
                            .width = 80};
        CHECK(progress_line(state) ==
              "alexnet [##########----------]  52 %  1:00 left  conv2 forward");
        state.width = 30;
        CHECK(progress_line(state) == "alexnet [##########----------");
        state.width = 80;
        state.detail = "größe\n\x1b[2J";
        CHECK(progress_line(state).ends_with("größe??[2J"));
        state.what = "ää";
        state.width = 3;
        CHECK(progress_line(state) == "ää");
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("progress shows on a terminal and leaves its line clear") {
        const auto outcome = on_terminal("xterm", show_some_progress);
        CHECK(outcome.text.find("alexnet [########") != std::string::npos);
        CHECK(outcome.text.find("conv2 forward") != std::string::npos);
        CHECK(outcome.text.ends_with("\r\x1b[K"));
    }

    TEST_CASE("progress is quiet where it cannot be shown or is not wanted") {
        CHECK(on_terminal("dumb", show_some_progress).text.empty());
        CHECK(on_terminal("xterm", [] {
                  Progress progress("alexnet", 10, true);
                  progress.update(4);
              }).text.empty());
        const auto outcome = on_terminal("xterm", [] {
            int ends[2];
            if (pipe(ends) != 0) _exit(9);
            dup2(ends[1], STDERR_FILENO);
            close(ends[1]);
            show_some_progress();
            close(STDERR_FILENO);
            char byte = 0;
            _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
        });
        CHECK(outcome.status == 0);
    }

    TEST_CASE("the first signal asks, the second ends") {
        for (const int number : {SIGINT, SIGTERM}) {
            const auto asked = on_terminal("xterm", [&] {
                install_interrupt_handler();
                if (interrupted()) _exit(1);
                raise(number);
                _exit(interrupted() ? 0 : 2);
            });
            CHECK(asked.status == 0);
            const auto ended = on_terminal("xterm", [&] {
                install_interrupt_handler();
                raise(number);
                raise(number);
                _exit(0);
            });
            CHECK(WIFEXITED(ended.status));
            CHECK(WEXITSTATUS(ended.status) == 128 + number);
        }
    }
}
