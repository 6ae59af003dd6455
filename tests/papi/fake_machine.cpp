#include "tests/papi/fake_machine.hpp"

#include <cerrno>

namespace ridge::test {

class FakeMachine::Group : public EventGroup {
public:
    Group(std::shared_ptr<Running> state, FakeMachine& machine)
        : state_(std::move(state)), machine_(machine) {}
    int start() override {
        if (state_->events.size() > machine_.counters) return EBUSY;
        state_->on = true;
        return 0;
    }
    void stop() override { state_->on = false; }
    std::vector<RawCount> read() override {
        std::vector<RawCount> counts;
        for (const double count : state_->counts) {
            if (machine_.coverage > 0)
                counts.push_back({count * machine_.coverage, state_->enabled_s,
                                  state_->enabled_s * machine_.coverage});
            else
                counts.push_back({count, 0, 0});
        }
        return counts;
    }

private:
    std::shared_ptr<Running> state_;
    FakeMachine& machine_;
};

CounterBackend::Opened FakeMachine::open(std::span<const std::string> events,
                                         const CounterTarget& target) {
    for (const std::string& event : events) {
        if (const auto error = refused.find(event); error != refused.end())
            return OpenFailure{error->second, event, {}};
        if (!known.contains(event)) return OpenFailure{ENOENT, event, {}};
    }
    auto state = std::make_shared<Running>();
    state->events.assign(events.begin(), events.end());
    state->counts.resize(events.size());
    state->id = target.id;
    groups_.push_back(state);
    ++opened;
    return std::make_unique<Group>(std::move(state), *this);
}

void FakeMachine::happen(int id, const std::string& event, double n) {
    for (const auto& entry : groups_) {
        const auto group = entry.lock();
        if (!group || !group->on || group->id != id) continue;
        for (std::size_t i = 0; i < group->events.size(); ++i)
            if (group->events[i] == event) group->counts[i] += n;
    }
}

void FakeMachine::pass_time(double seconds) {
    clock_s += seconds;
    for (const auto& entry : groups_)
        if (const auto group = entry.lock(); group && group->on) group->enabled_s += seconds;
}

CounterOptions FakeMachine::options() {
    CounterOptions options;
    options.facts.devices.emplace("cpu", std::vector<int>{});
    options.thread_ids = [this] { return threads; };
    options.now = [this] { return clock_s; };
    options.idle = [this](double seconds) { pass_time(seconds); };
    return options;
}

}  // namespace ridge::test
