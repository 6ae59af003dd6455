// Fuzzes the reader of PyTorch traces: any bytes are a run that a store would take, or one Error.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "collectors/import/kineto_run.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ridge;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const auto trace = import::read_kineto(text, "fuzz.json");
        const auto run = import::make_run(trace, import::KinetoOptions(), "fuzz.json");
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
