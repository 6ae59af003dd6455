// A build without libonnx.
#include "collectors/import/onnx_graph.hpp"
#include "ridge/error.hpp"

namespace ridge::import {

OnnxGraph read_onnx(const std::string&, const std::string& file) {
    throw not_possible("reading " + file, "this build of Ridgepoint has no libonnx (libonnx-dev)");
}

std::unique_ptr<OnnxShapeSource> library_shapes() {
    return nullptr;
}

}  // namespace ridge::import
