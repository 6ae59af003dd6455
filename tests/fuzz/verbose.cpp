// Fuzzes the reader of ONEDNN_VERBOSE: any bytes are a log or one Error; each line is counted once,
// and what is made of it is a run that a store takes.
#include <cmath>
#include <cstdlib>

#include "collectors/import/verbose_log.hpp"
#include "collectors/import/verbose_run.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ridge;
    try {
        const auto bytes =
            import::bytes_in_memory({reinterpret_cast<const char*>(data), size}, "fuzz.log");
        const import::VerboseLog log = import::read_verbose_log(*bytes);
        if (log.lines != log.timed + log.untimed + log.creations + log.info + log.graph +
                             log.other + log.noise + log.damaged)
            std::abort();
        if (!std::isfinite(log.exec_ms) || log.exec_ms < 0) std::abort();
        const import::VerboseRun run =
            import::make_run(log, import::VerboseRunOptions(), "fuzz.log");
        const JsonReader document(import::run_document(run), "run");
        static_cast<void>(run_info_from_json(document.at("run")));
        for (const auto& row : document.at("rows").items())
            static_cast<void>(measurement_from_json(row));
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_input) std::abort();
    }
    return 0;
}
