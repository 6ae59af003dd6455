#include "core/store_owner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>

namespace ridge {
namespace {

struct ProcessStat {
    char state = '?';
    std::string start_ticks;
};

/// Fields 3 (state) and 22 (starttime) of /proc/PID/stat; see proc(5). The name in field 2 may hold
/// blanks and parentheses, so count from the last ')'.
std::optional<ProcessStat> read_stat(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(name_end + 1));
    ProcessStat stat;
    fields >> stat.state;
    for (int field = 4; field <= 22; ++field) fields >> stat.start_ticks;
    return fields ? std::optional(stat) : std::nullopt;
}

/// What makes a process id meaningful: this boot and this namespace of process ids.
std::string scope_of_ids() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    std::getline(file, boot);
    char name[64] = {};
    if (readlink("/proc/self/ns/pid", name, sizeof name - 1) < 0) name[0] = '\0';
    return fmt::format("{} {}", boot, name);
}

std::string start_of(const ProcessStat& stat) {
    return fmt::format("{} {}", scope_of_ids(), stat.start_ticks);
}

}  // namespace

ProcessIdentity this_process() {
    const auto stat = read_stat(getpid());
    return {getpid(), stat ? start_of(*stat) : scope_of_ids()};
}

bool is_alive(const ProcessIdentity& process) {
    if (process.pid <= 0 || !process.start.starts_with(scope_of_ids())) return false;
    if (const auto stat = read_stat(process.pid))
        return stat->state != 'Z' && stat->state != 'X' && start_of(*stat) == process.start;
    // /proc may hide the processes of others (hidepid): then a living id has to do.
    return kill(static_cast<pid_t>(process.pid), 0) == 0 || errno == EPERM;
}

}  // namespace ridge
