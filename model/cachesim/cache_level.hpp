// A cache level with its policy, number of ways (0: any) and style fixed at compile time. All state
// is one flat array: per set a row of tags, the masks of valid and dirty ways, the policy's words,
// the fingerprints of the tags and, with sectors, one word of masks per way. Tags are whole line
// numbers, so that the address of a victim needs no rebuilding whatever the address.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/cachesim/find_tag.hpp"
#include "model/cachesim/level.hpp"
#include "model/cachesim/level_setup.hpp"
#include "model/cachesim/policy.hpp"
#include "model/cachesim/prefetcher.hpp"
#include "model/cachesim/set_index.hpp"

namespace ridge::cachesim {

template <class Policy, int Ways, Style style>
class CacheLevel final : public Cache {
public:
    explicit CacheLevel(const LevelSetup& setup)
        : setup_(setup),
          spec_(setup.spec),
          index_(setup.sets, setup.spec.hashed, setup.granule),
          policy_(setup.parameters),
          prefetcher_(setup.spec.prefetcher, setup.spec.line_bytes),
          words_(static_cast<std::size_t>(Policy::words(setup.spec.ways))),
          free_stride_(static_cast<std::size_t>(ways()) * (Sectored ? 2 : 1) + 2 + words_),
          fingerprint_shift_(std::bit_width(setup.sets) - 1),
          full_(~std::uint64_t{0} >> (64 - ways())),
          storage_(setup.sets * stride() + host_line, no_line),
          sets_(setup.sets),
          rows_(aligned(storage_.data())) {
        for (std::size_t set = 0; set < setup.sets; ++set) {
            std::uint64_t* row = rows_ + set * stride();
            valid(row) = dirty(row) = 0;
            policy_.reset(state(row));
        }
        out_.resize(batch + 2);  // a plain replacement writes two places before it looks
        if (setup.regions) region_bytes.resize(setup.regions->size());
    }

    void touch(std::span<const LineRun> runs) override;
    void process(std::span<const Request> requests) override {
        if constexpr (Plain) return process_plain(requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (i + look_ahead < requests.size()) bring_near(row_of(requests[i + look_ahead].line));
            serve(requests[i]);
        }
    }
    Reply request(const Request& one) override { return serve(one); }
    Dropped drop(std::uint64_t line) override;
    bool reference(std::uint64_t line) override;
    void flush() override {
        if (waiting_ > 0) setup_.next->process(std::span(out_).first(waiting_));
        waiting_ = 0;
    }
    void visit(const Visitor& visitor) const override;
    [[nodiscard]] std::uint64_t dirty_bytes() const override;
    void add_inner(Cache* above) override { inner_.push_back(above); }
    [[nodiscard]] std::size_t host_bytes() const override {
        return sizeof(*this) + storage_.capacity() * sizeof(storage_[0]) +
               out_.capacity() * sizeof(out_[0]);
    }

private:
    static constexpr bool Sectored = style == Style::sectored, Plain = style == Style::plain;
    static constexpr std::uint64_t no_line = ~std::uint64_t{0};  // above any address / 2
    static constexpr std::size_t batch = 512;    // requests: stays in the host's first level
    static constexpr std::size_t host_line = 8;  // words
    /// Rows of a large level lie far away: they are asked for some requests ahead.
    static constexpr std::size_t look_ahead = 8;

    // Row layout.
    [[nodiscard]] int ways() const { return Ways ? Ways : spec_.ways; }
    static constexpr std::size_t in_host_lines(std::size_t words) {
        return (words + host_line - 1) / host_line * host_line;
    }
    /// Words of tags; more than a host line of them leave what follows in one host line.
    [[nodiscard]] std::size_t tags() const {
        if constexpr (Ways > 8) return in_host_lines(Ways);
        return static_cast<std::size_t>(ways());
    }
    [[nodiscard]] std::size_t stride() const {
        if constexpr (Ways > 0)
            return in_host_lines(in_host_lines(Ways > 8 ? Ways : 0) + (Ways > 8 ? 0 : Ways) + 2 +
                                 static_cast<std::size_t>(Policy::words(Ways)) +
                                 fingerprint_words(Ways));
        return free_stride_;
    }
    static std::uint64_t* aligned(std::uint64_t* words) {
        const auto address = reinterpret_cast<std::uintptr_t>(words);
        const std::uintptr_t bytes = host_line * sizeof(*words);
        return words + (bytes - address % bytes) % bytes / sizeof(*words);
    }
    RIDGE_INLINE std::uint64_t* row_of(std::uint64_t line) {
        return rows_ + index_(line) * stride();
    }
    std::uint64_t& valid(std::uint64_t* row) const { return row[tags()]; }
    std::uint64_t& dirty(std::uint64_t* row) const { return row[tags() + 1]; }
    std::uint64_t* state(std::uint64_t* row) const { return row + tags() + 2; }
    /// Ways > 0 only.
    static constexpr std::size_t policy_words = static_cast<std::size_t>(Policy::words(Ways));
    [[nodiscard]] const std::uint64_t* fingerprints(const std::uint64_t* row) const {
        return row + tags() + 2 + policy_words;
    }
    RIDGE_INLINE void set_tag(std::uint64_t* row, int way, std::uint64_t line, int shift) const {
        row[way] = line;
        if constexpr (Ways > 0)
            reinterpret_cast<std::uint8_t*>(row + tags() + 2 + policy_words)[way] =
                fingerprint(line, shift);
    }
    /// Sectored only: valid sectors in bits 0 to 15, dirty ones in 16 to 31.
    std::uint64_t& sectors(std::uint64_t* row, int way) const {
        return row[static_cast<std::size_t>(ways()) + 2 + words_ + static_cast<std::size_t>(way)];
    }

    void bring_near(const std::uint64_t* row) const {
        for (std::size_t word = 0; word < stride(); word += host_line)
            __builtin_prefetch(row + word, 1);
    }

    [[nodiscard]] RIDGE_INLINE int find(const std::uint64_t* row, std::uint64_t line) const {
        if constexpr (Ways > 0) {
            return find_tag<Ways>(row, fingerprints(row), line, fingerprint_shift_);
        } else {
            for (int way = 0; way < spec_.ways; ++way)
                if (row[way] == line) return way;
            return -1;
        }
    }

    // What a plain level answers without looking.
    [[nodiscard]] bool exclusive() const {
        return !Plain && spec_.inclusion == Inclusion::exclusive;
    }
    [[nodiscard]] bool write_back() const {
        return Plain || spec_.write_policy == WritePolicy::write_back;
    }
    [[nodiscard]] bool write_allocate() const { return Plain || spec_.write_allocate; }
    [[nodiscard]] bool prefetches() const { return !Plain && prefetcher_.active(); }
    [[nodiscard]] SectorMask all_sectors() const {
        return Plain ? SectorMask{1} : setup_.sectoring.all;
    }
    [[nodiscard]] std::uint64_t bytes_of(SectorMask mask) const {
        if constexpr (Plain) return mask ? setup_.sectoring.line_bytes : 0;
        return setup_.sectoring.bytes_of(mask);
    }
    /// Sectors of this level that a wish for `wanted` brings in.
    [[nodiscard]] SectorMask rounded(SectorMask wanted) const;

    // The program's side (first level), cache_level_touch.hpp.
    template <TouchKind Kind>
    void touch_run(const LineRun& run);
    template <TouchKind Kind>
    RIDGE_INLINE void touch_line(const Request& one, int repeats);
    [[nodiscard]] Request part_of(const LineRun& run, int first_byte, int last_byte) const;

    // The plain path, cache_level_plain.hpp.
    /// What a loop over plain accesses keeps in registers: where the rows are, the next free place
    /// of out_, and how many replacements took an empty way or displaced a dirty line. (The level's
    /// own members are read again after each store, which might have changed them.)
    struct Loop {
        explicit Loop(CacheLevel& level)
            : index(level.index_),
              rows(level.rows_),
              shift(level.fingerprint_shift_),
              full(level.full_),
              out(level.out_.data() + level.waiting_),
              out_full(level.out_.data() + batch) {}
        SetIndex index;
        std::uint64_t* rows;
        int shift;
        std::uint64_t full;
        Request* out;
        const Request* out_full;
        std::uint64_t empty = 0, dirty = 0;
    };
    RIDGE_INLINE std::uint64_t* row_of(std::uint64_t line, const Loop& loop) const {
        return loop.rows + loop.index(line) * stride();
    }
    void process_plain(std::span<const Request> requests);
    template <TouchKind Kind>
    std::uint64_t touch_lines_plain(const LineRun& run);
    RIDGE_INLINE int replace(std::uint64_t* row, std::uint64_t line, std::uint64_t rest, bool reads,
                             bool dirty_now, Loop& loop);
    void count_regions(bool reads, std::uint64_t line, bool writes, std::uint64_t victim);
    [[gnu::noinline]] Request* hand_on(const Request* end);
    void add(const Loop& loop, std::uint64_t all, std::uint64_t read);

    // Accesses, cache_level_access.hpp.
    RIDGE_INLINE Reply serve(const Request& one);
    RIDGE_INLINE void count(RequestKind kind, bool miss);
    RIDGE_INLINE Reply read(const Request& one);
    int allocate(std::uint64_t* row, const Request& one);
    bool evades(const Request& one);
    void prefetch(std::uint64_t line);
    bool store(const Request& one);
    void write_back_in(const Request& one);
    void store_nt(Request one);

    // Rows, cache_level_rows.hpp.
    RIDGE_INLINE int insert(std::uint64_t* row, std::uint64_t line, SectorMask present,
                            SectorMask dirty_mask);
    RIDGE_INLINE int free_way(std::uint64_t* row);
    RIDGE_INLINE void evict(std::uint64_t* row, int way);
    SectorMask remove(std::uint64_t* row, int way);
    void mark_dirty(std::uint64_t* row, int way, SectorMask mask);
    [[nodiscard]] SectorMask dirty_sectors(std::uint64_t* row, int way) const;
    [[nodiscard]] SectorMask missing_sectors(std::uint64_t* row, int way, SectorMask wanted) const;
    void fill_sectors(std::uint64_t* row, int way, const Request& one, SectorMask missing);
    RIDGE_INLINE Reply fetch(const Request& one, SectorMask mask);
    RIDGE_INLINE void write_down(std::uint64_t line, SectorMask mask, RequestKind kind);
    void forward_store(const Request& one);
    RIDGE_INLINE Reply send(const Request& one);

    LevelSetup setup_;
    CacheSpec spec_;
    SetIndex index_;
    Policy policy_;
    PrefetchEngine prefetcher_;
    std::size_t words_, free_stride_;  ///< of Ways = 0
    int fingerprint_shift_;
    std::uint64_t full_;  ///< valid mask of a full set
    double evasion_due_ = 0;
    std::vector<std::uint64_t> storage_;
    std::size_t sets_;
    std::uint64_t* rows_;  ///< in storage_, from a border of host lines on
    std::size_t read_region_ = 0, written_region_ = 0;  ///< where the latest lines lay
    std::vector<Cache*> inner_;                         ///< above this level, when it is inclusive
    std::vector<Request> out_;                          ///< the first `waiting_` places are in use
    std::size_t waiting_ = 0;
};

}  // namespace ridge::cachesim

#include "model/cachesim/cache_level_access.hpp"
#include "model/cachesim/cache_level_plain.hpp"
#include "model/cachesim/cache_level_rows.hpp"
#include "model/cachesim/cache_level_touch.hpp"

namespace ridge::cachesim {

/// A level of a policy in the style that fits; `First` and `More` are the widths compiled in.
template <template <int> class Policy, int First, int... More>
std::unique_ptr<Cache> make_level(const LevelSetup& setup) {
    const Style style = style_of(setup);
    if (style == Style::sectored)
        return std::make_unique<CacheLevel<Policy<0>, 0, Style::sectored>>(setup);
    if (setup.spec.ways == First) {
        if (style == Style::plain)
            return std::make_unique<CacheLevel<Policy<First>, First, Style::plain>>(setup);
        return std::make_unique<CacheLevel<Policy<First>, First, Style::general>>(setup);
    }
    if constexpr (sizeof...(More) > 0)
        return make_level<Policy, More...>(setup);
    else
        return std::make_unique<CacheLevel<Policy<0>, 0, Style::general>>(setup);
}

}  // namespace ridge::cachesim
