// Measured rows with what was counted in their kernels: what calibration and validation read. One
// row for each distinct problem of a run, however often the network has it (docs/formats.md,
// "Reference measurements").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridge/demand.hpp"
#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"

namespace ridge::validate {

struct ReferenceRow {
    std::string network;
    std::int64_t batch = 1;
    int threads = 1;
    CacheState state = CacheState::warm;
    std::string machine, library;

    Layer layer;  ///< without name
    Pass pass = Pass::forward;
    std::string part;  ///< "" or "reorder wei"...
    std::string implementation;
    int count = 1;  ///< rows of the step that do the same

    double time_s = 0;  ///< smallest of the equal rows
    double spread = 0;  ///< largest over smallest time of equal rows - 1; negative: only one
    int quiet_samples = 0, samples = 0;
    bool upper_bound = false;  ///< never quiet enough: disturbance included

    double reuse_bytes = 0;   ///< in_step: bytes between two uses of its tensors; 0: not known
    PassDemand demand;        ///< as traced
    bool has_demand = false;  ///< a tracer saw it; else only its dimensions are known

    /// The pass whose work the layer's line describes: a reorder does its own forward.
    [[nodiscard]] Pass work() const {
        return layer.kind == LayerKind::reorder ? Pass::forward : pass;
    }
    /// Equal for rows that do the same, in whatever network.
    [[nodiscard]] std::string problem() const;
};

struct ReferenceSet {
    std::string description;  ///< provenance, one line per line
    std::vector<ReferenceRow> rows;
};

/// Reads one file, or all .csv files of a folder in the order of their names. Throws Error
/// bad_input with file and line.
[[nodiscard]] ReferenceSet load_reference(const std::string& path);
void save_reference(const ReferenceSet& set, const std::string& path);

/// Rows of a run that do the same become one. Rows without a time are left out.
[[nodiscard]] std::vector<ReferenceRow> reference_rows(const Run& run,
                                                       const std::vector<DemandRow>& demands);

}  // namespace ridge::validate
