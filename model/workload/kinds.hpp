// What the product must know of a layer kind, one file per kind. To add a kind: a value of
// LayerKind, a file in kinds/, a line in the table of kinds.cpp, a test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/workload/problem.hpp"
#include "ridge/layer.hpp"

namespace ridge::workload {

/// Channels, height and width of one image.
struct Shape {
    std::int64_t c = 1, h = 1, w = 1;
    bool operator==(const Shape&) const = default;
};

struct Kind {
    LayerKind kind;
    /// Fills dims and attributes from the text; the caller has set kind, name and dtype and calls
    /// finish().
    void (*read)(ProblemReader& text, Layer& layer);
    /// The problem without driver and name; attributes as ",key=value" when not the default.
    std::string (*write)(const Layer& layer);
    /// The passes of training, in the order of TrainingStep. The functions below are asked for
    /// these only.
    std::vector<Pass> passes;
    Flops (*flops)(const Layer& layer, Pass pass, bool padding_taps);
    std::vector<TensorUse> (*tensors)(const Layer& layer, Pass pass);
    Bytes (*minimum_bytes)(const Layer& layer, Pass pass);
    std::int64_t (*parameters)(const Layer& layer);
    /// Shape of input `index` and of the output of one image.
    Shape (*input)(const Layer& layer, std::size_t index);
    Shape (*output)(const Layer& layer);
    /// How many producers the layer reads.
    std::size_t (*input_count)(const Layer& layer);
    /// May stand in a network file. The others are made by the loader or the collector, or have no
    /// batch of images.
    bool in_networks = true;
};

/// The table of all kinds.
[[nodiscard]] const std::vector<Kind>& kinds();
[[nodiscard]] const Kind& kind_of(const Layer& layer);

/// Counts are exact integers in a double below 2^53; what a layer has beyond that, if anything.
[[nodiscard]] std::optional<std::string> uncountable(const Layer& layer);

// One per file in kinds/.
[[nodiscard]] Kind convolution_kind();
[[nodiscard]] Kind inner_product_kind();
[[nodiscard]] Kind matmul_kind();
[[nodiscard]] Kind pooling_kind();
[[nodiscard]] Kind batch_normalization_kind();
[[nodiscard]] Kind lrn_kind();
[[nodiscard]] Kind eltwise_kind();
[[nodiscard]] Kind softmax_kind();
[[nodiscard]] Kind sum_kind();
[[nodiscard]] Kind concat_kind();
[[nodiscard]] Kind split_kind();
[[nodiscard]] Kind dropout_kind();
[[nodiscard]] Kind reorder_kind();
[[nodiscard]] Kind other_kind();

}  // namespace ridge::workload
