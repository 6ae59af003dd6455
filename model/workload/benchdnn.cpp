// Layers in the words of oneDNN's benchdnn: its command line for a row, and its problem lists as
// networks.
#include "ridge/benchdnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/files.hpp"
#include "model/workload/kinds.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

namespace fs = std::filesystem;

std::string_view direction(const Layer& layer, Pass pass) {
    const bool weights =
        layer.kind == LayerKind::convolution || layer.kind == LayerKind::inner_product;
    switch (pass) {
        case Pass::forward:
            return weights && layer.bias ? "FWD_B" : "FWD_D";
        case Pass::backward_data:
            return "BWD_D";
        case Pass::backward_weights:
            return layer.bias ? "BWD_WB" : "BWD_W";
        default:
            return layer.kind == LayerKind::batch_normalization ? "BWD_DW" : "BWD_D";
    }
}

/// The problem of the layer's line, without name and attributes.
std::string plain_problem(const Layer& layer) {
    const std::string problem = workload::kind_of(layer).write(layer);
    return problem.substr(0, problem.find(','));
}

/// "8x64x56x56", as benchdnn writes kinds that work on elements.
std::string sizes(const Layer& layer, std::int64_t channels) {
    const Dims& d = layer.dims;
    if (d.ih == 1 && d.iw == 1) return fmt::format("{}x{}", d.mb, channels);
    return fmt::format("{}x{}x{}x{}", d.mb, channels, d.ih, d.iw);
}

std::string pooling_algorithm(Algorithm algorithm) {
    if (algorithm == Algorithm::max) return "max";
    return algorithm == Algorithm::avg_include_padding ? "avg_p" : "avg_np";
}

std::string eltwise_algorithm(Algorithm algorithm) {
    if (algorithm == Algorithm::tanh) return "tanh";
    return algorithm == Algorithm::logistic ? "logistic" : "relu";
}

/// Matrices of the product that a pass of a matmul is.
std::string matrices(const Layer& layer, Pass pass) {
    const Dims& d = layer.dims;
    std::int64_t m = d.mb, k = d.ic, n = d.oc;
    if (pass == Pass::backward_data) std::swap(k, n);
    if (pass == Pass::backward_weights) std::swap(m, k);
    const std::string products = d.g == 1 ? "" : fmt::format("{}x", d.g);
    return fmt::format("{0}{1}x{2}:{0}{2}x{3}", products, m, k, n);
}

std::string repeated(std::string_view word, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += (i ? ":" : "") + std::string(word);
    return text;
}

}  // namespace

std::optional<std::string> benchdnn_line(const Layer& layer, Pass pass) {
    const auto passes = training_passes(layer);
    const bool known = layer.kind == LayerKind::reorder ||
                       std::find(passes.begin(), passes.end(), pass) != passes.end();
    if (!known || pass == Pass::update) return std::nullopt;
    const std::string_view type = to_string(layer.dtype), dir = direction(layer, pass);
    const auto line = [&](const std::string& options, const std::string& problem) {
        return fmt::format("--{} {} {}", to_string(layer.kind), options, problem);
    };
    const std::string usual = fmt::format("--dir={} --dt={}", dir, type);
    switch (layer.kind) {
        case LayerKind::convolution:
        case LayerKind::inner_product:
            return line(usual, plain_problem(layer));
        case LayerKind::matmul:
            return line(fmt::format("--dt={}", type), matrices(layer, pass));
        case LayerKind::pooling:
            return line(fmt::format("{} --alg={}", usual, pooling_algorithm(layer.algorithm)),
                        plain_problem(layer));
        case LayerKind::batch_normalization:
            return line(usual + " --flags=CH", plain_problem(layer));
        case LayerKind::lrn:
            return line(
                fmt::format("{} --alg={}", usual,
                            layer.algorithm == Algorithm::lrn_within_channel ? "WITHIN" : "ACROSS"),
                plain_problem(layer));
        case LayerKind::eltwise:
            return line(fmt::format("{} --alg={}{}", usual, eltwise_algorithm(layer.algorithm),
                                    layer.in_place ? " --inplace=true" : ""),
                        sizes(layer, layer.dims.ic));
        case LayerKind::softmax:
            return line(usual + " --axis=1", sizes(layer, layer.dims.ic));
        case LayerKind::sum:
            return line(fmt::format("--sdt={} --ddt={}", repeated(type, layer.inputs.size()), type),
                        sizes(layer, layer.dims.ic));
        case LayerKind::concat: {
            if (pass != Pass::forward) return std::nullopt;
            std::string problem;
            for (const std::int64_t channels : layer.inputs)
                problem += (problem.empty() ? "" : ":") + sizes(layer, channels);
            return line(fmt::format("--sdt={0} --ddt={0} --axis=1", type), problem);
        }
        default:
            return std::nullopt;  // nothing of benchdnn does the same
    }
}

namespace {

/// Sizes of the problem "mb1ic64_id16od8kd1": keys of letters, each with its number. Nothing for
/// problems of another form.
std::optional<std::map<std::string, std::int64_t>> sizes_of(std::string_view problem) {
    std::map<std::string, std::int64_t> sizes;
    std::size_t at = 0;
    while (at < problem.size()) {
        if (problem[at] == '_') {
            ++at;
            continue;
        }
        std::string key;
        while (at < problem.size() && problem[at] >= 'a' && problem[at] <= 'z')
            key += problem[at++];
        if (key == "n") break;  // the name
        std::int64_t number = 0;
        const char* begin = problem.data() + at;
        const auto [rest, error] = std::from_chars(begin, problem.data() + problem.size(), number);
        if (key.empty() || error != std::errc{} || number < 0) return std::nullopt;
        at += static_cast<std::size_t>(rest - begin);
        sizes[key] = number;
    }
    return sizes;
}

/// A problem of three spatial dimensions, of which Ridgepoint has no kind: its tensors, depth
/// folded into the height, as an operation of which the bytes count. Nothing for others.
std::optional<std::string> volume_line(const std::string& driver, std::string_view problem) {
    const auto sizes = sizes_of(problem);
    if (!sizes) return std::nullopt;
    const auto size = [&](const std::string& key, std::int64_t missing) {
        const auto found = sizes->find(key);
        return found == sizes->end() ? missing : found->second;
    };
    const std::int64_t id = size("id", 1), od = size("od", id);
    if (id <= 1 && od <= 1 && size("kd", 1) <= 1) return std::nullopt;
    // As in benchdnn, what is missing repeats the dimension before.
    const std::int64_t ih = size("ih", id), iw = size("iw", ih);
    const std::int64_t oh = size("oh", od), ow = size("ow", oh);
    const std::int64_t ic = size("ic", 1);
    if (std::max({id, ih, od, oh}) > 65536) return std::nullopt;
    const auto name = problem.find("n\"");
    return fmt::format("other:mb{}ic{}ih{}iw{}oc{}oh{}ow{}{},op={}_3d", size("mb", 2), ic, id * ih,
                       iw, size("oc", ic), od * oh, ow,
                       name == std::string_view::npos ? "" : problem.substr(name), driver);
}

/// Options in front of the problems that decide what they are.
struct ListOptions {
    std::string driver, direction, algorithm, type;
    std::optional<std::int64_t> mb;
};

class ListReader {
public:
    Network read(const std::string& path) {
        network_.name = fs::path(path).filename().string();
        network_.source = path;
        network_.chained = false;
        options_.driver = driver_of(network_.name);
        read_file_lines(path, 0);
        if (network_.layers.empty()) throw bad_input(path, "at least one problem", "none");
        network_.description = fmt::format("benchdnn list of {} problems", network_.layers.size());
        if (volumes_ > 0)
            network_.description +=
                fmt::format("; {} of three spatial dimensions, counted as bytes", volumes_);
        if (!ignored_.empty()) {
            network_.description += "; not used:";
            for (const auto& option : ignored_) network_.description += " " + option;
        }
        network_.batch = network_.layers.front().layer.dims.mb;
        return std::move(network_);
    }

    /// "conv_shapes_alexnet" and "test_conv_all" are of conv.
    static std::string driver_of(const std::string& file) {
        std::string_view name = file;
        for (const std::string_view prefix : {"test_", "perf_", "shapes_", "harness_", "set_"})
            if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
        const std::string word(name.substr(0, name.find('_')));
        return layer_kind_from_string(word) ? word : std::string();
    }

private:
    void read_file_lines(const std::string& path, int depth) {
        if (depth > 8) throw bad_input(path, "batch files at most 8 deep", "more");
        std::istringstream lines(read_file(path, std::size_t{1} << 26));
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            line = line.substr(0, line.find('#'));
            std::istringstream words(line);
            const std::string where = fmt::format("{}:{}", path, number);
            for (std::string word; words >> word;)
                if (word.starts_with("--"))
                    option(word.substr(2), path, where, depth);
                else
                    problem(word, where);
        }
    }

    void option(const std::string& text, const std::string& path, const std::string& where,
                int depth) {
        const auto equals = text.find('=');
        const std::string key = text.substr(0, equals);
        std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
        if (key == "batch") {
            std::string file = (fs::path(path).parent_path() / value).string();
            return read_file_lines(file_exists(file) ? file : value, depth + 1);
        }
        // Of a list of values the first is taken; benchdnn runs all.
        value = value.substr(0, value.find(','));
        if (key == "reset") {
            const std::string driver = options_.driver;
            options_ = {};
            options_.driver = driver;
        } else if (key == "driver" || layer_kind_from_string(key)) {
            options_.driver = key == "driver" ? value : key;
        } else if (key == "dir") {
            options_.direction = value;
        } else if (key == "alg") {
            options_.algorithm = value;
        } else if (key == "dt" || key == "cfg") {
            options_.type = value;
        } else if (key == "mb") {
            const bool digits = !value.empty() && value.size() < 10 &&
                                value.find_first_not_of("0123456789") == std::string::npos;
            if (!digits) throw bad_input(where, "--mb=NUMBER", "'" + value + "'");
            const std::int64_t mb = std::stoll(value);
            options_.mb = mb > 0 ? std::optional(mb) : std::nullopt;
        } else {
            ignored_.insert("--" + key);
        }
    }

    void problem(const std::string& text, const std::string& where) {
        if (options_.driver.empty())
            throw bad_input(where,
                            "a driver: --conv in front of the problems, or a file named "
                            "conv_...",
                            "none");
        const auto volume = volume_line(options_.driver, text);
        volumes_ += volume ? 1 : 0;
        std::string line = volume.value_or(options_.driver + ":" + text);
        if (volume) {
            add(line, where);
            return;
        }
        if (options_.driver == "pool" && !options_.algorithm.empty())
            line += ",alg=" + options_.algorithm;
        if (options_.driver == "lrn" &&
            (options_.algorithm == "WITHIN" || options_.algorithm == "within"))
            line += ",alg=within";
        if (options_.driver == "eltwise" && !options_.algorithm.empty())
            line += ",alg=" + options_.algorithm;
        // benchdnn takes the sizes as they are.
        if (options_.driver == "conv" || options_.driver == "pool") line += ",asymmetric=1";
        add(line, where);
    }

    void add(const std::string& line, const std::string& where) {
        NetworkLayer added;
        try {
            added.layer = parse_layer(line);
        } catch (const Error& error) {
            throw Error(error.code(), where + ": " + error.what());
        }
        if (options_.mb && added.layer.kind != LayerKind::matmul)
            added.layer.dims.mb = *options_.mb;
        if (const auto type = data_type_from_string(options_.type)) added.layer.dtype = *type;
        if (options_.direction == "FWD_D" || options_.direction == "FWD_I" ||
            options_.direction == "BWD_W")
            added.layer.bias = false;
        name(added.layer);
        added.passes = passes_of(added.layer);
        added.from.assign(workload::kind_of(added.layer).input_count(added.layer), "data");
        network_.layers.push_back(std::move(added));
    }

    [[nodiscard]] std::vector<Pass> passes_of(const Layer& layer) const {
        std::vector<Pass> passes = training_passes(layer);
        std::erase(passes, Pass::update);
        const std::string& direction = options_.direction;
        if (direction.empty()) return passes;
        std::erase_if(passes, [&](Pass pass) {
            if (direction.starts_with("FWD")) return pass != Pass::forward;
            if (direction == "BWD_D") return pass != Pass::backward_data && pass != Pass::backward;
            if (direction == "BWD_W" || direction == "BWD_WB")
                return pass != Pass::backward_weights && pass != Pass::backward;
            return pass == Pass::forward;  // BWD_DW
        });
        return passes;
    }

    void name(Layer& layer) {
        std::string base = layer.name.empty() ? fmt::format("{}{}", to_string(layer.kind),
                                                            network_.layers.size() + 1)
                                              : layer.name;
        layer.name = base;
        for (int n = 2; !names_.insert(layer.name).second; ++n)
            layer.name = fmt::format("{} #{}", base, n);
    }

    Network network_;
    ListOptions options_;
    std::set<std::string> names_, ignored_;
    int volumes_ = 0;
};

}  // namespace

bool is_benchdnn_list(const std::string& path) {
    const fs::path file(path);
    if (file.extension() == ".yaml" || file.extension() == ".yml" || !file_exists(path))
        return false;
    if (!ListReader::driver_of(file.filename().string()).empty() && file.extension().empty())
        return true;
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > (1u << 26)) return false;
    std::istringstream words(read_file(path));
    std::string word;
    while (words >> word && word.starts_with('#')) std::getline(words, word);
    return word.starts_with("--");
}

Network read_benchdnn_list(const std::string& path) {
    return ListReader().read(path);
}

}  // namespace ridge
