#include "collectors/onednn/onednn_step.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <set>

#include "collectors/onednn/builder.hpp"
#include "collectors/onednn/kinds/operator.hpp"
#include "collectors/step/available_memory.hpp"
#include "collectors/step/float_environment.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

using namespace onednn;

/// Without the cache every primitive of the step is made anew: equal layers would otherwise get
/// their creation time from the first of them.
class PrimitiveCacheOff {
public:
    PrimitiveCacheOff() : capacity_(dnnl::get_primitive_cache_capacity()) {
        dnnl::set_primitive_cache_capacity(0);
    }
    ~PrimitiveCacheOff() { dnnl_set_primitive_cache_capacity(capacity_); }
    PrimitiveCacheOff(const PrimitiveCacheOff&) = delete;
    PrimitiveCacheOff& operator=(const PrimitiveCacheOff&) = delete;

private:
    int capacity_;
};

std::string reason_of(const dnnl::error& error) {
    const bool unimplemented = error.status == dnnl_unimplemented;
    return fmt::format(
        "oneDNN {}: {}", library_version(),
        unimplemented ? "no kernel for this layer and data type on this CPU" : error.what());
}

/// The passes of a layer that come after forward and before update, in the network's order.
std::vector<Pass> backward_passes(const NetworkLayer& layer) {
    std::vector<Pass> passes;
    for (const Pass pass : layer.passes)
        if (pass != Pass::forward && pass != Pass::update) passes.push_back(pass);
    return passes;
}

bool has_pass(const NetworkLayer& layer, Pass wanted) {
    return std::ranges::find(layer.passes, wanted) != layer.passes.end();
}

/// The rows of a step from the operators of its layers.
class StepWriter {
public:
    StepWriter(Builder& builder, const Network& network) : builder_(builder) {
        for (const NetworkLayer& layer : network.layers)
            steps_.push_back({&layer, make_operator(builder, layer), true});
    }

    void write() {
        for (LayerStep& step : steps_) forward(step);
        for (LayerStep& step : std::views::reverse(steps_)) backward(step);
        for (LayerStep& step : steps_)
            if (step.available && has_pass(*step.layer, Pass::update)) step.op->update();
    }

private:
    struct LayerStep {
        const NetworkLayer* layer;
        std::unique_ptr<Operator> op;
        bool available;
    };

    void forward(LayerStep& step) {
        try {
            step.op->forward();
        } catch (const dnnl::error& error) {
            step.available = false;
            for (const Pass pass : step.layer->passes)
                builder_.unavailable(step.layer->layer, pass, reason_of(error));
            step.op->invent_value();
        }
    }

    void backward(LayerStep& step) {
        for (const Pass pass : backward_passes(*step.layer)) {
            const bool to_input = pass != Pass::backward_weights;
            if (!step.available) {
                if (to_input) step.op->invent_gradients();
                continue;
            }
            try {
                step.op->backward(pass);
            } catch (const dnnl::error& error) {
                builder_.unavailable(step.layer->layer, pass, reason_of(error));
                if (to_input) step.op->invent_gradients();
            }
        }
        step.op->propagate();
    }

    Builder& builder_;
    std::vector<LayerStep> steps_;
};

void check_types(const Network& network) {
    for (const NetworkLayer& layer : network.layers)
        if (layer.layer.dtype != DataType::f32 && layer.layer.dtype != DataType::bf16)
            throw bad_input("data type of a training step on the CPU", "f32 or bf16",
                            to_string(layer.layer.dtype));
}

}  // namespace

void announce_generated_code() {
    dnnl::set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERFMAP);
    static const bool once =
        std::atexit([] { std::remove(fmt::format("/tmp/perf-{}.map", getpid()).c_str()); }) == 0;
    (void)once;
}

TrainingStep build_onednn_step(const Network& network, const StepOptions& options) {
    check_types(network);
    // At once, before the library sees absurd sizes; finish() knows the need to the byte.
    step::require_memory(fmt::format("network {}, batch {}", network.name, network.batch),
                         training_footprint(network).total, step::available_memory());
    step::prepare_threads(options.threads);
    const PrimitiveCacheOff cache_off;
    try {
        Builder builder(network, options);
        StepWriter(builder, network).write();
        return builder.finish();
    } catch (const dnnl::error& error) {
        throw job_failed(fmt::format("building the step of network {}", network.name),
                         reason_of(error));
    }
}

}  // namespace ridge
