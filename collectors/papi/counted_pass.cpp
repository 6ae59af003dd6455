#include "collectors/papi/counted_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "collectors/papi/limits.hpp"

namespace ridge::papi {

CountedPass::CountedPass(Pass pass, CounterBackend& backend, const CounterOptions& options,
                         int counter_bits)
    : pass_(std::move(pass)), backend_(backend), options_(options), counter_bits_(counter_bits) {}

/// Every pool with every target it has to be read on.
std::vector<std::pair<std::string, CounterTarget>> CountedPass::wanted() const {
    const std::vector<int> threads =
        pass_.scope == CounterScope::thread ? options_.thread_ids() : std::vector<int>{0};
    std::vector<std::pair<std::string, CounterTarget>> result;
    for (const PlannedEvent& event : pass_.events) {
        const auto& ids = pass_.scope == CounterScope::socket ? event.cpus : threads;
        for (const int id : ids) {
            const bool there = std::any_of(result.begin(), result.end(), [&](const auto& entry) {
                return entry.first == event.pool && entry.second.id == id;
            });
            if (!there) result.push_back({event.pool, {pass_.scope, id}});
        }
    }
    return result;
}

std::string CountedPass::open(const std::string& pool, const CounterTarget& target) {
    Group group;
    group.target = target;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pass_.events.size(); ++i) {
        if (pass_.events[i].pool != pool) continue;
        group.events.push_back(i);
        names.push_back(pass_.events[i].spelling);
    }
    auto opened = backend_.open(names, target);
    if (const auto* failure = std::get_if<OpenFailure>(&opened)) {
        // A thread that has ended meanwhile has nothing to count.
        if (failure->error == ESRCH && target.scope == CounterScope::thread) return {};
        return remedy(*failure, options_.facts, backend_.name());
    }
    group.counters = std::move(std::get<std::unique_ptr<EventGroup>>(opened));
    groups_.emplace(std::pair{pool, target.id}, std::move(group));
    return {};
}

std::string CountedPass::open_missing() {
    const auto all = wanted();
    std::erase_if(groups_, [&](const auto& entry) {
        return std::none_of(all.begin(), all.end(), [&](const auto& want) {
            return want.first == entry.first.first && want.second.id == entry.first.second;
        });
    });
    for (const auto& [pool, target] : all) {
        if (groups_.contains({pool, target.id})) continue;
        if (std::string reason = open(pool, target); !reason.empty()) return reason;
    }
    return groups_.empty() ? "no thread to count" : "";
}

std::string CountedPass::start() {
    std::vector<EventGroup*> started;
    for (auto& [key, group] : groups_) {
        const int error = group.counters->start();
        if (error == 0) {
            started.push_back(group.counters.get());
            continue;
        }
        for (EventGroup* running : started) running->stop();
        return remedy({error, pass_.events[group.events.front()].spelling, {}}, options_.facts,
                      backend_.name());
    }
    for (auto& [key, group] : groups_) group.before = group.counters->read();
    return {};
}

void CountedPass::stop() {
    for (auto& [key, group] : groups_) group.after = group.counters->read();
    for (auto& [key, group] : groups_) group.counters->stop();
}

void CountedPass::add_up(PassCounts& counts) const {
    counts.values.assign(pass_.events.size(), 0);
    for (const auto& [key, group] : groups_) {
        if (group.before.size() != group.events.size() ||
            group.after.size() != group.events.size()) {
            counts.unavailable = "the counters could not be read";
            return;
        }
        for (std::size_t i = 0; i < group.events.size(); ++i) {
            const RawCount& before = group.before[i];
            const RawCount& after = group.after[i];
            const double value = counter_difference(before.value, after.value, counter_bits_);
            if (std::string reason = impossible_count(value); !reason.empty()) {
                counts.unavailable = reason;
                return;
            }
            const ScaledCount scaled = scale_to_full_time(value, after.enabled_s - before.enabled_s,
                                                          after.running_s - before.running_s);
            std::string refused = scaled.refused;
            if (refused.empty() && scaled.coverage < whole_time)
                refused = multiplexed_too_short(counts.elapsed_s, multiplexing_period_s);
            if (!refused.empty() && counts.unavailable.empty()) counts.unavailable = refused;
            counts.values[group.events[i]] += scaled.value;
        }
    }
}

PassCounts CountedPass::run_once(const std::function<void()>& work) {
    PassCounts counts;
    counts.unavailable = open_missing();
    if (counts.unavailable.empty()) counts.unavailable = start();
    if (!counts.unavailable.empty()) return counts;
    const double begin = options_.now();
    try {
        work();
    } catch (...) {
        stop();
        throw;
    }
    counts.elapsed_s = options_.now() - begin;
    stop();
    std::set<int> targets;
    for (const auto& [key, group] : groups_) targets.insert(key.second);
    counts.targets = static_cast<int>(targets.size());
    add_up(counts);
    return counts;
}

PassCounts CountedPass::run(const std::function<void()>& work,
                            const std::function<void()>& prepare) {
    if (prepare) prepare();
    if (pass_.scope != CounterScope::thread) return run_once(work);
    std::vector<int> before = options_.thread_ids();
    for (int attempt = 0;; ++attempt) {
        PassCounts counts = run_once(work);
        if (!counts.unavailable.empty()) return counts;
        const std::vector<int> after = options_.thread_ids();
        const auto missed = std::count_if(after.begin(), after.end(), [&](int id) {
            return std::find(before.begin(), before.end(), id) == before.end();
        });
        if (missed == 0) return counts;
        if (attempt == 1) {
            counts.unavailable =
                fmt::format("{} threads appeared while {} were counted: their work is missing",
                            missed, before.size());
            return counts;
        }
        before = after;
        if (prepare) prepare();
    }
}

}  // namespace ridge::papi
