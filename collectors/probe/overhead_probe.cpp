#include "collectors/probe/overhead_probe.hpp"

#include <omp.h>

#include <algorithm>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "collectors/probe/names.hpp"
#include "collectors/probe/window_length.hpp"

namespace ridge::probe {
namespace {

constexpr double window_s = 250e-6;
constexpr int windows_per_visit = 3;
/// With more threads than free cores a region may take a time slice; a visit must end all the same.
constexpr std::int64_t regions_at_most = 2000;

void regions(int threads, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
#pragma omp parallel num_threads(threads)
        { asm volatile("" ::: "memory"); }
    }
}

void bind_openmp_threads(int threads, const std::vector<int>& cpus) {
#pragma omp parallel num_threads(threads)
    {
        const auto index = static_cast<std::size_t>(omp_get_thread_num());
        // Unbound, a thread may move between windows: they then disagree and none is accepted.
        try {
            bind_to(cpus[index]);
        } catch (...) {
        }
    }
}

void take_windows(std::int64_t count, int visit, std::vector<WindowSample>& samples,
                  const std::function<void(std::int64_t)>& work) {
    for (int i = 0; i < windows_per_visit; ++i) {
        const Interval window = timed([&] { work(count); });
        if (undisturbed(window))
            samples.push_back({static_cast<double>(count) / window.length_s(), visit, 0});
    }
}

/// A reorder between equal formats has the same interface in oneDNN 2 and 3.
struct TinyReorder {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::memory::desc desc{{16}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
    dnnl::memory source{desc, engine}, destination{desc, engine};
    dnnl::reorder reorder{source, destination};

    void execute(std::int64_t calls) {
        for (std::int64_t i = 0; i < calls; ++i) {
            reorder.execute(stream, source, destination);
            stream.wait();
        }
    }
};

}  // namespace

Task parallel_region_task(Team& team, int threads) {
    Task task;
    task.name = name_of_region(threads);
    task.measure = [&team, threads, count = std::int64_t{0}](
                       int visit, std::vector<WindowSample>& samples) mutable {
        const Team::Unbound unbound(team);
        bind_openmp_threads(threads, team.cpus());
        if (count == 0)
            count =
                std::min(regions_at_most,
                         repetitions_for(window_s, [&](std::int64_t n) { regions(threads, n); }));
        take_windows(count, visit, samples, [&](std::int64_t n) { regions(threads, n); });
        omp_pause_resource_all(omp_pause_soft);
    };
    return task;
}

Task empty_primitive_task() {
    Task task;
    task.name = "empty primitive";
    task.measure = [tiny = std::shared_ptr<TinyReorder>(), count = std::int64_t{0}](
                       int visit, std::vector<WindowSample>& samples) mutable {
        const int before = omp_get_max_threads();
        omp_set_num_threads(1);
        if (!tiny) tiny = std::make_shared<TinyReorder>();
        if (count == 0)
            count = repetitions_for(window_s, [&](std::int64_t n) { tiny->execute(n); });
        take_windows(count, visit, samples, [&](std::int64_t n) { tiny->execute(n); });
        omp_set_num_threads(before);
    };
    return task;
}

}  // namespace ridge::probe
