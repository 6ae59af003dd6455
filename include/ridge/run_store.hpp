// The run store: one SQLite file (WAL). Every visit of a row is a transaction of its own, so that a
// kill at any moment loses at most the visit in progress; two processes may write at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge {

class RunStore {
public:
    /// Opens or creates. Throws Error bad_input for a file that is not a run store, is damaged or
    /// of a newer version, and for a path that cannot be written.
    explicit RunStore(const std::string& path);
    ~RunStore();
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;

    /// $XDG_DATA_HOME/ridge/runs.db
    [[nodiscard]] static std::string default_path();

    /// Starts a run owned by this process and returns its id.
    std::int64_t begin_run(const RunInfo& info);
    /// Takes over an incomplete run after a kill. Throws Error bad_input when it is complete,
    /// absent, or its owner is still alive.
    RunInfo resume_run(std::int64_t id);
    /// Newest incomplete run without a live owner, that matches network, batch, threads, dtype,
    /// state and library of `info`.
    [[nodiscard]] std::optional<std::int64_t> find_incomplete(const RunInfo& info) const;

    /// Adds the samples of one visit to a row; (run, key, visit) is unique: adding it twice throws.
    void add_visit(std::int64_t run, const Measurement& description, int visit,
                   const std::vector<Sample>& samples);
    /// Samples of a row so far, by visit.
    [[nodiscard]] std::vector<Sample> samples(std::int64_t run, const RowKey& key) const;
    /// Stores the row with its summary (replaces the description that add_visit stored).
    void put_row(std::int64_t run, const Measurement& row);
    void put_step_samples(std::int64_t run, int visit, const std::vector<Sample>& samples);
    [[nodiscard]] std::vector<Sample> step_samples(std::int64_t run) const;
    void put_step(std::int64_t run, const StepTime& step);
    /// Marks complete and gives up ownership.
    void finish_run(std::int64_t run);

    [[nodiscard]] std::vector<RunInfo> list_runs() const;  ///< newest first
    [[nodiscard]] Run load_run(std::int64_t id) const;
    /// One JSON document with the run and its samples; import gives it a new id.
    [[nodiscard]] std::string export_run(std::int64_t id) const;
    std::int64_t import_run(const std::string& json);

    /// Empty when SQLite's integrity check and Ridgepoint's own (no sample without a row, no
    /// visit twice) pass; else one line per finding.
    [[nodiscard]] std::vector<std::string> check() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ridge
