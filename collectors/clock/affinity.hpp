// Which hardware threads this process may use, and binding OpenMP threads to them.
#pragma once

#include <sched.h>

#include <optional>
#include <string>
#include <vector>

namespace ridge::clock {

/// Operating system numbers of the hardware threads in this process's affinity mask, ascending.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Processor time that the control groups of this process allow, in processors (2.5 = 2.5 s of
/// processor time per second). Nothing when they set no limit. `root` replaces "/" in tests.
[[nodiscard]] std::optional<double> cpu_quota(const std::string& root = "/");

/// The largest number of threads that can run at once, each on a core of its own: the given number
/// of cores, less when the control groups allow less; at least 1.
[[nodiscard]] int usable_threads(int cores);

/// Binds the calling thread.
void bind_this_thread(int cpu);

/// While it lives, OpenMP's parallel regions have cpus.size() threads, and thread i runs on cpus[i]
/// alone; the calling thread is thread 0. Restores the calling thread's mask and OpenMP's number of
/// threads at its end.
class ThreadBinding {
public:
    /// Throws Error job_failed when the operating system refuses a processor or gives fewer
    /// threads.
    explicit ThreadBinding(const std::vector<int>& cpus);
    ~ThreadBinding();
    ThreadBinding(const ThreadBinding&) = delete;
    ThreadBinding& operator=(const ThreadBinding&) = delete;

private:
    cpu_set_t mask_before_;
    int threads_before_;
    int dynamic_before_;
};

}  // namespace ridge::clock
