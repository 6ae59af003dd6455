// The kernel's own events (page faults) of one thread, straight from perf_event_open(2): they exist
// on machines without a PMU, where PAPI attaches to no thread.
#pragma once

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "ridge/counters.hpp"

namespace ridge::test {

class KernelEvents : public CounterBackend {
public:
    [[nodiscard]] std::string name() const override { return "perf_event_open"; }
    [[nodiscard]] Opened open(std::span<const std::string> events,
                              const CounterTarget& target) override {
        if (events.size() != 1 || events.front() != "perf::PAGE-FAULTS")
            return OpenFailure{ENOENT, events.front(), {}};
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = PERF_TYPE_SOFTWARE;
        attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
        attributes.disabled = 1;
        attributes.exclude_kernel = 1;
        const long fd = ::syscall(SYS_perf_event_open, &attributes, target.id, -1, -1, 0UL);
        if (fd < 0) return OpenFailure{errno, events.front(), {}};
        return std::make_unique<Group>(static_cast<int>(fd));
    }

private:
    class Group : public EventGroup {
    public:
        explicit Group(int fd) : fd_(fd) {}
        ~Group() override { ::close(fd_); }
        Group(const Group&) = delete;
        Group& operator=(const Group&) = delete;
        int start() override { return ::ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : errno; }
        void stop() override { ::ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0); }
        std::vector<RawCount> read() override {
            std::uint64_t value = 0;
            if (::read(fd_, &value, sizeof value) != sizeof value) return {};
            return {{static_cast<double>(value), 0, 0}};
        }

    private:
        int fd_;
    };
};

}  // namespace ridge::test
