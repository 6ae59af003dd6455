#include "collectors/import/verbose_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ridge::import {
namespace {

struct Execution {
    const VerboseRecord* record = nullptr;
    std::optional<LayerOfRecord> layer;
    std::string unknown;
    Pass pass = Pass::forward;
    std::size_t layer_number = 0;  ///< into the list of layers
};

/// Passes of one layer say the same of these.
std::string join_key(const VerboseRecord& record) {
    std::string key = record.engine + "|" + record.kind + "|" + record.problem;
    const bool choice = record.kind == "pooling" || record.kind == "eltwise" ||
                        record.kind == "softmax" || record.kind == "binary";
    if (choice) key += "|" + record.auxiliary;
    return key;
}

bool is_reorder(const Execution& execution) {
    return execution.record->kind == "reorder";
}

/// Numbers the layers of the step; the executions of one problem get as many as its most frequent
/// pass has.
std::size_t join_layers(std::vector<Execution>& step) {
    std::map<std::string, std::map<Pass, std::vector<std::size_t>>> problems;
    for (std::size_t i = 0; i < step.size(); ++i)
        if (!is_reorder(step[i])) problems[join_key(*step[i].record)][step[i].pass].push_back(i);
    std::size_t layers = 0;
    for (const auto& [key, passes] : problems) {
        std::size_t count = 0;
        for (const auto& [pass, places] : passes) count = std::max(count, places.size());
        for (const auto& [pass, places] : passes)
            for (std::size_t k = 0; k < places.size(); ++k)
                step[places[k]].layer_number = layers + (pass == Pass::forward ? k : count - 1 - k);
        layers += count;
    }
    return layers;
}

/// Sizes without ones: "512x1x1x3x3" and g512 ic512 oc512 kh3 kw3 are the same tensor.
using Sizes = std::vector<std::int64_t>;
Sizes plain(Sizes sizes) {
    std::erase(sizes, 1);
    return sizes;
}

struct TensorSizes {
    std::string name;
    Sizes sizes;
};

/// Tensors of a primitive by the sizes in its problem.
std::vector<TensorSizes> sizes_of(const VerboseRecord& record) {
    if (const auto lists = read_sizes(record.problem)) {
        constexpr std::array names{"src", "wei", "dst"};
        std::vector<TensorSizes> result;
        for (std::size_t i = 0; i < std::min(lists->size(), names.size()); ++i)
            result.push_back({names[i], plain((*lists)[i])});
        if (lists->size() == 1) result.push_back({"dst", plain(lists->front())});
        return result;
    }
    const auto of = read_descriptor(record.problem);
    if (!of) return {};
    const auto at = [&](const char* key) {
        const auto found = of->find(key);
        return found == of->end() ? std::int64_t{1} : found->second;
    };
    const std::int64_t groups = std::max<std::int64_t>(1, at("g"));
    const std::int64_t oc = of->contains("oc") ? at("oc") : at("ic");
    const bool flat = record.kind == "inner_product";
    const bool window = of->contains("oh") || of->contains("ow");
    std::vector<TensorSizes> result;
    result.push_back({"src", plain({at("mb"), at("ic"), at("id"), at("ih"), at("iw")})});
    if (flat)
        result.push_back({"wei", plain({oc, at("ic"), at("id"), at("ih"), at("iw")})});
    else if (of->contains("oc"))
        result.push_back(
            {"wei", plain({groups, oc / groups, at("ic") / groups, at("kd"), at("kh"), at("kw")})});
    result.push_back({"dst", flat     ? plain({at("mb"), oc})
                             : window ? plain({at("mb"), oc, at("od"), at("oh"), at("ow")})
                                      : result.front().sizes});
    return result;
}

/// Which tensors a pass reads; it writes the others.
bool reads(Pass pass, const std::string& tensor) {
    switch (pass) {
        case Pass::backward_data:
        case Pass::backward:
            return tensor != "src";
        case Pass::backward_weights:
            return tensor != "wei";
        default:
            return tensor != "dst";
    }
}

std::string part_of(Pass pass, const std::string& tensor) {
    const bool gradient =
        (pass != Pass::forward && tensor == "dst") ||
        ((pass == Pass::backward_data || pass == Pass::backward) && tensor == "src") ||
        (pass == Pass::backward_weights && tensor == "wei");
    return "reorder " + std::string(gradient ? "diff_" : "") + tensor;
}

struct Owner {
    std::size_t execution = 0;
    std::string part;
};

/// Looks as far as a few primitives: what is reordered is used soon.
std::optional<Owner> owner_of(const std::vector<Execution>& step, std::size_t reorder) {
    constexpr std::size_t most_primitives = 8;
    const auto lists = read_sizes(step[reorder].record->problem);
    if (!lists) return std::nullopt;
    const Sizes wanted = plain(lists->front());
    const auto match = [&](std::size_t i, bool read) -> std::optional<Owner> {
        for (const TensorSizes& tensor : sizes_of(*step[i].record))
            if (tensor.sizes == wanted && reads(step[i].pass, tensor.name) == read)
                return Owner{i, part_of(step[i].pass, tensor.name)};
        return std::nullopt;
    };
    std::size_t seen = 0;
    for (std::size_t i = reorder + 1; i < step.size() && seen < most_primitives; ++i) {
        if (is_reorder(step[i])) continue;
        if (auto owner = match(i, true)) return owner;
        ++seen;
    }
    for (std::size_t i = reorder; i-- > 0;) {
        if (is_reorder(step[i])) continue;
        return match(i, false);
    }
    return std::nullopt;
}

std::string_view driver_of(const Execution& execution) {
    if (execution.layer) return to_string(execution.layer->layer.kind);
    return execution.record->kind;
}

/// "conv1", "conv2", "pool1" in the order in which layers first run.
std::vector<std::string> layer_names(const std::vector<Execution>& step, std::size_t layers) {
    std::vector<std::string> names(layers);
    std::map<std::string, int, std::less<>> counts;
    for (const Execution& execution : step) {
        if (is_reorder(execution) || !names[execution.layer_number].empty()) continue;
        const std::string driver(driver_of(execution));
        names[execution.layer_number] = fmt::format("{}{}", driver, ++counts[driver]);
    }
    return names;
}

/// A bias is told by the passes that touch it; the layer has it in all.
void share_bias(std::vector<Execution>& step) {
    std::set<std::size_t> with_bias;
    for (const Execution& execution : step)
        if (!is_reorder(execution) && execution.layer && execution.layer->layer.bias)
            with_bias.insert(execution.layer_number);
    for (Execution& execution : step)
        if (!is_reorder(execution) && execution.layer)
            execution.layer->layer.bias = with_bias.contains(execution.layer_number);
}

}  // namespace

std::vector<NamedExecution> name_executions(const std::vector<const VerboseRecord*>& records) {
    std::vector<Execution> step(records.size());
    std::map<const VerboseRecord*, Execution> read;  // records repeat within a step
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto [known, added] = read.try_emplace(records[i]);
        if (added) {
            known->second.record = records[i];
            known->second.layer = layer_of(*records[i], known->second.unknown);
            known->second.pass =
                known->second.layer ? known->second.layer->pass : pass_of(*records[i]);
        }
        step[i] = known->second;
    }
    const std::size_t layers = join_layers(step);
    share_bias(step);
    const auto names = layer_names(step, layers);

    std::vector<NamedExecution> result(step.size());
    std::set<RowKey> keys;
    int lone_reorders = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
        NamedExecution& named = result[i];
        named.unknown = step[i].unknown;
        if (step[i].layer) {
            named.kind = step[i].layer->layer.kind;
            named.problem = to_line(step[i].layer->layer);
        } else {
            named.problem = step[i].record->kind + ":" + step[i].record->problem;
        }
        if (!is_reorder(step[i])) {
            named.key = {names[step[i].layer_number], step[i].pass, ""};
        } else if (const auto owner = owner_of(step, i)) {
            const Execution& of = step[owner->execution];
            named.key = {names[of.layer_number], of.pass, owner->part};
        } else {
            named.key = {fmt::format("reorder{}", ++lone_reorders), Pass::forward, ""};
        }
        // Several reorders of one tensor of one pass.
        const std::string part = named.key.part;
        for (int n = 2; !keys.insert(named.key).second; ++n)
            named.key.part = fmt::format("{}{}{}", part, part.empty() ? "" : " ", n);
    }
    return result;
}

}  // namespace ridge::import
