// Counters of memory controllers, which belong to a socket and to no thread, through
// perf_event_open(2). The kernel describes each device in sysfs, so this works for controllers
// that an older PAPI has no names for (libpfm 4.13, in Debian 12, ends with Cascade Lake).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ridge/counters.hpp"

namespace ridge::papi {

/// perf_event_attr's words of an event.
struct DeviceConfig {
    std::uint32_t type = 0;
    std::uint64_t config = 0, config1 = 0, config2 = 0;
};

/// Resolves "uncore_imc_0/event=0x04,umask=0x03/" with the type and the formats that
/// `devices`/uncore_imc_0 describes. Returns false and leaves `why` for a device, field or value
/// that it does not have.
[[nodiscard]] bool resolve_device_event(const std::string& spelling, const std::string& devices,
                                        DeviceConfig& config, std::string& why);

/// Opens events spelled like that on one processor; all of one device.
[[nodiscard]] CounterBackend::Opened open_device_events(std::span<const std::string> events,
                                                        int cpu);

}  // namespace ridge::papi
