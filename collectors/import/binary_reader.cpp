#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <vector>

#include "collectors/import/checksum.hpp"
#include "collectors/import/readers.hpp"
#include "collectors/import/run_codec.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// A window on the stream, with `longest_record` readable bytes beyond its end.
class Window {
public:
    explicit Window(std::unique_ptr<ByteStream> bytes)
        : bytes_(std::move(bytes)), buffer_(size + longest_record, 0) {}

    /// Current place, with at least `wanted` bytes of the stream behind it where it has them.
    const char* at(std::size_t wanted) {
        while (end_ - begin_ < wanted && !ended_) refill();
        return buffer_.data() + begin_;
    }
    [[nodiscard]] std::size_t available() const { return end_ - begin_; }
    [[nodiscard]] std::uint64_t position() const { return before_ + begin_; }
    void advance(std::size_t by) { begin_ += by; }
    /// Throws what ended the stream early.
    void require_undamaged() const {
        if (damage_) std::rethrow_exception(damage_);
    }

private:
    static constexpr std::size_t size = std::size_t{1} << 18;

    void refill() {
        const std::size_t rest = end_ - begin_;
        std::memmove(buffer_.data(), buffer_.data() + begin_, rest);
        before_ += begin_;
        begin_ = 0;
        std::size_t got = 0;
        try {
            got = bytes_->read(std::span(buffer_.data() + rest, size - rest));
        } catch (const Error&) {
            damage_ = std::current_exception();  // told behind the blocks that are still here
        }
        end_ = rest + got;
        ended_ = got == 0;
    }

    std::unique_ptr<ByteStream> bytes_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t before_ = 0;
    bool ended_ = false;
    std::exception_ptr damage_;
};

template <class Number>
Number number_at(const char* at) {
    Number value;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

/// The header: one line of JSON behind the first line, which holds its checksum.
TraceInfo header_of(Window& window, const std::string& name) {
    const char* text = window.at(longest_header);
    const std::size_t length = std::min(window.available(), longest_header);
    const std::string_view whole(text, length);
    if (!whole.starts_with(binary_magic)) {
        window.require_undamaged();
        throw bad_input(name + ": byte 0",
                        printable(binary_magic) + " (other versions: save again)",
                        printable(whole.substr(0, binary_magic.size())));
    }
    const std::size_t start = binary_first_line;
    const std::size_t stop = whole.find('\n', start);
    if (stop == std::string_view::npos || text[start - 1] != '\n') {
        window.require_undamaged();
        throw bad_input(fmt::format("{}: byte {}", name, binary_magic.size()),
                        "a checksum and a header line of at most 64 KiB", "no line end");
    }
    const std::string_view line = whole.substr(start, stop + 1 - start);
    const std::string stated(whole.substr(binary_magic.size(), 16));
    if (const std::string found = fmt::format("{:016x}", checksum(line)); found != stated)
        throw bad_input(fmt::format("{}: byte {}", name, start),
                        "a header with the checksum " + printable(stated), found);
    const std::string where = fmt::format("{}: byte {}: header", name, start);
    const JsonReader json(std::string(line), where);
    TraceInfo info;
    info.line_bytes = static_cast<int>(json.at("line_bytes").integer(8, 256));
    if (!std::has_single_bit(static_cast<unsigned>(info.line_bytes)))
        throw bad_input(where + ": line_bytes", "a power of two", std::to_string(info.line_bytes));
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
    window.advance(stop + 1);
    return info;
}

/// Blocks of runs, each verified as a whole.
class Blocks {
public:
    Blocks(Window& window, const std::string& name, const TraceInfo& info, RunSink& sink)
        : window_(window), name_(name), info_(info), out_(sink) {}

    void read() {
        while (const std::size_t length = verified()) {
            const char* begin = window_.at(length);
            decode_block(begin, begin + length);
            window_.advance(length);
        }
        out_.flush();
        const auto stated = number_at<std::uint64_t>(window_.at(sizeof(std::uint64_t)));
        if (stated != runs_)
            throw damaged(0, fmt::format("the end mark of {} runs", runs_), std::to_string(stated));
        window_.advance(sizeof(std::uint64_t));
        window_.at(1);
        if (window_.available() > 0) throw damaged(0, "the end of the file", "more bytes");
        window_.require_undamaged();
    }

private:
    /// Passes the head of a block and returns the length of its records, 0 for the end mark, once
    /// they are all here and as their checksum says.
    std::size_t verified() {
        const char* head = window_.at(block_head);
        if (window_.available() < block_head) throw cut();
        const auto length = number_at<std::uint32_t>(head);
        if (length > longest_block)
            throw damaged(0, fmt::format("a block of at most {} bytes", longest_block),
                          std::to_string(length));
        const std::size_t needed = length > 0 ? length : sizeof(std::uint64_t);
        head = window_.at(block_head + needed);
        if (window_.available() < block_head + needed) throw cut();
        const auto stated = number_at<std::uint64_t>(head + sizeof(std::uint32_t));
        const std::uint64_t found = checksum({head + block_head, needed});
        if (stated != found)
            throw damaged(0, fmt::format("a block with the checksum {:016x}", stated),
                          fmt::format("{:016x}", found));
        window_.advance(block_head);
        return length;
    }

    void decode_block(const char* begin, const char* end) {
        for (const char* at = begin; at != end;) {
            LineRun run;
            const char* expected = nullptr;
            const char* behind = decode(at, run, state_, info_.line_bytes, expected);
            const auto place = static_cast<std::uint64_t>(at - begin);
            if (behind > end) throw damaged(place, "whole records in a block", "a longer one");
            if (!behind)
                throw damaged(place, expected,
                              fmt::format("bytes 0x{:02x}...", static_cast<unsigned char>(*at)));
            if (run.thread >= info_.threads)
                throw damaged(place, fmt::format("a thread below {}", info_.threads),
                              std::to_string(run.thread));
            out_.push(run);
            ++runs_;
            at = behind;
        }
    }

    Error cut() {
        return damaged(window_.available(), "a complete block and the end mark",
                       "the end of the file before them");
    }
    /// After what came before was handed over; what ended the stream early goes before it.
    Error damaged(std::uint64_t ahead, const std::string& expected, const std::string& found) {
        out_.flush();
        window_.require_undamaged();
        return bad_input(fmt::format("{}: byte {}", name_, window_.position() + ahead), expected,
                         found);
    }

    Window& window_;
    const std::string& name_;
    const TraceInfo& info_;
    RunBuffer out_;
    CodecState state_;
    std::uint64_t runs_ = 0;
};

}  // namespace

struct BinaryReader::Impl {
    Impl(std::unique_ptr<ByteStream> bytes, std::string text)
        : name(std::move(text)), window(std::move(bytes)), info(header_of(window, name)) {}
    std::string name;
    Window window;
    TraceInfo info;
};

BinaryReader::BinaryReader(std::unique_ptr<ByteStream> bytes, std::string name)
    : impl_(std::make_unique<Impl>(std::move(bytes), std::move(name))) {}
BinaryReader::~BinaryReader() = default;

const TraceInfo& BinaryReader::info() const {
    return impl_->info;
}

void BinaryReader::read(RunSink& sink) {
    Blocks(impl_->window, impl_->name, impl_->info, sink).read();
}

}  // namespace ridge::import
