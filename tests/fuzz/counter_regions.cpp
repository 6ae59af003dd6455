// Fuzzes the readers of foreign counters: any bytes are regions or one Error. The first byte
// chooses the format.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "collectors/import/counter_regions.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ridge;
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    try {
        import::CounterFile file;
        switch (data[0] % 4) {
            case 0:
                file = import::read_perf_stat(text, "fuzz");
                break;
            case 1:
                file = import::read_papi_hl(text, "fuzz");
                break;
            case 2:
                file = import::read_likwid(text, "fuzz");
                break;
            default:
                file = import::read_nsight_compute(text, "fuzz");
        }
        if (file.regions.empty()) std::abort();
        for (const auto& region : file.regions)
            if (region.time_s && !std::isfinite(*region.time_s)) std::abort();
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_input) std::abort();
    }
    return 0;
}
