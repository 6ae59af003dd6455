// A machine with counters that the tests set: which events exist, what opening them gives, and what
// they count while a group runs.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ridge/counters.hpp"

namespace ridge::test {

class FakeMachine : public CounterBackend, public std::enable_shared_from_this<FakeMachine> {
public:
    std::set<std::string> known;         ///< events that can be opened
    std::map<std::string, int> refused;  ///< errno for others than ENOENT
    std::size_t counters = 64;           ///< of one group; more: EBUSY at the start
    double coverage = 0;                 ///< share of the time on a counter; 0: times are not told
    std::vector<int> threads{1};
    double clock_s = 0;
    int opened = 0;

    /// `n` events happen on a thread, or a processor's socket.
    void happen(int id, const std::string& event, double n);
    void pass_time(double seconds);

    [[nodiscard]] std::string name() const override { return "fake"; }
    [[nodiscard]] std::vector<std::string> events() const override {
        return {known.begin(), known.end()};
    }
    [[nodiscard]] Opened open(std::span<const std::string> events,
                              const CounterTarget& target) override;

    /// Options that take threads, clock and idle time from this machine.
    [[nodiscard]] CounterOptions options();

private:
    struct Running {
        std::vector<std::string> events;
        int id = 0;
        bool on = false;
        std::vector<double> counts;
        double enabled_s = 0;
    };
    class Group;
    std::vector<std::weak_ptr<Running>> groups_;
};

}  // namespace ridge::test
