// Justus et al. 2018 (CDECatapult/ml-performance-prediction): random convolutions in TensorFlow 1,
// NHWC, host clock, a session overhead of 0.1 to 0.35 ms in every time.
#include <algorithm>
#include <array>

#include "validate/datasets/csv_rows.hpp"
#include "validate/datasets/dataset.hpp"

namespace ridge::validate {
namespace {

enum Column {
    board,
    pass,
    batch,
    size,
    cin,
    cout,
    kernel,
    stride,
    padding,
    median_ms,
    min_ms,
    max_ms
};

struct Board {
    std::string_view name, machine;
};
constexpr std::array boards{
    Board{"1080ti", "gtx_1080_ti"}, Board{"K40", "k40"},        Board{"M60", "m60"},
    Board{"P100", "p100_pcie"},     Board{"V100", "v100_pcie"}, Board{"k80", "k80"}};

std::string fill(const CsvRows& rows, KernelRow& row) {
    for (const auto& entry : boards)
        if (entry.name == row.device) row.machine = entry.machine;
    if (row.machine.empty()) return "device without a machine file: " + row.device;
    if (rows.text(pass) != "fwd") return "forward, backward and update in one figure";
    Dims& d = row.work.dims;
    const std::array<std::pair<Column, std::int64_t*>, 6> sizes{{{batch, &d.mb},
                                                                 {size, &d.ih},
                                                                 {cin, &d.ic},
                                                                 {cout, &d.oc},
                                                                 {kernel, &d.kh},
                                                                 {stride, &d.sh}}};
    for (const auto& [column, target] : sizes) {
        *target = rows.whole(column).value_or(0);
        if (*target < 1) return "a size is no positive whole number";
    }
    d.iw = d.ih;
    d.kw = d.kh;
    d.sw = d.sh;
    const bool same = rows.text(padding) == "SAME";
    if (!same && d.kh > d.ih) return "the filter is larger than the image";
    d.oh = d.ow = same ? (d.ih + d.sh - 1) / d.sh : (d.ih - d.kh) / d.sh + 1;
    d.ph = d.pw = same ? std::max<std::int64_t>(0, ((d.oh - 1) * d.sh + d.kh - d.ih) / 2) : 0;
    return "";
}

}  // namespace

ReadReport read_justus2018(const std::string& folder, const RowSink& sink) {
    CsvRows rows(folder + "/conv.csv",
                 {"gpu", "pass", "batch", "in_hw", "cin", "cout", "k", "stride", "padding",
                  "time_median_ms", "time_min_ms", "time_max_ms"});
    ReadReport report;
    while (rows.next()) {
        ++report.rows;
        KernelRow row;
        row.set = "justus2018";
        row.part = "tensorflow";
        row.device = rows.text(board);
        row.op = "convolution";
        row.line = rows.line();
        row.work.kind = gpu::WorkKind::convolution;
        row.work.stack = {9.0, 7.0, true};
        std::string reason = fill(rows, row);
        const auto ms = rows.number(median_ms), low = rows.number(min_ms),
                   high = rows.number(max_ms);
        if (reason.empty() && (!ms || *ms <= 0)) reason = "no positive time";
        if (!reason.empty()) {
            ++report.skipped[reason];
            continue;
        }
        row.time_s = *ms * 1e-3;
        if (low && high) row.spread = (*high - *low) / *ms;
        sink(std::move(row));
    }
    return report;
}

}  // namespace ridge::validate
