// Why more bytes crossed to memory than a pass's tensors hold.
#pragma once

#include <string>

#include "ridge/units.hpp"

namespace ridge {

/// "write-allocate: ...", "3 reads and 1 write of the tensors"; empty when no rule explains the
/// count or there is no excess worth one. `read` and `written`: bytes of the tensors, each once.
///
/// Caches read a line before they store to it, non-temporal stores and cores that find the whole
/// line written (Intel's SpecI2M) do not: everything from read + written to read + 2 written is
/// explained by that. Beyond it, whole further passes over the inputs are tried: statistics of
/// batch normalization read their source up to three times.
[[nodiscard]] std::string traffic_cause(Bytes counted, Bytes read, Bytes written);

/// Counted beyond the tensors' bytes by less than this is no excess.
inline constexpr double traffic_excess = 1.05;

}  // namespace ridge
