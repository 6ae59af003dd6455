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

/// A total that others printed for a network, to check the file against.
struct PublishedTotal {
    enum class Quantity { parameters, multiply_adds };
    Quantity quantity = Quantity::parameters;
    double value = 0;
    double within = 0;   ///< relative difference that its printed digits allow; 0: exact
    std::string source;  ///< who printed it, and what it includes
};

struct Network {
    std::string name;
    std::string description;
    std::string source;                     ///< paper or model definition the shapes follow
    std::vector<PublishedTotal> published;  ///< may be empty
    std::int64_t batch = 1;
    std::vector<NetworkLayer> layers;  ///< topological order; split layers already inserted
    bool chained = true;  ///< false: layers do not hand their tensors on as they are, so that they
                          ///< can be counted but not run as one step
};

/// Loads a shipped network by name or a YAML file by path (docs/formats.md, "Network files"), at
/// the given batch (mb of every layer). Inserts a split layer behind every layer that has several
/// consumers, gives an inner product the shape that its producer has, and drops the passes that
/// training does not need. Throws Error bad_input for an unknown name (listing the known ones), a
/// wrong file, shapes that do not fit together, an in-place layer that would destroy what another
/// needs, or batch < 1.
[[nodiscard]] Network load_network(std::string_view name_or_path, std::int64_t batch);

/// The same network with another batch. Throws Error bad_input for batch < 1 and for work that can
/// no longer be counted exactly.
[[nodiscard]] Network with_batch(const Network& network, std::int64_t batch);

/// The same network with every layer in another data type.
[[nodiscard]] Network with_dtype(const Network& network, DataType dtype);

/// A network of one layer with all its passes, for the verbs that take either.
[[nodiscard]] Network single_layer_network(const Layer& layer);

/// Name and one-line description of each shipped network.
struct NetworkEntry {
    std::string name, description, path;
};
[[nodiscard]] std::vector<NetworkEntry> shipped_networks();

/// Parameters of all layers.
[[nodiscard]] std::int64_t parameters(const Network& network);
/// Multiply-adds of the convolutions, inner and matrix products in the forward pass of one image,
/// padding taps included: the number that papers and model tables print.
[[nodiscard]] double multiply_adds_per_image(const Network& network);
/// Useful FLOPs of a pass over all layers that run it.
[[nodiscard]] Flops useful_flops(const Network& network, Pass pass);

/// Memory that one training step needs, by purpose. Activations kept for backward count once,
/// in-place tensors once; library scratchpads, workspaces of LRN and padding of blocked formats are
/// not known here.
struct TrainingFootprint {
    Bytes weights, weight_gradients, momentum;
    Bytes activations;           ///< outputs of all layers and the network's input
    Bytes activation_gradients;  ///< one per tensor and reader; a sum hands its own on
    Bytes workspace;             ///< pooling indices, dropout masks, batch statistics, labels
    /// All of these at once, as a collector that reuses nothing allocates them.
    Bytes total;
    /// Largest sum of tensors alive at one point when each is freed after its last use; parameters,
    /// their gradients and momentum stay. Order: forward, backward in reverse, updates.
    Bytes peak;
    std::string peak_at;  ///< layer and pass of the peak
};
[[nodiscard]] TrainingFootprint training_footprint(const Network& network);

/// Folder with networks/ and machines/: RIDGE_SHARE_DIR, else the install prefix, else the source
/// tree.
[[nodiscard]] std::string share_directory();

}  // namespace ridge
