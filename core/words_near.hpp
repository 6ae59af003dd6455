// The known word nearest to a mistyped one, for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ridge {

/// The candidate with the smallest edit distance, when that is at most a third of the word.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string> candidates);

/// "a, b, c"
[[nodiscard]] std::string list_of(std::span<const std::string> words);

}  // namespace ridge
