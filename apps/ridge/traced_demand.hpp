// Demand of every row of a step by the tracer and the memory simulator: the real kernels run once,
// nothing is timed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ridge/demand.hpp"
#include "ridge/kernel.hpp"
#include "ridge/machine.hpp"

namespace ridge::app {

/// Rows of a step that was built after announce_generated_code(). Throws Error not_possible where
/// nothing can be traced.
[[nodiscard]] std::vector<DemandRow> trace_step(const TrainingStep& step, const Machine& machine,
                                                int threads, bool quiet);

class TracedDemand : public DemandSource {
public:
    /// Throws Error not_possible where nothing can be traced.
    explicit TracedDemand(const Machine& machine, bool quiet = false);
    /// Batches above 4 follow from those of 2 and 4 (traced_batches.hpp), but for products.
    [[nodiscard]] std::vector<DemandRow> rows(const Network& network, int threads) override;
    [[nodiscard]] Source kind() const override { return Source::traced; }

private:
    /// Of a step that is built and traced at this batch; each once.
    const std::vector<DemandRow>& traced(const Network& network, int threads);
    PassDemand product(const Layer& layer, Pass pass, int threads);

    std::map<std::string, std::vector<DemandRow>> known_;
    Machine machine_;
    bool quiet_;
};

}  // namespace ridge::app
