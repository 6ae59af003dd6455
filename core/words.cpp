// The words that files, options and tables use for the enumerations of the contract.

#include <array>
#include <utility>

#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"
#include "ridge/reading.hpp"

namespace ridge {
namespace {

template <class Enum, std::size_t n>
using Words = std::array<std::pair<Enum, std::string_view>, n>;

template <class Enum, std::size_t n>
std::string_view word_of(const Words<Enum, n>& words, Enum value) {
    for (const auto& [candidate, word] : words)
        if (candidate == value) return word;
    return "unknown";
}

template <class Enum, std::size_t n>
std::optional<Enum> value_of(const Words<Enum, n>& words, std::string_view text) {
    for (const auto& [value, word] : words)
        if (word == text) return value;
    return std::nullopt;
}

constexpr Words<Source, 5> source_words{{{Source::measured, "measured"},
                                         {Source::traced, "traced"},
                                         {Source::simulated, "simulated"},
                                         {Source::algorithmic, "algorithmic"},
                                         {Source::given, "given"}}};

constexpr Words<LayerKind, 14> kind_words{{{LayerKind::convolution, "conv"},
                                           {LayerKind::inner_product, "ip"},
                                           {LayerKind::matmul, "matmul"},
                                           {LayerKind::pooling, "pool"},
                                           {LayerKind::batch_normalization, "bnorm"},
                                           {LayerKind::lrn, "lrn"},
                                           {LayerKind::eltwise, "eltwise"},
                                           {LayerKind::softmax, "softmax"},
                                           {LayerKind::sum, "sum"},
                                           {LayerKind::concat, "concat"},
                                           {LayerKind::split, "split"},
                                           {LayerKind::dropout, "dropout"},
                                           {LayerKind::reorder, "reorder"},
                                           {LayerKind::other, "other"}}};

constexpr Words<Pass, 5> pass_words{{{Pass::forward, "forward"},
                                     {Pass::backward_data, "backward_data"},
                                     {Pass::backward_weights, "backward_weights"},
                                     {Pass::backward, "backward"},
                                     {Pass::update, "update"}}};

constexpr Words<DataType, 8> type_words{{{DataType::f64, "f64"},
                                         {DataType::f32, "f32"},
                                         {DataType::tf32, "tf32"},
                                         {DataType::f16, "f16"},
                                         {DataType::bf16, "bf16"},
                                         {DataType::s8, "s8"},
                                         {DataType::u8, "u8"},
                                         {DataType::s32, "s32"}}};

constexpr Words<CacheState, 3> state_words{
    {{CacheState::cold, "cold"}, {CacheState::warm, "warm"}, {CacheState::in_step, "in_step"}}};

}  // namespace

std::string_view to_string(Source source) {
    return word_of(source_words, source);
}
std::string_view to_string(LayerKind kind) {
    return word_of(kind_words, kind);
}
std::string_view to_string(Pass pass) {
    return word_of(pass_words, pass);
}
std::string_view to_string(DataType type) {
    return word_of(type_words, type);
}
std::string_view to_string(CacheState state) {
    return word_of(state_words, state);
}

std::optional<Source> source_from_string(std::string_view word) {
    return value_of(source_words, word);
}
std::optional<LayerKind> layer_kind_from_string(std::string_view word) {
    return value_of(kind_words, word);
}
std::optional<Pass> pass_from_string(std::string_view word) {
    return value_of(pass_words, word);
}
std::optional<DataType> data_type_from_string(std::string_view word) {
    return value_of(type_words, word);
}
std::optional<CacheState> cache_state_from_string(std::string_view word) {
    return value_of(state_words, word);
}

Bytes size_of(DataType type) {
    switch (type) {
        case DataType::f64:
            return Bytes(8);
        case DataType::f32:
        case DataType::tf32:
        case DataType::s32:
            return Bytes(4);
        case DataType::f16:
        case DataType::bf16:
            return Bytes(2);
        case DataType::s8:
        case DataType::u8:
            return Bytes(1);
    }
    return Bytes(0);
}

}  // namespace ridge
