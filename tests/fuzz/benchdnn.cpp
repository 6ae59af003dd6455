// Fuzzes the reader of benchdnn's output: any bytes are a run that a store would take, or one
// Error.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "collectors/import/benchdnn_perf.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ridge;
    try {
        const auto bytes =
            import::bytes_in_memory({reinterpret_cast<const char*>(data), size}, "fuzz.out");
        const auto run = import::read_benchdnn_perf(*bytes, import::BenchdnnOptions(), "fuzz.out");
        std::vector<const import::ImportedRow*> rows;
        for (const auto& row : run.rows) rows.push_back(&row);
        const JsonReader document(import::run_document(run.info, rows), "run");
        for (const auto& row : document.at("rows").items())
            static_cast<void>(measurement_from_json(row));
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_input) std::abort();
    }
    return 0;
}
