// A layer built with the library's kernels and a tracer on them: what `trace` and `simulate` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/layer.hpp"
#include "ridge/trace.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {

class TracedLayer {
public:
    /// Throws Error not_possible where nothing can be traced, bad_input for a layer that cannot be
    /// built.
    TracedLayer(const Layer& layer, int threads);

    [[nodiscard]] const TrainingStep& step() const { return step_; }
    /// The layer's own row of a pass; throws Error bad_input when it has none.
    [[nodiscard]] Kernel& row(Pass pass) const;
    [[nodiscard]] KernelTrace trace(Kernel& kernel, RunSink* sink, int self_check_calls = 0);
    [[nodiscard]] int threads() const { return threads_; }

private:
    Layer layer_;
    int threads_;
    TrainingStep step_;
    std::unique_ptr<Tracer> tracer_;
};

/// Regions of a kernel's tensors.
[[nodiscard]] TraceInfo trace_info(const Kernel& kernel, int threads);

/// The stream of one row; each replay runs the kernel once more. Throws Error job_failed when the
/// row turns out not to be traceable.
class TracedSource : public RunSource {
public:
    TracedSource(std::shared_ptr<TracedLayer> layer, Pass pass);
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override;
    [[nodiscard]] const Measurement& description() const { return kernel_.description(); }
    /// Why there is no stream; empty when there is one.
    [[nodiscard]] std::string unavailable() const;

private:
    std::shared_ptr<TracedLayer> layer_;
    Kernel& kernel_;
    TraceInfo info_;
};

}  // namespace ridge::app
