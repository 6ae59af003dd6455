// The demand of a pass from its dimensions alone: no library, no execution, any machine. A twin of
// what the tracer counts, by the loop structure that blocked kernels of this kind have; where a
// library decides otherwise it is off, and `ridge validate` shows by how much.
#pragma once

#include "model/predict/cpu/capability.hpp"
#include "ridge/demand.hpp"

namespace ridge::cpu {

/// What of a processor decides the traffic between its private caches.
struct CacheSizes {
    double l1_bytes = 32768, l2_bytes = 1 << 20;
};
[[nodiscard]] CacheSizes cache_sizes(const Machine& machine);

/// Demand of one pass, evenly shared unless the pieces do not divide. Throws Error bad_input for a
/// pass that training does not run on this layer.
[[nodiscard]] PassDemand analytic_demand(const Layer& layer, Pass pass, const CacheSizes& caches,
                                         int threads);

/// The same for all rows of a step, with the copies of weights that backward_data needs.
class AnalyticSource : public DemandSource {
public:
    explicit AnalyticSource(const Machine& machine) : caches_(cache_sizes(machine)) {}
    [[nodiscard]] std::vector<DemandRow> rows(const Network& network, int threads) override;
    [[nodiscard]] Source kind() const override { return Source::algorithmic; }

private:
    CacheSizes caches_;
};

/// Share of the work of the busiest of `threads` when `pieces` equal pieces are dealt out in
/// contiguous ranges: ceil(pieces / threads) / pieces.
[[nodiscard]] double busiest_share(double pieces, int threads);

/// Useful FLOPs, footprint and distinct bytes of a pass: the same whoever counts the rest.
void set_distinct_bytes(PassDemand& demand, const Layer& layer, Pass pass);

// One per family of loops, in files of their own.
void add_convolution(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches);
void add_product(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches);
void add_streams(PassDemand& demand, const Layer& layer, Pass pass, const CacheSizes& caches);

}  // namespace ridge::cpu
