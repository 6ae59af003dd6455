#include "collectors/tracer/access_lines.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace ridge::tracer {
namespace {

constexpr int line_bits = 6;
constexpr std::int64_t line_bytes = 64;
/// Touches of a line beyond these change the state of no replacement policy.
constexpr std::uint32_t most_repeats = 4;

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

/// Tells the touches that `surplus` counts by kind, with a line that its kind touches anyway.
void add_touches(std::vector<RunTemplate>& runs, std::size_t from,
                 const std::array<std::uint32_t, touch_kinds>& surplus) {
    for (std::size_t kind = 0; kind < surplus.size(); ++kind) {
        if (surplus[kind] == 0) continue;
        const auto found = std::find_if(
            runs.begin() + static_cast<std::ptrdiff_t>(from), runs.end(),
            [&](const auto& one) { return one.run.kind == static_cast<TouchKind>(kind); });
        RunTemplate first = *found;
        first.run.count = 1;
        first.run.repeats = static_cast<std::uint16_t>(std::min<std::uint32_t>(
            first.run.repeats + surplus[kind], std::numeric_limits<std::uint16_t>::max()));
        if (found->run.count == 1) {
            *found = first;
            continue;
        }
        found->run.line += static_cast<std::uint64_t>(std::int64_t{found->run.stride});
        --found->run.count;
        runs.insert(found, first);
    }
}

}  // namespace

AccessLines::AccessLines(std::span<const Access> accesses, std::span<const Anchor> anchors) {
    collect(accesses, anchors);
    sort();
}

void AccessLines::collect(std::span<const Access> accesses, std::span<const Anchor> anchors) {
    // Line, leader and kind as one number: lines are relative, and few are further away than 2^50.
    const auto key = [](std::int64_t line, std::uint8_t leader, unsigned kind) {
        return static_cast<std::uint64_t>(line) << 8 | leader << 3 | kind;
    };
    constexpr unsigned any_kind = 7;
    std::unordered_map<std::uint64_t, std::uint32_t> index;
    index.reserve(2 * accesses.size());
    std::uint32_t position = 0;
    for (const Access& access : accesses) {
        const Anchor& anchor = anchors[access.base];
        const std::int64_t begin = access.offset + anchor.offset;
        const std::int64_t end = begin + access.bytes;
        for (std::int64_t line = begin >> line_bits; line <= (end - 1) >> line_bits; ++line) {
            const std::int64_t first = std::max(begin - line * line_bytes, std::int64_t{0});
            const std::int64_t last = std::min(end - line * line_bytes, line_bytes) - 1;
            const auto [found, fresh] = index.try_emplace(
                key(line, anchor.leader, static_cast<unsigned>(access.kind)), lines_.size());
            if (fresh) {
                const bool known = !index.try_emplace(key(line, anchor.leader, any_kind), 0).second;
                lines_.push_back(
                    {anchor.leader, access.kind, known, line, first, last, 0, position, 0});
            }
            Line& entry = lines_[found->second];
            entry.first_byte = std::min(entry.first_byte, first);
            entry.last_byte = std::max(entry.last_byte, last);
            ++entry.touches;
            entry.last_position = position++;
            // Around the caches every access counts, and parts of lines wait for each other.
            if (access.kind == TouchKind::store_nt)
                around_in_parts_ |= !fresh || access.bytes != line_bytes || first != 0;
        }
    }
}

void AccessLines::sort() {
    by_last_.resize(lines_.size());
    std::iota(by_last_.begin(), by_last_.end(), 0U);
    std::sort(by_last_.begin(), by_last_.end(),
              [&](auto a, auto b) { return lines_[a].last_position < lines_[b].last_position; });
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
        touches_.push_back({i, lines_[i].first_position, false});
        if (lines_[i].touches > 1) touches_.push_back({i, lines_[i].last_position, true});
    }
    std::sort(touches_.begin(), touches_.end(),
              [](const Touch& a, const Touch& b) { return a.position < b.position; });
    by_place_.resize(touches_.size());
    std::iota(by_place_.begin(), by_place_.end(), 0U);
    const auto place = [&](std::uint32_t i) {
        const Line& l = lines_[touches_[i].line];
        const std::uint32_t repeats = touches_[i].last ? 1 : std::min(l.touches, most_repeats);
        return std::tuple(l.leader, l.kind, repeats, l.first_byte, l.last_byte, l.line);
    };
    std::sort(by_place_.begin(), by_place_.end(),
              [&](auto a, auto b) { return place(a) < place(b); });
}

std::size_t AccessLines::set_of(const Line& line,
                                std::span<const std::uint8_t> set_of_leader) const {
    return static_cast<std::size_t>(line.line + set_of_leader[line.leader]) & (sets - 1);
}

/// Chooses the lines whose last touch has to be told: those that would otherwise stand before a
/// line of their set which is last touched earlier. False when a line is touched on both sides of
/// a store around the caches, which may have removed it.
bool AccessLines::choose(std::span<const std::uint8_t> set_of_leader,
                         std::vector<bool>& again) const {
    std::array<std::int64_t, sets> remembered, around_first, around_last;
    remembered.fill(-1);
    around_first.fill(std::numeric_limits<std::int64_t>::max());
    around_last.fill(-1);
    for (const Line& line : lines_) {
        if (line.kind != TouchKind::store_nt) continue;
        const std::size_t set = set_of(line, set_of_leader);
        around_first[set] = std::min<std::int64_t>(around_first[set], line.first_position);
        around_last[set] = std::max<std::int64_t>(around_last[set], line.first_position);
    }
    again.assign(lines_.size(), false);
    for (const std::uint32_t i : by_last_) {
        const Line& line = lines_[i];
        const std::size_t set = set_of(line, set_of_leader);
        if (line.touches > 1 && line.first_position < around_last[set] &&
            line.last_position > around_first[set])
            return false;
        again[i] = line.first_position < remembered[set];
        remembered[set] = again[i] ? line.last_position : line.first_position;
    }
    return true;
}

bool AccessLines::plan(std::span<const std::uint8_t> set_of_leader, Plan& plan) const {
    std::array<int, sets> resident{}, told{};
    for (const Line& line : lines_) {
        const std::size_t set = set_of(line, set_of_leader);
        resident[set] += !line.known && line.kind != TouchKind::store_nt;
        if (resident[set] > safe_ways) return false;
    }
    std::vector<bool> again;
    if (!choose(set_of_leader, again)) return false;
    plan.pass.resize(touches_.size());
    plan.repeats.resize(touches_.size());
    for (std::size_t i = 0; i < touches_.size(); ++i) {
        const Touch& touch = touches_[i];
        const Line& line = lines_[touch.line];
        const bool twice = again[touch.line];
        plan.repeats[i] = touch.last ? twice : line.touches - twice;
        if (plan.repeats[i] == 0) continue;
        int& before = told[set_of(line, set_of_leader)];
        if (before == std::numeric_limits<std::uint8_t>::max()) return false;
        plan.pass[i] = static_cast<std::uint8_t>(before);
        plan.passes = std::max(plan.passes, ++before);
    }
    return true;
}

bool AccessLines::runs(std::span<const std::uint8_t> set_of_leader,
                       std::vector<RunTemplate>& out) const {
    Plan schedule;
    if (around_in_parts_ || !plan(set_of_leader, schedule)) return false;
    std::vector<std::vector<std::uint32_t>> passes(static_cast<std::size_t>(schedule.passes));
    for (const std::uint32_t i : by_place_)
        if (schedule.repeats[i] > 0) passes[schedule.pass[i]].push_back(i);
    std::array<std::uint32_t, touch_kinds> surplus{};
    const std::size_t begin = out.size();
    for (const auto& pass : passes) {
        bool first = true;
        for (const std::uint32_t i : pass) {
            const Line& line = lines_[touches_[i].line];
            const std::uint32_t repeats = std::min(schedule.repeats[i], most_repeats);
            surplus[static_cast<std::size_t>(line.kind)] += schedule.repeats[i] - repeats;
            LineRun run;
            run.line = static_cast<std::uint64_t>(line.line);
            run.repeats = static_cast<std::uint16_t>(repeats);
            run.offset = static_cast<std::uint16_t>(line.first_byte);
            run.bytes = static_cast<std::uint16_t>(line.last_byte - line.first_byte + 1);
            run.kind = line.kind;
            if (first || out.back().leader != line.leader || !joins(out.back().run, run))
                out.push_back({run, line.leader});
            first = false;
        }
    }
    add_touches(out, begin, surplus);
    return true;
}

}  // namespace ridge::tracer
