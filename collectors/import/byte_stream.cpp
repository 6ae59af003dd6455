#include "collectors/import/byte_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "ridge/error.hpp"

namespace ridge::import {
namespace {

class StoredFile final : public ByteStream {
public:
    explicit StoredFile(const std::string& path)
        : name_(path), opened_(std::fopen(path.c_str(), "rb")), file_(opened_) {
        if (!file_) throw bad_input(path, "a readable file", std::strerror(errno));
    }
    /// One that is open already.
    StoredFile(std::FILE* file, std::string name) : name_(std::move(name)), file_(file) {}
    ~StoredFile() override {
        if (opened_) std::fclose(opened_);
    }
    StoredFile(const StoredFile&) = delete;
    StoredFile& operator=(const StoredFile&) = delete;

    std::size_t read(std::span<char> into) override {
        const std::size_t got = std::fread(into.data(), 1, into.size(), file_);
        if (std::ferror(file_)) throw bad_input(name_, "a readable file", std::strerror(errno));
        return got;
    }

private:
    std::string name_;
    std::FILE* opened_ = nullptr;  ///< to be closed here
    std::FILE* file_;
};

class StoredMemory final : public ByteStream {
public:
    explicit StoredMemory(std::span<const char> bytes) : bytes_(bytes) {}
    std::size_t read(std::span<char> into) override {
        const std::size_t got = std::min(into.size(), bytes_.size() - at_);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), got, into.begin());
        at_ += got;
        return got;
    }

private:
    std::span<const char> bytes_;
    std::size_t at_ = 0;
};

/// What gzip and zstd share: a buffer of compressed bytes and the place in the output for errors.
class Decompressor : public ByteStream {
public:
    Decompressor(std::unique_ptr<ByteStream> stored, std::string name)
        : stored_(std::move(stored)), name_(std::move(name)), input_(std::size_t{1} << 17) {}

    /// What lies before damage is handed over first; the error comes with the next call.
    std::size_t read(std::span<char> into) override {
        if (damage_) std::rethrow_exception(damage_);
        std::size_t done = 0;
        try {
            fill(into, done);
        } catch (const Error&) {
            damage_ = std::current_exception();
            if (done == 0) throw;
        }
        return done;
    }

protected:
    /// Decompresses from input_[begin_, end_), advancing begin_; returns the bytes produced.
    virtual std::size_t step(std::span<char> into) = 0;
    [[nodiscard]] Error damaged(const std::string& reason) const {
        return bad_input(fmt::format("{}: byte {}", name_, position_), "intact compressed data",
                         reason);
    }

    std::unique_ptr<ByteStream> stored_;
    std::string name_;
    std::vector<char> input_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t position_ = 0;
    bool between_frames_ = true, ended_ = false;

private:
    void fill(std::span<char> into, std::size_t& done) {
        while (done < into.size() && !ended_) {
            if (begin_ == end_) {
                begin_ = 0;
                end_ = stored_->read(input_);
                if (end_ == 0) {
                    if (!between_frames_) throw damaged("the compressed data is cut off");
                    ended_ = true;
                    break;
                }
            }
            const std::size_t got = step(into.subspan(done));
            done += got;
            position_ += got;
        }
    }
    std::exception_ptr damage_;
};

class Zstd final : public Decompressor {
public:
    Zstd(std::unique_ptr<ByteStream> stored, const std::string& name)
        : Decompressor(std::move(stored), name), context_(ZSTD_createDCtx()) {
        // Frames may ask for a window of up to 2 GiB; 128 MiB is more than any writer here uses.
        ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, 27);
    }
    ~Zstd() override { ZSTD_freeDCtx(context_); }
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;

private:
    std::size_t step(std::span<char> into) override {
        ZSTD_inBuffer in{input_.data(), end_, begin_};
        ZSTD_outBuffer out{into.data(), into.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context_, &out, &in);
        if (ZSTD_isError(left)) throw damaged(ZSTD_getErrorName(left));
        begin_ = in.pos;
        between_frames_ = left == 0;
        return out.pos;
    }
    ZSTD_DCtx* context_;
};

class Gzip final : public Decompressor {
public:
    Gzip(std::unique_ptr<ByteStream> stored, const std::string& name)
        : Decompressor(std::move(stored), name) {
        if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK)
            throw job_failed(name, "zlib could not start");
    }
    ~Gzip() override { inflateEnd(&stream_); }
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;

private:
    std::size_t step(std::span<char> into) override {
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_);
        stream_.avail_in = static_cast<uInt>(end_ - begin_);
        stream_.next_out = reinterpret_cast<Bytef*>(into.data());
        const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), 1u << 30));
        stream_.avail_out = room;
        const int outcome = inflate(&stream_, Z_NO_FLUSH);
        if (outcome != Z_OK && outcome != Z_STREAM_END)
            throw damaged(stream_.msg ? stream_.msg : "not gzip data");
        begin_ = end_ - stream_.avail_in;
        between_frames_ = outcome == Z_STREAM_END;
        if (between_frames_) inflateReset(&stream_);  // files may be concatenated
        return room - stream_.avail_out;
    }
    z_stream stream_{};
};

/// Compressed files within compressed files; more layers than this are no accident.
constexpr int most_layers = 4;

std::unique_ptr<PeekedStream> recognised(std::unique_ptr<ByteStream> stored,
                                         const std::string& name) {
    auto stream = std::make_unique<PeekedStream>(std::move(stored));
    for (int layer = 0; layer < most_layers; ++layer) {
        const std::string_view magic = stream->peek(4);
        if (magic.starts_with("\x1f\x8b"))
            stream =
                std::make_unique<PeekedStream>(std::make_unique<Gzip>(std::move(stream), name));
        else if (magic == "\x28\xb5\x2f\xfd")
            stream =
                std::make_unique<PeekedStream>(std::make_unique<Zstd>(std::move(stream), name));
        else
            break;
    }
    return stream;
}

}  // namespace

std::string_view PeekedStream::peek(std::size_t wanted) {
    const std::size_t had = kept_.size();
    if (had < wanted) {
        kept_.resize(wanted);
        std::size_t got = 0;
        try {
            got = stream_->read(std::span(kept_).subspan(had));
        } catch (...) {
            kept_.resize(had);
            throw;
        }
        kept_.resize(had + got);
    }
    return std::string_view(kept_).substr(0, wanted);
}

std::size_t PeekedStream::read(std::span<char> into) {
    const std::size_t kept = std::min(into.size(), kept_.size());
    std::copy_n(kept_.begin(), kept, into.begin());
    kept_.erase(0, kept);
    if (kept == into.size()) return kept;
    // What was kept is handed over before an error: a stream that is damaged says so again.
    try {
        return kept + stream_->read(into.subspan(kept));
    } catch (const Error&) {
        if (kept == 0) throw;
        return kept;
    }
}

std::unique_ptr<PeekedStream> open_bytes(const std::string& path) {
    return recognised(std::make_unique<StoredFile>(path), path);
}

std::unique_ptr<PeekedStream> open_standard_input() {
    return recognised(std::make_unique<StoredFile>(stdin, "standard input"), "standard input");
}

std::unique_ptr<PeekedStream> bytes_in_memory(std::span<const char> bytes,
                                              const std::string& name) {
    return recognised(std::make_unique<StoredMemory>(bytes), name);
}

}  // namespace ridge::import
