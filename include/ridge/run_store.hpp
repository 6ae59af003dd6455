// The run store: one SQLite file (WAL). Every visit of a row is a transaction of its own, so that a
// kill at any moment loses at most the visit in progress; two processes may write at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridge/measurement.hpp"

namespace ridge {

/// What a store is opened for. Only `create` makes a file.
enum class StoreAccess {
    read,    ///< the file must exist and is not changed
    write,   ///< the file must exist
    create,  ///< made when absent, with the folder of default_path() if need be
};

/// Errors of every member: bad_input (exit code 2) for a file that is not a run store, is damaged,
/// of a newer version or not accessible, and for a run that is not there; job_failed (1) when the
/// disk is full or another process keeps the store locked for 10 s.
class RunStore {
public:
    explicit RunStore(const std::string& path, StoreAccess access = StoreAccess::create);
    ~RunStore();
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;

    /// Throws what opening the store would throw, and makes no file: for jobs that open it only
    /// once they have something to store.
    static void require_usable(const std::string& path);

    /// $XDG_DATA_HOME/ridge/runs.db
    [[nodiscard]] static std::string default_path();

    /// Starts a run owned by this process and returns its id. Ids are never given twice.
    std::int64_t begin_run(const RunInfo& info);
    /// Takes over an incomplete run after a kill; of several processes that try, one succeeds.
    /// Throws Error bad_input when it is complete, absent, or its owner is still alive.
    RunInfo resume_run(std::int64_t id);
    /// Newest incomplete run without a live owner that matches `info` in network, batch, threads,
    /// dtype, state, library and machine, and in what `info.environment` says of the processor and
    /// the library (fields left empty there match all).
    [[nodiscard]] std::optional<std::int64_t> find_incomplete(const RunInfo& info) const;
    /// True while the process that measures the run is alive on this machine.
    [[nodiscard]] bool has_live_owner(std::int64_t id) const;

    // The next five throw Error job_failed unless this process owns the run.

    /// Adds the samples of one visit to a row; (run, key, visit) is unique: adding it twice throws
    /// job_failed. Without samples only the description is stored. Throws bad_input when the row is
    /// there with another problem (the network changed before a resume).
    void add_visit(std::int64_t run, const Measurement& description, int visit,
                   const std::vector<Sample>& samples);
    /// Stores the row with its summary (replaces the description that add_visit stored).
    void put_row(std::int64_t run, const Measurement& row);
    /// As add_visit, for the whole step.
    void put_step_samples(std::int64_t run, int visit, const std::vector<Sample>& samples);
    void put_step(std::int64_t run, const StepTime& step);
    /// Marks complete and gives up ownership.
    void finish_run(std::int64_t run);

    /// Samples of a row so far, by visit, in the order they were taken; none for an unknown row.
    [[nodiscard]] std::vector<Sample> samples(std::int64_t run, const RowKey& key) const;
    [[nodiscard]] std::vector<Sample> step_samples(std::int64_t run) const;

    [[nodiscard]] std::vector<RunInfo> list_runs() const;  ///< newest first
    /// Rows that were not summarised before an interruption have time 0 and their sample counts.
    [[nodiscard]] Run load_run(std::int64_t id) const;
    /// Throws Error bad_input when it is absent or being measured.
    void delete_run(std::int64_t id);

    /// One JSON document with the run and its samples (docs/formats.md, "Run").
    [[nodiscard]] std::string export_run(std::int64_t id) const;
    /// Stores such a document under a new id, which it returns. `document` is its name in errors.
    /// Throws Error bad_input naming the key for anything that a store could not have exported.
    std::int64_t import_run(const std::string& json, const std::string& document);

    /// Empty when SQLite's integrity check and Ridgepoint's own (no sample without a row, no visit
    /// twice or with samples missing, no complete run with a row without time) pass; else one line
    /// per finding.
    [[nodiscard]] std::vector<std::string> check() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ridge
