// CSV with the header "address,size,kind": address in decimal or 0x hex, kind one of the words of
// TouchKind ("load", "store", "modify", "store_nt", "prefetch", "fetch").
#include <array>
#include <charconv>
#include <optional>

#include "collectors/import/access_merger.hpp"
#include "collectors/import/readers.hpp"
#include "collectors/import/text_reader.hpp"

namespace ridge::import {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<TouchKind> kind_of(std::string_view word) {
    for (int i = 0; i < touch_kinds; ++i)
        if (word == to_string(static_cast<TouchKind>(i))) return static_cast<TouchKind>(i);
    return std::nullopt;
}

class CsvParser {
public:
    CsvParser(const std::string& name, AccessMerger& out, bool fetches)
        : name_(name), out_(out), fetches_(fetches) {}

    void take(const char* at, const char* end) {
        while (at != end) {
            const auto* stop =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            std::string_view text(at, static_cast<std::size_t>(stop - at));
            if (text.ends_with('\r')) text.remove_suffix(1);
            record(text);
            ++line_;
            at = stop + 1;
        }
    }
    [[nodiscard]] const std::uint64_t& line_number() const { return line_; }
    [[nodiscard]] TextCounts counts() const { return {line_, fetches_left_out_}; }

private:
    void record(std::string_view text) {
        if (line_ == 0) {
            if (text != "address,size,kind") throw wrong("the header address,size,kind", text);
            return;
        }
        const std::size_t first = text.find(','), second = text.find(',', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos)
            throw wrong("address,size,kind", text);
        const auto address = number(text.substr(0, first));
        const auto bytes = number(text.substr(first + 1, second - first - 1));
        const auto kind = kind_of(text.substr(second + 1));
        if (!address) throw wrong("a 64-bit address", text);
        if (!bytes) throw wrong("a size", text);
        if (!kind) throw wrong("load, store, modify, store_nt, prefetch or fetch", text);
        if (const char* expected = wrong_access(*address, *bytes)) throw wrong(expected, text);
        if (*kind != TouchKind::fetch || fetches_)
            out_.access(*kind, *address, static_cast<std::uint32_t>(*bytes));
        else
            ++fetches_left_out_;
    }

    [[nodiscard]] Error wrong(std::string_view expected, std::string_view text) const {
        return bad_input(fmt::format("{}: line {}", name_, line_ + 1), expected,
                         printable(text.substr(0, 60)));
    }

    const std::string& name_;
    AccessMerger& out_;
    bool fetches_;
    std::uint64_t line_ = 0, fetches_left_out_ = 0;
};

}  // namespace

TextCounts read_csv(ByteStream& bytes, const std::string& name, const TraceOptions& options,
                    RunSink& sink) {
    AccessMerger merger(sink, options.line_bytes, options.merge_across_fetches);
    CsvParser parser(name, merger, options.fetches);
    try {
        for_whole_lines(bytes, name, parser.line_number(), LastLine::open,
                        [&](const char* begin, const char* end) { parser.take(begin, end); });
    } catch (const Error&) {
        merger.flush();
        throw;
    }
    merger.flush();
    return parser.counts();
}

}  // namespace ridge::import
