#include "collectors/probe/team.hpp"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <string>
#include <system_error>
#include <thread>

#include "ridge/error.hpp"

namespace ridge::probe {

namespace {

double raw_thread_cpu_s() {
    timespec t{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return -1;
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Some kernels and sandboxes count processor time in ticks of milliseconds: then it stands still
/// through most short stretches of work. It is trusted when it moves in each of several.
bool cpu_clock_is_fine() {
    constexpr double stretch_s = 50e-6;
    for (int i = 0; i < 10; ++i) {
        const double cpu = raw_thread_cpu_s();
        const double begin = now_s();
        while (now_s() - begin < stretch_s) {
        }
        const double used = raw_thread_cpu_s() - cpu;
        if (cpu < 0 || used < 0.1 * stretch_s || used > 10 * stretch_s) return false;
    }
    return true;
}

}  // namespace

double thread_cpu_s() {
    static const bool fine = cpu_clock_is_fine();
    return fine ? raw_thread_cpu_s() : -1;
}

std::optional<double> summed_rate(std::span<const Interval> threads, double work_per_thread) {
    double latest_begin = threads.front().begin_s, earliest_end = threads.front().end_s;
    double longest = 0, sum = 0;
    for (const Interval& thread : threads) {
        if (!undisturbed(thread)) return std::nullopt;
        latest_begin = std::max(latest_begin, thread.begin_s);
        earliest_end = std::min(earliest_end, thread.end_s);
        longest = std::max(longest, thread.length_s());
        sum += work_per_thread / thread.length_s();
    }
    if (earliest_end - latest_begin < 0.9 * longest) return std::nullopt;
    return sum;
}

std::optional<double> joint_rate(std::span<const Interval> threads, double work_per_thread) {
    double begin = threads.front().begin_s, end = threads.front().end_s;
    for (const Interval& thread : threads) {
        if (!undisturbed(thread)) return std::nullopt;
        begin = std::min(begin, thread.begin_s);
        end = std::max(end, thread.end_s);
    }
    return work_per_thread * static_cast<double>(threads.size()) / (end - begin);
}

namespace {

/// Spins, as windows must start within fractions of a microsecond, but yields when a thread that is
/// waited for does not get a core.
class Barrier {
public:
    void wait(int threads) {
        const unsigned turn = turn_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
            arrived_.store(0, std::memory_order_relaxed);
            turn_.store(turn + 1, std::memory_order_release);
            return;
        }
        for (int spins = 0; turn_.load(std::memory_order_acquire) == turn; ++spins) {
            if (spins < spins_before_yield)
                _mm_pause();
            else
                sched_yield();
        }
    }

private:
    static constexpr int spins_before_yield = 2000;
    std::atomic<int> arrived_{0};
    alignas(64) std::atomic<unsigned> turn_{0};
};

}  // namespace

void bind_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    const int failure = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    if (failure != 0)
        throw not_possible("binding a thread to CPU " + std::to_string(cpu),
                           std::strerror(failure));
}

struct Team::Impl {
    std::vector<int> cpus;
    cpu_set_t before{};
    std::vector<std::thread> workers;
    Barrier meeting;
    std::vector<Member> members;
    const std::function<void(Member&)>* work = nullptr;
    int threads = 0;
    bool leave = false;
    std::atomic<unsigned> order{0};  ///< incremented to start a run
    std::atomic<int> done{0};

    void serve(int index) {
        unsigned seen = 0;
        while (true) {
            order.wait(seen);
            seen = order.load(std::memory_order_acquire);
            if (leave) return;
            if (index >= threads) continue;
            (*work)(members[static_cast<std::size_t>(index)]);
            done.fetch_add(1, std::memory_order_release);
        }
    }

    void start_run() {
        order.fetch_add(1, std::memory_order_release);
        order.notify_all();
    }

    void stop() {
        leave = true;
        start_run();
        for (auto& worker : workers) worker.join();
        workers.clear();
        pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
    }
};

Team::Team(std::vector<int> cpus) : impl_(std::make_unique<Impl>()) {
    impl_->cpus = std::move(cpus);
    pthread_getaffinity_np(pthread_self(), sizeof(impl_->before), &impl_->before);
    std::atomic<int> bound{0}, refused{0};
    try {
        bind_to(impl_->cpus.front());
        for (int index = 1; index < size(); ++index)
            impl_->workers.emplace_back([this, index, &bound, &refused] {
                try {
                    bind_to(impl_->cpus[static_cast<std::size_t>(index)]);
                } catch (const Error&) {
                    refused.fetch_add(1);
                }
                bound.fetch_add(1);
                impl_->serve(index);
            });
        while (bound.load() < size() - 1) std::this_thread::yield();
    } catch (const std::system_error& error) {
        while (bound.load() < static_cast<int>(impl_->workers.size())) std::this_thread::yield();
        impl_->stop();
        throw not_possible("starting " + std::to_string(size()) + " threads", error.what());
    }
    if (refused.load() > 0) {
        impl_->stop();
        throw not_possible("binding threads to cores", std::to_string(refused.load()) + " of " +
                                                           std::to_string(size()) +
                                                           " were refused by the operating system");
    }
}

Team::~Team() {
    impl_->stop();
}

int Team::size() const {
    return static_cast<int>(impl_->cpus.size());
}
const std::vector<int>& Team::cpus() const {
    return impl_->cpus;
}

std::vector<std::vector<Interval>> Team::run(int threads,
                                             const std::function<void(Member&)>& work) {
    impl_->members.clear();
    for (int index = 0; index < threads; ++index)
        impl_->members.emplace_back(*impl_, index, threads);
    impl_->work = &work;
    impl_->threads = threads;
    impl_->done.store(0);
    if (threads > 1) impl_->start_run();
    work(impl_->members.front());
    while (impl_->done.load(std::memory_order_acquire) < threads - 1) _mm_pause();

    const std::size_t windows = impl_->members.front().intervals_.size();
    std::vector<std::vector<Interval>> result(windows);
    for (std::size_t w = 0; w < windows; ++w)
        for (const Member& member : impl_->members) result[w].push_back(member.intervals_[w]);
    return result;
}

void Team::Member::meet() {
    if (threads_ > 1) team_.meeting.wait(threads_);
}

Team::Unbound::Unbound(Team& team) : team_(team) {
    pthread_setaffinity_np(pthread_self(), sizeof(team_.impl_->before), &team_.impl_->before);
}

Team::Unbound::~Unbound() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(team_.impl_->cpus.front()), &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

}  // namespace ridge::probe
