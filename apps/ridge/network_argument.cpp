#include "apps/ridge/network_argument.hpp"

#include <fmt/format.h>

#include <charconv>

#include "collectors/import/onnx_network.hpp"
#include "core/files.hpp"
#include "ridge/benchdnn.hpp"
#include "ridge/error.hpp"

namespace ridge::app {
namespace {

import::OnnxSizes sizes_of(const NetworkArgument& argument) {
    if (argument.batch < 1 || argument.batch > 1'000'000)
        throw bad_input("--batch", "1 to 1000000", fmt::format("{}", argument.batch));
    import::OnnxSizes sizes;
    sizes.batch = argument.batch;
    for (const std::string& text : argument.dims) {
        const auto equals = text.find('=');
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const bool whole = equals != std::string::npos && equals > 0 &&
                           std::from_chars(text.data() + equals + 1, end, value).ptr == end &&
                           equals + 1 < text.size() && value >= 1;
        if (!whole) throw bad_input("--dim", "NAME=SIZE such as seq=128", "'" + text + "'");
        sizes.dims[text.substr(0, equals)] = value;
    }
    return sizes;
}

void print_counts(const char* what, const std::map<std::string, int>& operators) {
    std::string list;
    for (const auto& [op, count] : operators)
        list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", op, count);
    if (!list.empty()) fmt::print(stderr, "ridge: {}: {}\n", what, one_line(list));
}

Network load_onnx(const NetworkArgument& argument) {
    const import::OnnxNetwork model = import::load_onnx_network(argument.text, sizes_of(argument));
    if (argument.quiet) return model.network;
    print_counts("operators without a model of their own, counted as bytes", model.bytes_only);
    print_counts("of them unknown, with the shape of their first input", model.unknown);
    return model.network;
}

}  // namespace

void add_dim_option(Verb& verb, std::vector<std::string>& dims) {
    verb.add_option("--dim", dims, "Size of an ONNX model's symbolic dimension: NAME=SIZE")
        ->allow_extra_args(false);
}

bool is_layer_line(const std::string& text) {
    return text.find(':') != std::string::npos && !file_exists(text);
}

Network load_network_argument(const NetworkArgument& argument) {
    const bool onnx = argument.text.ends_with(".onnx");
    if (!argument.dims.empty() && !onnx)
        throw bad_input("--dim", "an ONNX model (model.onnx)", "'" + argument.text + "'");
    if (onnx) return load_onnx(argument);
    if (is_benchdnn_list(argument.text)) {
        if (argument.batch != 1)
            throw bad_input("--batch", "none: the problems of a list have their own",
                            fmt::format("{}", argument.batch));
        return read_benchdnn_list(argument.text);
    }
    if (is_layer_line(argument.text)) return single_layer_network(parse_layer(argument.text));
    return load_network(argument.text, argument.batch);
}

}  // namespace ridge::app
