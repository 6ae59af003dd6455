#include "report/palette.hpp"

#include <iterator>

namespace ridge::report {

// Starts from the eight colours of Okabe and Ito (2008), which stay apart for all common forms of
// colour blindness, for the kinds that take most of a step; the rest are tints of them.
std::string colour_of(LayerKind kind) {
    switch (kind) {
        case LayerKind::convolution:
            return "#0072b2";
        case LayerKind::inner_product:
            return "#d55e00";
        case LayerKind::matmul:
            return "#b03a00";
        case LayerKind::pooling:
            return "#009e73";
        case LayerKind::batch_normalization:
            return "#cc79a7";
        case LayerKind::lrn:
            return "#8f5fbf";
        case LayerKind::eltwise:
            return "#e69f00";
        case LayerKind::softmax:
            return "#8c564b";
        case LayerKind::sum:
            return "#56b4e9";
        case LayerKind::concat:
            return "#17a2a8";
        case LayerKind::split:
            return "#5fc0c4";
        case LayerKind::dropout:
            return "#b8a800";
        case LayerKind::reorder:
            return "#808080";
        case LayerKind::other:
            return "#b0b0b0";
    }
    return "#000000";
}

std::string colour_of(Pass pass) {
    switch (pass) {
        case Pass::forward:
            return "#0072b2";
        case Pass::backward_data:
            return "#e69f00";
        case Pass::backward_weights:
            return "#d55e00";
        case Pass::backward:
            return "#cc79a7";
        case Pass::update:
            return "#009e73";
    }
    return "#000000";
}

Symbol symbol_of(Pass pass) {
    switch (pass) {
        case Pass::forward:
            return Symbol::circle;
        case Pass::backward_data:
            return Symbol::square;
        case Pass::backward_weights:
            return Symbol::triangle_up;
        case Pass::backward:
            return Symbol::diamond;
        case Pass::update:
            return Symbol::triangle_down;
    }
    return Symbol::circle;
}

std::string title_of(LayerKind kind) {
    switch (kind) {
        case LayerKind::convolution:
            return "convolution";
        case LayerKind::inner_product:
            return "inner product";
        case LayerKind::matmul:
            return "matrix product";
        case LayerKind::pooling:
            return "pooling";
        case LayerKind::batch_normalization:
            return "batch normalization";
        case LayerKind::lrn:
            return "LRN";
        case LayerKind::eltwise:
            return "element-wise";
        case LayerKind::softmax:
            return "softmax";
        case LayerKind::sum:
            return "sum";
        case LayerKind::concat:
            return "concatenation";
        case LayerKind::split:
            return "split";
        case LayerKind::dropout:
            return "dropout";
        case LayerKind::reorder:
            return "reorder";
        case LayerKind::other:
            return "other";
    }
    return "other";
}

std::string title_of(Pass pass) {
    switch (pass) {
        case Pass::forward:
            return "forward";
        case Pass::backward_data:
            return "backward, data";
        case Pass::backward_weights:
            return "backward, weights";
        case Pass::backward:
            return "backward";
        case Pass::update:
            return "update";
    }
    return "other";
}

std::string level_colour(std::size_t level) {
    constexpr const char* colours[] = {"#8a5fb8", "#c0509a", "#e0506c", "#c96a00", "#5c7a29"};
    return colours[level % std::size(colours)];
}

LayerKind shown_kind(const Measurement& row) {
    return row.key.part.empty() ? row.kind : LayerKind::reorder;
}

}  // namespace ridge::report
