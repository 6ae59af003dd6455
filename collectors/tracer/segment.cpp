#include "collectors/tracer/segment.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace ridge::tracer {
namespace {

constexpr int line_bits = 6;
constexpr std::int64_t line_bytes = 64;
constexpr int sets = 64;

/// A line of a segment with all its touches of one kind.
struct Touched {
    std::uint8_t base;
    TouchKind kind;
    std::int64_t line;
    std::int64_t first_byte, last_byte;  ///< union, within the line
    std::uint32_t touches;
    std::size_t last_position;
};

std::vector<Touched> lines_of(const std::vector<Access>& accesses, std::uint64_t key) {
    std::vector<Touched> touched;
    std::map<std::tuple<int, TouchKind, std::int64_t>, std::size_t> index;
    std::size_t position = 0;
    for (const Access& access : accesses) {
        const auto within = static_cast<std::int64_t>((key >> (line_bits * access.base)) & 63);
        const std::int64_t begin = access.offset + within;
        const std::int64_t end = begin + access.bytes;
        for (std::int64_t line = begin >> line_bits; line <= (end - 1) >> line_bits; ++line) {
            const std::int64_t first = std::max(begin - line * line_bytes, std::int64_t{0});
            const std::int64_t last = std::min(end - line * line_bytes, line_bytes) - 1;
            const auto [found, fresh] =
                index.try_emplace({access.base, access.kind, line}, touched.size());
            if (fresh) touched.push_back({access.base, access.kind, line, first, last, 0, 0});
            Touched& t = touched[found->second];
            t.first_byte = std::min(t.first_byte, first);
            t.last_byte = std::max(t.last_byte, last);
            ++t.touches;
            t.last_position = position++;
        }
    }
    return touched;
}

/// Whether the lines fit into `ways` ways of 64 sets wherever the bases lie.
bool fits(const std::vector<Touched>& touched, int bases, int ways) {
    int worst = 0;
    for (int base = 0; base < bases; ++base) {
        std::array<int, sets> in_set{};
        int most = 0;
        for (const Touched& t : touched)
            if (t.base == base) most = std::max(most, ++in_set[t.line & (sets - 1)]);
        worst += most;
    }
    return worst <= ways;
}

LineRun run_of(const Touched& t, std::uint32_t repeats) {
    LineRun run;
    run.line = static_cast<std::uint64_t>(t.line);
    run.repeats = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(repeats, std::numeric_limits<std::uint16_t>::max()));
    run.offset = static_cast<std::uint16_t>(t.first_byte);
    run.bytes = static_cast<std::uint16_t>(t.last_byte - t.first_byte + 1);
    run.kind = t.kind;
    return run;
}

/// Appends a run of one line, or makes the last run longer by it.
bool joins(LineRun& last, const LineRun& run) {
    if (last.repeats != run.repeats || last.offset != run.offset || last.bytes != run.bytes ||
        last.kind != run.kind)
        return false;
    const auto step = static_cast<std::int64_t>(run.line - last.line);
    if (last.count == 1) {
        if (step > 1024 || step < -1024 || step == 0) return false;
        last.stride = static_cast<std::int32_t>(step);
    } else if (step != std::int64_t{last.stride} * last.count) {
        return false;
    }
    ++last.count;
    return true;
}

/// Every second touch is one of the program's touches of that line; a line that the program touches
/// once takes one from a neighbour of the same kind, so that the number of touches stays right.
void pay_for_second_touches(const std::vector<Touched>& touched, std::vector<std::uint32_t>& first,
                            const std::vector<std::uint32_t>& again) {
    std::array<std::uint32_t, touch_kinds> debt{};
    for (std::size_t i = 0; i < touched.size(); ++i) {
        if (again[i] == 0) continue;
        if (first[i] > 1)
            --first[i];
        else
            ++debt[static_cast<std::size_t>(touched[i].kind)];
    }
    for (std::size_t i = 0; i < touched.size(); ++i) {
        std::uint32_t& owed = debt[static_cast<std::size_t>(touched[i].kind)];
        const std::uint32_t paid = std::min(owed, first[i] - 1);
        first[i] -= paid;
        owed -= paid;
    }
}

}  // namespace

int Segment::base_of(const Address& address) {
    Address bare = address;
    bare.displacement = 0;
    const auto found = std::find(bases_.begin(), bases_.end(), bare);
    if (found != bases_.end()) return static_cast<int>(found - bases_.begin());
    if (bases_.size() == most_bases) return -1;
    bases_.push_back(bare);
    return static_cast<int>(bases_.size()) - 1;
}

void Segment::add(const Access& access) {
    accesses_.push_back(access);
    if (access.kind != TouchKind::store && access.kind != TouchKind::modify) return;
    StoreRange& range = stores_[access.base];
    const bool first = range.low == range.high;
    range.low = first ? access.offset : std::min(range.low, access.offset);
    range.high =
        std::max(first ? access.offset + access.bytes : range.high, access.offset + access.bytes);
}

std::unique_ptr<Segment::Alignment> Segment::align(std::uint64_t key) const {
    auto result = std::make_unique<Alignment>();
    result->key = key;
    const std::vector<Touched> touched = lines_of(accesses_, key);
    // Around the caches the order counts, and every access is one.
    const bool around = std::any_of(touched.begin(), touched.end(),
                                    [](const Touched& t) { return t.kind == TouchKind::store_nt; });
    result->plain = around || !fits(touched, static_cast<int>(bases_.size()), safe_ways);
    if (result->plain) return result;

    std::vector<std::size_t> by_last(touched.size());
    std::iota(by_last.begin(), by_last.end(), std::size_t{0});
    std::sort(by_last.begin(), by_last.end(), [&](std::size_t a, std::size_t b) {
        return touched[a].last_position < touched[b].last_position;
    });
    // After the first touches the lines stand in LRU order of their first touch. As long as the
    // order of last touches is the same, nothing has to move.
    std::size_t settled = 0;
    while (settled < by_last.size() && (settled == 0 || by_last[settled] > by_last[settled - 1]))
        ++settled;
    std::vector<std::uint32_t> first(touched.size()), again(touched.size(), 0);
    for (std::size_t i = 0; i < touched.size(); ++i) first[i] = touched[i].touches;
    for (std::size_t i = settled; i < by_last.size(); ++i) again[by_last[i]] = 1;
    pay_for_second_touches(touched, first, again);

    const auto push = [&](const Touched& t, std::uint32_t repeats) {
        const LineRun run = run_of(t, repeats);
        auto& runs = result->runs;
        if (runs.empty() || runs.back().base != t.base || !joins(runs.back().run, run))
            runs.push_back({run, t.base});
    };
    for (std::size_t i = 0; i < touched.size(); ++i) push(touched[i], first[i]);
    for (std::size_t i = settled; i < by_last.size(); ++i) push(touched[by_last[i]], 1);
    return result;
}

const Segment::Alignment& Segment::alignment(const Values& values) {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < bases_.size(); ++i) key |= (values[i] & 63) << (line_bits * i);
    if (last_ != nullptr && last_->key == key) return *last_;
    for (const auto& known : alignments_)
        if (known->key == key) return *(last_ = known.get());
    alignments_.push_back(align(key));
    return *(last_ = alignments_.back().get());
}

void Segment::emit_plain(const Values& values, std::uint8_t thread, RunBuffer& out) const {
    for (const Access& access : accesses_) {
        const std::uint64_t address =
            values[access.base] + static_cast<std::uint64_t>(access.offset);
        out.push({.line = address >> line_bits,
                  .offset = static_cast<std::uint16_t>(address & 63),
                  .bytes = access.bytes,
                  .kind = access.kind,
                  .thread = thread});
    }
}

void Segment::emit(const Values& values, std::uint8_t thread, bool compressed, RunBuffer& out) {
    if (!compressed) return emit_plain(values, thread, out);
    const Alignment& aligned = alignment(values);
    if (aligned.plain) return emit_plain(values, thread, out);
    for (const Template& entry : aligned.runs) {
        LineRun run = entry.run;
        run.line += values[entry.base] >> line_bits;
        run.thread = thread;
        out.push(run);
    }
}

}  // namespace ridge::tracer
