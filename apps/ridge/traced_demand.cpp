#include "apps/ridge/traced_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "apps/ridge/traced_batches.hpp"
#include "apps/ridge/traced_layer.hpp"
#include "collectors/onednn/onednn_step.hpp"
#include "model/predict/cpu/analytic_demand.hpp"
#include "model/predict/cpu/kernel_class.hpp"
#include "ridge/error.hpp"
#include "ridge/kept_caches.hpp"
#include "ridge/progress.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {
namespace {

/// Passes that touch more than this find nothing of the pass before in the private caches, so
/// that no run is needed to fill them.
constexpr double warm_up_below_caches = 6;

/// Hands a stream on and counts each thread's touches.
class PerThread final : public RunSink {
public:
    explicit PerThread(RunSink& next) : next_(next) {}
    void consume(std::span<const LineRun> chunk) override {
        for (const LineRun& run : chunk)
            touches_[run.thread] += static_cast<double>(run.count) * run.repeats;
        next_.consume(chunk);
    }
    /// Of the thread with most touches.
    [[nodiscard]] double busiest_share() const {
        double sum = 0, most = 0;
        for (const double n : touches_) sum += n, most = std::max(most, n);
        return sum > 0 ? most / sum : 1;
    }

private:
    RunSink& next_;
    std::array<double, 256> touches_{};
};

/// Only the caches of one core: what lies behind them depends on the whole machine.
HierarchySpec private_caches(const Machine& machine, int threads) {
    HierarchySpec spec = hierarchy_of(machine, threads);
    while (spec.levels.size() > 1 && spec.levels.back().shared_by > 1) {
        spec.memory_name = spec.levels.back().name;
        spec.levels.pop_back();
    }
    // A machine of one core shares nothing: the last of three levels still is what memory hides
    // behind.
    if (spec.levels.size() > 2) {
        spec.memory_name = spec.levels.back().name;
        spec.levels.pop_back();
    }
    return spec;
}

void add_counts(PassDemand& d, const KernelCounts& c) {
    using enum InstructionClass;
    if (c.of(dot, VectorWidth::tile) > 0)
        throw not_possible("--demand traced", "the model has no matrix registers (AMX)");
    for (std::size_t i = 0; i < d.fma.size(); ++i) {
        const auto width = static_cast<VectorWidth>(i);
        d.fma[i] = c.of(fp_fma, width) + c.of(dot, width);
        for (const InstructionClass kind :
             {fp_add_mul, fp_divide, fp_compare, integer, logic, shuffle, convert})
            if (width != VectorWidth::none) d.other_arithmetic[i] += c.of(kind, width);
    }
    constexpr ByWidth of_512{0, 1.0 / 4, 1.0 / 4, 1.0 / 2, 1};
    for (std::size_t i = 0; i < of_512.size(); ++i)
        d.divisions += of_512[i] * c.of(fp_divide, static_cast<VectorWidth>(i));
    d.executed = Flops(c.flops());
    d.loads = c.vector_loads;
    d.broadcasts = c.broadcast_loads.accesses + c.scalar_loads.accesses;
    d.stores = c.vector_stores;
    d.stores.accesses += c.scalar_stores.accesses;
    d.stores.bytes += c.scalar_stores.bytes;
    d.non_temporal = Bytes(c.non_temporal_stores.bytes);
    d.instructions = c.instructions;
    d.calls = c.calls;
    d.sse_transitions = c.sse_transitions;
    d.chained_share = c.hot_fmas > 0 ? c.hot_chain / c.hot_fmas : 0;
}

using Work = std::tuple<std::string, Pass, std::string, std::string, std::string>;

class Tracing {
public:
    Tracing(const Machine& machine, int threads)
        : spec_(private_caches(machine, threads)),
          sizes_(cpu::cache_sizes(machine)),
          threads_(threads) {}

    DemandRow row(Kernel& kernel) {
        const Measurement& m = kernel.description();
        DemandRow row;
        row.key = m.key;
        row.ordinal = m.ordinal;
        row.kind = m.kind;
        row.problem = m.problem;
        row.implementation = m.implementation;
        Layer layer = parse_layer(m.problem);
        layer.name.clear();
        const Work work{to_line(layer), m.key.pass, m.key.part, m.implementation, m.formats};
        const auto [entry, is_new] = done_.try_emplace(work);
        if (is_new) entry->second = demand(kernel, layer);
        row.demand = entry->second;
        return row;
    }

private:
    KernelTrace trace(Kernel& kernel, RunSink* sink) {
        TracerOptions options;
        options.threads = threads_;
        return tracer_.trace(kernel, sink, options);
    }

    PassDemand demand(Kernel& kernel, const Layer& layer) {
        const Measurement& m = kernel.description();
        const Pass pass = layer.kind == LayerKind::reorder ? Pass::forward : m.key.pass;
        PassDemand analytic = cpu::analytic_demand(layer, pass, sizes_, threads_);
        KeptCaches caches(spec_);
        if (analytic.footprint.value() < warm_up_below_caches * sizes_.l2_bytes * threads_) {
            if (!trace(kernel, &caches).unavailable.empty())
                return untraced(analytic, "compiled code");
            (void)caches.take();
        }
        PerThread sink(caches);
        const KernelTrace traced = trace(kernel, &sink);
        if (!traced.unavailable.empty()) return untraced(analytic, traced.unavailable);
        PassDemand d;
        d.source = Source::traced;
        d.useful = analytic.useful;
        d.footprint = analytic.footprint;
        d.library_calls = analytic.library_calls;
        d.distinct_read = analytic.distinct_read;
        d.distinct_written = analytic.distinct_written;
        d.threads = threads_;
        add_counts(d, traced.counts);
        for (const BoundaryBytes& level : caches.take())
            d.levels.push_back({level.level, Bytes(level.read), Bytes(level.written)});
        d.busiest_share = threads_ == 1 ? 1 : sink.busiest_share();
        return d;
    }

    /// Compiled code: what its dimensions tell.
    static PassDemand untraced(PassDemand analytic, const std::string& reason) {
        analytic.note = "not traced (" + reason + "), from the dimensions";
        return analytic;
    }

    HierarchySpec spec_;
    cpu::CacheSizes sizes_;
    int threads_;
    Tracer tracer_;
    std::map<Work, PassDemand> done_;
};

}  // namespace

TracedDemand::TracedDemand(const Machine& machine, bool quiet) : machine_(machine), quiet_(quiet) {
    const std::string reason = tracer_unavailable();
    if (!reason.empty()) throw not_possible("tracing", reason);
}

std::vector<DemandRow> TracedDemand::rows(const Network& network, int threads) {
    if (network.batch <= large_batch || network.name.empty()) return traced(network, threads);
    const auto small = traced(with_batch(network, small_batch), threads);
    const auto large = traced(with_batch(network, large_batch), threads);
    std::map<RowKey, const DemandRow*> at_small;
    for (const DemandRow& row : small) at_small[row.key] = &row;
    std::vector<DemandRow> rows;
    for (DemandRow row : large) {
        const auto found = at_small.find(row.key);
        if (!row.unavailable.empty() || found == at_small.end()) {
            rows.push_back(std::move(row));
            continue;
        }
        Layer layer = parse_layer(row.problem);
        const Pass pass = layer.kind == LayerKind::reorder ? Pass::forward : row.key.pass;
        // Copies of weights and updates do the same whatever the batch.
        const bool per_image =
            layer.dims.mb == large_batch &&
            found->second->demand.distinct_read.value() != row.demand.distinct_read.value();
        if (layer.dims.mb == large_batch) layer.dims.mb = network.batch;
        row.problem = to_line(layer);
        const cpu::CacheSizes sizes = cpu::cache_sizes(machine_);
        if (row.demand.source != Source::traced)
            row.demand = cpu::analytic_demand(layer, pass, sizes, threads);
        else if (cpu::family_of(layer.kind, pass) == cpu::Family::product)
            // Rows of the result are blocked: no line through two batches tells the third.
            row.demand = product(layer, pass, threads);
        else if (per_image)
            row.demand = extrapolate(found->second->demand, row.demand, network.batch);
        cpu::set_distinct_bytes(row.demand, layer, pass);
        rows.push_back(std::move(row));
    }
    return rows;
}

PassDemand TracedDemand::product(const Layer& layer, Pass pass, int threads) {
    for (const DemandRow& row : traced(single_layer_network(layer), threads))
        if (row.key.pass == pass && row.key.part.empty()) return row.demand;
    return cpu::analytic_demand(layer, pass, cpu::cache_sizes(machine_), threads);
}

const std::vector<DemandRow>& TracedDemand::traced(const Network& network, int threads) {
    std::string name = network.name + fmt::format(" {} {}", network.batch, threads);
    if (network.layers.size() <= 2) name += to_line(network.layers.front().layer);
    auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    announce_generated_code();
    StepOptions options;
    options.threads = threads;
    return known_
        .emplace(name, trace_step(build_onednn_step(network, options), machine_, threads, quiet_))
        .first->second;
}

std::vector<DemandRow> trace_step(const TrainingStep& step, const Machine& machine, int threads,
                                  bool quiet) {
    Tracing tracing(machine, threads);
    Progress progress("tracing", static_cast<double>(step.kernels.size()), quiet);
    std::vector<DemandRow> rows;
    for (const auto& kernel : step.kernels) {
        progress.update(static_cast<double>(rows.size()), kernel->description().key.layer);
        rows.push_back(tracing.row(*kernel));
    }
    for (const auto& [key, reason] : step.unavailable) {
        DemandRow row;
        row.key = key;
        row.unavailable = reason;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace ridge::app
