#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "collectors/import/checksum.hpp"
#include "collectors/import/readers.hpp"
#include "collectors/import/run_codec.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

std::string header_line(const TraceInfo& info) {
    Json json{{"line_bytes", info.line_bytes}, {"threads", info.threads}, {"origin", info.origin}};
    json["regions"] = Json::array();
    for (const Region& region : info.regions)
        json["regions"].push_back({{"name", region.name},
                                   {"address", fmt::format("0x{:x}", region.address)},
                                   {"bytes", region.bytes}});
    return json.dump() + "\n";
}

}  // namespace

struct TraceWriter::Impl {
    explicit Impl(const std::string& name) : path(name), file(name) {}

    std::string path;
    OutputFile file;
    ZSTD_CCtx* context = nullptr;
    std::vector<char> block, packed;  ///< block: head and records
    std::size_t used = import::block_head;
    import::CodecState state;
    std::uint64_t runs = 0;

    ~Impl() { ZSTD_freeCCtx(context); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void compress(std::string_view text, ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{text.data(), text.size(), 0};
        for (;;) {
            ZSTD_outBuffer out{packed.data(), packed.size(), 0};
            const std::size_t left = ZSTD_compressStream2(context, &out, &in, directive);
            if (ZSTD_isError(left)) throw job_failed(path, ZSTD_getErrorName(left));
            file.write({packed.data(), out.pos});
            const bool done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
            if (done) break;
        }
    }

    /// Writes the block with what is in it, `length` being what its head says.
    void end_block(std::uint32_t length, ZSTD_EndDirective directive) {
        const std::uint64_t sum =
            import::checksum({block.data() + import::block_head, used - import::block_head});
        std::memcpy(block.data(), &length, sizeof(length));
        std::memcpy(block.data() + sizeof(length), &sum, sizeof(sum));
        compress({block.data(), used}, directive);
        used = import::block_head;
    }
    void end_records() {
        if (used > import::block_head)
            end_block(static_cast<std::uint32_t>(used - import::block_head), ZSTD_e_continue);
    }
};

TraceWriter::TraceWriter(const std::string& path, const TraceInfo& info)
    : impl_(std::make_unique<Impl>(path)) {
    const std::string header = header_line(info);
    if (import::binary_first_line + header.size() > import::longest_header)
        throw bad_input(path, "names of origin and tensors that fit in 64 KiB",
                        fmt::format("{} bytes", header.size()));
    impl_->context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(impl_->context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(impl_->context, ZSTD_c_compressionLevel, 1);
    impl_->block.resize(import::block_head + import::longest_block);
    impl_->packed.resize(ZSTD_CStreamOutSize());
    impl_->compress(
        fmt::format("{}{:016x}\n{}", import::binary_magic, import::checksum(header), header),
        ZSTD_e_continue);
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::consume(std::span<const LineRun> chunk) {
    Impl& impl = *impl_;
    for (const LineRun& run : chunk) {
        if (impl.used + import::longest_record > impl.block.size()) impl.end_records();
        char* at = impl.block.data() + impl.used;
        impl.used += static_cast<std::size_t>(import::encode(at, run, impl.state) - at);
        ++impl.runs;
    }
}

void TraceWriter::close() {
    Impl& impl = *impl_;
    impl.end_records();
    std::memcpy(impl.block.data() + impl.used, &impl.runs, sizeof(impl.runs));
    impl.used += sizeof(impl.runs);
    impl.end_block(0, ZSTD_e_end);
    impl.file.close();
}

}  // namespace ridge
