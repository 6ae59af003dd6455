// Which format a trace has, from its first uncompressed bytes.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <functional>

#include "collectors/import/readers.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace import {

std::string printable(std::string_view text) {
    std::string out = "\"";
    for (const char c : text)
        out += std::isprint(static_cast<unsigned char>(c)) && c != '"' ? c : '.';
    return out + "\"";
}

std::optional<std::uint64_t> parse_address(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return value;
}

namespace {

enum class Format { lackey, csv, binary };

using Opener = std::function<std::unique_ptr<ByteStream>()>;

Format format_of(ByteStream& bytes, const std::string& name) {
    std::array<char, 18> start{};
    const std::size_t got = bytes.read(start);
    const std::string_view text(start.data(), got);
    if (text.starts_with("ridge-trace ")) return Format::binary;
    if (text.starts_with("address,size,kind")) return Format::csv;
    if (text.starts_with("==") || text.starts_with("--") || text.starts_with("I  ") ||
        text.starts_with(" L ") || text.starts_with(" S ") || text.starts_with(" M "))
        return Format::lackey;
    throw bad_input(name,
                    "a trace: Valgrind lackey text, CSV with the header address,size,kind, or "
                    "ridge's own form",
                    got == 0 ? "an empty file" : "a start of " + printable(text));
}

class Reader final : public TraceReader {
public:
    Reader(Opener open, std::string name, const TraceOptions& options)
        : open_(std::move(open)), name_(std::move(name)), options_(options) {
        format_ = format_of(*open_(), name_);
        if (format_ == Format::binary) {
            info_ = read_binary(*open_(), name_, nullptr);
        } else {
            info_.line_bytes = options_.line_bytes;
            info_.origin = format_ == Format::lackey ? "lackey " + name_ : "csv " + name_;
        }
    }

    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    [[nodiscard]] const std::string& damage() const override { return damage_; }

    void replay(RunSink& sink) override {
        damage_.clear();
        try {
            const auto bytes = open_();
            switch (format_) {
                case Format::lackey:
                    return read_lackey(*bytes, name_, options_, sink);
                case Format::csv:
                    return read_csv(*bytes, name_, options_, sink);
                case Format::binary:
                    read_binary(*bytes, name_, &sink);
                    return;
            }
        } catch (const Error& error) {
            if (!options_.partial) throw;
            damage_ = error.what();
        }
    }

private:
    Opener open_;
    std::string name_;
    TraceOptions options_;
    Format format_ = Format::lackey;
    TraceInfo info_;
    std::string damage_;
};

}  // namespace

std::unique_ptr<TraceReader> open_trace_bytes(std::span<const char> bytes, const std::string& name,
                                              const TraceOptions& options) {
    return std::make_unique<Reader>([bytes, name] { return bytes_in_memory(bytes, name); }, name,
                                    options);
}

}  // namespace import

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options) {
    if (options.line_bytes < 8 || options.line_bytes > 256 ||
        !std::has_single_bit(static_cast<unsigned>(options.line_bytes)))
        throw bad_input("line size", "a power of two from 8 to 256",
                        std::to_string(options.line_bytes));
    return std::make_unique<import::Reader>([path] { return import::open_bytes(path); }, path,
                                            options);
}

}  // namespace ridge
