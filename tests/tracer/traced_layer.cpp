#include "tests/tracer/traced_layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collectors/onednn/onednn_step.hpp"
#include "ridge/network.hpp"

namespace ridge::test {

bool wide_vectors() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

Kernel* TracedStep::row(Pass pass) const {
    for (const auto& kernel : step.kernels)
        if (kernel->description().key.pass == pass && kernel->description().key.part.empty())
            return kernel.get();
    return nullptr;
}

TracedStep traced_step(const std::string& line, DataType dtype, int threads) {
    announce_generated_code();
    TracedStep traced;
    traced.layer = parse_layer(line);
    traced.layer.name = "layer";
    traced.layer.dtype = dtype;
    traced.threads = threads;
    StepOptions options;
    options.threads = threads;
    traced.step = build_onednn_step(single_layer_network(traced.layer), options);
    traced.tracer = std::make_unique<Tracer>();
    return traced;
}

void RowSource::replay(RunSink& sink) {
    REQUIRE(traced_.tracer->trace(kernel_, &sink, options_).unavailable == "");
}

std::vector<unsigned char> outputs(const Kernel& kernel) {
    std::vector<unsigned char> bytes;
    for (const KernelTensor& tensor : kernel.tensors()) {
        if (!tensor.written || tensor.scratchpad) continue;
        const auto* data = reinterpret_cast<const unsigned char*>(tensor.address);
        bytes.insert(bytes.end(), data, data + tensor.bytes);
    }
    return bytes;
}

void LineRecorder::consume(std::span<const LineRun> chunk) {
    for (const LineRun& run : chunk) {
        accesses += static_cast<double>(run.count) * run.repeats;
        touches[static_cast<std::size_t>(run.kind)] += static_cast<double>(run.count) * run.repeats;
        if (run.kind == TouchKind::prefetch) continue;
        for (std::uint32_t i = 0; i < run.count; ++i) {
            const std::uint64_t first =
                run.line + static_cast<std::uint64_t>(std::int64_t{run.stride} * i);
            const std::uint64_t last = first + (run.offset + run.bytes - 1U) / 64;
            for (std::uint64_t line = first; line <= last; ++line) {
                if (run.kind == TouchKind::load || run.kind == TouchKind::modify)
                    read.push_back(line);
                if (run.kind != TouchKind::load) written.push_back(line);
            }
        }
    }
}

void LineRecorder::finish() {
    for (auto* lines : {&read, &written}) {
        std::sort(lines->begin(), lines->end());
        lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    }
}

}  // namespace ridge::test
