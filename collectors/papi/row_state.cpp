#include "collectors/papi/row_state.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "collectors/papi/nearest_events.hpp"

namespace ridge::papi {
namespace {

/// The first spelling that opens and starts alone, or the failure of the first one: a back end may
/// list events that nobody can open.
std::variant<std::string, OpenFailure> usable(const std::vector<std::string>& names,
                                              const CounterTarget& target,
                                              CounterBackend& backend) {
    OpenFailure first;
    for (const std::string& name : names) {
        auto opened = backend.open(std::span(&name, 1), target);
        if (auto* group = std::get_if<std::unique_ptr<EventGroup>>(&opened)) {
            const int error = (*group)->start();
            if (error == 0) {
                (*group)->stop();
                return name;
            }
            if (first.error == 0) first = {error, name, {}};
        } else if (first.error == 0) {
            first = std::get<OpenFailure>(opened);
        }
    }
    if (first.error == ENOENT) {
        std::string near;
        for (const std::string& name : nearest_events(first.event, backend.events()))
            near += (near.empty() ? "nearest: " : ", ") + name;
        if (!near.empty()) first.detail = near;
    }
    return first;
}

/// Events of a core: on every PMU of the processor, or on those that have all of them.
RowState resolve_thread_row(const EventTable& table, int index, CounterBackend& backend,
                            const CounterOptions& options) {
    const CounterRow& row = table.rows[static_cast<std::size_t>(index)];
    RowState state;
    std::vector<std::string> counted, missing;
    for (const std::string& pmu : table.pmus) {
        std::vector<PlannedEvent> events;
        bool complete = true;
        for (const EventTerm& term : row.terms) {
            auto name = usable(spellings(term, pmu), {CounterScope::thread, ::gettid()}, backend);
            if (const auto* failure = std::get_if<OpenFailure>(&name)) {
                if (state.reason.empty())
                    state.reason = remedy(*failure, options.facts, backend.name());
                complete = false;
                break;
            }
            const double lanes = term.per_128_bits ? options.vector_bits / 128 : 1;
            events.push_back({index, std::get<std::string>(name), pmu, {}, term.weight * lanes});
        }
        (complete ? counted : missing).push_back(pmu);
        if (complete) state.events.insert(state.events.end(), events.begin(), events.end());
    }
    if (!counted.empty()) {
        if (!missing.empty())
            state.note = fmt::format("only the work of {} cores is counted: {}", counted.front(),
                                     state.reason);
        state.reason.clear();
    }
    return state;
}

/// Where the processors of a device that cannot be listed are not known, the first one reads it.
RowState resolve_socket_row(const EventTable& table, int index, CounterBackend& backend,
                            const CounterOptions& options) {
    const CounterRow& row = table.rows[static_cast<std::size_t>(index)];
    RowState state;
    for (const EventTerm& term : row.terms) {
        const auto devices = instances(options.facts, term.device);
        if (devices.empty()) {
            state.reason = fmt::format(
                "the kernel lists no memory controller {} in /sys/bus/event_source/devices{}",
                term.device,
                options.facts.hypervisor
                    ? ": virtual machines do not get them; ridge simulate needs none"
                    : "");
            break;
        }
        for (const std::string& device : devices) {
            auto cpus = options.facts.devices.at(device);
            if (cpus.empty()) cpus.push_back(0);
            const auto name = usable({fmt::format("{}/{}/", device, term.fields)},
                                     {CounterScope::socket, cpus.front()}, backend);
            if (const auto* failure = std::get_if<OpenFailure>(&name)) {
                state.reason = remedy(*failure, options.facts, backend.name());
                state.events.clear();
                return state;
            }
            state.events.push_back({index, std::get<std::string>(name), device, cpus, term.weight});
        }
    }
    if (!state.reason.empty()) state.events.clear();
    return state;
}

RowState resolve_process_row(const EventTable& table, int index, CounterBackend& backend,
                             const CounterOptions& options) {
    RowState state;
    for (const EventTerm& term : table.rows[static_cast<std::size_t>(index)].terms) {
        const auto name = usable({term.event}, {CounterScope::process, 0}, backend);
        if (const auto* failure = std::get_if<OpenFailure>(&name)) {
            state.reason = remedy(*failure, options.facts, backend.name());
            state.events.clear();
            return state;
        }
        state.events.push_back({index, term.event, "process", {}, term.weight});
    }
    return state;
}

}  // namespace

RowState resolve_row(const EventTable& table, int row, CounterBackend& backend,
                     const CounterOptions& options) {
    const CounterRow& given = table.rows[static_cast<std::size_t>(row)];
    if (!given.unavailable.empty() || given.terms.empty()) {
        RowState state;
        state.reason = given.unavailable;
        return state;
    }
    switch (given.scope) {
        case CounterScope::thread:
            return resolve_thread_row(table, row, backend, options);
        case CounterScope::socket:
            return resolve_socket_row(table, row, backend, options);
        case CounterScope::process:
            break;
    }
    return resolve_process_row(table, row, backend, options);
}

std::vector<PlannedEvent> resolve_base(const EventTable& table, CounterBackend& backend) {
    std::vector<PlannedEvent> base;
    if (!table.cycles || !table.instructions) return base;
    for (const std::string& pmu : table.pmus) {
        const CounterTarget target{CounterScope::thread, ::gettid()};
        const auto cycles = usable(spellings(*table.cycles, pmu), target, backend);
        const auto instructions = usable(spellings(*table.instructions, pmu), target, backend);
        if (std::holds_alternative<OpenFailure>(cycles) ||
            std::holds_alternative<OpenFailure>(instructions))
            continue;
        base.push_back({cycles_row, std::get<std::string>(cycles), pmu, {}, 1});
        base.push_back({instructions_row, std::get<std::string>(instructions), pmu, {}, 1});
    }
    return base;
}

std::vector<std::string> parts_of_sum(const std::string& sum) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start < sum.size()) {
        const std::size_t plus = std::min(sum.find(" + ", start), sum.size());
        parts.push_back(sum.substr(start, plus - start));
        start = plus + 3;
    }
    return parts;
}

std::string formula_of(const CounterRow& row) {
    std::string text = row.sum_of;
    for (const EventTerm& term : row.terms) {
        if (!text.empty()) text += " + ";
        if (term.weight != 1) text += fmt::format("{:g} x ", term.weight);
        text += term.device.empty() ? term.event : term.device + "/" + term.fields + "/";
        if (term.per_128_bits) text += " x vector bits / 128";
    }
    return text;
}

}  // namespace ridge::papi
