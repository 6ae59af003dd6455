// DeepBench (baidu-research/DeepBench, results/train): times of GEMMs, convolutions and recurrent
// cells in training. The mean of hundreds of back-to-back asynchronous launches: launch latency is
// hidden, and a time is a whole number of microseconds.
#include <array>

#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"

namespace ridge::validate {
namespace {

enum Column {
    device,
    precision,
    op,
    pass,
    app,
    m,
    n,
    k,
    ta,
    tb,
    width,
    height,
    ic,
    batch,
    oc,
    r,
    s,
    pad_h,
    pad_w,
    stride_h,
    stride_w,
    out_h,
    out_w,
    hidden,
    timesteps,
    time_ms,
    algo
};

struct Board {
    std::string_view name, machine;
    double cuda, cudnn;
};
/// Which machine ran a sheet, with the versions that the sheets and their scripts name.
constexpr std::array boards{
    Board{"IA_KNL7250", "xeon-phi-7250", 0, 0},
    Board{"NV_M40", "m40", 7.5, 5.0},
    Board{"NV_TitanX", "titan_x_maxwell", 7.5, 5.0},
    Board{"NV_TitanX_Pascal", "titan_x_pascal", 8.0, 5.0},
    Board{"NV_1080Ti", "gtx_1080_ti", 8.0, 6.0},
    Board{"NV_TitanXp", "titan_xp", 8.0, 6.0},
    Board{"NV_P100", "p100_pcie", 8.0, 6.0},
    Board{"NV_V100", "v100_sxm2", 10.1, 7.6},
    Board{"NV_T4", "t4", 10.1, 7.6},
    Board{"AMD_MI25", "mi25", 0, 0},
    Board{"AMD_VegaFE", "vega_fe", 0, 0},
};

const Board* board_of(std::string_view name) {
    for (const auto& board : boards)
        if (board.name == name) return &board;
    return nullptr;
}

/// Empty when the row is one we can predict, else why not.
std::string fill_gemm(const CsvRows& row, gpu::Work& work) {
    const auto rows = row.whole(m), cols = row.whole(n), depth = row.whole(k);
    if (!rows || !cols || !depth || *rows < 1 || *cols < 1 || *depth < 1)
        return "a size is no positive whole number";
    work.kind = gpu::WorkKind::gemm;
    work.m = *rows;
    work.n = *cols;
    work.k = *depth;
    work.transpose_a = row.text(ta) == "T";
    work.transpose_b = row.text(tb) == "T";
    work.accumulate = true;  // the benchmark runs with beta = 1
    return "";
}

std::string fill_convolution(const CsvRows& row, gpu::Work& work) {
    work.kind = gpu::WorkKind::convolution;
    Dims& d = work.dims;
    const std::array<std::pair<Column, std::int64_t*>, 13> sizes{{{batch, &d.mb},
                                                                  {ic, &d.ic},
                                                                  {height, &d.ih},
                                                                  {width, &d.iw},
                                                                  {oc, &d.oc},
                                                                  {r, &d.kh},
                                                                  {s, &d.kw},
                                                                  {stride_h, &d.sh},
                                                                  {stride_w, &d.sw},
                                                                  {pad_h, &d.ph},
                                                                  {pad_w, &d.pw},
                                                                  {out_h, &d.oh},
                                                                  {out_w, &d.ow}}};
    for (const auto& [column, size] : sizes) {
        const auto value = row.number(column);  // some sheets do not round the output size
        if (!value || *value < (column == pad_h || column == pad_w ? 0 : 1))
            return "a size is no positive number";
        *size = static_cast<std::int64_t>(*value);
    }
    const std::string& which = row.text(pass);
    if (which == "fwd")
        work.pass = Pass::forward;
    else if (which == "bwd_data")
        work.pass = Pass::backward_data;
    else if (which == "bwd_weights")
        work.pass = Pass::backward_weights;
    else
        return "unknown pass " + which;
    return "";
}

std::string fill_recurrent(const CsvRows& row, gpu::Work& work) {
    const auto units = row.whole(hidden), items = row.whole(batch), steps = row.whole(timesteps);
    if (!units || !items || !steps) return "a size is no positive whole number";
    const std::string& which = row.text(pass);
    if (which == "bwd_total") return "backward of data and weights in one figure";
    work.kind = gpu::WorkKind::recurrent;
    work.hidden = *units;
    work.batch = *items;
    work.timesteps = *steps;
    work.gates = row.text(op) == "lstm" ? 4 : row.text(op) == "gru" ? 3 : 1;
    work.pass = which == "fwd"        ? Pass::forward
                : which == "bwd_data" ? Pass::backward_data
                                      : Pass::backward_weights;
    return "";
}

std::string fill(const CsvRows& row, KernelRow& out) {
    const Board* board = board_of(row.text(device));
    if (!board) return "device without a machine file: " + row.text(device);
    out.machine = board->machine;
    gpu::Work& work = out.work;
    work.stack.cuda = board->cuda;
    work.stack.cudnn = board->cudnn;
    work.most_copies = 1;  // hundreds of runs on the same tensors
    const std::string& type = row.text(precision);
    if (type != "fp32") work.dtype = DataType::f16;
    work.tensor_units = type == "fp16in_mixed_tensorcore";
    out.op = row.text(op) == "conv" ? "convolution" : row.text(op);
    if (out.op == "gemm") return fill_gemm(row, work);
    if (out.op == "convolution") return fill_convolution(row, work);
    if (out.op == "rnn_vanilla" || out.op == "lstm" || out.op == "gru")
        return fill_recurrent(row, work);
    return "not a kernel of one device: " + out.op;
}

}  // namespace

ReadReport read_deepbench(const std::string& folder, const RowSink& sink) {
    CsvRows rows(folder + "/deepbench_train.csv",
                 {"device", "precision", "op",     "pass",      "app",     "M",        "N",
                  "K",      "tA",        "tB",     "W",         "H",       "C",        "batch",
                  "Kout",   "R",         "S",      "pad_h",     "pad_w",   "stride_h", "stride_w",
                  "P",      "Q",         "hidden", "timesteps", "time_ms", "algo"});
    ReadReport report;
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        row.set = "deepbench";
        row.part = rows.text(precision);
        row.device = rows.text(device);
        row.kernel = rows.text(algo);
        row.line = rows.line();
        const auto time = rows.number(time_ms);
        std::string reason = fill(rows, row);
        if (reason.empty() && (!time || *time <= 0)) reason = "no positive time";
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.time_s = *time * 1e-3;
        sink(std::move(row));
    }
    return report;
}

}  // namespace ridge::validate
