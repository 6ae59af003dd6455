#include "ridge/run_store.hpp"

#include <fmt/format.h>

#include "core/files.hpp"
#include "core/json.hpp"
#include "core/run_store_impl.hpp"
#include "core/store_owner.hpp"
#include "core/store_rows.hpp"

namespace ridge {
namespace {

std::string stored_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A field that the one who asks leaves empty matches all.
bool agrees(const std::string& asked, const std::string& stored) {
    return asked.empty() || asked == stored;
}

bool may_continue(const RunInfo& asked, const RunInfo& stored) {
    return asked.network == stored.network && asked.batch == stored.batch &&
           asked.threads == stored.threads && asked.dtype == stored.dtype &&
           asked.state == stored.state && asked.library == stored.library &&
           asked.machine == stored.machine &&
           agrees(asked.environment.cpu_model, stored.environment.cpu_model) &&
           agrees(asked.environment.library_version, stored.environment.library_version) &&
           agrees(asked.environment.library_isa, stored.environment.library_isa);
}

}  // namespace

std::string RunStore::Impl::place_of(std::int64_t id) const {
    return fmt::format("{}: run {}", path, id);
}

void RunStore::Impl::require_run(std::int64_t id) const {
    SQLite::Statement query(database, "SELECT 1 FROM runs WHERE id = ?");
    query.bind(1, id);
    if (!query.executeStep()) throw bad_input(place_of(id), "a stored run", "none with this id");
}

RunInfo RunStore::Impl::read_info(std::int64_t id) const {
    require_run(id);
    SQLite::Statement query(database, "SELECT info, complete FROM runs WHERE id = ?");
    query.bind(1, id);
    query.executeStep();
    RunInfo info = run_info_from_json(JsonReader(query.getColumn(0).getString(), place_of(id)));
    info.id = id;
    info.complete = query.getColumn(1).getInt() != 0;
    return info;
}

namespace {

/// The owner of a run that exists; pid 0 when it has none.
ProcessIdentity owner_of(SQLite::Database& database, std::int64_t id) {
    SQLite::Statement query(database, "SELECT owner_pid, owner_start FROM runs WHERE id = ?");
    query.bind(1, id);
    if (!query.executeStep() || query.getColumn(0).isNull()) return {};
    return {query.getColumn(0).getInt64(), query.getColumn(1).getString()};
}

}  // namespace

bool RunStore::Impl::has_live_owner(std::int64_t id) const {
    return is_alive(owner_of(database, id));
}

void RunStore::Impl::require_owned(std::int64_t id) const {
    require_run(id);
    if (owner_of(database, id) != this_process())
        throw job_failed(place_of(id), "it is complete or another process measures it");
}

std::int64_t RunStore::Impl::insert_run(const RunInfo& info, bool owned) {
    SQLite::Statement insert(
        database, "INSERT INTO runs(info, complete, owner_pid, owner_start) VALUES(?, ?, ?, ?)");
    insert.bind(1, stored_text(to_json(info)));
    insert.bind(2, info.complete ? 1 : 0);
    if (owned) {
        const ProcessIdentity owner = this_process();
        insert.bind(3, owner.pid);
        insert.bind(4, owner.start);
    }
    insert.exec();
    return database.getLastInsertRowid();
}

RunStore::RunStore(const std::string& path, StoreAccess access)
    : impl_(new Impl{path, open_store(path, access)}) {}
RunStore::~RunStore() = default;
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;

void RunStore::require_usable(const std::string& path) {
    require_store_usable(path);
}

std::string RunStore::default_path() {
    return data_directory(false) + "/runs.db";
}

std::int64_t RunStore::begin_run(const RunInfo& info) {
    RunInfo fresh = info;
    fresh.complete = false;
    return impl_->write([&] { return impl_->insert_run(fresh, true); });
}

RunInfo RunStore::resume_run(std::int64_t id) {
    return impl_->write([&] {
        RunInfo info = impl_->read_info(id);
        const auto refuse = [&](std::string_view found) {
            return bad_input(impl_->place_of(id), "an interrupted run", found);
        };
        if (info.complete) throw refuse("a complete one");
        const ProcessIdentity owner = owner_of(impl_->database, id);
        if (is_alive(owner)) throw refuse(fmt::format("one that process {} measures", owner.pid));
        const ProcessIdentity successor = this_process();
        SQLite::Statement take(impl_->database,
                               "UPDATE runs SET owner_pid = ?, owner_start = ? WHERE id = ?");
        take.bind(1, successor.pid);
        take.bind(2, successor.start);
        take.bind(3, id);
        take.exec();
        return info;
    });
}

std::optional<std::int64_t> RunStore::find_incomplete(const RunInfo& info) const {
    return impl_->read([&]() -> std::optional<std::int64_t> {
        SQLite::Statement query(impl_->database,
                                "SELECT id FROM runs WHERE complete = 0 ORDER BY id DESC");
        while (query.executeStep()) {
            const std::int64_t id = query.getColumn(0).getInt64();
            if (!impl_->has_live_owner(id) && may_continue(info, impl_->read_info(id))) return id;
        }
        return std::nullopt;
    });
}

bool RunStore::has_live_owner(std::int64_t id) const {
    return impl_->read([&] { return impl_->has_live_owner(id); });
}

void RunStore::add_visit(std::int64_t run, const Measurement& description, int visit,
                         const std::vector<Sample>& samples) {
    impl_->write([&] {
        impl_->require_owned(run);
        auto& database = impl_->database;
        const auto known = find_row(database, run, description.key);
        if (known) {
            SQLite::Statement query(
                database, "SELECT json_extract(description, '$.problem') FROM rows WHERE id = ?");
            query.bind(1, *known);
            query.executeStep();
            const std::string problem = query.getColumn(0).getString();
            if (problem != description.problem)
                throw bad_input(impl_->place_of(run) + ": " + name_of(description.key),
                                "the problem " + problem, description.problem);
        }
        const std::int64_t row = known ? *known : put_description(database, run, description);
        if (!samples.empty()) insert_visit(database, {run, row}, visit, samples);
    });
}

void RunStore::put_row(std::int64_t run, const Measurement& row) {
    impl_->write([&] {
        impl_->require_owned(run);
        put_description(impl_->database, run, row);
    });
}

void RunStore::put_step_samples(std::int64_t run, int visit, const std::vector<Sample>& samples) {
    impl_->write([&] {
        impl_->require_owned(run);
        if (!samples.empty()) insert_visit(impl_->database, {run, std::nullopt}, visit, samples);
    });
}

void RunStore::put_step(std::int64_t run, const StepTime& step) {
    impl_->write([&] {
        impl_->require_owned(run);
        SQLite::Statement put(impl_->database, "UPDATE runs SET step = ? WHERE id = ?");
        put.bind(1, stored_text(to_json(step)));
        put.bind(2, run);
        put.exec();
    });
}

void RunStore::finish_run(std::int64_t run) {
    impl_->write([&] {
        impl_->require_owned(run);
        SQLite::Statement finish(
            impl_->database,
            "UPDATE runs SET complete = 1, owner_pid = NULL, owner_start = NULL WHERE id = ?");
        finish.bind(1, run);
        finish.exec();
    });
}

std::vector<Sample> RunStore::samples(std::int64_t run, const RowKey& key) const {
    return impl_->read([&] {
        impl_->require_run(run);
        const auto row = find_row(impl_->database, run, key);
        return row ? read_samples(impl_->database, {run, row}) : std::vector<Sample>{};
    });
}

std::vector<Sample> RunStore::step_samples(std::int64_t run) const {
    return impl_->read([&] {
        impl_->require_run(run);
        return read_samples(impl_->database, {run, std::nullopt});
    });
}

std::vector<RunInfo> RunStore::list_runs() const {
    return impl_->read([&] {
        SQLite::Statement query(impl_->database, "SELECT id FROM runs ORDER BY id DESC");
        std::vector<RunInfo> runs;
        while (query.executeStep()) runs.push_back(impl_->read_info(query.getColumn(0).getInt64()));
        return runs;
    });
}

void RunStore::delete_run(std::int64_t id) {
    impl_->write([&] {
        impl_->require_run(id);
        if (impl_->has_live_owner(id))
            throw bad_input(impl_->place_of(id), "a run that is not being measured",
                            fmt::format("process {} at work", owner_of(impl_->database, id).pid));
        SQLite::Statement erase(impl_->database, "DELETE FROM runs WHERE id = ?");
        erase.bind(1, id);
        erase.exec();
    });
}

}  // namespace ridge
