// Machine files: any text is a machine that reads back equal, or one Error.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "model/machine/machine_yaml.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto machine = ridge::machine_from_yaml(text, "fuzz.yaml");
        if (!(ridge::machine_from_yaml(ridge::machine_to_yaml(machine), "again.yaml") == machine))
            std::abort();
    } catch (const ridge::Error&) {
    }
    return 0;
}
