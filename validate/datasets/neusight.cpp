// NeuSight (sitar-lab/NeuSight): kernels timed by events from PyTorch 2.1 with cuDNN 8.9 and TF32
// off; the mean of the 5 fastest of 25 runs, launch included.
#include <array>
#include <filesystem>

#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"

namespace ridge::validate {
namespace {

struct Board {
    std::string_view name, machine;
};
constexpr std::array boards{
    Board{"NVIDIA A100 80GB PCIe", "a100_pcie_80gb"},
    Board{"NVIDIA A100-PCIE-40GB", "a100_pcie_40gb"},
    Board{"NVIDIA A100-SXM4-40GB", "a100_sxm4_40gb"},
    Board{"NVIDIA H100 80GB HBM3", "h100_sxm"},
    Board{"NVIDIA L4", "l4"},
    Board{"Tesla P100-PCIE-16GB", "p100_pcie"},
    Board{"Tesla P4", "p4"},
    Board{"Tesla T4", "t4"},
    Board{"Tesla V100-PCIE-32GB", "v100_pcie"},
};

/// Element-wise functions: tensors read; FLOPs of one element as the function units count them.
struct Function {
    std::string_view name;
    int reads;
    double flops;
};
constexpr std::array functions{
    Function{"add", 2, 1},   Function{"sub", 2, 1},  Function{"mul", 2, 1},
    Function{"div", 2, 8},   Function{"pow", 2, 40}, Function{"addu", 1, 1},
    Function{"mulu", 1, 1},  Function{"divu", 1, 1}, Function{"powu", 1, 4},
    Function{"gelu", 1, 20}, Function{"relu", 1, 1}, Function{"tanh", 1, 16},
};

bool start(const CsvRows& rows, std::size_t device, std::size_t time, KernelRow& out,
           std::string& reason) {
    out.set = "neusight";
    out.device = rows.text(device);
    out.line = rows.line();
    for (const auto& board : boards)
        if (board.name == out.device) out.machine = board.machine;
    out.work.stack = {12.1, 8.9, true};
    out.work.most_copies = 1;  // 25 runs on the same tensors
    const auto ms = rows.number(time);
    if (out.machine.empty())
        reason = "device without a machine file: " + out.device;
    else if (!ms || *ms <= 0)
        reason = "no positive time";
    else
        out.time_s = *ms * 1e-3;
    return reason.empty();
}

bool positive(const CsvRows& rows, std::initializer_list<std::size_t> columns) {
    for (const auto column : columns)
        if (rows.whole(column).value_or(0) < 1) return false;
    return true;
}

void read_gemm(const std::string& path, const std::string& part, bool batched, ReadReport& report,
               const RowSink& sink) {
    CsvRows rows(path, {"Device", "Latency", "B", "M", "N", "K", "kernel"});
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        std::string reason;
        if (start(rows, 0, 1, row, reason) && !positive(rows, {2, 3, 4, 5}))
            reason = "a size is no positive whole number";
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.part = part;
        row.op = batched ? "bmm" : "linear";
        row.kernel = rows.text(6);
        // (B, M, N) x (N, K): N is summed over. Row-major K is the fast dimension of the result, so
        // it is cuBLAS' m; linear's weights are stored transposed.
        row.work.kind = gpu::WorkKind::gemm;
        row.work.m = *rows.whole(5);
        row.work.k = *rows.whole(4);
        row.work.n = *rows.whole(3) * (batched ? 1 : *rows.whole(2));
        row.work.batch = batched ? *rows.whole(2) : 1;
        row.work.transpose_a = !batched;
        sink(std::move(row));
    }
}

void read_convolution(const std::string& path, const std::string& part, ReadReport& report,
                      const RowSink& sink) {
    CsvRows rows(path, {"Device", "Latency", "B", "Input_Channel", "Output_Channel", "Kernel_Szie",
                        "Input_Size", "Stride", "Padding", "kernel"});
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        std::string reason;
        if (start(rows, 0, 1, row, reason) && !positive(rows, {2, 3, 4, 5, 6, 7}))
            reason = "a size is no positive whole number";
        Dims& d = row.work.dims;
        if (reason.empty()) {
            d.mb = *rows.whole(2);
            d.ic = *rows.whole(3);
            d.oc = *rows.whole(4);
            d.kh = d.kw = *rows.whole(5);
            d.ih = d.iw = *rows.whole(6);
            d.sh = d.sw = *rows.whole(7);
            d.ph = d.pw = rows.whole(8).value_or(0);
            d.oh = d.ow = (d.ih + 2 * d.ph - d.kh) / d.sh + 1;
            if (d.ih + 2 * d.ph < d.kh) reason = "the filter is larger than the padded image";
        }
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.part = part;
        row.op = "convolution";
        row.kernel = rows.text(9);
        row.work.kind = gpu::WorkKind::convolution;
        sink(std::move(row));
    }
}

std::string fill_vector(const CsvRows& rows, KernelRow& row) {
    const std::string& name = rows.text(0);
    row.op = name == "ln" ? "layer norm" : name == "softmax" ? "softmax" : "elementwise";
    row.layer = name;
    row.work.rows = *rows.whole(3);
    row.work.cols = *rows.whole(4);
    if (row.op == "softmax") row.work.kind = gpu::WorkKind::softmax;
    if (row.op == "layer norm") row.work.kind = gpu::WorkKind::layer_norm;
    if (row.op != "elementwise") return "";
    row.work.kind = gpu::WorkKind::elementwise;
    for (const auto& function : functions) {
        if (function.name != name) continue;
        row.work.reads = function.reads;
        row.work.flops_per_element = function.flops;
        return "";
    }
    return "unknown function " + name;
}

void read_vector(const std::string& path, const std::string& part, ReadReport& report,
                 const RowSink& sink) {
    CsvRows rows(path, {"OPName", "Device", "Latency", "B", "H"});
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        std::string reason;
        if (start(rows, 1, 2, row, reason))
            reason = positive(rows, {3, 4}) ? fill_vector(rows, row)
                                            : "a size is no positive whole number";
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.part = part;
        sink(std::move(row));
    }
}

}  // namespace

ReadReport read_neusight(const std::string& folder, const RowSink& sink) {
    ReadReport report;
    for (const std::string part : {"train", "test"}) {
        const auto path = [&](const char* op) {
            return folder + "/" + part + "_" + op + "_fwd.csv";
        };
        // Convolutions were released without a test part.
        if (std::filesystem::exists(path("conv")))
            read_convolution(path("conv"), part, report, sink);
        read_gemm(path("linear"), part, false, report, sink);
        read_gemm(path("bmm"), part, true, report, sink);
        read_vector(path("vec"), part, report, sink);
    }
    return report;
}

}  // namespace ridge::validate
