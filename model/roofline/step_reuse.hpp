// How far back the last use of each tensor lies when a whole training step runs again and again.
#pragma once

#include <string>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"
#include "ridge/units.hpp"

namespace ridge {

struct StepRow {
    std::string layer;
    Pass pass = Pass::forward;
    std::vector<TensorUse> tensors;
};

/// The tensors of a row of a run. Those of a reorder ("reorder src" of a convolution) are named
/// after the layer's tensor that it converts: it writes what the layer reads, or reads what the
/// layer writes.
[[nodiscard]] StepRow step_row(const RowKey& key, std::vector<TensorUse> tensors);

/// For each row and tensor: bytes of the distinct tensors used since its last use, this row's own
/// included (the LRU stack distance in whole tensors, in the steady state of repeated steps).
///
/// A run stores no graph, so tensors are matched: what a forward row reads as `src` is the newest
/// tensor of as many elements that a forward row wrote; what a backward row reads as `diff_dst` the
/// newest such `diff_...` tensor; all other tensors belong to their layer under their name. Where
/// the guess is wrong it is too recent, so that the traffic stays a lower bound.
[[nodiscard]] std::vector<std::vector<Bytes>> reuse_distances(const std::vector<StepRow>& step);

}  // namespace ridge
