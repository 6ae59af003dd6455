// Replacement policies of one set, written from their definitions with plain containers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ridge::test {

class ReferencePolicy {
public:
    virtual ~ReferencePolicy() = default;
    virtual void hit(std::size_t way) = 0;
    virtual void fill(std::size_t way) = 0;
    virtual void drop(std::size_t way) = 0;
    virtual std::size_t victim() = 0;  ///< of a full set
};

/// Ways from the most to the least recently used.
class ReferenceLru : public ReferencePolicy {
public:
    explicit ReferenceLru(int) {}
    void hit(std::size_t way) override {
        drop(way);
        order_.insert(order_.begin(), way);
    }
    void fill(std::size_t way) override { hit(way); }
    void drop(std::size_t way) override { std::erase(order_, way); }
    std::size_t victim() override { return order_.back(); }

private:
    std::vector<std::size_t> order_;
};

/// The tree as nested halves: in each, which half was used last.
class ReferenceTreePlru : public ReferencePolicy {
public:
    explicit ReferenceTreePlru(int ways)
        : ways_(static_cast<std::size_t>(ways)), used_right_(ways_, true) {}
    void hit(std::size_t way) override { walk(0, ways_, 1, way); }
    void fill(std::size_t way) override { hit(way); }
    void drop(std::size_t) override {}
    std::size_t victim() override {
        std::size_t first = 0, count = ways_, node = 1;
        while (count > 1) {
            count /= 2;
            const bool go_right = !used_right_[node];
            if (go_right) first += count;
            node = 2 * node + go_right;
        }
        return first;
    }

private:
    void walk(std::size_t first, std::size_t count, std::size_t node, std::size_t way) {
        if (count == 1) return;
        const bool right = way >= first + count / 2;
        used_right_[node] = right;
        walk(right ? first + count / 2 : first, count / 2, 2 * node + right, way);
    }
    std::size_t ways_;
    std::vector<bool> used_right_;
};

/// Ages as numbers; H, M, U as functions of Abel and Reineke's definition.
class ReferenceQlru : public ReferencePolicy {
public:
    ReferenceQlru(int ways, int x, int y, int m, int u, bool on_miss_only)
        : age_(static_cast<std::size_t>(ways), 3),
          x_(x),
          y_(y),
          m_(m),
          u_(u),
          on_miss_only_(on_miss_only) {}
    void hit(std::size_t way) override {
        age_[way] = age_[way] == 3 ? x_ : age_[way] == 2 ? y_ : 0;
        if (!on_miss_only_) update(way);
    }
    void fill(std::size_t way) override {
        age_[way] = m_;
        if (!on_miss_only_) update(way);
    }
    void drop(std::size_t way) override { age_[way] = 3; }
    std::size_t victim() override {
        if (on_miss_only_) update(age_.size());
        const auto oldest = std::find(age_.begin(), age_.end(), 3);
        return oldest == age_.end() ? 0 : static_cast<std::size_t>(oldest - age_.begin());
    }

private:
    void update(std::size_t accessed) {
        const bool spare = u_ == 1 || u_ == 3;
        int largest = 0;
        for (std::size_t i = 0; i < age_.size(); ++i)
            if (!(u_ == 1 && i == accessed)) largest = std::max(largest, age_[i]);
        if (largest == 3) return;
        for (std::size_t i = 0; i < age_.size(); ++i)
            if (!(spare && i == accessed)) age_[i] += u_ < 2 ? 3 - largest : 1;
    }
    std::vector<int> age_;
    int x_, y_, m_, u_;
    bool on_miss_only_;
};

class ReferenceSrrip : public ReferencePolicy {
public:
    explicit ReferenceSrrip(int ways) : value_(static_cast<std::size_t>(ways), 3) {}
    void hit(std::size_t way) override { value_[way] = 0; }
    void fill(std::size_t way) override { value_[way] = 2; }
    void drop(std::size_t way) override { value_[way] = 3; }
    std::size_t victim() override {
        for (;;) {
            const auto distant = std::find(value_.begin(), value_.end(), 3);
            if (distant != value_.end()) return static_cast<std::size_t>(distant - value_.begin());
            for (int& value : value_) ++value;
        }
    }

private:
    std::vector<int> value_;
};

/// Draws from a generator that all sets of a level share, as the level does.
class ReferenceRandom : public ReferencePolicy {
public:
    ReferenceRandom(int ways, std::uint64_t* state)
        : ways_(static_cast<std::uint64_t>(ways)), state_(state) {}
    void hit(std::size_t) override {}
    void fill(std::size_t) override {}
    void drop(std::size_t) override {}
    std::size_t victim() override {
        std::uint64_t& x = *state_;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        return static_cast<std::size_t>((x * 2685821657736338717u >> 32) * ways_ >> 32);
    }

private:
    std::uint64_t ways_;
    std::uint64_t* state_;
};

}  // namespace ridge::test
