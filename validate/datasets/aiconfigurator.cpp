// aiconfigurator (ai-dynamo/aiconfigurator): bf16 matrix products of LLM layers, run from CUDA
// graphs with up to 5 copies of the weights, so that they come from DRAM.
#include <algorithm>
#include <array>
#include <filesystem>

#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"

namespace ridge::validate {
namespace {

struct Board {
    std::string_view name, machine;
};
constexpr std::array boards{Board{"NVIDIA A100-SXM4-80GB", "a100_sxm4_80gb"},
                            Board{"NVIDIA H200", "h200"}, Board{"NVIDIA L40S", "l40s"},
                            Board{"NVIDIA H100 80GB HBM3", "h100_sxm"}};

void read_file(const std::string& path, ReadReport& report, const RowSink& sink) {
    CsvRows rows(path, {"device", "dtype", "m", "n", "k", "latency_ms"});
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        row.device = rows.text(0);
        for (const auto& board : boards)
            if (board.name == row.device) row.machine = board.machine;
        const auto m = rows.whole(2), n = rows.whole(3), k = rows.whole(4);
        const auto ms = rows.number(5);
        std::string reason;
        if (row.machine.empty())
            reason = "device without a machine file: " + row.device;
        else if (rows.text(1) != "bfloat16")
            reason = "data type " + rows.text(1);
        else if (!m || !n || !k || *m < 1 || *n < 1 || *k < 1)
            reason = "a size is no positive whole number";
        else if (!ms || *ms <= 0)
            reason = "no positive time";
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.set = "aiconfigurator";
        row.part = "bf16";
        row.op = "gemm";
        row.line = rows.line();
        row.time_s = *ms * 1e-3;
        // m tokens, n outputs: row-major outputs are cuBLAS' m, weights are stored transposed.
        row.work = {.kind = gpu::WorkKind::gemm,
                    .dtype = DataType::bf16,
                    .tensor_units = true,
                    .stack = {12.8, 9.0, true},
                    .most_copies = 5,
                    .m = *n,
                    .n = *m,
                    .k = *k,
                    .transpose_a = true,
                    .dims = {}};
        sink(std::move(row));
    }
}

}  // namespace

ReadReport read_aiconfigurator(const std::string& folder, const RowSink& sink) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    ReadReport report;
    for (const auto& file : files) read_file(file, report, sink);
    return report;
}

}  // namespace ridge::validate
