#include "apps/ridge/traced_layer.hpp"

#include <fmt/format.h>

#include "collectors/onednn/onednn_step.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"

namespace ridge::app {

TracedLayer::TracedLayer(const Layer& layer, int threads) : layer_(layer), threads_(threads) {
    const std::string reason = tracer_unavailable();
    if (!reason.empty()) throw not_possible("tracing", reason);
    if (layer_.name.empty()) layer_.name = to_string(layer_.kind);
    announce_generated_code();
    StepOptions options;
    options.threads = threads;
    step_ = build_onednn_step(single_layer_network(layer_), options);
    tracer_ = std::make_unique<Tracer>();
}

Kernel& TracedLayer::row(Pass pass) const {
    for (const auto& kernel : step_.kernels)
        if (kernel->description().key.pass == pass && kernel->description().key.part.empty())
            return *kernel;
    for (const auto& [key, reason] : step_.unavailable)
        if (key.pass == pass) throw not_possible(std::string(to_string(pass)), reason);
    throw bad_input("--pass", "a pass that training runs for this layer",
                    fmt::format("\"{}\"", to_string(pass)));
}

KernelTrace TracedLayer::trace(Kernel& kernel, RunSink* sink, int self_check_calls) {
    TracerOptions options;
    options.threads = threads_;
    options.self_check_calls = self_check_calls;
    return tracer_->trace(kernel, sink, options);
}

TraceInfo trace_info(const Kernel& kernel, int threads) {
    TraceInfo info;
    info.threads = threads;
    const Measurement& row = kernel.description();
    info.origin =
        fmt::format("tracer {} {} {}", row.problem, to_string(row.key.pass), row.implementation);
    for (const KernelTensor& tensor : kernel.tensors())
        info.regions.push_back({tensor.role, tensor.address, tensor.bytes});
    return info;
}

TracedSource::TracedSource(std::shared_ptr<TracedLayer> layer, Pass pass)
    : layer_(std::move(layer)),
      kernel_(layer_->row(pass)),
      info_(trace_info(kernel_, layer_->threads())) {}

void TracedSource::replay(RunSink& sink) {
    const KernelTrace trace = layer_->trace(kernel_, &sink);
    if (!trace.unavailable.empty()) throw job_failed("tracing", trace.unavailable);
}

std::string TracedSource::unavailable() const {
    return layer_->trace(kernel_, nullptr).unavailable;
}

}  // namespace ridge::app
