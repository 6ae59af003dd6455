// What a row needs from the machine: operations, and bytes from each memory level. Algorithmic
// where no simulator or counter knows better; everything behind it only sees this struct.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"
#include "ridge/roofline.hpp"

namespace ridge {

/// Bytes that pass between the core and one level of the roofline, on whatever way.
struct LevelUse {
    std::string level;
    Bytes read, written;
    Source source = Source::algorithmic;
    [[nodiscard]] Bytes total() const { return read + written; }
};

struct Demand {
    Flops useful;
    Bytes minimum;
    Bytes footprint;
    Bytes inputs, outputs;          ///< of the tensors that are read and of those that are written
    std::vector<LevelUse> traffic;  ///< nearest level first; levels without traffic left out
    /// Executed / useful FLOPs: as counted where there is a count, else as the memory formats tell
    /// (channels are padded to whole blocks).
    double padding = 1;
    std::string padding_cause;        ///< "oc 6 padded to 16"
    std::optional<Reading> executed;  ///< the count, with its source
    /// SSE/AVX transitions of all threads; nothing: not counted.
    std::optional<double> transitions;
    /// Pieces of work that can run at the same time; 0: not known.
    double parallel_pieces = 0;
};

/// Bytes of a tensor that one pass moves, and how far back its last use lies.
struct TensorTraffic {
    Bytes read, written;
    /// Bytes that the cores touched since this tensor's last use, this row's own included: a level
    /// that holds as much still holds the tensor. Nothing: no cache has it.
    std::optional<Bytes> reuse_distance;
};

/// Every tensor comes from the nearest level that holds its reuse distance, else from the last
/// one, and passes all levels before it.
[[nodiscard]] std::vector<LevelUse> place(const std::vector<TensorTraffic>& tensors,
                                          const Roofline& roofline);

/// Reads and writes of each tensor of a pass (in the order of tensors()), scaled down where
/// minimum_bytes() knows that a stride skips source elements.
[[nodiscard]] std::vector<TensorTraffic> minimum_traffic(const Layer& layer, Pass pass);

/// Demand of a row whose tensors have these reuse distances, with what its counters know better.
[[nodiscard]] Demand demand_of(const Layer& layer, const Measurement& row,
                               const std::vector<std::optional<Bytes>>& reuse_distances,
                               const Roofline& roofline);

}  // namespace ridge
