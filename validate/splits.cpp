#include "validate/splits.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "model/predict/cpu/kernel_class.hpp"

namespace ridge::validate {
namespace {

constexpr std::array<std::string_view, split_kinds> names{"network", "closed", "batch",
                                                          "threads", "state",  "kernel"};

using Choice = std::function<bool(const ReferenceRow&)>;

bool plain(const ReferenceRow& row) {
    return row.threads == 1 && row.state == CacheState::warm;
}

class Folds {
public:
    Folds(std::span<const ReferenceRow> rows, std::span<const std::string> closed)
        : rows_(rows), closed_(closed.begin(), closed.end()) {}

    [[nodiscard]] bool is_closed(const ReferenceRow& row) const {
        return closed_.contains(row.network);
    }

    /// Nothing when either part would be empty.
    void add(std::string name, const Choice& train, const Choice& test, bool known_problems) {
        Fold fold{std::move(name), {}, {}};
        std::set<std::string> problems;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].upper_bound || !test(rows_[i])) continue;
            fold.test.push_back(i);
            problems.insert(rows_[i].problem());
        }
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const ReferenceRow& row = rows_[i];
            if (row.upper_bound || is_closed(row) || test(row) || !train(row)) continue;
            if (!known_problems && problems.contains(row.problem())) continue;
            fold.train.push_back(i);
        }
        if (!fold.train.empty() && !fold.test.empty()) folds.push_back(std::move(fold));
    }

    template <class Value>
    std::set<Value> values(const Choice& of, const std::function<Value(const ReferenceRow&)>& get) {
        std::set<Value> found;
        for (const ReferenceRow& row : rows_)
            if (of(row)) found.insert(get(row));
        return found;
    }

    std::vector<Fold> folds;

private:
    std::span<const ReferenceRow> rows_;
    std::set<std::string> closed_;
};

std::string class_name(const ReferenceRow& row) {
    return cpu::class_of(row.layer, row.work());
}

}  // namespace

std::string_view to_string(SplitKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

std::optional<SplitKind> split_from_string(std::string_view word) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == word) return static_cast<SplitKind>(i);
    return std::nullopt;
}

std::vector<Fold> make_folds(std::span<const ReferenceRow> rows, SplitKind kind,
                             std::span<const std::string> closed) {
    Folds result(rows, closed);
    const Choice open = [&](const ReferenceRow& r) { return plain(r) && !result.is_closed(r); };
    switch (kind) {
        case SplitKind::network:
            for (const auto& name :
                 result.values<std::string>(open, [](const ReferenceRow& r) { return r.network; }))
                result.add(
                    name, open, [&](const ReferenceRow& r) { return open(r) && r.network == name; },
                    false);
            break;
        case SplitKind::closed:
            for (const std::string& name : closed)
                result.add(
                    name, open,
                    [&](const ReferenceRow& r) { return plain(r) && r.network == name; }, false);
            break;
        case SplitKind::batch: {
            const auto batches =
                result.values<std::int64_t>(open, [](const ReferenceRow& r) { return r.batch; });
            if (batches.size() < 3) break;
            const std::int64_t least = *batches.begin(), most = *batches.rbegin();
            result.add(
                fmt::format("batch {} and {}", least, most), open,
                [&](const ReferenceRow& r) {
                    return open(r) && (r.batch == least || r.batch == most);
                },
                false);
            break;
        }
        case SplitKind::threads:
            for (const int threads : result.values<int>(
                     [&](const ReferenceRow& r) {
                         return r.threads > 1 && r.state == CacheState::warm;
                     },
                     [](const ReferenceRow& r) { return r.threads; }))
                result.add(
                    fmt::format("{} threads", threads), open,
                    [&](const ReferenceRow& r) {
                        return r.threads == threads && r.state == CacheState::warm &&
                               !result.is_closed(r);
                    },
                    true);
            break;
        case SplitKind::state:
            for (const CacheState state : {CacheState::cold, CacheState::in_step})
                result.add(
                    std::string(to_string(state)), open,
                    [&](const ReferenceRow& r) {
                        return r.threads == 1 && r.state == state && !result.is_closed(r);
                    },
                    true);
            break;
        case SplitKind::kernel:
            for (const auto& name : result.values<std::string>(open, class_name))
                result.add(
                    name, open,
                    [&](const ReferenceRow& r) { return open(r) && class_name(r) == name; }, false);
            break;
    }
    return std::move(result.folds);
}

}  // namespace ridge::validate
