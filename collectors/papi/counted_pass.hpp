// One pass on this machine: the groups it opened for every thread or socket, and their counts
// around one execution.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collectors/papi/pass_plan.hpp"

namespace ridge::papi {

/// Sums over the targets, one for each event of the pass.
struct PassCounts {
    std::vector<double> values;
    double elapsed_s = 0;
    int targets = 0;          ///< threads, for counters of threads
    std::string unavailable;  ///< why none of them counts
};

class CountedPass {
public:
    CountedPass(Pass pass, CounterBackend& backend, const CounterOptions& options,
                int counter_bits);
    [[nodiscard]] const Pass& pass() const { return pass_; }

    /// Counts what happens while `work` runs, after `prepare`. Threads that appear meanwhile have
    /// not been counted: then everything is done once more.
    [[nodiscard]] PassCounts run(const std::function<void()>& work,
                                 const std::function<void()>& prepare = {});

private:
    /// Events of one pool, for one target.
    struct Group {
        std::vector<std::size_t> events;  ///< positions in the pass
        CounterTarget target;
        std::unique_ptr<EventGroup> counters;
        std::vector<RawCount> before, after;
    };
    [[nodiscard]] std::vector<std::pair<std::string, CounterTarget>> wanted() const;
    [[nodiscard]] std::string open_missing();
    [[nodiscard]] std::string open(const std::string& pool, const CounterTarget& target);
    [[nodiscard]] std::string start();
    void stop();
    void add_up(PassCounts& counts) const;
    [[nodiscard]] PassCounts run_once(const std::function<void()>& work);

    Pass pass_;
    CounterBackend& backend_;
    const CounterOptions& options_;
    int counter_bits_;
    std::map<std::pair<std::string, int>, Group> groups_;
};

}  // namespace ridge::papi
