// TrioSim's sample trace (sarchlab/triosim): one training step of VGG-13 on an H100, PyTorch 2.1,
// batch 128. Convolutions run in TF32 (PyTorch's default), matrix products in f32.
#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"
#include "validate/datasets/layer_shapes.hpp"

namespace ridge::validate {
namespace {

enum Column { model, id, op, src, weight, dst, fwd_us, bwd_us };

std::string fill(const CsvRows& rows, KernelRow& row) {
    const auto from = shape_of(rows.text(src), 'x'), to = shape_of(rows.text(dst), 'x');
    const std::string& what = rows.text(op);
    if (from.size() < 2 || to.empty()) return "a layer without its shape";
    if (what == "linear") {
        row.op = "linear";
        return fill_inner_product(row.work, from, to), "";
    }
    if (what == "relu_") {
        row.op = "elementwise";
        return fill_relu(row.work, from), "";
    }
    const auto filter = shape_of(rows.text(weight), 'x');
    Window window{2, 2, 0};
    if (what == "conv2d" && filter.size() == 4) window = {filter[2], 1, filter[2] / 2};
    if (what != "conv2d" && what != "max_pool2d") return "layer of a kind without a model: " + what;
    const auto dims = window_dims(from, to, window);
    if (!dims || (what == "conv2d" && filter.size() != 4)) return "a layer without its shape";
    row.work.dims = *dims;
    row.work.kind = what == "conv2d" ? gpu::WorkKind::convolution : gpu::WorkKind::pooling;
    row.op = what == "conv2d" ? "convolution" : "pooling";
    if (what == "conv2d") {
        row.work.dtype = DataType::tf32;
        row.work.tensor_units = true;
    }
    return "";
}

}  // namespace

ReadReport read_triosim(const std::string& folder, const RowSink& sink) {
    CsvRows rows(
        folder + "/h100_bs128_vgg13_layers_joined.csv",
        {"model", "op_id", "op", "in_shape", "weight_shape", "out_shape", "fwd_us", "bwd_us"});
    ReadReport report;
    while (rows.next()) {
        for (const auto pass : {Pass::forward, Pass::backward}) {
            ++report.rows;
            KernelRow row;
            row.set = "triosim";
            row.part = rows.text(model);
            row.device = "H100";
            row.machine = "h100_sxm";
            row.layer = rows.text(id) + " " + rows.text(op);
            row.line = rows.line();
            row.work.pass = pass;
            row.work.stack = {12.1, 8.9, false};
            // The first layer of the network needs no gradient of its input.
            if (pass == Pass::backward && rows.text(id) == "1")
                row.work.pass = Pass::backward_weights;
            const auto us = rows.number(pass == Pass::forward ? fwd_us : bwd_us);
            std::string reason = fill(rows, row);
            if (reason.empty() && (!us || *us <= 0)) reason = "no positive time";
            if (!reason.empty()) {
                ++report.skipped[reason];
                continue;
            }
            row.time_s = *us * 1e-6;
            sink(std::move(row));
        }
    }
    return report;
}

}  // namespace ridge::validate
