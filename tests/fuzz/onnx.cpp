// Fuzzes the reader of ONNX models: any bytes are a network, or one Error.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "collectors/import/onnx_network.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ridge;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        import::OnnxSizes sizes;
        sizes.batch = 2;
        const auto model =
            import::onnx_network(import::read_onnx(bytes, "fuzz.onnx"), sizes, "fuzz.onnx");
        for (const auto& entry : model.network.layers)
            if (parse_layer(to_line(entry.layer)) != entry.layer) std::abort();
    } catch (const Error& error) {
        if (error.code() == ExitCode::job_failed) std::abort();
    }
    return 0;
}
