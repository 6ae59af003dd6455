// A network: layers in forward order with the names of the layers they read, and what training
// needs of each. Read from data/networks/*.yaml or from a file of the user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge {

struct NetworkLayer {
    Layer layer;                    ///< layer.name is unique within the network
    std::vector<std::string> from;  ///< names of the producers; "data" is the network's input
    std::vector<Pass> passes;  ///< those training runs, in the order forward, backward..., update
};

struct Network {
    std::string name;
    std::string description;
    std::string source;  ///< paper or model definition the shapes follow
    std::int64_t batch = 1;
    std::vector<NetworkLayer> layers;  ///< topological order; split layers already inserted
};

/// Loads a shipped network by name or a YAML file by path, at the given batch (mb of every layer).
/// Inserts a split layer behind every layer that has several consumers, and drops the passes that
/// training does not need. Throws Error bad_input for an unknown name (listing the known ones), a
/// wrong file, shapes that do not fit together, or batch < 1.
[[nodiscard]] Network load_network(std::string_view name_or_path, std::int64_t batch);

/// The same network with another batch.
[[nodiscard]] Network with_batch(const Network& network, std::int64_t batch);

/// The same network with every layer in another data type.
[[nodiscard]] Network with_dtype(const Network& network, DataType dtype);

/// A network of one layer, for the verbs that take either.
[[nodiscard]] Network single_layer_network(const Layer& layer);

/// Name and one-line description of each shipped network.
struct NetworkEntry {
    std::string name, description, path;
};
[[nodiscard]] std::vector<NetworkEntry> shipped_networks();

/// Parameters of all layers.
[[nodiscard]] std::int64_t parameters(const Network& network);
/// Useful FLOPs of a pass over all layers.
[[nodiscard]] Flops useful_flops(const Network& network, Pass pass);

/// Memory that one training step needs, by purpose. Activations kept for backward count once,
/// in-place tensors once; library scratchpads are not known here.
struct TrainingFootprint {
    Bytes weights, weight_gradients, momentum, activations, activation_gradients, workspace;
    /// All tensors alive at once, as the collector allocates them.
    Bytes total;
    /// Largest sum of tensors alive at one point when each is freed after its last use.
    Bytes peak;
    std::string peak_at;  ///< layer and pass of the peak
};
[[nodiscard]] TrainingFootprint training_footprint(const Network& network);

/// Folder with networks/ and machines/: RIDGE_SHARE_DIR, else the install prefix, else the source
/// tree.
[[nodiscard]] std::string share_directory();

}  // namespace ridge
