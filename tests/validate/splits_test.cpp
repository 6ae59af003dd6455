// Can a held-out row reach a fit? Checked on made-up rows with shared layers.
#include "validate/splits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace ridge;
using namespace ridge::validate;

namespace {

/// Three networks that share a layer, five batches, two thread counts, three states; one network
/// is closed and one row an upper bound.
std::vector<ReferenceRow> rows() {
    std::vector<ReferenceRow> list;
    for (const char* network : {"a", "b", "secret"})
        for (const std::int64_t batch : {1, 2, 4, 8, 16})
            for (const int channels : {16, 32, 64})
                for (const auto& [threads, state] : {std::pair{1, CacheState::warm},
                                                     {2, CacheState::warm},
                                                     {1, CacheState::cold},
                                                     {1, CacheState::in_step}}) {
                    ReferenceRow row;
                    row.network = network;
                    row.batch = batch;
                    row.threads = threads;
                    row.state = state;
                    row.layer = parse_layer("conv:ic16oc16ih8oh8kh3ph1");
                    row.layer.dims.mb = batch;
                    row.layer.dims.ic = channels;
                    // 16 channels in all networks, the others in one only.
                    if (channels != 16) row.layer.dims.oc = network[0] == 'a' ? 16 : 48;
                    row.time_s = 1e-3;
                    list.push_back(row);
                }
    list.front().upper_bound = true;
    return list;
}

const std::vector<std::string> closed{"secret"};

}  // namespace

TEST_SUITE_BEGIN("behaviour");

TEST_CASE("no row is in both parts, no test problem among plain training rows, no closed network") {
    const auto all = rows();
    for (const SplitKind kind : {SplitKind::network, SplitKind::closed, SplitKind::batch,
                                 SplitKind::threads, SplitKind::state, SplitKind::kernel}) {
        CAPTURE(std::string(to_string(kind)));
        for (const Fold& fold : make_folds(all, kind, closed)) {
            REQUIRE(!fold.train.empty());
            REQUIRE(!fold.test.empty());
            std::set<std::size_t> test(fold.test.begin(), fold.test.end());
            std::set<std::string> problems;
            for (const std::size_t i : fold.test) problems.insert(all[i].problem());
            for (const std::size_t i : fold.train) {
                CHECK(!test.contains(i));
                CHECK(all[i].network != "secret");
                CHECK(!all[i].upper_bound);
                CHECK(all[i].threads == 1);
                CHECK(all[i].state == CacheState::warm);
                if (kind != SplitKind::threads && kind != SplitKind::state)
                    CHECK(!problems.contains(all[i].problem()));
            }
            for (const std::size_t i : fold.test) {
                CHECK(!all[i].upper_bound);
                CHECK((all[i].network == "secret") == (kind == SplitKind::closed));
            }
        }
    }
}

TEST_CASE("each split holds out what its name says") {
    const auto all = rows();
    const auto networks = make_folds(all, SplitKind::network, closed);
    REQUIRE(networks.size() == 2);
    for (const Fold& fold : networks)
        for (const std::size_t i : fold.train) CHECK(all[i].network != fold.name);
    const auto batch = make_folds(all, SplitKind::batch, closed);
    REQUIRE(batch.size() == 1);
    for (const std::size_t i : batch.front().train) CHECK((all[i].batch > 1 && all[i].batch < 16));
    for (const std::size_t i : batch.front().test) CHECK((all[i].batch == 1 || all[i].batch == 16));
    CHECK(make_folds(all, SplitKind::state, closed).size() == 2);
    CHECK(make_folds(all, SplitKind::threads, closed).size() == 1);
    CHECK(make_folds(all, SplitKind::closed, {}).empty());
}

TEST_CASE("words") {
    CHECK(split_from_string("network") == SplitKind::network);
    CHECK(!split_from_string("row"));
}

TEST_SUITE_END();
