// Checks of the promise that errors make: one line, the right exit code, the words that help.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "ridge/error.hpp"

namespace ridge::test {

/// The Error that `work` throws, if any.
template <class Work>
std::optional<Error> error_of(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

/// `work` must throw an Error with this code whose single line holds every one of `words`.
template <class Work>
void expect_error(ExitCode code, std::initializer_list<std::string> words, Work&& work) {
    const auto error = error_of(work);
    REQUIRE_MESSAGE(error, "no error was thrown");
    const std::string line = error->what();
    INFO(line);
    CHECK(error->code() == code);
    CHECK(line.find('\n') == std::string::npos);
    for (const auto& word : words) CHECK_MESSAGE(line.find(word) != std::string::npos, word);
}

}  // namespace ridge::test
