// Which rows a model may learn from and which it is judged on. The only place where that is
// decided.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validate/reference_rows.hpp"

namespace ridge::validate {

enum class SplitKind {
    network,  ///< each network in turn was never measured
    closed,   ///< the networks named closed, from all others
    batch,    ///< the smallest and the largest batch, from those between
    threads,  ///< several threads, from one
    state,    ///< cold and in_step, from warm
    kernel,   ///< each kernel class in turn was never measured
};
inline constexpr int split_kinds = 6;
[[nodiscard]] std::string_view to_string(SplitKind kind);
[[nodiscard]] std::optional<SplitKind> split_from_string(std::string_view word);

struct Fold {
    std::string name;  ///< what is held out: "resnet50", "batch 1 and 16"
    std::vector<std::size_t> train, test;
};

/// Rows may be in neither part of a fold. For every fold: no row is in both; no training row has
/// the problem of a test row in the same threads and state (networks share layers; for `threads`
/// and `state` the problem may be known, that is the question); what is held out is not among the
/// training rows under any other name; closed networks are in no fold but those of `closed`. Rows
/// that are upper bounds are in neither. Splits by network, batch and kernel are of warm rows on
/// one thread.
[[nodiscard]] std::vector<Fold> make_folds(std::span<const ReferenceRow> rows, SplitKind kind,
                                           std::span<const std::string> closed);

}  // namespace ridge::validate
