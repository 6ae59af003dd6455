// Which format a trace has, from its first uncompressed bytes.
#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <filesystem>
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

using Opener = std::function<std::unique_ptr<PeekedStream>()>;

Format format_of(PeekedStream& bytes, const std::string& name) {
    const std::string_view text = bytes.peek(18);
    if (text.starts_with("ridge-trace ")) return Format::binary;
    if (text.starts_with("address,size,kind")) return Format::csv;
    if (text.starts_with("==") || text.starts_with("--") || text.starts_with("I  ") ||
        text.starts_with(" L ") || text.starts_with(" S ") || text.starts_with(" M "))
        return Format::lackey;
    throw bad_input(name + ": byte 0",
                    "a trace: Valgrind lackey text, CSV with the header address,size,kind, or "
                    "ridge's own form",
                    text.empty() ? "an empty file" : "a start of " + printable(text));
}

/// Hands runs on and knows whether there were any.
class Counting final : public RunSink {
public:
    explicit Counting(RunSink& sink) : sink_(sink) {}
    void consume(std::span<const LineRun> chunk) override {
        any_ = any_ || !chunk.empty();
        sink_.consume(chunk);
    }
    [[nodiscard]] bool any() const { return any_; }

private:
    RunSink& sink_;
    bool any_ = false;
};

class Reader final : public TraceReader {
public:
    Reader(Opener open, std::string name, const TraceOptions& options, bool once)
        : open_(std::move(open)), name_(std::move(name)), options_(options), once_(once) {
        begin();
        if (binary_) {
            info_ = binary_->info();
        } else {
            info_.line_bytes = options_.line_bytes;
            info_.origin = format_ == Format::lackey ? "lackey " + name_ : "csv " + name_;
        }
    }

    [[nodiscard]] const TraceInfo& info() const override { return info_; }
    [[nodiscard]] const std::string& damage() const override { return damage_; }
    [[nodiscard]] bool read_once() const override { return once_; }
    [[nodiscard]] bool knows_threads() const override { return format_ == Format::binary; }

    void replay(RunSink& sink) override {
        if (!fresh_) {
            if (once_)
                throw bad_input(name_, "a file, since this needs the trace twice",
                                "a pipe, which can be read once");
            begin();
        }
        fresh_ = false;
        damage_.clear();
        Counting counting(sink);
        try {
            const TextCounts counts = read(counting);
            if (!counting.any()) throw nothing(counts);
        } catch (const Error& error) {
            // Up to the damage there must be something to be used.
            if (!options_.partial || !counting.any()) throw;
            damage_ = error.what();
        }
    }

private:
    /// Opens and recognises: the stream that the next replay reads.
    void begin() {
        stream_ = open_();
        format_ = format_of(*stream_, name_);
        if (format_ == Format::binary)
            binary_ = std::make_unique<BinaryReader>(std::move(stream_), name_);
        fresh_ = true;
    }

    TextCounts read(RunSink& sink) {
        if (format_ == Format::lackey) return read_lackey(*stream_, name_, options_, sink);
        if (format_ == Format::csv) return read_csv(*stream_, name_, options_, sink);
        binary_->read(sink);
        return {};
    }

    [[nodiscard]] Error nothing(const TextCounts& counts) const {
        const std::string lines =
            format_ == Format::binary ? "" : fmt::format(" in {} lines", counts.lines);
        if (counts.fetches_left_out > 0)
            return bad_input(name_, "at least one access to data",
                             fmt::format("instruction fetches only{}", lines));
        return bad_input(name_, "at least one access", "none" + lines);
    }

    Opener open_;
    std::string name_;
    TraceOptions options_;
    bool once_;
    bool fresh_ = false;
    Format format_ = Format::lackey;
    std::unique_ptr<PeekedStream> stream_;
    std::unique_ptr<BinaryReader> binary_;
    TraceInfo info_;
    std::string damage_;
};

}  // namespace

std::unique_ptr<TraceReader> open_trace_bytes(std::span<const char> bytes, const std::string& name,
                                              const TraceOptions& options) {
    return std::make_unique<Reader>([bytes, name] { return bytes_in_memory(bytes, name); }, name,
                                    options, false);
}

}  // namespace import

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options) {
    if (options.line_bytes < 8 || options.line_bytes > 256 ||
        !std::has_single_bit(static_cast<unsigned>(options.line_bytes)))
        throw bad_input("line size", "a power of two from 8 to 256",
                        std::to_string(options.line_bytes));
    if (path == "-")
        return std::make_unique<import::Reader>(import::open_standard_input, "standard input",
                                                options, true);
    std::error_code error;
    const bool once = !std::filesystem::is_regular_file(path, error) && !error;
    return std::make_unique<import::Reader>([path] { return import::open_bytes(path); }, path,
                                            options, once);
}

}  // namespace ridge
