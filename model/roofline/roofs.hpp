// The ceiling that a row's own accesses and its own kernel are held against.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ridge/roofline.hpp"

namespace ridge {

struct MixCeiling {
    BytesPerSecond rate;
    std::string name;  ///< "read", "copy (non-temporal)"
};

/// Bandwidth that accesses with `written_share` (written bytes / all bytes) cannot exceed at this
/// level. The measured kinds stand at written shares of 0 (read), 1/3 (triad), 1/2 (copy) and 1
/// (write). A share that is one of them is held against that kind; one between two of them against
/// the faster of the two, because the time per byte of a mixture lies between theirs. Kinds that
/// the file lacks are passed over. Stores may bypass the caches, so of the ordinary and the
/// non-temporal figure the faster counts.
[[nodiscard]] MixCeiling ceiling_for_mix(const BandwidthRoof& roof, double written_share);

/// Highest compute roof that a kernel of this name can reach: its instruction set is part of
/// oneDNN's implementation names ("jit:avx2", "brgemm:avx512_core"). Names that tell nothing, and
/// instruction sets without a roof of their own, get the highest roof. Precondition: the roofline
/// has a compute roof.
[[nodiscard]] const ComputeRoof& roof_of_kernel(const Roofline& roofline,
                                                std::string_view implementation);

}  // namespace ridge
