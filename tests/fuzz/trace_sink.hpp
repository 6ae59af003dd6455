// What every reader of traces promises about its runs, checked on whatever it is fed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "collectors/import/readers.hpp"
#include "ridge/error.hpp"

namespace ridge::fuzz {

class PromisedRuns final : public RunSink {
public:
    void consume(std::span<const LineRun> chunk) override {
        if (chunk.size() > runs_per_chunk) std::abort();
        for (const LineRun& run : chunk) {
            const bool sane = run.count >= 1 && run.repeats >= 1 && run.bytes >= 1 &&
                              run.bytes <= max_access_bytes &&
                              static_cast<int>(run.kind) < touch_kinds &&
                              run.line <= ~std::uint64_t{0} / 8;
            if (!sane) std::abort();
            ++runs;
        }
    }
    std::uint64_t runs = 0;
};

/// Reads the bytes as a trace, strictly and partially; anything but ridge::Error is a bug.
inline void read_trace(const std::uint8_t* data, std::size_t size) {
    const std::span bytes(reinterpret_cast<const char*>(data), size);
    for (const bool partial : {false, true}) {
        PromisedRuns sink;
        try {
            const auto reader =
                import::open_trace_bytes(bytes, "fuzz", {.line_bytes = 64, .partial = partial});
            reader->replay(sink);
        } catch (const Error& error) {
            if (error.code() != ExitCode::bad_input) std::abort();
            if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
        }
    }
}

}  // namespace ridge::fuzz
