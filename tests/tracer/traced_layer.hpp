// A layer alone, built and traced: what the tests of the tracer share.
#pragma once

#include <string>
#include <vector>

#include "ridge/kernel.hpp"
#include "ridge/layer.hpp"
#include "ridge/tracer.hpp"

namespace ridge::test {

/// Whether the library picks its AVX-512 kernels here; what they execute is known from a study.
bool wide_vectors();

/// A layer's step with a tracer on it.
struct TracedStep {
    Layer layer;
    TrainingStep step;
    std::unique_ptr<Tracer> tracer;
    int threads = 1;

    /// The layer's own row of a pass; null when the layer has none.
    [[nodiscard]] Kernel* row(Pass pass) const;
};
TracedStep traced_step(const std::string& line, DataType dtype = DataType::f32, int threads = 1);

/// The stream of one row, traced anew for each replay. The row must be traceable.
class RowSource : public RunSource {
public:
    RowSource(TracedStep& traced, Kernel& kernel, TracerOptions options = {})
        : traced_(traced), kernel_(kernel), options_(options) {}
    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    void replay(RunSink& sink) override;

private:
    TracedStep& traced_;
    Kernel& kernel_;
    TracerOptions options_;
    TraceInfo info_;
};

/// Bytes of all tensors that the kernel writes, as they lie in memory.
std::vector<unsigned char> outputs(const Kernel& kernel);

/// Demand and other touches of a stream, by line.
class LineRecorder : public RunSink {
public:
    void consume(std::span<const LineRun> chunk) override;
    double accesses = 0;
    double touches[touch_kinds] = {};
    std::vector<std::uint64_t> read, written;  ///< lines, sorted and distinct after finish()
    void finish();
};

}  // namespace ridge::test
