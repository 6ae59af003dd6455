// convnet-benchmarks (soumith/convnet-benchmarks): per-layer logs of `caffe time` on a TITAN X
// (Maxwell) and a Core i7-5930K. A backward time is that of both gradients.

#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"
#include "validate/datasets/layer_shapes.hpp"

namespace ridge::validate {
namespace {

enum Column { framework, net, layer, type, src, dst, kernel, stride, pad, group, fwd_ms, bwd_ms };

std::string fill(const CsvRows& rows, gpu::Work& work) {
    const auto from = shape_of(rows.text(src), ' '), to = shape_of(rows.text(dst), ' ');
    const std::string& what = rows.text(type);
    if (what == "Convolution" || what == "Pooling") {
        const Window window{rows.whole(kernel).value_or(0), rows.whole(stride).value_or(1),
                            rows.whole(pad).value_or(0)};
        const auto dims = window_dims(from, to, window, rows.whole(group).value_or(1));
        if (!dims || window.kernel < 1) return "a layer without its shape";
        work.kind = what == "Pooling" ? gpu::WorkKind::pooling : gpu::WorkKind::convolution;
        work.dims = *dims;
        return "";
    }
    if (from.size() < 2 || to.empty()) return "a layer without its shape";
    if (what == "InnerProduct") return fill_inner_product(work, from, to), "";
    if (what == "ReLU") return fill_relu(work, from), "";
    return "layer of a kind without a model: " + what;
}

std::string op_of(const std::string& type) {
    return type == "Convolution"    ? "convolution"
           : type == "Pooling"      ? "pooling"
           : type == "InnerProduct" ? "linear"
                                    : "elementwise";
}

void read_file(const std::string& path, const std::string& machine, ReadReport& report,
               const RowSink& sink) {
    CsvRows rows(path, {"framework", "net", "layer", "type", "in_shape_NCHW", "out_shape_NCHW",
                        "kernel", "stride", "pad", "group", "fwd_ms", "bwd_ms"});
    const bool gpu = machine == "titan_x_maxwell";
    while (rows.next()) {
        for (const auto pass : {Pass::forward, Pass::backward}) {
            ++report.rows;
            KernelRow row;
            row.set = "convnet-benchmarks";
            row.part = rows.text(framework);
            row.device = gpu ? "TITAN X (Maxwell)" : "Core i7-5930K";
            row.machine = machine;
            row.op = op_of(rows.text(type));
            row.layer = rows.text(net) + "/" + rows.text(layer);
            row.line = rows.line();
            row.work.pass = pass;
            // cuDNN R4 by its heuristic; native im2col has no cuDNN at all.
            row.work.stack = {7.5, row.part.find("cudnnR4") != std::string::npos ? 4.0 : 0.0,
                              false};
            const auto ms = rows.number(pass == Pass::forward ? fwd_ms : bwd_ms);
            std::string reason = fill(rows, row.work);
            if (reason.empty() && (!ms || *ms <= 0)) reason = "no positive time";
            if (!reason.empty()) {
                ++report.skipped[reason];
                continue;
            }
            row.time_s = *ms * 1e-3;
            sink(std::move(row));
        }
    }
}

}  // namespace

ReadReport read_convnet_benchmarks(const std::string& folder, const RowSink& sink) {
    ReadReport report;
    read_file(folder + "/titanx_caffe_layerwise.csv", "titan_x_maxwell", report, sink);
    read_file(folder + "/cpu_i7-5930K_caffe_layerwise.csv", "core-i7-5930k", report, sink);
    return report;
}

}  // namespace ridge::validate
