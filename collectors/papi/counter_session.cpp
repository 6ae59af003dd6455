#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "collectors/papi/counted_pass.hpp"
#include "collectors/papi/limits.hpp"
#include "collectors/papi/row_state.hpp"
#include "collectors/step/flush_denormals.hpp"
#include "ridge/counter_names.hpp"
#include "ridge/counters.hpp"

namespace ridge {
namespace {

using papi::CountedPass;
using papi::PassCounts;
using papi::PlannedEvent;
using papi::RowState;

/// Threads of this process that exist now, also those that started before anybody counted.
std::vector<int> all_thread_ids() {
    std::vector<int> ids;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error))
        ids.push_back(std::atoi(entry.path().filename().c_str()));
    return ids;
}

double steady_seconds() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void sleep_seconds(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// What one quantity came to so far: its passes add up.
struct Sum {
    double value = 0;
    std::string refused;
};

/// Software-defined events are the tracer's totals.
Source source_of(const CounterRow& row) {
    return row.scope == CounterScope::process ? Source::traced : Source::measured;
}

/// More than this share of what was counted by others: the rest is a guess.
constexpr double most_background = 0.5;
/// Bounds of the idle time after a pass over memory controllers.
constexpr double least_idle_s = 1e-3, most_idle_s = 0.2;

}  // namespace

struct CounterSession::Impl {
    EventTable table;
    std::shared_ptr<CounterBackend> backend;
    CounterOptions options;
    std::vector<RowState> rows;
    std::vector<CountedPass> passes;
    std::vector<std::vector<double>> overheads;  ///< of each pass; empty: not measured yet
    std::vector<CounterAvailability> available;
    std::string unavailable;
    int threads = 0;
    std::map<std::string, double> base_counts;  ///< cycles and instructions of the last count

    void resolve();
    void describe();
    [[nodiscard]] const RowState* state_of(std::string_view name) const;
    [[nodiscard]] bool holds(const CountedPass& pass, const std::vector<bool>& wanted) const;
    void measure_overhead(std::size_t pass);
    [[nodiscard]] std::vector<Sum> count(const std::vector<bool>& wanted,
                                         const std::function<void()>& execution,
                                         const std::function<void()>& prepare);
    void subtract_background(CountedPass& pass, PassCounts& counts) const;
    void keep_base(const CountedPass& pass, const PassCounts& counts,
                   const std::vector<double>& overhead);
    [[nodiscard]] std::string impossible(const CountedPass& pass, const PassCounts& counts,
                                         int row) const;
    void add(const CountedPass& pass, const PassCounts& counts, const std::vector<double>& overhead,
             std::vector<Sum>& sums) const;
    void judge(const KnownWork& work);
};

void CounterSession::Impl::resolve() {
    std::vector<PlannedEvent> events;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        rows.push_back(papi::resolve_row(table, static_cast<int>(i), *backend, options));
        events.insert(events.end(), rows[i].events.begin(), rows[i].events.end());
    }
    for (papi::Pass& pass : papi::plan_passes(table, events, papi::resolve_base(table, *backend)))
        passes.emplace_back(std::move(pass), *backend, options, table.counter_bits);
    overheads.resize(passes.size());
}

const RowState* CounterSession::Impl::state_of(std::string_view name) const {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        if (table.rows[i].name == name) return &rows[i];
    return nullptr;
}

/// What available() tells, also after a calibration.
void CounterSession::Impl::describe() {
    available.clear();
    bool any = false;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const CounterRow& row = table.rows[i];
        CounterAvailability entry{row.name, papi::formula_of(row), row.source, rows[i].reason, {}};
        for (const std::string& part : papi::parts_of_sum(row.sum_of))
            if (const RowState* state = state_of(part); !state->reason.empty())
                entry.reason = part + ": " + state->reason;
        const auto add_note = [&](const std::string& note) {
            if (!note.empty()) entry.note += (entry.note.empty() ? "" : "; ") + note;
        };
        if (row.precision == "any") add_note("any precision");
        if (row.lower_bound) add_note("lower bound");
        add_note(row.note);
        add_note(rows[i].note);
        if (rows[i].factor != 1)
            add_note(fmt::format("corrected by {:g}: {}", rows[i].factor, rows[i].verdict.text));
        else if (rows[i].calibrated && rows[i].reason.empty())
            add_note(fmt::format("calibrated: {:.4f} of known work", rows[i].verdict.ratio));
        any = any || entry.reason.empty();
        available.push_back(std::move(entry));
    }
    unavailable.clear();
    if (any) return;
    unavailable = available.empty() ? "the table names nothing to count" : "";
    for (const auto& entry : available)
        if (unavailable.empty()) unavailable = entry.reason;
}

bool CounterSession::Impl::holds(const CountedPass& pass, const std::vector<bool>& wanted) const {
    return std::any_of(pass.pass().events.begin(), pass.pass().events.end(), [&](const auto& e) {
        return e.row >= 0 && wanted[static_cast<std::size_t>(e.row)];
    });
}

/// The least of three counts of no work. Of memory controllers it is the background instead, which
/// grows with time.
void CounterSession::Impl::measure_overhead(std::size_t pass) {
    if (!overheads[pass].empty()) return;
    overheads[pass].assign(passes[pass].pass().events.size(), 0);
    if (passes[pass].pass().scope == CounterScope::socket) return;
    for (int repetition = 0; repetition < 3; ++repetition) {
        const PassCounts counts = passes[pass].run([] {});
        if (!counts.unavailable.empty()) return;
        for (std::size_t i = 0; i < counts.values.size(); ++i)
            overheads[pass][i] =
                repetition == 0 ? counts.values[i] : std::min(overheads[pass][i], counts.values[i]);
    }
}

/// What the machine moves without this work, at the rate right after it.
void CounterSession::Impl::subtract_background(CountedPass& pass, PassCounts& counts) const {
    const double idle_s = std::clamp(counts.elapsed_s, least_idle_s, most_idle_s);
    const PassCounts idle = pass.run([&] { options.idle(idle_s); });
    if (!idle.unavailable.empty()) {
        counts.unavailable = idle.unavailable;
        return;
    }
    double total = 0, background = 0;
    for (std::size_t i = 0; i < counts.values.size(); ++i) {
        const double others = idle.values[i] * counts.elapsed_s / idle.elapsed_s;
        total += counts.values[i];
        background += others;
        counts.values[i] -= others;
    }
    if (background > most_background * total)
        counts.unavailable = fmt::format(
            "{:.0f} % of the traffic is other programs': measure on a quieter machine, or longer",
            100 * std::min(background / total, 1.0));
}

/// Why what one pass counted for a row cannot be; empty when it can.
std::string CounterSession::Impl::impossible(const CountedPass& pass, const PassCounts& counts,
                                             int row) const {
    double cycles = 0, instructions = 0, value = 0;
    bool base = false;
    for (std::size_t i = 0; i < counts.values.size(); ++i) {
        const PlannedEvent& event = pass.pass().events[i];
        base = base || event.row == papi::cycles_row;
        if (event.row == papi::cycles_row) cycles += counts.values[i];
        if (event.row == papi::instructions_row) instructions += counts.values[i];
        if (event.row == row) value += event.weight * counts.values[i];
    }
    const CounterRow& quantity = table.rows[static_cast<std::size_t>(row)];
    if (base && cycles == 0)
        return "not counted: the events were opened but never got a counter (0 cycles)";
    std::string reason;
    if (base) reason = papi::impossible_instructions(instructions, cycles, options.most_per_cycle);
    if (reason.empty() && base)
        reason = papi::impossible_rate(value, cycles, quantity.most_per_cycle);
    if (reason.empty()) reason = papi::impossible_count(value);
    if (reason.empty() && pass.pass().scope == CounterScope::socket)
        reason = papi::impossible_bytes(value, counts.elapsed_s, options.peak_bytes_per_s);
    return reason;
}

void CounterSession::Impl::add(const CountedPass& pass, const PassCounts& counts,
                               const std::vector<double>& overhead, std::vector<Sum>& sums) const {
    std::vector<double> value(sums.size()), hidden(sums.size());
    std::vector<bool> touched(sums.size());
    for (std::size_t i = 0; i < pass.pass().events.size(); ++i) {
        const PlannedEvent& event = pass.pass().events[i];
        if (event.row < 0) continue;
        const auto row = static_cast<std::size_t>(event.row);
        touched[row] = true;
        if (!counts.unavailable.empty()) continue;
        value[row] += event.weight * counts.values[i];
        hidden[row] += event.weight * overhead[i];
    }
    for (std::size_t row = 0; row < sums.size(); ++row) {
        if (!touched[row] || !sums[row].refused.empty()) continue;
        sums[row].refused = counts.unavailable.empty()
                                ? impossible(pass, counts, static_cast<int>(row))
                                : counts.unavailable;
        if (sums[row].refused.empty() && papi::hidden_by_overhead(value[row], hidden[row]))
            sums[row].refused =
                fmt::format("too short: {:.0f} counted, {:.0f} of them by counting itself",
                            value[row], hidden[row]);
        sums[row].value += value[row] - hidden[row];
    }
}

/// Cycles and instructions run beside every group of a thread: those of the first one that can be.
void CounterSession::Impl::keep_base(const CountedPass& pass, const PassCounts& counts,
                                     const std::vector<double>& overhead) {
    if (pass.pass().scope != CounterScope::thread || !counts.unavailable.empty()) return;
    std::map<std::string, double> found;
    for (std::size_t i = 0; i < counts.values.size(); ++i) {
        const int row = pass.pass().events[i].row;
        if (row == papi::cycles_row) found[counter::cycles] += counts.values[i] - overhead[i];
        if (row == papi::instructions_row)
            found[counter::instructions] += counts.values[i] - overhead[i];
    }
    if (found.size() == 2 &&
        papi::impossible_instructions(found[counter::instructions], found[counter::cycles],
                                      options.most_per_cycle)
            .empty())
        base_counts = std::move(found);
}

std::vector<Sum> CounterSession::Impl::count(const std::vector<bool>& wanted,
                                             const std::function<void()>& execution,
                                             const std::function<void()>& prepare) {
    std::vector<Sum> sums(table.rows.size());
    base_counts.clear();
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (!holds(passes[i], wanted)) continue;
        measure_overhead(i);
        const auto flushed = [&] {
            const step::FlushDenormals guard;  // Intel specifies its FLOP events with both set
            execution();
        };
        PassCounts counts = passes[i].run(flushed, prepare);
        if (passes[i].pass().scope == CounterScope::thread) threads = counts.targets;
        if (passes[i].pass().scope == CounterScope::socket && counts.unavailable.empty())
            subtract_background(passes[i], counts);
        add(passes[i], counts, overheads[i], sums);
        if (base_counts.empty()) keep_base(passes[i], counts, overheads[i]);
    }
    return sums;
}

void CounterSession::Impl::judge(const KnownWork& work) {
    std::vector<bool> wanted(table.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const CounterRow& row = table.rows[i];
        const bool flops =
            row.unit == "flop" && (row.precision == work.precision ||
                                   (row.precision == "any" && work.precision.rfind('f', 0) == 0));
        // A stream that is only read is all that a counter of both directions sees.
        const bool bytes = row.name == work.precision ||
                           (work.precision == "dram_read_bytes" && row.name == "dram_bytes");
        wanted[i] = !rows[i].events.empty() && (flops || bytes);
    }
    const std::vector<Sum> sums = count(wanted, work.run, {});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        if (!wanted[i]) continue;
        if (!sums[i].refused.empty()) {
            rows[i].reason = "calibration: " + sums[i].refused;
            continue;
        }
        const auto verdict = table.rows[i].unit == "flop" ? papi::judge_flops(sums[i].value, work)
                                                          : papi::judge_bytes(sums[i].value, work);
        rows[i].verdict = rows[i].calibrated ? papi::worse_of(rows[i].verdict, verdict) : verdict;
        rows[i].calibrated = true;
    }
}

CounterSession::CounterSession(EventTable table, std::shared_ptr<CounterBackend> backend,
                               CounterOptions options)
    : impl_(std::make_unique<Impl>()) {
    if (!options.thread_ids) options.thread_ids = all_thread_ids;
    if (!options.now) options.now = steady_seconds;
    if (!options.idle) options.idle = sleep_seconds;
    impl_->table = std::move(table);
    impl_->backend = std::move(backend);
    impl_->options = std::move(options);
    impl_->resolve();
    impl_->describe();
}

CounterSession::~CounterSession() = default;

void CounterSession::calibrate(std::span<const KnownWork> work) {
    for (const KnownWork& one : work) impl_->judge(one);
    for (RowState& row : impl_->rows) {
        if (!row.calibrated || row.verdict.fault == papi::CalibrationFault::none) continue;
        if (impl_->options.correct_known_factors && row.verdict.correction != 1)
            row.factor = row.verdict.correction;
        else
            row.reason = row.verdict.text +
                         (row.verdict.correction != 1
                              ? fmt::format("; x {:g} only on request", row.verdict.correction)
                              : "");
    }
    impl_->describe();
}

const std::vector<CounterAvailability>& CounterSession::available() const {
    return impl_->available;
}

const std::string& CounterSession::unavailable() const {
    return impl_->unavailable;
}

int CounterSession::threads_counted() const {
    return impl_->threads;
}

std::string CounterSession::resolve(std::string_view name) const {
    for (const CounterRow& row : impl_->table.rows)
        if (row.name == name ||
            std::find(row.stands_for.begin(), row.stands_for.end(), name) != row.stands_for.end())
            return row.name;
    return {};
}

std::map<std::string, Reading> CounterSession::count(const std::function<void()>& execution,
                                                     const std::function<void()>& prepare) {
    std::vector<bool> wanted;
    for (const RowState& row : impl_->rows)
        wanted.push_back(row.reason.empty() && !row.events.empty());
    const std::vector<Sum> sums = impl_->count(wanted, execution, prepare);
    std::map<std::string, Reading> counts;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const CounterRow& row = impl_->table.rows[i];
        if (!row.sum_of.empty()) continue;
        const std::string& reason =
            impl_->rows[i].reason.empty() ? sums[i].refused : impl_->rows[i].reason;
        counts.emplace(row.name, reason.empty() ? Reading(sums[i].value * impl_->rows[i].factor,
                                                          source_of(row))
                                                : Reading::unavailable(reason));
    }
    for (const auto& [name, value] : impl_->base_counts)
        counts.try_emplace(name, Reading(value, Source::measured));
    for (const CounterRow& row : impl_->table.rows) {
        if (row.sum_of.empty()) continue;
        double sum = 0;
        std::string missing;
        Source source = Source::measured;
        for (const std::string& part : papi::parts_of_sum(row.sum_of)) {
            const Reading& reading = counts.at(part);
            if (reading.available()) source = reading.source();
            if (!reading.available()) missing = part + ": " + reading.reason();
            sum += reading.value_or(0);
        }
        counts.emplace(row.name,
                       missing.empty() ? Reading(sum, source) : Reading::unavailable(missing));
    }
    return counts;
}

}  // namespace ridge
