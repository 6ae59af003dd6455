// The functions of ridge/network.hpp.

#include "ridge/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/files.hpp"
#include "core/words_near.hpp"
#include "core/yaml.hpp"
#include "model/workload/kinds.hpp"
#include "model/workload/network_file.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

namespace fs = std::filesystem;

/// Larger batches are typing errors, and mb times any image stays countable.
constexpr std::int64_t largest_batch = 1'000'000;

/// Names of the files in the folder of shipped networks; reads none of them.
std::vector<std::string> shipped_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& file : fs::directory_iterator(share_directory() + "/networks", error))
        if (file.path().extension() == ".yaml") names.push_back(file.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string shipped_path(const std::string& name) {
    return share_directory() + "/networks/" + name + ".yaml";
}

std::string path_of(std::string_view name_or_path) {
    const std::vector<std::string> names = shipped_names();
    for (const auto& name : names)
        if (name == name_or_path) return shipped_path(name);
    const std::string path(name_or_path);
    if (path.ends_with(".yaml") || path.ends_with(".yml") || file_exists(path)) return path;
    const auto near = nearest_word(name_or_path, names);
    throw bad_input(
        "network",
        near ? fmt::format("a known one such as '{}' ({}) or a YAML file", *near, list_of(names))
             : fmt::format("one of {} or a YAML file", list_of(names)),
        fmt::format("'{}'", name_or_path));
}

}  // namespace

Network load_network(std::string_view name_or_path, std::int64_t batch) {
    return with_batch(workload::read_network(Yaml::load(path_of(name_or_path))), batch);
}

Network with_batch(const Network& network, std::int64_t batch) {
    if (batch < 1 || batch > largest_batch)
        throw bad_input("batch", fmt::format("1 to {}", largest_batch), fmt::format("{}", batch));
    Network result = network;
    result.batch = batch;
    for (auto& entry : result.layers) {
        entry.layer.dims.mb = batch;
        if (const auto excess = workload::uncountable(entry.layer))
            throw bad_input(fmt::format("batch {}: layer '{}'", batch, entry.layer.name),
                            "less than 9e15 FLOP and bytes in a pass", *excess);
    }
    return result;
}

Network with_dtype(const Network& network, DataType dtype) {
    Network result = network;
    for (auto& entry : result.layers) entry.layer.dtype = dtype;
    return result;
}

Network single_layer_network(const Layer& layer) {
    Network network;
    network.batch = layer.dims.mb;
    NetworkLayer only{layer, {}, training_passes(layer)};
    if (only.layer.name.empty()) only.layer.name = std::string(to_string(layer.kind));
    Layer unnamed = layer;
    unnamed.name.clear();
    network.name = to_line(unnamed);
    only.from.assign(workload::kind_of(layer).input_count(layer), "data");
    network.layers.push_back(std::move(only));
    return network;
}

std::vector<NetworkEntry> shipped_networks() {
    std::vector<NetworkEntry> entries;
    for (const auto& name : shipped_names()) {
        const Yaml yaml = Yaml::load(shipped_path(name));
        const auto description = yaml.find("description");
        entries.push_back({name, description ? description->text() : "", shipped_path(name)});
    }
    return entries;
}

std::int64_t parameters(const Network& network) {
    std::int64_t total = 0;
    for (const auto& entry : network.layers) total += parameters(entry.layer);
    return total;
}

double multiply_adds_per_image(const Network& network) {
    double total = 0;
    for (const auto& [layer, from, passes] : network.layers)
        if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::inner_product ||
            layer.kind == LayerKind::matmul)
            total += simple_flops(layer, Pass::forward).value() / 2;
    return total / static_cast<double>(network.batch);
}

Flops useful_flops(const Network& network, Pass pass) {
    Flops total;
    for (const auto& entry : network.layers)
        if (std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end())
            total += useful_flops(entry.layer, pass);
    return total;
}

}  // namespace ridge
