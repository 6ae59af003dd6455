// What the list of generated functions means when their places are used again.
#include "collectors/tracer/code_map.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace ridge;

namespace {

/// Code of nothing but returns, beginning on a page.
class Pages {
public:
    Pages() : bytes_(5 * 4096, 0xc3) {}
    [[nodiscard]] std::uint64_t at(std::uint64_t offset) const {
        return (reinterpret_cast<std::uint64_t>(bytes_.data()) + 4095) / 4096 * 4096 + offset;
    }

private:
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("a whole listed behind its parts is no function of its own") {
        const Pages pages;
        tracer::CodeMap code;
        CHECK(code.add(pages.at(0), 0x1400, "part") != nullptr);
        CHECK(code.add(pages.at(0x1400), 0xc00, "part") != nullptr);
        CHECK(code.add(pages.at(0x2000), 0x800, "part") != nullptr);  // on a page by chance
        CHECK(code.add(pages.at(0), 0x2800, "whole") == nullptr);
        CHECK(code.all().size() == 3);
        CHECK(code.find(pages.at(0x1500))->address == pages.at(0x1400));
    }

    TEST_CASE("a function generated where parts were freed takes their place") {
        const Pages pages;
        for (const bool at_once : {false, true}) {
            CAPTURE(at_once);
            tracer::CodeMap code;
            code.add(pages.at(0), 0x1400, "part");
            code.add(pages.at(0x1400), 0xc00, "part");
            code.add(pages.at(0), 0x2000, "whole");
            // Something shorter came and went meanwhile; the second part is still listed.
            if (!at_once) code.add(pages.at(0), 0x800, "between");
            CHECK(code.add(pages.at(0), 0x3000, "new") != nullptr);
            CHECK(code.all().size() == 1);
            CHECK(code.find(pages.at(0x1400))->name == "new");
        }
    }
}
