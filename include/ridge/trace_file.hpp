// Traces in files: Valgrind lackey text, CSV, and Ridgepoint's own compressed form
// (docs/formats.md), from files and pipes. Files compressed with gzip or zstd are recognised by
// their content, and so are the formats. Reading streams: a 50 GB file needs a few MB.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ridge/trace.hpp"

namespace ridge {

struct TraceOptions {
    int line_bytes = 64;   ///< of the runs made from addresses; a power of two
    bool fetches = true;   ///< keep instruction fetches
    bool partial = false;  ///< a damaged trace ends where the damage is, see damage()
    /// Repeated touches of the latest data line count as one run although instruction lines were
    /// fetched in between, and the other way round. Changes no count as long as instructions have
    /// a first-level cache of their own (or are ignored) and no level is inclusive.
    bool merge_across_fetches = false;
};

class TraceReader : public RunSource {
public:
    /// The error that ended the latest replay of a partial reader; empty when there was none.
    [[nodiscard]] virtual const std::string& damage() const = 0;
    /// It comes from a pipe: a second replay() throws Error bad_input.
    [[nodiscard]] virtual bool read_once() const = 0;
    /// info().threads is what the trace says and not merely 1.
    [[nodiscard]] virtual bool knows_threads() const = 0;
};

/// Opens a trace; "-" is standard input. Throws Error bad_input for a missing file or an unknown
/// format. replay() throws Error bad_input naming file and line (text) or byte of the uncompressed
/// stream (binary), and for a trace without any access.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& path,
                                                      const TraceOptions& options = {});

/// Writes the own form. The file appears under its name when close() has succeeded.
class TraceWriter : public RunSink {
public:
    /// Throws Error bad_input when the file cannot be written.
    TraceWriter(const std::string& path, const TraceInfo& info);
    ~TraceWriter() override;
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;
    void consume(std::span<const LineRun> chunk) override;
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ridge
