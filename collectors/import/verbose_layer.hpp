// What a record of ONEDNN_VERBOSE means in Ridgepoint's words: layer, pass, data type, formats and
// useful FLOPs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridge/layer.hpp"

namespace ridge::import {

struct VerboseRecord;

/// One tensor of a record: "wei_f32:ap:blocked:Acdb16a::f0" is wei, f32, Acdb16a, padded.
struct VerboseTensor {
    std::string name, type, tag;
    bool undefined = false, padded = false;
};
[[nodiscard]] std::vector<VerboseTensor> tensors_of(const VerboseRecord& record);

/// Keys of a descriptor: "mb2_ic16oc16_ih7" is mb 2, ic 16, oc 16, ih 7. Nothing for text that is
/// none; unknown sizes ('*') too.
using Descriptor = std::map<std::string, std::int64_t, std::less<>>;
[[nodiscard]] std::optional<Descriptor> read_descriptor(std::string_view problem);
/// "1x2x3:1x3x4" is two lists; nothing for other text.
using SizeLists = std::vector<std::vector<std::int64_t>>;
[[nodiscard]] std::optional<SizeLists> read_sizes(std::string_view problem);

/// FLOPs on data inside the image of a convolution, deconvolution, inner or matrix product, a fused
/// depthwise convolution included; of any number of dimensions. 0 for all else, for empty tensors
/// and for problems that cannot be read.
[[nodiscard]] double product_flops(const VerboseRecord& record);

/// oneDNN's reference code: "ref:any", "simple:any", "ocl:ref:any"... Reorders are none: their
/// simple code is the usual one.
[[nodiscard]] bool is_reference(const VerboseRecord& record);

/// A kind that some release of oneDNN had when this was written.
[[nodiscard]] bool is_known_kind(std::string_view kind);

/// The data type that decides the compute roof: that of the math mode (attr-fpmath), which may be
/// narrower than the tensors', else that of the weights, else of the source.
[[nodiscard]] DataType compute_type(const VerboseRecord& record);
/// The type of what is mostly moved: source, or the data of kinds with one tensor.
[[nodiscard]] DataType storage_type(const VerboseRecord& record);

/// "src:aBcd16b wei:ABcd16b16a dst:aBcd16b", undefined tensors left out.
[[nodiscard]] std::string formats_of(const VerboseRecord& record);

struct LayerOfRecord {
    Layer layer;
    Pass pass = Pass::forward;
};
/// Nothing when Ridgepoint has no kind for it; `reason` says why. The layer is one that
/// parse_layer(to_line(layer)) gives back.
[[nodiscard]] std::optional<LayerOfRecord> layer_of(const VerboseRecord& record,
                                                    std::string& reason);
/// The pass by the propagation alone, for records that layer_of does not know.
[[nodiscard]] Pass pass_of(const VerboseRecord& record);

}  // namespace ridge::import
