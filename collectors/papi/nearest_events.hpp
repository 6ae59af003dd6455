// Known event names that look most like one that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::papi {

/// At most three, nearest first; the number of single-character edits decides, then the alphabet.
[[nodiscard]] std::vector<std::string> nearest_events(std::string_view name,
                                                      std::vector<std::string> known);

}  // namespace ridge::papi
