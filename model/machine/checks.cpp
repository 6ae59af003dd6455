#include "model/machine/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>

#include "ridge/format.hpp"

namespace ridge {
namespace {

// Bounds that no machine of this decade leaves by a factor: they catch a lost or doubled prefix
// (GB for GiB is not caught here, MB for GB is).
constexpr double max_flops_per_thread = 5e13;    // AMX bf16: 2048 FLOP/cycle x 4 GHz = 8e12
constexpr double max_bytes_s_per_thread = 5e12;  // L1: 192 B/cycle x 6 GHz = 1.2e12
constexpr double min_clock_hz = 2e8, max_clock_hz = 1e10;
constexpr double min_latency_s = 1e-10, max_latency_s = 1e-5;
constexpr double max_overhead_s = 0.1;

/// How far a measured ceiling may stand above its datasheet value: clock and timer resolution.
constexpr double datasheet_tolerance = 1.05;
/// Repeated probes of one ceiling agree within this; a smaller inversion says nothing.
constexpr double probe_tolerance = 1.05;

class Checker {
public:
    explicit Checker(const Machine& machine) : m_(machine) {}

    std::vector<Finding> run() {
        check_counts();
        if (m_.gpu) check_gpu();
        check_compute();
        check_compute_series();
        check_levels();
        for (std::size_t i = 0; i < m_.levels.size(); ++i) check_bandwidths(i);
        check_level_order();
        check_overheads();
        check_quiet();
        return std::move(findings_);
    }

private:
    void impossible(std::string where, std::string expected, std::string found) {
        findings_.push_back({true, std::move(where), std::move(expected), std::move(found)});
    }
    void odd(std::string where, std::string expected, std::string found) {
        findings_.push_back({false, std::move(where), std::move(expected), std::move(found)});
    }

    static std::string level_path(std::size_t i) { return fmt::format("levels[{}]", i); }

    /// A figure must be finite, within [low, high], with a sane spread; a given one needs a source.
    bool check_figure(const std::string& where, const Figure& figure, double low, double high) {
        if (!std::isfinite(figure.value) || figure.value < low || figure.value > high) {
            impossible(where, fmt::format("a number from {:g} to {:g}", low, high),
                       fmt::format("{}", figure.value));
            return false;
        }
        if (!std::isfinite(figure.spread) || figure.spread > 10)
            impossible(where + ".spread", "(max - min) / median of repetitions",
                       fmt::format("{}", figure.spread));
        if (figure.source == Source::given && figure.note.empty())
            odd(where + ".note", "where the number comes from", "nothing");
        return true;
    }

    void check_counts() {
        if (m_.name.empty()) impossible("name", "a name", "nothing");
        if (m_.sockets < 1) impossible("cpu.sockets", "at least 1", fmt::format("{}", m_.sockets));
        if (m_.cores < m_.sockets)
            impossible("cpu.cores", fmt::format("at least the {} sockets", m_.sockets),
                       fmt::format("{}", m_.cores));
        if (m_.threads < m_.cores)
            impossible("cpu.threads", fmt::format("at least the {} cores", m_.cores),
                       fmt::format("{}", m_.threads));
    }

    bool check_threads(const std::string& where, int threads) {
        if (threads >= 1 && threads <= m_.threads) return true;
        impossible(where, fmt::format("1 to the machine's {} threads", m_.threads),
                   fmt::format("{}", threads));
        return false;
    }

    /// A device of another board or a clock with a lost digit shows where the numbers must agree:
    /// f32 ceiling = multiprocessors x lanes x 2 x boost clock.
    void check_gpu() {
        const Gpu& gpu = *m_.gpu;
        if (gpu.chip.empty()) impossible("gpu.chip", "the name of the die", "nothing");
        if (gpu.family.empty()) impossible("gpu.family", "an architecture", "nothing");
        const bool clocks =
            check_figure("gpu.base_clock_hz", gpu.base_clock_hz, min_clock_hz, max_clock_hz) &&
            check_figure("gpu.boost_clock_hz", gpu.boost_clock_hz, min_clock_hz, max_clock_hz);
        if (clocks && gpu.boost_clock_hz.value < gpu.base_clock_hz.value)
            impossible("gpu.boost_clock_hz", "at least the base clock",
                       format(Hertz(gpu.boost_clock_hz.value)));
        check_figure("gpu.shared_bytes", gpu.shared_bytes, 1024, 1e7);
        check_figure("gpu.register_bytes", gpu.register_bytes, 1024, 1e7);
        if (gpu.board_power_w) check_figure("gpu.board_power_w", *gpu.board_power_w, 1, 1e5);
        for (std::size_t i = 0; clocks && i < m_.compute.size(); ++i) {
            const auto& entry = m_.compute[i];
            if (entry.isa != Isa::simt || entry.dtype != DataType::f32) continue;
            const double lanes = 2.0 * m_.cores * gpu.f32_lanes * gpu.boost_clock_hz.value;
            if (std::abs(entry.flops_per_s.value / lanes - 1) > 0.02)
                odd(fmt::format("compute[{}].flops_per_s", i),
                    fmt::format("multiprocessors x lanes x 2 x boost clock = {}",
                                format(FlopsPerSecond(lanes))),
                    format(FlopsPerSecond(entry.flops_per_s.value)));
        }
        check_tensor_ceilings();
    }

    /// Published peaks of matrix units come dense and for 2:4 sparsity, which is twice as much: the
    /// dense ratio of 16-bit to f32 lanes lies between 4 and 16 on every shipped architecture with
    /// NVIDIA's units, and bf16 is never behind tf32.
    void check_tensor_ceilings() {
        const auto f32 = ceiling(m_, Isa::simt, true, DataType::f32, m_.threads);
        for (std::size_t i = 0; i < m_.compute.size(); ++i) {
            const auto& entry = m_.compute[i];
            if (entry.isa != Isa::tensor || !f32) continue;
            const double most = entry.dtype == DataType::tf32 || entry.dtype == DataType::f32 ? 16
                                : entry.dtype == DataType::f16 || entry.dtype == DataType::bf16
                                    ? 32
                                    : 64;
            if (entry.flops_per_s.value > most * f32->value())
                impossible(fmt::format("compute[{}].flops_per_s", i),
                           fmt::format("the dense peak, at most {} times the f32 lanes", most),
                           format(FlopsPerSecond(entry.flops_per_s.value)));
            const auto half = ceiling(m_, Isa::tensor, true, DataType::bf16, m_.threads);
            if (entry.dtype == DataType::tf32 && half && entry.flops_per_s.value > half->value())
                impossible(fmt::format("compute[{}].flops_per_s", i), "at most the rate of bf16",
                           format(FlopsPerSecond(entry.flops_per_s.value)));
        }
    }

    void check_isa(const std::string& where, Isa isa) {
        if ((isa == Isa::simt || isa == Isa::tensor) != m_.gpu.has_value()) {
            impossible(where + ".isa", m_.gpu ? "simt or tensor" : "an instruction set of a CPU",
                       std::string(to_string(isa)));
            return;
        }
        if (m_.isa_flags.empty() || isa == Isa::scalar || isa == Isa::sse) return;
        const auto has = [&](std::string_view flag) {
            return std::find(m_.isa_flags.begin(), m_.isa_flags.end(), flag) != m_.isa_flags.end();
        };
        // As the kernel spells the flags; "avx512" and "amx" are accepted too.
        const std::string_view flag = isa == Isa::avx512 ? "avx512f"
                                      : isa == Isa::amx  ? "amx_tile"
                                                         : to_string(isa);
        if (!has(flag) && !has(to_string(isa)))
            impossible(where + ".isa",
                       fmt::format("an instruction set among cpu.isa_flags ({})",
                                   fmt::join(m_.isa_flags, ", ")),
                       std::string(to_string(isa)));
    }

    void check_compute() {
        std::set<std::tuple<Isa, bool, DataType, int>> seen;
        for (std::size_t i = 0; i < m_.compute.size(); ++i) {
            const auto& entry = m_.compute[i];
            const std::string where = fmt::format("compute[{}]", i);
            check_isa(where, entry.isa);
            if (!check_threads(where + ".threads", entry.threads)) continue;
            if (!seen.insert({entry.isa, entry.fma, entry.dtype, entry.threads}).second)
                impossible(where, "each instruction set, fma, data type and thread count once",
                           "a second entry");
            if (!check_figure(where + ".flops_per_s", entry.flops_per_s, 1e6,
                              max_flops_per_thread * entry.threads))
                continue;
            if (entry.chain_clock_hz)
                check_figure(where + ".chain_clock_hz", *entry.chain_clock_hz, min_clock_hz,
                             max_clock_hz);
            if (entry.sustained_flops_per_s &&
                check_figure(where + ".sustained_flops_per_s", *entry.sustained_flops_per_s, 1e6,
                             max_flops_per_thread * entry.threads) &&
                entry.sustained_flops_per_s->value > entry.flops_per_s.value * datasheet_tolerance)
                impossible(
                    where + ".sustained_flops_per_s",
                    "at most the ceiling of " + format(FlopsPerSecond(entry.flops_per_s.value)),
                    format(FlopsPerSecond(entry.sustained_flops_per_s->value)));
            if (entry.datasheet_flops_per_s &&
                check_figure(where + ".datasheet_flops_per_s", *entry.datasheet_flops_per_s, 1e6,
                             max_flops_per_thread * entry.threads))
                check_datasheet(where, entry);
        }
    }

    void check_datasheet(const std::string& where, const ComputeCeiling& entry) {
        const double ratio = entry.flops_per_s.value / entry.datasheet_flops_per_s->value;
        const std::string found =
            fmt::format("{}", format(FlopsPerSecond(entry.flops_per_s.value)));
        const std::string sheet = format(FlopsPerSecond(entry.datasheet_flops_per_s->value));
        if (ratio > datasheet_tolerance)
            impossible(where + ".flops_per_s", "at most the datasheet's " + sheet, found);
        else if (ratio < 0.5)
            odd(where + ".flops_per_s",
                "at least half of the datasheet's " + sheet +
                    " (number of units, or base clock taken for the AVX clock?)",
                found);
    }

    /// Per kind of ceiling: more threads do not give less; a core's second hardware thread brings
    /// no second unit.
    void check_compute_series() {
        for (std::size_t i = 0; i < m_.compute.size(); ++i) {
            for (std::size_t j = 0; j < m_.compute.size(); ++j) {
                const auto &a = m_.compute[i], &b = m_.compute[j];
                if (a.isa != b.isa || a.fma != b.fma || a.dtype != b.dtype) continue;
                if (a.threads >= b.threads) continue;
                const double ratio = b.flops_per_s.value / a.flops_per_s.value;
                const auto where = fmt::format("compute[{}].flops_per_s", j);
                const auto found = format(FlopsPerSecond(b.flops_per_s.value));
                if (ratio * probe_tolerance < 1)
                    odd(where,
                        fmt::format("at least the {} of {} threads",
                                    format(FlopsPerSecond(a.flops_per_s.value)), a.threads),
                        fmt::format("{} at {} threads", found, b.threads));
                const double cores_gained = static_cast<double>(std::min(b.threads, m_.cores)) /
                                            static_cast<double>(std::min(a.threads, m_.cores));
                if (ratio > cores_gained * probe_tolerance * 1.05)
                    odd(where,
                        fmt::format("at most {:g} times the {} of {} threads", cores_gained,
                                    format(FlopsPerSecond(a.flops_per_s.value)), a.threads),
                        fmt::format("{} at {} threads", found, b.threads));
            }
        }
    }

    void check_levels() {
        if (m_.levels.empty()) {
            impossible("levels", "at least one memory level", "none");
            return;
        }
        std::set<std::string> names;
        for (std::size_t i = 0; i < m_.levels.size(); ++i) {
            const auto& level = m_.levels[i];
            const std::string where = level_path(i);
            if (level.name.empty()) impossible(where + ".name", "a name", "nothing");
            if (!names.insert(level.name).second)
                impossible(where, "each level once", "a second " + level.name);
            if (level.line_bytes < 8 || level.line_bytes > 4096 ||
                !std::has_single_bit(static_cast<unsigned>(level.line_bytes)))
                impossible(where + ".line_bytes", "a power of two from 8 to 4096",
                           fmt::format("{}", level.line_bytes));
            if (level.ways < 0 || level.ways > 4096)
                impossible(where + ".ways", "0 (unknown) to 4096", fmt::format("{}", level.ways));
            check_threads(where + ".shared_by", level.shared_by);
            check_capacity(where, level);
            if (level.latency_s)
                check_figure(where + ".latency_s", *level.latency_s, min_latency_s, max_latency_s);
        }
        for (std::size_t i = 0; i + 1 < m_.levels.size(); ++i)
            if (is_main_memory(m_.levels[i]))
                impossible(level_path(i), "DRAM as the last level",
                           fmt::format("{} behind it", m_.levels[i + 1].name));
        if (!is_main_memory(m_.levels.back()))
            odd("levels", "DRAM as the last level", m_.levels.back().name);
    }

    void check_capacity(const std::string& where, const MemoryLevel& level) {
        constexpr double max_capacity = 1e15;
        if (!level.capacity_bytes && !is_main_memory(level))
            odd(where + ".capacity_bytes", "the size of the cache", "nothing");
        if (level.capacity_bytes) {
            if (!check_figure(where + ".capacity_bytes", *level.capacity_bytes,
                              level.line_bytes > 0 ? level.line_bytes : 1, max_capacity))
                return;
            const double per_set = static_cast<double>(level.ways) * level.line_bytes;
            if (level.ways > 0 && level.line_bytes > 0 &&
                std::fmod(level.capacity_bytes->value, per_set) != 0)
                impossible(
                    where + ".capacity_bytes",
                    fmt::format("a multiple of {} ways x {} bytes", level.ways, level.line_bytes),
                    fmt::format("{}", level.capacity_bytes->value));
        }
        if (!level.effective_capacity_bytes) return;
        if (check_figure(where + ".effective_capacity_bytes", *level.effective_capacity_bytes, 1,
                         max_capacity) &&
            level.capacity_bytes &&
            level.effective_capacity_bytes->value > level.capacity_bytes->value * 1.0001)
            impossible(where + ".effective_capacity_bytes",
                       fmt::format("at most the capacity of {}",
                                   format_iec(Bytes(level.capacity_bytes->value))),
                       format_iec(Bytes(level.effective_capacity_bytes->value)));
    }

    void check_bandwidths(std::size_t index) {
        const auto& level = m_.levels[index];
        std::set<std::tuple<AccessKind, bool, int>> seen;
        for (std::size_t i = 0; i < level.bandwidths.size(); ++i) {
            const auto& entry = level.bandwidths[i];
            const std::string where = fmt::format("{}.bandwidths[{}]", level_path(index), i);
            if (!check_threads(where + ".threads", entry.threads)) continue;
            if (!seen.insert({entry.kind, entry.non_temporal, entry.threads}).second)
                impossible(where, "each kind, non_temporal and thread count once",
                           "a second entry");
            check_figure(where + ".bytes_per_s", entry.bytes_per_s, 1e6,
                         max_bytes_s_per_thread * entry.threads);
        }
    }

    void check_level_order() {
        for (std::size_t i = 0; i + 1 < m_.levels.size(); ++i) {
            const auto &inner = m_.levels[i], &outer = m_.levels[i + 1];
            const std::string where = level_path(i + 1);
            if (inner.capacity_bytes && outer.capacity_bytes &&
                outer.capacity_bytes->value < inner.capacity_bytes->value)
                impossible(where + ".capacity_bytes",
                           fmt::format("at least the {} of {}",
                                       format_iec(Bytes(inner.capacity_bytes->value)), inner.name),
                           format_iec(Bytes(outer.capacity_bytes->value)));
            if (outer.shared_by < inner.shared_by)
                impossible(where + ".shared_by",
                           fmt::format("at least the {} of {}", inner.shared_by, inner.name),
                           fmt::format("{}", outer.shared_by));
            if (inner.latency_s && outer.latency_s &&
                outer.latency_s->value * probe_tolerance < inner.latency_s->value)
                odd(where + ".latency_s",
                    fmt::format("at least the {} of {}", format(Seconds(inner.latency_s->value)),
                                inner.name),
                    format(Seconds(outer.latency_s->value)));
            check_bandwidth_order(where, inner, outer);
        }
    }

    void check_bandwidth_order(const std::string& where, const MemoryLevel& inner,
                               const MemoryLevel& outer) {
        for (const auto& far : outer.bandwidths)
            for (const auto& near : inner.bandwidths)
                if (near.kind == far.kind && near.threads == far.threads && !near.non_temporal &&
                    !far.non_temporal &&
                    far.bytes_per_s.value > near.bytes_per_s.value * probe_tolerance)
                    odd(where + ".bandwidths",
                        fmt::format("{} at {} threads at most {}'s {}", to_string(far.kind),
                                    far.threads, inner.name,
                                    format(BytesPerSecond(near.bytes_per_s.value))),
                        format(BytesPerSecond(far.bytes_per_s.value)));
    }

    void check_overheads() {
        for (const auto& [threads, figure] : m_.overheads.parallel_region_s) {
            const auto where = fmt::format("overheads.parallel_region_s.{}", threads);
            check_threads(where, threads);
            check_figure(where, figure, 0, max_overhead_s);
        }
        if (m_.overheads.empty_primitive_s)
            check_figure("overheads.empty_primitive_s", *m_.overheads.empty_primitive_s, 0,
                         max_overhead_s);
        if (m_.overheads.sse_transition_s)
            check_figure("overheads.sse_transition_s", *m_.overheads.sse_transition_s, 0,
                         max_overhead_s);
    }

    /// The quiet FMA level is a rate of one core: it lies near the machine's one-thread ceilings.
    void check_quiet() {
        if (!m_.quiet) return;
        const auto& quiet = *m_.quiet;
        const double fma = quiet.fma.value(), issue = quiet.issue.value();
        if (!std::isfinite(fma) || fma < 1e8 || fma > max_flops_per_thread)
            impossible("quiet.fma_flops_per_s", "the FMA rate of one core", fmt::format("{}", fma));
        else if (const auto one = peak(m_, DataType::f32, 1))
            check_quiet_against(*one, quiet.fma);
        if (!std::isfinite(issue) || issue < 1e8 || issue > 2e11)
            impossible("quiet.issue_instructions_per_s", "1e8 to 2e11 (clock x issue width)",
                       fmt::format("{}", issue));
        const double clock = quiet.clock.value();
        if (!std::isfinite(clock) || clock < 1e8 || clock > 1e10)
            impossible("quiet.clock_hz", "1e8 to 1e10", fmt::format("{}", clock));
        if (quiet.windows < 0)
            impossible("quiet.windows", "0 or more", fmt::format("{}", quiet.windows));
        if (!quiet.provisional && quiet.windows < 3)
            impossible("quiet.provisional", "true until 3 windows agreed",
                       fmt::format("false with {} windows", quiet.windows));
    }

    /// Quiet levels rise with every collect, ceilings only with a probe: a level well above the
    /// ceiling says that the probe was disturbed, which is worth a new probe but no refusal.
    void check_quiet_against(FlopsPerSecond one, FlopsPerSecond fma) {
        const std::string where = "quiet.fma_flops_per_s";
        const double ratio = fma / one;
        if (ratio > 4 || ratio < 0.02)
            impossible(where, "0.02 to 4 times the f32 ceiling of 1 thread, " + format(one),
                       format(fma));
        else if (ratio > 1.1)
            odd(where,
                "about the f32 ceiling of 1 thread, " + format(one) +
                    " (the ceilings were probed on a disturbed machine: probe again)",
                format(fma));
    }

    const Machine& m_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_machine(const Machine& machine) {
    return Checker(machine).run();
}

std::vector<std::string> lint(const Machine& machine) {
    std::vector<std::string> lines;
    for (const auto& finding : check_machine(machine))
        lines.push_back(fmt::format("{}: expected {}, found {}", finding.where, finding.expected,
                                    finding.found));
    return lines;
}

}  // namespace ridge
