#include "model/roofline/step_reuse.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ridge {
namespace {

using Storage = std::size_t;  ///< identity of a tensor's memory

bool is_activation(const TensorUse& tensor) {
    return tensor.name.starts_with("src") || tensor.name.starts_with("dst");
}
bool is_gradient(const TensorUse& tensor) {
    return tensor.name.starts_with("diff_src") || tensor.name.starts_with("diff_dst");
}
bool is_input(const TensorUse& tensor) {
    return tensor.read && (tensor.name.starts_with("src") || tensor.name.starts_with("diff_dst"));
}

/// Gives every tensor of a step its storage.
class Matcher {
public:
    std::vector<Storage> match(const StepRow& row) {
        std::vector<Storage> storages;
        for (const auto& tensor : row.tensors) storages.push_back(storage_of(row, tensor));
        for (std::size_t i = 0; i < row.tensors.size(); ++i)
            if (row.tensors[i].written &&
                (is_activation(row.tensors[i]) || is_gradient(row.tensors[i])))
                written_.push_back(
                    {storages[i], row.tensors[i].elements, is_gradient(row.tensors[i])});
        return storages;
    }

private:
    struct Written {
        Storage storage;
        std::int64_t elements;
        bool gradient;
    };

    Storage storage_of(const StepRow& row, const TensorUse& tensor) {
        const auto key = std::pair(row.layer, tensor.name);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        const auto storage = is_input(tensor) ? producer_of(tensor) : std::nullopt;
        return known_[key] = storage.value_or(next_++);
    }

    std::optional<Storage> producer_of(const TensorUse& tensor) const {
        const auto found = std::find_if(written_.rbegin(), written_.rend(), [&](const Written& w) {
            return w.elements == tensor.elements && w.gradient == is_gradient(tensor);
        });
        if (found == written_.rend()) return std::nullopt;
        return found->storage;
    }

    std::map<std::pair<std::string, std::string>, Storage> known_;
    std::vector<Written> written_;
    Storage next_ = 0;
};

/// Every tensor with the row that used it last.
class LastUses {
public:
    /// Distance of each tensor of a row, which then becomes the newest.
    std::vector<Bytes> use(const std::vector<Storage>& storages,
                           const std::vector<TensorUse>& tensors) {
        std::map<Storage, Bytes> own;
        for (std::size_t i = 0; i < storages.size(); ++i)
            own[storages[i]] = std::max(own[storages[i]], tensors[i].size);

        std::vector<Bytes> distances;
        for (const Storage storage : storages) distances.push_back(distance(storage, own));
        ++now_;
        for (const auto& [storage, size] : own) last_[storage] = {now_, size};
        return distances;
    }

private:
    struct Use {
        std::size_t row;
        Bytes size;
    };

    /// The row's own tensors, and all others that a later row than `storage`'s last one used.
    Bytes distance(Storage storage, const std::map<Storage, Bytes>& own) const {
        const auto last = last_.find(storage);
        const std::size_t since = last == last_.end() ? 0 : last->second.row;
        Bytes bytes;
        for (const auto& [other, size] : own) bytes += size;
        for (const auto& [other, use] : last_)
            if (use.row > since && !own.contains(other)) bytes += use.size;
        return bytes;
    }

    std::map<Storage, Use> last_;
    std::size_t now_ = 0;
};

}  // namespace

StepRow step_row(const RowKey& key, std::vector<TensorUse> tensors) {
    const std::string converted = key.part.substr(key.part.rfind(' ') + 1);
    if (!converted.empty()) {
        const bool layer_writes_it = converted == "dst" || converted == "diff_src" ||
                                     converted == "diff_wei" || converted == "diff_bias";
        for (auto& tensor : tensors) {
            const bool layers_own = layer_writes_it ? tensor.read : tensor.written;
            tensor.name = layers_own ? converted : converted + " elsewhere";
        }
    }
    return {key.layer, key.pass, std::move(tensors)};
}

std::vector<std::vector<Bytes>> reuse_distances(const std::vector<StepRow>& step) {
    Matcher matcher;
    std::vector<std::vector<Storage>> storages;
    for (const auto& row : step) storages.push_back(matcher.match(row));
    LastUses uses;
    for (std::size_t i = 0; i < step.size(); ++i) (void)uses.use(storages[i], step[i].tensors);
    std::vector<std::vector<Bytes>> distances;
    for (std::size_t i = 0; i < step.size(); ++i)
        distances.push_back(uses.use(storages[i], step[i].tensors));
    return distances;
}

}  // namespace ridge
