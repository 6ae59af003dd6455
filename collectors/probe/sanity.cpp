#include "collectors/probe/sanity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/probe/figure.hpp"
#include "collectors/probe/names.hpp"
#include "ridge/format.hpp"

namespace ridge::probe {
namespace {

/// Two figures of one probe are comparable within this.
constexpr double tolerance = 0.03;

class Checker {
public:
    explicit Checker(Machine& machine) : machine_(machine) {}

    std::vector<Suspicion> run() {
        for (auto& ceiling : machine_.compute) {
            check_agreement(ceiling.flops_per_s, name_of(ceiling));
            check_datasheet(ceiling);
        }
        for (auto& a : machine_.compute)
            for (auto& b : machine_.compute) check_pair(a, b);
        for (std::size_t i = 0; i < machine_.levels.size(); ++i) check_level(i);
        check_regions();
        return std::move(suspicions_);
    }

private:
    void suspect(Figure& figure, const std::string& name, const std::string& what) {
        suspicions_.push_back({name, what});
        figure.note += (figure.note.empty() ? "" : "; ") + ("suspicious: " + what);
    }

    void check_agreement(Figure& figure, const std::string& name) {
        if (figure.note.find(disagreement) != std::string::npos)
            suspicions_.push_back(
                {name, fmt::format("{} (spread {})", disagreement, format_percent(figure.spread))});
    }

    void check_datasheet(ComputeCeiling& ceiling) {
        if (!ceiling.datasheet_flops_per_s) return;
        const double ratio = ceiling.flops_per_s.value / ceiling.datasheet_flops_per_s->value;
        const auto sheet = format(FlopsPerSecond(ceiling.datasheet_flops_per_s->value));
        if (ratio > 1 + tolerance)
            suspect(ceiling.flops_per_s, name_of(ceiling),
                    fmt::format("{} above the datasheet's {}", format_percent(ratio - 1), sheet));
        else if (ratio < 1 - tolerance)
            suspect(ceiling.flops_per_s, name_of(ceiling),
                    fmt::format("only {} of the datasheet's {}", format_percent(ratio), sheet));
    }

    /// `a` must reach `b`.
    void at_least(Figure& a, const std::string& name, double b, const std::string& other) {
        if (a.value < (1 - tolerance) * b)
            suspect(a, name, fmt::format("{} of {}", format_percent(a.value / b), other));
    }

    void check_pair(ComputeCeiling& a, ComputeCeiling& b) {
        const auto is = [&](bool isa, bool fma, bool dtype, bool threads) {
            return isa == (a.isa == b.isa) && fma == (a.fma == b.fma) &&
                   dtype == (a.dtype == b.dtype) && threads == (a.threads == b.threads);
        };
        const bool plain = a.isa <= Isa::avx512 && b.isa <= Isa::avx512;
        const bool wider = plain && a.isa > b.isa && is(false, true, true, true);
        const bool fused = plain && a.fma && !b.fma && is(true, false, true, true);
        const bool narrower_type = plain && a.dtype == DataType::f32 && b.dtype == DataType::f64 &&
                                   is(true, true, false, true);
        const bool more_threads = a.threads > b.threads && is(true, true, true, false);
        if (wider || fused || narrower_type || more_threads)
            at_least(a.flops_per_s, name_of(a), b.flops_per_s.value, name_of(b));
        if (more_threads && a.threads <= machine_.cores) {
            const double scale = static_cast<double>(a.threads) / b.threads;
            if (a.flops_per_s.value > (1 + tolerance) * scale * b.flops_per_s.value)
                suspect(b.flops_per_s, name_of(b),
                        fmt::format("less than 1/{:g} of {}", scale, name_of(a)));
        }
    }

    static const Bandwidth* find(const MemoryLevel& level, AccessKind kind, int threads) {
        for (const auto& entry : level.bandwidths)
            if (entry.kind == kind && entry.threads == threads && !entry.non_temporal)
                return &entry;
        return nullptr;
    }

    /// A copy moves half of its bytes in each direction, a triad a third out and two thirds in: at
    /// best both directions overlap entirely.
    void check_composition(const MemoryLevel& level, Bandwidth& entry, double read_share) {
        const Bandwidth* read = find(level, AccessKind::read, entry.threads);
        const Bandwidth* write = find(level, AccessKind::write, entry.threads);
        if (!read || !write || entry.non_temporal) return;
        const double most = std::min(read->bytes_per_s.value / read_share,
                                     write->bytes_per_s.value / (1 - read_share));
        if (entry.bytes_per_s.value > (1 + tolerance) * most)
            suspect(entry.bytes_per_s, name_of(level.name, entry),
                    fmt::format("more than its reads and writes allow ({})",
                                format(BytesPerSecond(most))));
    }

    void check_level(std::size_t index) {
        MemoryLevel& level = machine_.levels[index];
        for (auto& entry : level.bandwidths) {
            check_agreement(entry.bytes_per_s, name_of(level.name, entry));
            if (entry.kind == AccessKind::copy) check_composition(level, entry, 0.5);
            if (entry.kind == AccessKind::triad) check_composition(level, entry, 2.0 / 3);
            if (index + 1 < machine_.levels.size() && !entry.non_temporal) {
                const MemoryLevel& outer = machine_.levels[index + 1];
                if (const Bandwidth* far = find(outer, entry.kind, entry.threads))
                    at_least(entry.bytes_per_s, name_of(level.name, entry), far->bytes_per_s.value,
                             name_of(outer.name, *far));
            }
            for (const auto& fewer : level.bandwidths)
                if (fewer.kind == entry.kind && fewer.non_temporal == entry.non_temporal &&
                    fewer.threads < entry.threads)
                    at_least(entry.bytes_per_s, name_of(level.name, entry), fewer.bytes_per_s.value,
                             name_of(level.name, fewer));
        }
        check_latency(index);
    }

    /// A nearer level is quicker.
    void check_latency(std::size_t index) {
        if (index + 1 == machine_.levels.size()) return;
        MemoryLevel& inner = machine_.levels[index];
        const MemoryLevel& outer = machine_.levels[index + 1];
        if (!inner.latency_s || !outer.latency_s) return;
        if (inner.latency_s->value > (1 + tolerance) * outer.latency_s->value)
            suspect(*inner.latency_s, name_of_latency(inner.name),
                    fmt::format("longer than the {} of {}", format(Seconds(outer.latency_s->value)),
                                outer.name));
    }

    /// A region in which each thread has a core costs some microseconds even with a hundred of
    /// them.
    void check_regions() {
        constexpr double longest_s = 100e-6;
        for (auto& [threads, figure] : machine_.overheads.parallel_region_s)
            if (figure.value > longest_s)
                suspect(figure, name_of_region(threads),
                        format(Seconds(figure.value)) + ": its threads did not run together");
    }

    Machine& machine_;
    std::vector<Suspicion> suspicions_;
};

}  // namespace

std::vector<Suspicion> check_figures(Machine& machine) {
    return Checker(machine).run();
}

}  // namespace ridge::probe
