#include "collectors/import/verbose_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "collectors/import/verbose_log.hpp"
#include "model/workload/shapes.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// Beyond any tensor; keeps products of sizes within a double's exact integers for long.
constexpr std::int64_t largest_size = 1'000'000'000;

std::optional<std::int64_t> read_number(std::string_view text, std::size_t& at) {
    std::int64_t value = 0;
    const char* begin = text.data() + at;
    const auto [rest, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc{} || value < 0 || value > largest_size) return std::nullopt;
    at += static_cast<std::size_t>(rest - begin);
    return value;
}

/// A word between punctuation: "ref" is in "bnorm_ref:any", not in "preferred".
bool has_part(std::string_view name, std::string_view part) {
    constexpr std::string_view separators = ":_,+ /";
    while (true) {
        const auto end = name.find_first_of(separators);
        if (name.substr(0, end) == part) return true;
        if (end == std::string_view::npos) return false;
        name.remove_prefix(end + 1);
    }
}

std::int64_t product_of(const std::vector<std::int64_t>& sizes) {
    double product = 1;
    for (const std::int64_t size : sizes) product *= static_cast<double>(size);
    return product > 9e15 ? std::int64_t{9'000'000'000'000'000}
                          : static_cast<std::int64_t>(product);
}

/// Tags of 0.x name their dimensions ("nChw8c", "OIhw8i8o"); later ones number them by letters.
std::string lettered(std::string_view tag, bool weights) {
    const std::string_view order = weights ? "goidhw" : "ncdhw";
    std::map<char, char> letters;
    for (const char c : order)
        for (const char upper : {c, static_cast<char>(c - 'a' + 'A')})
            if (tag.find(upper) != std::string_view::npos && !letters.contains(c))
                letters.emplace(c, static_cast<char>('a' + letters.size()));
    std::string result;
    for (const char c : tag) {
        const bool upper = c >= 'A' && c <= 'Z';
        const auto found = letters.find(upper ? static_cast<char>(c - 'A' + 'a') : c);
        if (found == letters.end())
            result += c;
        else
            result += upper ? static_cast<char>(found->second - 'a' + 'A') : found->second;
    }
    return result;
}

/// "fsrc:nchw", "in:f32_OIhw8i8o" of 0.x.
VerboseTensor old_tensor(std::string_view name, std::string_view value) {
    VerboseTensor tensor;
    tensor.type = "f32";
    tensor.name = name == "in" ? "src" : name == "out" ? "dst" : std::string(name.substr(1));
    if (const auto end = value.find('_'); end != std::string_view::npos) {
        tensor.type = value.substr(0, end);
        value.remove_prefix(end + 1);
    }
    tensor.undefined = value == "undef";
    const bool weights = value.find_first_of("oO") != std::string_view::npos;
    tensor.tag = lettered(value, weights);
    return tensor;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::optional<VerboseTensor> read_tensor(std::string_view word) {
    const auto parts = split(word, ':');
    if (parts.size() == 2 && (parts[0] == "in" || parts[0] == "out" || parts[0].starts_with('f')))
        return old_tensor(parts[0], parts[1]);
    VerboseTensor tensor;
    std::size_t next = 0;  // the first part behind the type: flags, kind, tag
    if (parts.size() > 4 &&
        (parts[1] == "undef" || data_type_from_string(parts[1]) || parts[1].starts_with("f8") ||
         parts[1].starts_with("s4") || parts[1].starts_with("u4"))) {
        tensor.name = parts[0], tensor.type = parts[1], next = 2;
    } else {
        const auto bar = parts[0].rfind('_');
        if (bar == std::string_view::npos) return std::nullopt;
        tensor.name = parts[0].substr(0, bar), tensor.type = parts[0].substr(bar + 1), next = 1;
    }
    const auto part = [&](std::size_t i) {
        return next + i < parts.size() ? parts[next + i] : std::string_view{};
    };
    tensor.padded = part(0).find('p') != std::string_view::npos;
    tensor.undefined = tensor.type == "undef" || part(1) == "undef";
    tensor.tag = part(2);
    return tensor;
}

std::int64_t value_of(const Descriptor& descriptor, std::string_view key, std::int64_t fallback) {
    const auto found = descriptor.find(key);
    return found == descriptor.end() ? fallback : found->second;
}

/// Pairs of output and tap with the tap inside the image, along one dimension.
double taps(const workload::Window& window) {
    constexpr std::int64_t most_taps = 65536;
    if (window.k > most_taps || window.s < 1) return 0;
    return static_cast<double>(workload::taps_inside(window));
}

double convolution_flops(const Descriptor& of, bool deconvolution) {
    double result = 2.0 * static_cast<double>(value_of(of, "mb", 1)) *
                    static_cast<double>(value_of(of, "ic", 0)) *
                    static_cast<double>(value_of(of, "oc", 0)) /
                    static_cast<double>(std::max<std::int64_t>(1, value_of(of, "g", 1)));
    for (const char dimension : {'d', 'h', 'w'}) {
        const auto at = [&](char letter, std::int64_t fallback) {
            return value_of(of, std::string{letter, dimension}, fallback);
        };
        std::int64_t i = at('i', 1), o = at('o', 1);
        // A deconvolution is the backward pass of the convolution from its output to its input.
        if (deconvolution) std::swap(i, o);
        result *= taps({i, o, at('k', 1), at('s', 1), at('d', 0), at('p', 0)});
    }
    return result;
}

/// A depthwise convolution fused behind: "attr-post-ops:dw:k3s2p1" or "dw_k3s2p1".
double fused_depthwise_flops(const Descriptor& of, std::string_view attributes) {
    auto at = attributes.find("dw:k");
    if (at == std::string_view::npos) at = attributes.find("dw_k");
    if (at == std::string_view::npos) return 0;
    at += 3;
    const std::string_view text = attributes.substr(at, attributes.find_first_of("+:; ", at) - at);
    const auto sizes = read_descriptor(text);
    if (!sizes) return 0;
    const std::int64_t k = value_of(*sizes, "k", 1), s = value_of(*sizes, "s", 1),
                       p = value_of(*sizes, "p", 0);
    if (s < 1) return 0;
    double result = 2.0 * static_cast<double>(value_of(of, "mb", 1)) *
                    static_cast<double>(value_of(of, "oc", 0));
    for (const std::string key : {"oh", "ow"}) {
        const std::int64_t i = value_of(of, key, 1), span = i + 2 * p - k;
        result *= taps({i, span < 0 ? 0 : span / s + 1, k, s, 0, p});
    }
    return result;
}

struct MatrixSizes {
    std::int64_t products = 1, m = 0, k = 0, n = 0;
    bool shared_weights = true;  ///< one matrix of weights for all products
};

std::optional<MatrixSizes> matrix_sizes(const VerboseRecord& record) {
    MatrixSizes result;
    if (const auto of = read_descriptor(record.problem); of && of->contains("k")) {
        result.products = value_of(*of, "b", 1);
        result.shared_weights = result.products == 1;
        result.m = value_of(*of, "m", 1), result.k = value_of(*of, "k", 1);
        result.n = value_of(*of, "n", 1);
        return result;
    }
    const auto lists = read_sizes(record.problem);
    if (!lists || lists->size() < 2) return std::nullopt;
    auto src = (*lists)[0], wei = (*lists)[1];
    if (src.size() < 2 || wei.size() != src.size() || src.back() != wei[wei.size() - 2])
        return std::nullopt;
    result.m = src[src.size() - 2], result.k = src.back(), result.n = wei.back();
    for (std::size_t i = 0; i + 2 < src.size(); ++i) {
        if (src[i] != wei[i] && src[i] != 1 && wei[i] != 1) return std::nullopt;
        // One of both is repeated for the other's products.
        result.products *= src[i] == 0 || wei[i] == 0 ? 0 : std::max(src[i], wei[i]);
        if (result.products > largest_size) return std::nullopt;
        if (wei[i] != 1) result.shared_weights = false;
        if (src[i] == 1 && wei[i] != 1) return std::nullopt;
    }
    return result;
}

std::optional<DataType> type_of(const std::string& word) {
    if (const auto type = data_type_from_string(word)) return type;
    if (word.starts_with("f8") || word.starts_with("e8")) return DataType::u8;
    return std::nullopt;
}

std::optional<DataType> type_of_tensor(const VerboseRecord& record,
                                       std::initializer_list<std::string_view> names) {
    const auto tensors = tensors_of(record);
    for (const std::string_view name : names)
        for (const auto& tensor : tensors)
            if (tensor.name == name && !tensor.undefined)
                if (const auto type = type_of(tensor.type)) return type;
    return std::nullopt;
}

}  // namespace

std::vector<VerboseTensor> tensors_of(const VerboseRecord& record) {
    std::vector<VerboseTensor> result;
    for (const std::string_view word : split(record.tensors, ' '))
        if (const auto tensor = read_tensor(word)) result.push_back(*tensor);
    return result;
}

std::optional<Descriptor> read_descriptor(std::string_view problem) {
    Descriptor result;
    std::size_t at = 0;
    while (at < problem.size()) {
        if (problem[at] == '_') {
            ++at;
            continue;
        }
        const std::size_t key = at;
        while (at < problem.size() && problem[at] >= 'a' && problem[at] <= 'z') ++at;
        if (at == key) return std::nullopt;
        const std::string_view name = problem.substr(key, at - key);
        const auto value = read_number(problem, at);
        if (!value || !result.emplace(name, *value).second) return std::nullopt;
        // Decimals occur in parameters of lrn only, which no size depends on.
        if (at < problem.size() && problem[at] == '.') {
            ++at;
            while (at < problem.size() && problem[at] >= '0' && problem[at] <= '9') ++at;
        }
    }
    if (result.empty()) return std::nullopt;
    return result;
}

std::optional<SizeLists> read_sizes(std::string_view problem) {
    SizeLists result(1);
    // What follows a blank is the result's, which the operands tell.
    problem = problem.substr(0, problem.find(' '));
    std::size_t at = 0;
    while (true) {
        const auto size = read_number(problem, at);
        if (!size) return std::nullopt;
        result.back().push_back(*size);
        if (at == problem.size()) return result;
        if (problem[at] == ':')
            result.emplace_back();
        else if (problem[at] != 'x')
            return std::nullopt;
        ++at;
    }
}

double product_flops(const VerboseRecord& record) {
    double result = 0;
    if (record.kind == "convolution" || record.kind == "deconvolution") {
        const auto of = read_descriptor(record.problem);
        if (!of) return 0;
        result = convolution_flops(*of, record.kind == "deconvolution") +
                 fused_depthwise_flops(*of, record.attributes);
    } else if (record.kind == "inner_product") {
        const auto of = read_descriptor(record.problem);
        if (!of) return 0;
        result = 2;
        for (const char* key : {"mb", "ic", "id", "ih", "iw", "oc"})
            result *= static_cast<double>(value_of(*of, key, 1));
    } else if (record.kind == "matmul" || record.kind == "gemm" || record.kind == "gemm_api") {
        const auto sizes = matrix_sizes(record);
        if (!sizes) return 0;
        result = 2.0 * static_cast<double>(sizes->products) * static_cast<double>(sizes->m) *
                 static_cast<double>(sizes->k) * static_cast<double>(sizes->n);
    }
    // Beyond that it is no problem that anybody ran.
    return result < 9e15 ? result : 0;
}

bool is_reference(const VerboseRecord& record) {
    return record.kind != "reorder" &&
           (has_part(record.implementation, "ref") || has_part(record.implementation, "simple"));
}

bool is_known_kind(std::string_view kind) {
    static constexpr std::array<std::string_view, 25> known{"reorder",
                                                            "shuffle",
                                                            "concat",
                                                            "sum",
                                                            "convolution",
                                                            "deconvolution",
                                                            "eltwise",
                                                            "softmax",
                                                            "logsoftmax",
                                                            "pooling",
                                                            "lrn",
                                                            "batch_normalization",
                                                            "layer_normalization",
                                                            "group_normalization",
                                                            "inner_product",
                                                            "rnn",
                                                            "gemm",
                                                            "gemm_api",
                                                            "binary",
                                                            "matmul",
                                                            "resampling",
                                                            "reduction",
                                                            "prelu",
                                                            "zero_pad",
                                                            "sdpa"};
    return std::find(known.begin(), known.end(), kind) != known.end();
}

DataType compute_type(const VerboseRecord& record) {
    const std::string_view name = "attr-fpmath:";
    if (const auto at = record.attributes.find(name); at != std::string::npos) {
        const std::size_t begin = at + name.size();
        const auto end = record.attributes.find_first_of(": ", begin);
        if (const auto type = data_type_from_string(record.attributes.substr(begin, end - begin)))
            return *type;
    }
    if (has_part(record.implementation, "bf16")) return DataType::bf16;
    return type_of_tensor(record, {"wei", "src", "data", "query"}).value_or(DataType::f32);
}

DataType storage_type(const VerboseRecord& record) {
    return type_of_tensor(record, {"src", "data", "query", "src_layer", "dst"})
        .value_or(DataType::f32);
}

std::string formats_of(const VerboseRecord& record) {
    std::string result;
    for (const auto& tensor : tensors_of(record))
        if (!tensor.undefined && !tensor.tag.empty())
            result += (result.empty() ? "" : " ") + tensor.name + ":" + tensor.tag;
    return result;
}

Pass pass_of(const VerboseRecord& record) {
    if (!record.propagation.starts_with("backward")) return Pass::forward;
    const bool has_weights = record.kind == "convolution" || record.kind == "deconvolution" ||
                             record.kind == "inner_product" || record.kind == "matmul";
    if (!has_weights) return Pass::backward;
    return record.propagation == "backward_weights" || record.propagation == "backward_bias"
               ? Pass::backward_weights
               : Pass::backward_data;
}

namespace {

/// Why a record cannot be a layer.
struct NoLayer {
    std::string reason;
};

Descriptor descriptor_of(const VerboseRecord& record) {
    const auto of = read_descriptor(record.problem);
    if (!of) throw NoLayer{"its sizes cannot be read"};
    for (const auto& [key, value] : *of)
        if (value == 0 && key.front() != 'p' && key != "dd" && key != "dh" && key != "dw")
            throw NoLayer{"a tensor is empty"};
    return *of;
}

void refuse_volumes(const Descriptor& of) {
    for (const char* key : {"id", "od", "kd"})
        if (value_of(of, key, 1) > 1) throw NoLayer{"three spatial dimensions"};
}

std::string window_text(const Descriptor& of) {
    std::string text;
    for (const char dimension : {'h', 'w'})
        for (const char letter : {'i', 'o', 'k', 's', 'd', 'p'}) {
            const std::int64_t usual = letter == 'd' || letter == 'p' ? 0 : 1;
            text += fmt::format("{}{}{}", letter, dimension,
                                value_of(of, std::string{letter, dimension}, usual));
        }
    return text;
}

bool has_bias(const VerboseRecord& record) {
    const auto tensors = tensors_of(record);
    return std::any_of(tensors.begin(), tensors.end(), [](const VerboseTensor& tensor) {
        return tensor.name == "bia" && !tensor.undefined;
    });
}

/// mb, ic, ih, iw of a tensor of any number of dimensions, no element lost.
std::string image_text(const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t size : sizes)
        if (size == 0) throw NoLayer{"a tensor is empty"};
    if (sizes.empty()) throw NoLayer{"its sizes cannot be read"};
    if (sizes.size() == 1) return fmt::format("mb1ic{}", sizes[0]);
    std::string text = fmt::format("mb{}ic{}", sizes[0], sizes[1]);
    if (sizes.size() == 2) return text;
    const std::vector<std::int64_t> rows(sizes.begin() + 2, sizes.end() - 1);
    return text + fmt::format("ih{}iw{}", product_of(rows), sizes.back());
}

/// The one tensor of kinds that work on elements: sizes, or keys in old releases.
std::vector<std::int64_t> tensor_sizes(const VerboseRecord& record) {
    if (const auto lists = read_sizes(record.problem)) return lists->front();
    const Descriptor of = descriptor_of(record);
    if (!of.contains("ic")) throw NoLayer{"its sizes are not those of one tensor"};
    std::vector<std::int64_t> sizes;
    for (const char* key : {"mb", "ic", "id", "ih", "iw"})
        if (of.contains(key)) sizes.push_back(value_of(of, key, 1));
    return sizes;
}

/// The value behind "name:" in the auxiliary field.
std::string_view auxiliary(const VerboseRecord& record, std::string_view name) {
    const std::string_view text = record.auxiliary;
    const std::string key = std::string(name) + ":";
    const auto at = text.find(key);
    if (at == std::string_view::npos) return {};
    const auto begin = at + key.size();
    return text.substr(begin, text.find_first_of(" :", begin) - begin);
}

std::string plain_name(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
    return result.empty() ? "unknown" : result;
}

/// Bytes only: of the first operand and the result.
std::string other_text(const VerboseRecord& record, std::string_view operation) {
    const auto of = read_descriptor(record.problem);
    std::string text = "other:" + image_text(tensor_sizes(record));
    if (of && of->contains("oc")) text += fmt::format("oc{}", value_of(*of, "oc", 1));
    if (of && (of->contains("oh") || of->contains("ow")))
        text += fmt::format("oh{}ow{}", value_of(*of, "oh", 1) * value_of(*of, "od", 1),
                            value_of(*of, "ow", 1));
    return text + ",op=" + plain_name(operation);
}

std::string convolution_text(const VerboseRecord& record) {
    const Descriptor of = descriptor_of(record);
    refuse_volumes(of);
    return fmt::format("conv:mb{}g{}ic{}oc{}{},asymmetric=1{}", value_of(of, "mb", 1),
                       value_of(of, "g", 1), value_of(of, "ic", 1), value_of(of, "oc", 1),
                       window_text(of), has_bias(record) ? "" : ",bias=0");
}

std::string inner_product_text(const VerboseRecord& record) {
    const Descriptor of = descriptor_of(record);
    return fmt::format("ip:mb{}ic{}ih{}iw{}oc{}{}", value_of(of, "mb", 1), value_of(of, "ic", 1),
                       value_of(of, "id", 1) * value_of(of, "ih", 1), value_of(of, "iw", 1),
                       value_of(of, "oc", 1), has_bias(record) ? "" : ",bias=0");
}

std::string matmul_text(const VerboseRecord& record) {
    const auto sizes = matrix_sizes(record);
    if (!sizes) throw NoLayer{"its sizes cannot be read"};
    if (sizes->products == 0 || sizes->m == 0 || sizes->n == 0 || sizes->k == 0)
        throw NoLayer{"a tensor is empty"};
    const std::string bias = has_bias(record) ? ",bias=1" : "";
    if (sizes->shared_weights)
        return fmt::format("matmul:{}x{}:{}x{}{}", sizes->products * sizes->m, sizes->k, sizes->k,
                           sizes->n, bias);
    return fmt::format("matmul:{0}x{1}x{2}:{0}x{2}x{3}{4}", sizes->products, sizes->m, sizes->k,
                       sizes->n, bias);
}

std::string pooling_text(const VerboseRecord& record) {
    const Descriptor of = descriptor_of(record);
    refuse_volumes(of);
    const std::string_view algorithm = auxiliary(record, "alg");
    std::string alg;
    if (algorithm == "pooling_max")
        alg = "max";
    else if (algorithm == "pooling_avg_include_padding")
        alg = "avg_p";
    else if (algorithm.starts_with("pooling_avg"))
        alg = "avg_np";
    else
        throw NoLayer{"an algorithm that is not known"};
    return fmt::format("pool:mb{}ic{}{},alg={},asymmetric=1", value_of(of, "mb", 1),
                       value_of(of, "ic", 1), window_text(of), alg);
}

std::string eltwise_text(const VerboseRecord& record) {
    std::string_view algorithm = auxiliary(record, "alg");
    if (algorithm.starts_with("eltwise_")) algorithm.remove_prefix(8);
    if (algorithm == "relu" || algorithm == "tanh" || algorithm == "logistic")
        return fmt::format("eltwise:{},alg={}", image_text(tensor_sizes(record)), algorithm);
    return other_text(record, std::string("eltwise_") + std::string(algorithm));
}

std::string softmax_text(const VerboseRecord& record) {
    const auto sizes = tensor_sizes(record);
    (void)image_text(sizes);  // refuses empty tensors
    std::size_t axis = 1, end = 0;
    const std::string_view word = auxiliary(record, "axis");
    if (const auto value = read_number(word, end)) axis = static_cast<std::size_t>(*value);
    if (axis >= sizes.size()) throw NoLayer{"an axis that the tensor lacks"};
    return fmt::format("softmax:mb{}ic{}", product_of(sizes) / sizes[axis], sizes[axis]);
}

std::string sum_text(const VerboseRecord& record) {
    const auto tensors = tensors_of(record);
    const auto inputs =
        std::count_if(tensors.begin(), tensors.end(),
                      [](const VerboseTensor& tensor) { return tensor.name.starts_with("src"); });
    if (inputs < 2) return other_text(record, "sum");
    return fmt::format("sum:{},inputs={}", image_text(tensor_sizes(record)), inputs);
}

std::string binary_text(const VerboseRecord& record) {
    const auto lists = read_sizes(record.problem);
    std::string_view algorithm = auxiliary(record, "alg");
    if (algorithm == "binary_add" && lists && lists->size() >= 2 && (*lists)[0] == (*lists)[1])
        return fmt::format("sum:{},inputs=2", image_text(lists->front()));
    return other_text(record, algorithm.empty() ? "binary" : algorithm);
}

std::string concat_text(const VerboseRecord& record) {
    const auto lists = read_sizes(record.problem);
    if (!lists || lists->size() < 2) return other_text(record, "concat");
    std::string channels;
    for (const auto& sizes : *lists) {
        auto same = sizes;
        if (same.size() < 2 || same.size() > 4 || same.size() != lists->front().size())
            return other_text(record, "concat");
        channels += fmt::format("{}{}", channels.empty() ? "" : "+", same[1]);
        same[1] = lists->front()[1];
        if (same != lists->front()) return other_text(record, "concat");
    }
    const auto& first = lists->front();
    const std::int64_t height = first.size() > 3 ? first[2] : 1;
    const std::int64_t width = first.size() > 2 ? first.back() : 1;
    return fmt::format("concat:mb{}ih{}iw{},inputs={}", first[0], height, width, channels);
}

std::string layer_text(const VerboseRecord& record) {
    const std::string& kind = record.kind;
    if (kind == "convolution") return convolution_text(record);
    if (kind == "inner_product") return inner_product_text(record);
    if (kind == "matmul" || kind == "gemm" || kind == "gemm_api") return matmul_text(record);
    if (kind == "pooling") return pooling_text(record);
    if (kind == "batch_normalization") return "bnorm:" + image_text(tensor_sizes(record));
    if (kind == "lrn") return "lrn:" + image_text(tensor_sizes(record));
    if (kind == "eltwise") return eltwise_text(record);
    if (kind == "softmax" || kind == "logsoftmax") return softmax_text(record);
    if (kind == "sum") return sum_text(record);
    if (kind == "binary") return binary_text(record);
    if (kind == "concat") return concat_text(record);
    if (kind == "reorder") return "reorder:" + image_text(tensor_sizes(record));
    return other_text(record, kind);
}

}  // namespace

std::optional<LayerOfRecord> layer_of(const VerboseRecord& record, std::string& reason) {
    try {
        LayerOfRecord result;
        std::string text;
        try {
            text = layer_text(record);
        } catch (const NoLayer& no) {
            if (no.reason != "three spatial dimensions") throw;
            text = other_text(record, record.kind);
        }
        result.layer = parse_layer(text);
        result.layer.dtype = storage_type(record);
        const auto passes = training_passes(result.layer);
        const Pass pass = pass_of(record);
        const bool has_pass = std::find(passes.begin(), passes.end(), pass) != passes.end();
        const bool any_backward = pass != Pass::forward && !has_pass;
        result.pass = any_backward ? Pass::backward : pass;
        return result;
    } catch (const NoLayer& no) {
        reason = no.reason;
    } catch (const Error& error) {
        reason = error.what();
    }
    return std::nullopt;
}

}  // namespace ridge::import
