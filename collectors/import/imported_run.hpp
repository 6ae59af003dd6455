// What the readers of foreign measurements share: the document that RunStore::import_run takes.
#pragma once

#include <string>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge::import {

struct ImportedRow {
    Measurement row;
    std::vector<double> samples_s;  ///< in order; may be fewer than there were
};

/// All rows have a time. Samples carry no judgement of the core: nobody watched it.
[[nodiscard]] std::string run_document(const RunInfo& info,
                                       const std::vector<const ImportedRow*>& rows);

}  // namespace ridge::import
