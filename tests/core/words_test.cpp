#include "core/words_near.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>

#include "ridge/layer.hpp"
#include "ridge/measurement.hpp"
#include "ridge/reading.hpp"

using namespace ridge;

namespace {

/// Every value of an enumeration has its own word, and the word leads back to it.
template <class Enum, class Read>
void check_words(int count, Read read) {
    std::set<std::string_view> seen;
    for (int i = 0; i < count; ++i) {
        const auto value = static_cast<Enum>(i);
        const std::string_view word = to_string(value);
        CHECK(seen.insert(word).second);
        CHECK(word != "unknown");
        CHECK(read(word) == value);
    }
    CHECK(to_string(static_cast<Enum>(count)) == "unknown");  // count is the whole enumeration
    CHECK(!read("unknown"));
    CHECK(!read(""));
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("the words of every enumeration read back") {
        check_words<Source>(5, source_from_string);
        check_words<LayerKind>(14, layer_kind_from_string);
        check_words<Pass>(5, pass_from_string);
        check_words<DataType>(8, data_type_from_string);
        check_words<CacheState>(3, cache_state_from_string);
    }

    TEST_CASE("benchdnn's words") {
        CHECK(to_string(LayerKind::convolution) == "conv");
        CHECK(to_string(LayerKind::batch_normalization) == "bnorm");
        CHECK(to_string(LayerKind::inner_product) == "ip");
        CHECK(to_string(DataType::bf16) == "bf16");
        CHECK(to_string(CacheState::in_step) == "in_step");
    }

    TEST_CASE("sizes of data types") {
        CHECK(size_of(DataType::f64) == Bytes(8));
        CHECK(size_of(DataType::f32) == Bytes(4));
        CHECK(size_of(DataType::tf32) == Bytes(4));
        CHECK(size_of(DataType::s32) == Bytes(4));
        CHECK(size_of(DataType::f16) == Bytes(2));
        CHECK(size_of(DataType::bf16) == Bytes(2));
        CHECK(size_of(DataType::s8) == Bytes(1));
        CHECK(size_of(DataType::u8) == Bytes(1));
    }

    TEST_CASE("the nearest word of a typo, and none for something else") {
        const std::array<std::string, 3> words{"alexnet", "resnet50", "vgg16"};
        CHECK(nearest_word("alexnt", words) == "alexnet");
        CHECK(nearest_word("resnet-50", words) == "resnet50");
        CHECK(nearest_word("vgg16", words) == "vgg16");
        CHECK(!nearest_word("mobilenet", words));
        CHECK(!nearest_word("", words));
        CHECK(!nearest_word("x", {}));
        CHECK(list_of(words) == "alexnet, resnet50, vgg16");
    }
}
