// Networks written inside a test.
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include "ridge/error.hpp"
#include "ridge/network.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {

/// A network file with these layers, one "- {...}" per line.
inline std::string with_layers(const std::string& layers) {
    return "name: x\nlayers:\n" + layers;
}

/// Loads a network from the text of its file.
inline Network network_of(const std::string& text, std::int64_t batch) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("net.yaml")) << text;
    try {
        return load_network(folder.file("net.yaml"), batch);
    } catch (const Error& e) {
        // Without the folder, so that a test can compare the whole line.
        throw Error(e.code(), std::string(e.what()).substr(folder.path().size() + 1));
    }
}

inline const NetworkLayer& layer_of(const Network& network, const std::string& name) {
    for (const auto& entry : network.layers)
        if (entry.layer.name == name) return entry;
    throw std::runtime_error("no layer " + name);
}

inline bool has_pass(const Network& network, const std::string& name, Pass pass) {
    const auto& passes = layer_of(network, name).passes;
    return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

}  // namespace ridge::test
