// Memory descriptors: names of formats as oneDNN's verbose output writes them, and the few formats
// that a step asks for by name.
#pragma once

#include <string>

#include "collectors/onednn/version.hpp"
#include "ridge/layer.hpp"

namespace ridge::onednn {

/// Throws Error bad_input for types that training does not use.
[[nodiscard]] dnnl::memory::data_type to_dnnl(DataType type);

/// "abcd", "aBcd16b", "ABcd16b16a"; ":p" is added when dimensions are padded to whole blocks.
/// Formats that are no blocked ones are "opaque".
[[nodiscard]] std::string format_tag(const Md& md);

/// Dense row-major descriptor.
[[nodiscard]] Md plain_md(const MemoryDims& dims, dnnl::memory::data_type type);
/// Leaves the choice to the primitive.
[[nodiscard]] Md any_md(const MemoryDims& dims, dnnl::memory::data_type type);
/// What activations inside a network look like on this CPU: channels in blocks of one vector of
/// f32 (nChw16c or nChw8c); plain without spatial dimensions or with fewer channels than a block.
[[nodiscard]] Md blocked_md(const MemoryDims& dims, dnnl::memory::data_type type);

/// True when both descriptors put every element at the same place: nothing but the name of the
/// format differs (blocks of channels of an image with one pixel are a vector of channels).
[[nodiscard]] bool same_memory(const Md& a, const Md& b);

[[nodiscard]] MemoryDims dims_of(const Md& md);
[[nodiscard]] std::size_t elements_of(const Md& md);  ///< without padding

/// Strides, dilations and padding of a convolution or pooling; the padding behind follows from the
/// sizes.
[[nodiscard]] Window window_of(const Dims& dims);

}  // namespace ridge::onednn
