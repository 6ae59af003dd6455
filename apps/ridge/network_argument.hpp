// What a user names as a network: one that ships, a YAML file, an ONNX model, or a layer line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/ridge/command_line.hpp"
#include "ridge/network.hpp"

namespace ridge::app {

struct NetworkArgument {
    std::string text;
    std::int64_t batch = 1;         ///< ignored for a layer line, which has its own mb
    std::vector<std::string> dims;  ///< "name=value" of an ONNX model's symbolic dimensions
    bool quiet = false;             ///< do not say what counts as bytes only
};

/// --dim NAME=VALUE, repeatable.
void add_dim_option(Verb& verb, std::vector<std::string>& dims);

[[nodiscard]] bool is_layer_line(const std::string& text);

/// Throws Error bad_input. Of an ONNX model it says on stderr which operators count as bytes only.
[[nodiscard]] Network load_network_argument(const NetworkArgument& argument);

}  // namespace ridge::app
