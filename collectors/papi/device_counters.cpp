#include "collectors/papi/device_counters.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

namespace ridge::papi {
namespace {

constexpr const char* kernel_devices = "/sys/bus/event_source/devices";

bool read_number(std::string_view text, std::uint64_t& value) {
    const bool hex = text.substr(0, 2) == "0x";
    if (hex) text.remove_prefix(2);
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    return error == std::errc{} && rest == text.data() + text.size() && !text.empty();
}

/// Spreads `value` over the bits of a format such as "config:0-7,32-35": the lowest bits of the
/// value go to the first range.
bool place(const std::string& format, std::uint64_t value, DeviceConfig& config) {
    const auto colon = format.find(':');
    if (colon == std::string::npos) return false;
    const std::string word = format.substr(0, colon);
    std::uint64_t* target = word == "config"    ? &config.config
                            : word == "config1" ? &config.config1
                            : word == "config2" ? &config.config2
                                                : nullptr;
    if (target == nullptr) return false;
    std::stringstream ranges(format.substr(colon + 1));
    for (std::string range; std::getline(ranges, range, ',');) {
        std::uint64_t first = 0, last = 0;
        const auto dash = range.find('-');
        if (!read_number(range.substr(0, dash), first)) return false;
        last = first;
        if (dash != std::string::npos && !read_number(range.substr(dash + 1), last)) return false;
        if (last < first || last > 63) return false;
        for (std::uint64_t bit = first; bit <= last; ++bit, value >>= 1)
            *target |= (value & 1) << bit;
    }
    return value == 0;  // else the value needs more bits than the field has
}

class DeviceGroup : public EventGroup {
public:
    DeviceGroup() = default;
    ~DeviceGroup() override {
        for (const int fd : fds_) ::close(fd);
    }
    DeviceGroup(const DeviceGroup&) = delete;
    DeviceGroup& operator=(const DeviceGroup&) = delete;
    void add(int fd) { fds_.push_back(fd); }

    int start() override {
        for (const int fd : fds_)
            if (::ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0) return errno;
        return 0;
    }
    void stop() override {
        for (const int fd : fds_) ::ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    }
    std::vector<RawCount> read() override {
        std::vector<RawCount> counts;
        for (const int fd : fds_) {
            std::array<std::uint64_t, 3> words{};  // value, time enabled, time running
            if (::read(fd, words.data(), sizeof words) != sizeof words) return {};
            counts.push_back({static_cast<double>(words[0]), static_cast<double>(words[1]) * 1e-9,
                              static_cast<double>(words[2]) * 1e-9});
        }
        return counts;
    }

private:
    std::vector<int> fds_;
};

}  // namespace

bool resolve_device_event(const std::string& spelling, const std::string& devices,
                          DeviceConfig& config, std::string& why) {
    const auto slash = spelling.find('/');
    const std::string device = spelling.substr(0, slash);
    const std::string folder = devices + "/" + device;
    std::ifstream type_file(folder + "/type");
    if (!(type_file >> config.type)) {
        why = "no device " + device;
        return false;
    }
    std::stringstream fields(spelling.substr(slash + 1, spelling.size() - slash - 2));
    for (std::string field; std::getline(fields, field, ',');) {
        const auto equals = field.find('=');
        std::uint64_t value = 0;
        std::string format;
        if (equals != std::string::npos && read_number(field.substr(equals + 1), value)) {
            std::ifstream file(folder + "/format/" + field.substr(0, equals));
            std::getline(file, format);
        }
        if (!place(format, value, config)) {
            why = "device " + device + " has no field for " + field;
            return false;
        }
    }
    return true;
}

CounterBackend::Opened open_device_events(std::span<const std::string> events, int cpu) {
    auto group = std::make_unique<DeviceGroup>();
    for (const std::string& event : events) {
        DeviceConfig config;
        std::string why;
        if (!resolve_device_event(event, kernel_devices, config, why))
            return OpenFailure{ENOENT, event, why};
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = config.type;
        attributes.config = config.config;
        attributes.config1 = config.config1;
        attributes.config2 = config.config2;
        attributes.disabled = 1;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        const long fd =
            ::syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0) return OpenFailure{errno, event, {}};
        group->add(static_cast<int>(fd));
    }
    return group;
}

}  // namespace ridge::papi
