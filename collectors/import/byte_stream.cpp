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

/// The bytes as they are stored.
class Stored : public ByteStream {
public:
    virtual void rewind() = 0;
};

class StoredFile final : public Stored {
public:
    explicit StoredFile(const std::string& path)
        : path_(path), file_(std::fopen(path.c_str(), "rb")) {
        if (!file_) throw bad_input(path, "a readable file", std::strerror(errno));
    }
    ~StoredFile() override { std::fclose(file_); }
    StoredFile(const StoredFile&) = delete;
    StoredFile& operator=(const StoredFile&) = delete;

    std::size_t read(std::span<char> into) override {
        const std::size_t got = std::fread(into.data(), 1, into.size(), file_);
        if (std::ferror(file_)) throw bad_input(path_, "a readable file", std::strerror(errno));
        return got;
    }
    void rewind() override { std::rewind(file_); }

private:
    std::string path_;
    std::FILE* file_;
};

/// A pipe: it can be read again only as far as the form of the data is told from.
class StoredPipe final : public Stored {
public:
    StoredPipe(std::FILE* pipe, std::string name) : pipe_(pipe), name_(std::move(name)) {}

    std::size_t read(std::span<char> into) override {
        if (looking_) {
            const std::size_t got = std::fread(into.data(), 1, into.size(), pipe_);
            start_.insert(start_.end(), into.data(), into.data() + got);
            return got;
        }
        const std::size_t kept = std::min(into.size(), start_.size() - at_);
        std::copy_n(start_.begin() + static_cast<std::ptrdiff_t>(at_), kept, into.begin());
        at_ += kept;
        const std::size_t got = std::fread(into.data() + kept, 1, into.size() - kept, pipe_);
        if (std::ferror(pipe_)) throw bad_input(name_, "readable text", std::strerror(errno));
        return kept + got;
    }
    void rewind() override { looking_ = false; }

private:
    std::FILE* pipe_;
    std::string name_;
    std::vector<char> start_;
    std::size_t at_ = 0;
    bool looking_ = true;
};

class StoredMemory final : public Stored {
public:
    explicit StoredMemory(std::span<const char> bytes) : bytes_(bytes) {}
    std::size_t read(std::span<char> into) override {
        const std::size_t got = std::min(into.size(), bytes_.size() - at_);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), got, into.begin());
        at_ += got;
        return got;
    }
    void rewind() override { at_ = 0; }

private:
    std::span<const char> bytes_;
    std::size_t at_ = 0;
};

/// What gzip and zstd share: a buffer of compressed bytes and the place in the output for errors.
class Decompressor : public ByteStream {
public:
    Decompressor(std::unique_ptr<Stored> stored, std::string name)
        : stored_(std::move(stored)), name_(std::move(name)), input_(std::size_t{1} << 17) {}

    /// What lies before damage is handed over first; the error comes with the next call.
    std::size_t read(std::span<char> into) override {
        if (damage_) std::rethrow_exception(damage_);
        std::size_t done = 0;
        try {
            fill(into, done);
        } catch (const Error&) {
            if (done == 0) throw;
            damage_ = std::current_exception();
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

    std::unique_ptr<Stored> stored_;
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
    Zstd(std::unique_ptr<Stored> stored, const std::string& name)
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
    Gzip(std::unique_ptr<Stored> stored, const std::string& name)
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

std::unique_ptr<ByteStream> recognised(std::unique_ptr<Stored> stored, const std::string& name) {
    unsigned char magic[4] = {};
    const std::size_t got = stored->read({reinterpret_cast<char*>(magic), sizeof(magic)});
    stored->rewind();
    if (got >= 2 && magic[0] == 0x1f && magic[1] == 0x8b)
        return std::make_unique<Gzip>(std::move(stored), name);
    if (got == 4 && magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd)
        return std::make_unique<Zstd>(std::move(stored), name);
    return stored;
}

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::string& path) {
    return recognised(std::make_unique<StoredFile>(path), path);
}

std::unique_ptr<ByteStream> open_standard_input() {
    return recognised(std::make_unique<StoredPipe>(stdin, "standard input"), "standard input");
}

std::unique_ptr<ByteStream> bytes_in_memory(std::span<const char> bytes, const std::string& name) {
    return recognised(std::make_unique<StoredMemory>(bytes), name);
}

}  // namespace ridge::import
