// Text of `valgrind --tool=lackey --trace-mem=yes`, as version 3.19 prints it:
//
//   I  0023c790,2          instruction fetch: address in hex, bytes in decimal
//    L be801950,4          load
//    S be80199c,4          store
//    M 0025747c,1          load and store by one instruction
//   ==1234== ...           remarks of Valgrind, skipped
#include <algorithm>
#include <array>
#include <cstdint>

#include "collectors/import/access_merger.hpp"
#include "collectors/import/readers.hpp"
#include "collectors/import/text_reader.hpp"

namespace ridge::import {
namespace {

/// Value of a hex digit; 16 for anything else.
constexpr std::array<std::uint8_t, 256> hex_values = [] {
    std::array<std::uint8_t, 256> values{};
    for (auto& value : values) value = 16;
    for (int i = 0; i < 10; ++i)
        values[static_cast<std::size_t>('0' + i)] = static_cast<std::uint8_t>(i);
    for (int i = 0; i < 6; ++i) {
        values[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(10 + i);
        values[static_cast<std::size_t>('A' + i)] = static_cast<std::uint8_t>(10 + i);
    }
    return values;
}();

class LackeyParser {
public:
    LackeyParser(const std::string& name, AccessMerger& out, bool fetches)
        : name_(name), out_(out), fetches_(fetches) {}

    /// Lines from `at` to `end`; the last character is a line end.
    void take(const char* at, const char* end) {
        while (at != end) at = line(at);
    }
    [[nodiscard]] const std::uint64_t& line_number() const { return line_; }
    [[nodiscard]] TextCounts counts() const { return {line_, fetches_left_out_}; }

private:
    const char* line(const char* start) {
        const char* at = start;
        TouchKind kind = TouchKind::fetch;
        if (at[0] == 'I' && at[1] == ' ' && at[2] == ' ') {
            at += 3;
        } else if (at[0] == ' ' && at[1] != '\n' && at[2] == ' ') {
            if (at[1] == 'L')
                kind = TouchKind::load;
            else if (at[1] == 'S')
                kind = TouchKind::store;
            else if (at[1] == 'M')
                kind = TouchKind::modify;
            else
                throw wrong(start, "a record I, L, S or M");
            at += 3;
        } else if (at[0] == '=' || at[0] == '-') {
            ++line_;
            while (*at != '\n') ++at;
            return at + 1;
        } else {
            throw wrong(start,
                        "a record \"I  address,size\" or \" L address,size\" (the traced "
                        "program's own output must go elsewhere)");
        }
        std::uint64_t address = 0;
        const char* digits = at;
        for (std::uint8_t digit; (digit = hex_values[static_cast<unsigned char>(*at)]) < 16; ++at)
            address = address << 4 | digit;
        // Leading zeros may make it long, but not so that digits are lost.
        if (at == digits || at - digits > 16 || *at != ',')
            throw wrong(start, "a hex address of up to 16 digits and a comma");
        ++at;
        std::uint64_t bytes = 0;
        digits = at;
        for (; *at >= '0' && *at <= '9' && at - digits < 5; ++at)
            bytes = bytes * 10 + static_cast<std::uint64_t>(*at - '0');
        const bool has_digits = at != digits;
        if (*at == '\r') [[unlikely]]
            ++at;
        if (!has_digits || *at != '\n') throw wrong(start, "a decimal size and the line's end");
        if (const char* expected = wrong_access(address, bytes)) throw wrong(start, expected);
        ++line_;
        if (kind != TouchKind::fetch || fetches_)
            out_.access(kind, address, static_cast<std::uint32_t>(bytes));
        else
            ++fetches_left_out_;
        return at + 1;
    }

    [[nodiscard]] Error wrong(const char* start, const std::string& expected) const {
        const char* end = start;
        while (*end != '\n' && end - start < 60) ++end;
        return bad_input(fmt::format("{}: line {}", name_, line_ + 1), expected,
                         printable(std::string_view(start, static_cast<std::size_t>(end - start))));
    }

    const std::string& name_;
    AccessMerger& out_;
    bool fetches_;
    std::uint64_t line_ = 0, fetches_left_out_ = 0;
};

}  // namespace

TextCounts read_lackey(ByteStream& bytes, const std::string& name, const TraceOptions& options,
                       RunSink& sink) {
    AccessMerger merger(sink, options.line_bytes, options.merge_across_fetches);
    LackeyParser parser(name, merger, options.fetches);
    try {
        for_whole_lines(bytes, name, parser.line_number(), LastLine::ended,
                        [&](const char* begin, const char* end) { parser.take(begin, end); });
    } catch (const Error&) {
        merger.flush();
        throw;
    }
    merger.flush();
    return parser.counts();
}

}  // namespace ridge::import
