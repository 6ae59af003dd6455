// Why an event could not be opened and what helps, in one line. Meaning of the errors:
// perf_event_open(2); of perf_event_paranoid: Linux, Documentation/admin-guide/perf-security.rst.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "ridge/counters.hpp"

namespace ridge {
namespace {

std::string no_permission(const SystemFacts& facts) {
    const std::string level = facts.paranoid
                                  ? fmt::format("kernel.perf_event_paranoid is {}", *facts.paranoid)
                                  : "kernel.perf_event_paranoid cannot be read";
    if (facts.container)
        return fmt::format(
            "no permission in this container ({}): start it with --cap-add "
            "CAP_PERFMON and a seccomp profile that allows perf_event_open",
            level);
    return fmt::format(
        "no permission ({}): run \"sysctl kernel.perf_event_paranoid=0\" as root, "
        "or give the program CAP_PERFMON",
        level);
}

std::string no_pmu(const SystemFacts& facts) {
    if (facts.hypervisor)
        return "no PMU in this virtual machine: its host must pass one through (for example KVM "
               "with -cpu host,pmu=on); ridge trace needs none";
    return "no PMU (virtual machine, container or WSL?): use a machine whose kernel lists one in "
           "/sys/bus/event_source/devices; ridge trace needs none";
}

std::string busy(const SystemFacts& facts) {
    if (facts.nmi_watchdog)
        return "counter in use: the NMI watchdog holds one of each core; run \"sysctl "
               "kernel.nmi_watchdog=0\" as root";
    return "counter in use by another program: end other profilers (perf, VTune, pcm, LIKWID)";
}

}  // namespace

std::string remedy(const OpenFailure& failure, const SystemFacts& facts, std::string_view backend) {
    switch (failure.error) {
        case EACCES:
        case EPERM:
            return no_permission(facts);
        case ENOENT:
            if (!facts.core_pmu() && failure.event.find('/') == std::string::npos &&
                failure.event.find(":::") == std::string::npos)
                return no_pmu(facts);
            return fmt::format("event {} is not known to this CPU, kernel or VM, or to {}{}",
                               failure.event, backend,
                               failure.detail.empty() ? "" : "; " + failure.detail);
        case ENODEV:
        case ENXIO:
        case EOPNOTSUPP:
            return no_pmu(facts);
        case EINVAL:
            return fmt::format("the kernel refuses the attributes of event {}", failure.event);
        case EMFILE:
            return "too many open files: raise the limit (ulimit -n)";
        case EBUSY:
            return busy(facts);
        default:
            return fmt::format("event {}: {}", failure.event, std::strerror(failure.error));
    }
}

}  // namespace ridge
