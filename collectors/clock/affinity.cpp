#include "collectors/clock/affinity.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>

#include "ridge/error.hpp"

namespace ridge::clock {
namespace {

bool bind(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::optional<std::string> first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!file || !std::getline(file, line)) return std::nullopt;
    return line;
}

/// "max 100000" or "250000 100000": quota and period in microseconds.
std::optional<double> quota_v2(const std::string& folder) {
    const auto line = first_line(folder + "/cpu.max");
    if (!line) return std::nullopt;
    std::istringstream words(*line);
    double quota = 0, period = 0;
    if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
    return quota / period;
}

std::optional<double> quota_v1(const std::string& folder) {
    const auto quota = first_line(folder + "/cpu.cfs_quota_us");
    const auto period = first_line(folder + "/cpu.cfs_period_us");
    if (!quota || !period) return std::nullopt;
    const double q = std::strtod(quota->c_str(), nullptr);
    const double p = std::strtod(period->c_str(), nullptr);
    if (q <= 0 || p <= 0) return std::nullopt;
    return q / p;
}

void keep_smaller(std::optional<double>& limit, std::optional<double> other) {
    if (other && (!limit || *other < *limit)) limit = other;
}

/// The group `path` and all that contain it: each may set a limit.
template <class Read>
std::optional<double> smallest_quota(const std::string& mount, std::string path, Read read) {
    std::optional<double> limit;
    for (;;) {
        keep_smaller(limit, read(mount + (path == "/" ? "" : path)));
        if (path.size() <= 1) return limit;
        const auto slash = path.rfind('/');
        path = slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
    }
}

/// Whether a comma-separated list of controllers holds "cpu".
bool holds_cpu(const std::string& controllers) {
    return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

std::vector<int> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cpus;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
    return cpus;
}

std::optional<double> cpu_quota(const std::string& root) {
    const std::string fs = root + "sys/fs/cgroup";
    std::ifstream groups(root + "proc/self/cgroup");  // "0::/a/b" (v2), "4:cpu,cpuacct:/a" (v1)
    std::optional<double> limit;
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            keep_smaller(limit, smallest_quota(fs, path, quota_v2));
        } else if (holds_cpu(controllers)) {
            keep_smaller(limit, smallest_quota(fs + "/cpu", path, quota_v1));
            keep_smaller(limit, smallest_quota(fs + "/" + controllers, path, quota_v1));
        }
    }
    return limit;
}

int usable_threads(int cores) {
    const auto quota = cpu_quota();
    if (!quota) return std::max(cores, 1);
    return std::clamp(static_cast<int>(std::floor(*quota + 1e-9)), 1, std::max(cores, 1));
}

void bind_this_thread(int cpu) {
    if (!bind(cpu)) throw job_failed("binding a thread", fmt::format("no processor {}", cpu));
}

ThreadBinding::ThreadBinding(const std::vector<int>& cpus)
    : threads_before_(omp_get_max_threads()), dynamic_before_(omp_get_dynamic()) {
    CPU_ZERO(&mask_before_);
    sched_getaffinity(0, sizeof mask_before_, &mask_before_);
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(cpus.size()));
    std::atomic<int> bound{0};
#pragma omp parallel
    if (bind(cpus[static_cast<std::size_t>(omp_get_thread_num())])) ++bound;
    if (bound != static_cast<int>(cpus.size()))
        throw job_failed("binding threads",
                         fmt::format("{} of {} threads on processors {}", bound.load(), cpus.size(),
                                     fmt::join(cpus, ", ")));
}

ThreadBinding::~ThreadBinding() {
    sched_setaffinity(0, sizeof mask_before_, &mask_before_);
    omp_set_num_threads(threads_before_);
    omp_set_dynamic(dynamic_before_);
}

}  // namespace ridge::clock
