#include "collectors/probe/schedule.hpp"

#include <algorithm>

namespace ridge::probe {
namespace {

void visit(Task& task, const Hooks& hooks) {
    const double begin = hooks.now_s();
    task.measure(task.visits++, task.samples);
    const double took = hooks.now_s() - begin;
    task.spent_s += took;
    task.longest_s = std::max(task.longest_s, took);
}

/// How long the next visit may take. Disturbed, it may take longer than any before, so half as much
/// again is allowed for; a task without a visit is taken for an average one.
double expected_s(const Task& task, std::span<Task* const> tasks) {
    double sum = 0;
    int visited = 0;
    for (const Task* other : tasks) {
        sum += other->longest_s;
        visited += other->visits > 0;
    }
    const double average = visited > 0 ? sum / visited : 0;
    return 1.5 * (task.visits > 0 ? task.longest_s : average);
}

double mean_spent(std::span<Task* const> tasks) {
    double sum = 0;
    for (const Task* task : tasks) sum += task->spent_s;
    return sum / static_cast<double>(tasks.size());
}

}  // namespace

bool Task::accepted() const {
    const auto cluster = top_cluster(samples);
    return cluster && cluster->accepted;
}

ScheduleEnd run_rounds(std::span<Task* const> tasks, const ScheduleRules& rules,
                       const Hooks& hooks) {
    const double begin = hooks.now_s();
    while (!tasks.empty()) {
        bool visited = false, all_accepted = true;
        const double fair_s = rules.fair_share * mean_spent(tasks);
        for (Task* const next : tasks) {
            Task& task = *next;
            const double now = hooks.now_s();
            const bool settling = now - begin < rules.settle_s;
            const bool accepted = !settling && task.accepted();
            if (!settling) all_accepted = all_accepted && accepted;
            if (accepted) continue;
            if (task.visits >= 2 && task.spent_s > fair_s && settling) continue;
            if (now + expected_s(task, tasks) >= rules.deadline_s) continue;
            if (hooks.interrupted()) return ScheduleEnd::interrupted;
            hooks.progress(now - begin, task.name);
            visit(task, hooks);
            visited = true;
        }
        const bool settled = hooks.now_s() - begin >= rules.settle_s;
        if (settled && all_accepted && !visited) return ScheduleEnd::settled;
        if (!visited) return ScheduleEnd::out_of_time;
    }
    return ScheduleEnd::settled;
}

}  // namespace ridge::probe
