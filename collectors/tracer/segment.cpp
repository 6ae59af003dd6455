#include "collectors/tracer/segment.hpp"

#include <algorithm>

namespace ridge::tracer {
namespace {

constexpr int line_bits = 6;
constexpr std::uint64_t within_line = 63;

}  // namespace

int Segment::base_of(const Address& address) {
    Address bare = address;
    bare.displacement = 0;
    const auto found = std::find(bases_.begin(), bases_.end(), bare);
    if (found != bases_.end()) return static_cast<int>(found - bases_.begin());
    if (bases_.size() == most_bases) return -1;
    const auto leader = std::find_if(bases_.begin(), bases_.end(),
                                     [&](const Address& a) { return a.base == bare.base; });
    leader_[bases_.size()] = static_cast<std::uint8_t>(leader - bases_.begin());
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

std::unique_ptr<Segment> Segment::unrolled(int times, std::span<const std::int64_t> steps) const {
    auto result = std::make_unique<Segment>();
    result->bases_ = bases_;
    result->leader_ = leader_;
    for (int time = 0; time < times; ++time)
        for (Access access : accesses_) {
            access.offset += time * steps[access.base];
            result->add(access);
        }
    return result;
}

std::size_t Segment::KeyHash::operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key.word)
        if (word != 0) hash = (hash ^ word) * 0x9e3779b97f4a7c15 + (hash >> 29);
    return hash ^ hash >> 32;
}

Segment::Key Segment::key_of(const Values& values) const {
    Key key;
    const std::uint64_t first_line = values[0] >> line_bits;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
        const std::uint64_t value = values[i];
        if (leader_[i] != i)
            key.word[i] = value - values[leader_[i]];
        else
            key.word[i] = (value & within_line) |
                          (((value >> line_bits) - first_line) & (AccessLines::sets - 1))
                              << line_bits;
    }
    return key;
}

/// The distinct lines, whatever sets the leaders lie in.
const AccessLines& Segment::lines(Key key) {
    for (std::size_t i = 0; i < bases_.size(); ++i)
        if (leader_[i] == i) key.word[i] &= within_line;
    auto& known = lines_[key];
    if (known) return *known;
    std::array<Anchor, most_bases> anchors;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
        const std::uint8_t leader = leader_[i];
        const std::uint64_t within = key.word[leader];
        anchors[i] = {leader,
                      static_cast<std::int64_t>(leader == i ? within : within + key.word[i])};
    }
    known = std::make_unique<AccessLines>(accesses_, std::span(anchors).first(bases_.size()));
    return *known;
}

const Segment::Alignment& Segment::alignment(const Values& values) {
    const Key key = key_of(values);
    if (last_ != nullptr && last_key_ == key) return *last_;
    if (alignments_.size() >= most_alignments) {
        alignments_.clear();
        lines_.clear();
    }
    auto& known = alignments_[key];
    if (!known) {
        known = std::make_unique<Alignment>();
        std::array<std::uint8_t, most_bases> sets{};
        for (std::size_t i = 0; i < bases_.size(); ++i)
            sets[i] = static_cast<std::uint8_t>(key.word[i] >> line_bits);
        known->plain = !lines(key).runs(std::span(sets).first(bases_.size()), known->runs);
    }
    last_ = known.get();
    last_key_ = key;
    return *last_;
}

void Segment::emit_plain(const Values& values, std::uint8_t thread, RunBuffer& out) const {
    for (const Access& access : accesses_) {
        const std::uint64_t address =
            values[access.base] + static_cast<std::uint64_t>(access.offset);
        out.push({.line = address >> line_bits,
                  .offset = static_cast<std::uint16_t>(address & within_line),
                  .bytes = access.bytes,
                  .kind = access.kind,
                  .thread = thread});
    }
}

bool Segment::emit_lines(const Values& values, std::uint8_t thread, RunBuffer& out) {
    const Alignment& aligned = alignment(values);
    if (aligned.plain) return false;
    for (const RunTemplate& entry : aligned.runs) {
        LineRun run = entry.run;
        run.line += values[entry.leader] >> line_bits;
        run.thread = thread;
        out.push(run);
    }
    return true;
}

void Segment::emit(const Values& values, std::uint8_t thread, bool compressed, RunBuffer& out) {
    if (!compressed || !emit_lines(values, thread, out)) emit_plain(values, thread, out);
}

}  // namespace ridge::tracer
