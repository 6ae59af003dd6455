#include "collectors/import/counter_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace ridge::import {
namespace {

/// One sum: every term must be there, by any of its writers' names.
struct Term {
    std::string_view part;  ///< the counter's name contains it
    double weight;
};

/// perf spells events in small letters, PAPI and LIKWID in capitals.
bool contains(std::string_view name, std::string_view part) {
    const auto same = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

std::optional<double> find(const CounterRegion& region, std::string_view part) {
    std::optional<double> sum;
    for (const auto& [name, reading] : region.counters)
        if (contains(name, part) && reading.available()) sum = sum.value_or(0) + reading.value();
    return sum;
}

std::optional<double> weighted_sum(const CounterRegion& region, const std::vector<Term>& terms) {
    double sum = 0;
    for (const Term& term : terms) {
        const auto value = find(region, term.part);
        if (!value) return std::nullopt;
        sum += term.weight * *value;
    }
    return sum;
}

/// Lanes of a packed instruction; the processor's counter already counts a multiply-add twice.
const std::vector<Term>& packed_f32() {
    static const std::vector<Term> terms{{"SCALAR_SINGLE", 1},
                                         {"128B_PACKED_SINGLE", 4},
                                         {"256B_PACKED_SINGLE", 8},
                                         {"512B_PACKED_SINGLE", 16}};
    return terms;
}
const std::vector<Term>& packed_f64() {
    static const std::vector<Term> terms{{"SCALAR_DOUBLE", 1},
                                         {"128B_PACKED_DOUBLE", 2},
                                         {"256B_PACKED_DOUBLE", 4},
                                         {"512B_PACKED_DOUBLE", 8}};
    return terms;
}
/// Instructions of GPU threads: a multiply-add is one instruction and two operations.
std::vector<Term> gpu_terms(char type) {
    static const std::map<char, std::array<std::string, 3>> names{
        {'f', {"op_fadd_pred_on.sum", "op_fmul_pred_on.sum", "op_ffma_pred_on.sum"}},
        {'d', {"op_dadd_pred_on.sum", "op_dmul_pred_on.sum", "op_dfma_pred_on.sum"}},
        {'h', {"op_hadd_pred_on.sum", "op_hmul_pred_on.sum", "op_hfma_pred_on.sum"}}};
    const auto& parts = names.at(type);
    return {{parts[0], 1}, {parts[1], 1}, {parts[2], 2}};
}

Reading flops_of(const CounterRegion& region) {
    double sum = 0;
    bool any = false;
    const auto add = [&](std::optional<double> value) {
        if (value) sum += *value, any = true;
    };
    if (const auto all = find(region, "PAPI_FP_OPS")) return {*all, Source::measured};
    add(find(region, "PAPI_SP_OPS"));
    add(find(region, "PAPI_DP_OPS"));
    if (any) return {sum, Source::measured};
    add(weighted_sum(region, packed_f32()));
    add(weighted_sum(region, packed_f64()));
    for (const char type : {'f', 'd', 'h'}) add(weighted_sum(region, gpu_terms(type)));
    if (!any)
        return Reading::unavailable(
            "not all instruction classes of a precision were counted, so that their sum is not the "
            "work");
    return {sum, Source::measured};
}

/// Operations of a GPU's matrix units. How many one of their instructions has depends on its shape,
/// and the metric's name on the architecture: only the family that counts operations is taken.
Reading tensor_flops_of(const CounterRegion& region) {
    constexpr std::string_view family = "sm__ops_path_tensor", end = ".sum";
    std::optional<double> sum;
    for (const auto& [name, reading] : region.counters) {
        if (!name.starts_with(family) || !name.ends_with(end)) continue;
        // With and without sparsity, an operation is counted in the sum of both again.
        if (name.find("_sparsity_") != std::string::npos) continue;
        if (!reading.available()) return Reading::unavailable(name + ": " + reading.reason());
        sum = sum.value_or(0) + reading.value();
    }
    if (sum) return {*sum, Source::measured};
    return Reading::unavailable(
        "tensor work not counted: no metric of the family sm__ops_path_tensor*, and instructions "
        "of "
        "the tensor pipe have as many operations as their shape");
}

bool is_gpu(const CounterRegion& region) {
    return std::any_of(region.counters.begin(), region.counters.end(), [](const auto& counter) {
        return counter.first.starts_with("sm__") || counter.first.starts_with("smsp__") ||
               counter.first.starts_with("gpu__") || counter.first.starts_with("dram__");
    });
}

/// Read and write transfers are both needed: one alone is not the traffic.
Reading dram_of(const CounterRegion& region) {
    if (const auto read = find(region, "dram__bytes_read.sum"))
        if (const auto write = find(region, "dram__bytes_write.sum"))
            return {*read + *write, Source::measured};
    for (const char* total : {"dram__bytes.sum", "Memory data volume", "dram_bytes"})
        if (const auto value = find(region, total)) return {*value, Source::measured};
    for (const auto& [read, write] :
         std::vector<std::pair<const char*, const char*>>{{"CAS_COUNT_RD", "CAS_COUNT_WR"},
                                                          {"CAS_COUNT:RD", "CAS_COUNT:WR"},
                                                          {"cas_count_read", "cas_count_write"}}) {
        const auto in = find(region, read), out = find(region, write);
        if (!in || !out) continue;
        // perf scales these to bytes itself, the others count transfers of a line.
        const double bytes = std::string_view(read) == "cas_count_read" ? 1 : 64;
        return {bytes * (*in + *out), Source::measured};
    }
    return Reading::unavailable("reads and writes of the memory controllers were not both counted");
}

Reading instructions_per_cycle(const CounterRegion& region) {
    std::optional<double> instructions, cycles;
    for (const char* name : {"PAPI_TOT_INS", "instructions", "INSTR_RETIRED_ANY"})
        if (!instructions) instructions = find(region, name);
    for (const char* name : {"PAPI_TOT_CYC", "cpu-cycles", "cycles", "CPU_CLK_UNHALTED_CORE"})
        if (!cycles) cycles = find(region, name);
    if (!instructions || !cycles || !(*cycles > 0))
        return Reading::unavailable("instructions and cycles were not both counted");
    const double ratio = *instructions / *cycles;
    constexpr double most = 8;
    if (ratio > most || ratio < 0)
        return Reading::unavailable(
            fmt::format("impossible: {:.1f} instructions per cycle", ratio));
    return {ratio, Source::measured};
}

}  // namespace

void derive(CounterRegion& region) {
    region.derived.insert_or_assign("flops", flops_of(region));
    if (is_gpu(region)) region.derived.insert_or_assign("tensor_flops", tensor_flops_of(region));
    region.derived.insert_or_assign("dram_bytes", dram_of(region));
    region.derived.insert_or_assign("instructions_per_cycle", instructions_per_cycle(region));
}

std::vector<std::string> csv_fields(std::string_view line, char separator) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

std::vector<std::string_view> text_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        lines.push_back(line);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return lines;
}

}  // namespace ridge::import
