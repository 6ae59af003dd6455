#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <vector>

#include "collectors/import/readers.hpp"
#include "collectors/import/run_codec.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// A window on the stream with at least `longest_record` readable bytes at any place, zeros beyond
/// the end.
class Window {
public:
    explicit Window(ByteStream& bytes) : bytes_(bytes), buffer_(size + longest_record, 0) {}

    /// Current place, with at least `wanted` bytes of the stream behind it where it has them.
    const char* at(std::size_t wanted) {
        while (end_ - begin_ < wanted && !ended_) refill();
        return buffer_.data() + begin_;
    }
    [[nodiscard]] std::size_t available() const { return end_ - begin_; }
    [[nodiscard]] std::uint64_t position() const { return before_ + begin_; }
    void advance(std::size_t by) { begin_ += by; }
    /// Throws what ended the stream early, once the window is at the place.
    void require_undamaged() const {
        if (damage_ && available() < longest_record) std::rethrow_exception(damage_);
    }

private:
    static constexpr std::size_t size = std::size_t{1} << 17;

    void refill() {
        const std::size_t rest = end_ - begin_;
        std::memmove(buffer_.data(), buffer_.data() + begin_, rest);
        before_ += begin_;
        begin_ = 0;
        std::size_t got = 0;
        try {
            got = bytes_.read(std::span(buffer_.data() + rest, size - rest));
        } catch (const Error&) {
            damage_ = std::current_exception();  // told behind the records that are still here
        }
        end_ = rest + got;
        ended_ = got == 0;
        if (ended_)
            std::fill_n(buffer_.begin() + static_cast<std::ptrdiff_t>(end_), longest_record, '\0');
    }

    ByteStream& bytes_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t before_ = 0;
    bool ended_ = false;
    std::exception_ptr damage_;
};

/// The header: one line of JSON behind the magic line.
TraceInfo header_of(Window& window, const std::string& name) {
    constexpr std::size_t longest_header = std::size_t{1} << 16;
    const char* text = window.at(longest_header);
    const std::size_t length = std::min(window.available(), longest_header);
    if (length < binary_magic.size() || std::string_view(text, binary_magic.size()) != binary_magic)
        throw bad_input(name + ": byte 0", "\"ridge-trace 1\"",
                        printable({text, std::min<std::size_t>(length, 14)}));
    const std::string_view rest(text + binary_magic.size(), length - binary_magic.size());
    const std::size_t stop = rest.find('\n');
    if (stop == std::string_view::npos) {
        window.require_undamaged();
        throw bad_input(fmt::format("{}: byte {}", name, binary_magic.size()),
                        "a header line of at most 64 KiB", "no line end");
    }
    const JsonReader json(std::string(rest.substr(0, stop)), name + ": header");
    TraceInfo info;
    info.line_bytes = static_cast<int>(json.at("line_bytes").integer(8, 256));
    if (!std::has_single_bit(static_cast<unsigned>(info.line_bytes)))
        throw bad_input(name + ": header: line_bytes", "a power of two",
                        std::to_string(info.line_bytes));
    info.threads = static_cast<int>(json.at("threads").integer(1, 255));
    info.origin = json.at("origin").text();
    for (const JsonReader& item : json.at("regions").items()) {
        Region region;
        region.name = item.at("name").text();
        const std::string address = item.at("address").text();
        const auto value = parse_address(address);
        if (!value) throw item.at("address").wrong("a 64-bit hex address such as 0x1000");
        region.address = *value;
        region.bytes =
            static_cast<std::uint64_t>(item.at("bytes").integer(1, std::int64_t{1} << 50));
        if (region.address > ~std::uint64_t{0} - region.bytes)
            throw item.at("address").wrong("a region within 64 bits of address");
        info.regions.push_back(std::move(region));
    }
    window.advance(binary_magic.size() + stop + 1);
    return info;
}

void runs_of(Window& window, const std::string& name, const TraceInfo& info, RunSink& sink) {
    CodecState state;
    std::vector<LineRun> chunk;
    chunk.reserve(runs_per_chunk);
    std::uint64_t runs = 0;
    const auto damaged = [&](const std::string& expected, const std::string& found) {
        if (!chunk.empty()) sink.consume(chunk);
        chunk.clear();
        window.require_undamaged();
        return bad_input(fmt::format("{}: byte {}", name, window.position()), expected, found);
    };
    for (;;) {
        const char* at = window.at(longest_record);
        if (window.available() == 0) throw damaged("a record", "the end of the file");
        if ((*at & 7) == end_of_trace) {
            std::uint64_t stated = 0;
            const char* behind = get_number(at + 1, stated);
            if (!behind || static_cast<std::size_t>(behind - at) > window.available() ||
                *at != static_cast<char>(end_of_trace) || stated != runs)
                throw damaged(fmt::format("the end mark with {} runs", runs), "another one");
            window.advance(static_cast<std::size_t>(behind - at));
            window.at(1);
            if (window.available() > 0) throw damaged("the end of the file", "more bytes");
            if (!chunk.empty()) sink.consume(chunk);
            return window.require_undamaged();
        }
        LineRun run;
        const char* expected = nullptr;
        const char* behind = decode(at, run, state, info.line_bytes, expected);
        // Beyond the end of the stream the window holds zeros, which may make up any record.
        const bool at_end = window.available() < longest_record;
        if (behind ? static_cast<std::size_t>(behind - at) > window.available() : at_end)
            throw damaged("a complete record and the end mark", "the end of the file before them");
        if (!behind)
            throw damaged(expected,
                          fmt::format("bytes 0x{:02x}...", static_cast<unsigned char>(*at)));
        if (run.thread >= info.threads)
            throw damaged(fmt::format("a thread below {}", info.threads),
                          std::to_string(run.thread));
        window.advance(static_cast<std::size_t>(behind - at));
        ++runs;
        chunk.push_back(run);
        if (chunk.size() == runs_per_chunk) {
            sink.consume(chunk);
            chunk.clear();
        }
    }
}

}  // namespace

TraceInfo read_binary(ByteStream& bytes, const std::string& name, RunSink* sink) {
    Window window(bytes);
    TraceInfo info = header_of(window, name);
    if (sink) runs_of(window, name, info, *sink);
    return info;
}

}  // namespace ridge::import
