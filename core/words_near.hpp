// The known word nearest to a mistyped one, for error messages.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ridge {

/// Levenshtein's distance: insertions, deletions and replacements of single characters.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance, when that is at most a third of the word.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string> candidates);

/// "a, b, c"
[[nodiscard]] std::string list_of(std::span<const std::string> words);

}  // namespace ridge
