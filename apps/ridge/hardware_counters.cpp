#include "apps/ridge/hardware_counters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/papi/calibration.hpp"
#include "collectors/papi/known_work.hpp"
#include "collectors/papi/limits.hpp"
#include "collectors/probe/topology.hpp"
#include "ridge/counter_names.hpp"

namespace ridge::app {
namespace {

double last_level_bytes() {
    const probe::Topology topology = probe::read_topology();
    const auto levels = topology.cache_levels();
    double bytes = 0;
    for (const probe::Cache& cache : topology.caches)
        if (!levels.empty() && cache.level == levels.back()) bytes += cache.size.value();
    return bytes;
}

/// Rows before `row`, the step's end before its start, until they moved `bytes`: what the caches
/// hold when the row's turn comes.
void run_rows_before(const TrainingStep& step, std::size_t row, std::size_t bytes) {
    const std::size_t rows = step.kernels.size();
    std::size_t back = 0, moved = 0;
    while (back + 1 < rows && moved < bytes) {
        ++back;
        for (const KernelTensor& tensor : step.kernels[(row + rows - back) % rows]->tensors())
            moved += tensor.bytes;
    }
    for (; back > 0; --back) step.kernels[(row + rows - back) % rows]->execute();
}

/// Noise of what the rest of the machine moves meanwhile, in a count of bytes.
constexpr double least_share = 0.9;

/// A row that finds empty caches reads its inputs from memory, whatever the counter says.
void refuse_too_few_bytes(std::map<std::string, Reading>& counts, const Kernel& kernel) {
    double least = 0;
    for (const KernelTensor& tensor : kernel.tensors())
        if (tensor.read && !tensor.scratchpad) least += static_cast<double>(tensor.bytes);
    const auto read = counts.find(counter::read_bytes("DRAM"));
    if (read == counts.end() || !read->second.available()) return;
    if (std::string reason = papi::fewer_than_least(read->second.value(), least_share * least);
        !reason.empty())
        read->second = Reading::unavailable(std::move(reason));
}

}  // namespace

HardwareCounters open_hardware_counters() {
    HardwareCounters counters;
    counters.facts = read_system_facts();
    const auto processor = this_processor();
    counters.facts.hypervisor = processor && processor->hypervisor;
    auto backend = papi_backend();
    if (auto* reason = std::get_if<std::string>(&backend)) {
        counters.unavailable = *reason;
        return counters;
    }
    const auto papi = std::get<std::shared_ptr<CounterBackend>>(backend);
    counters.backend = papi->name();
    auto table = processor ? find_event_table(shipped_event_tables(), *processor) : std::nullopt;
    if (!table) {
        counters.unavailable =
            processor ? fmt::format(
                            "no event table for {} family {:#x} model {:#x}: describe it in "
                            "data/counters (docs/counters.md)",
                            processor->vendor, processor->family, processor->model)
                      : "/proc/cpuinfo does not name the processor";
        return counters;
    }
    counters.table = table->name;
    CounterOptions options;
    options.facts = counters.facts;
    options.vector_bits = scalable_vector_bits();
    counters.session = std::make_unique<CounterSession>(std::move(*table), papi, options);
    counters.unavailable = counters.session->unavailable();
    return counters;
}

void calibrate(HardwareCounters& counters) {
    if (!counters.session || !counters.unavailable.empty()) return;
    const probe::CpuFeatures cpu = probe::this_cpu();
    std::vector<KnownWork> work = papi::known_flops(cpu);
    for (KnownWork& stream : papi::known_streams(cpu, papi::least_stream_bytes(last_level_bytes())))
        work.push_back(std::move(stream));
    counters.session->calibrate(work);
    counters.unavailable = counters.session->unavailable();
}

std::map<std::string, Reading> count_row(CounterSession& session, const TrainingStep& step,
                                         std::size_t row, CacheState state,
                                         std::size_t flush_bytes) {
    Kernel& kernel = *step.kernels[row];
    std::vector<char> other(state == CacheState::cold ? flush_bytes : 0);
    const auto prepare = [&] {
        switch (state) {
            case CacheState::warm:
                kernel.execute();
                break;
            case CacheState::cold:
                for (std::size_t i = 0; i < other.size(); i += 64)
                    static_cast<volatile char&>(other[i]) = 1;
                break;
            case CacheState::in_step:
                run_rows_before(step, row, flush_bytes);
                break;
        }
    };
    auto counts = session.count([&] { kernel.execute(); }, prepare);
    if (state == CacheState::cold) refuse_too_few_bytes(counts, kernel);
    return counts;
}

}  // namespace ridge::app
