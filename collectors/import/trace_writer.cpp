#include <fmt/format.h>
#include <zstd.h>

#include <vector>

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
    std::vector<char> plain, packed;
    std::size_t used = 0;
    import::CodecState state;
    std::uint64_t runs = 0;

    ~Impl() { ZSTD_freeCCtx(context); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void compress(ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{plain.data(), used, 0};
        for (;;) {
            ZSTD_outBuffer out{packed.data(), packed.size(), 0};
            const std::size_t left = ZSTD_compressStream2(context, &out, &in, directive);
            if (ZSTD_isError(left)) throw job_failed(path, ZSTD_getErrorName(left));
            file.write({packed.data(), out.pos});
            const bool done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
            if (done) break;
        }
        used = 0;
    }

    void append(const std::string& text) {
        for (const char c : text) {
            if (used + import::longest_record > plain.size()) compress(ZSTD_e_continue);
            plain[used++] = c;
        }
    }
};

TraceWriter::TraceWriter(const std::string& path, const TraceInfo& info)
    : impl_(std::make_unique<Impl>(path)) {
    impl_->context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(impl_->context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(impl_->context, ZSTD_c_compressionLevel, 1);
    impl_->plain.resize(std::size_t{1} << 17);
    impl_->packed.resize(ZSTD_CStreamOutSize());
    impl_->append(std::string(import::binary_magic) + header_line(info));
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::consume(std::span<const LineRun> chunk) {
    Impl& impl = *impl_;
    for (const LineRun& run : chunk) {
        if (impl.used + import::longest_record > impl.plain.size()) impl.compress(ZSTD_e_continue);
        char* at = impl.plain.data() + impl.used;
        impl.used += static_cast<std::size_t>(import::encode(at, run, impl.state) - at);
        ++impl.runs;
    }
}

void TraceWriter::close() {
    Impl& impl = *impl_;
    if (impl.used + import::longest_record > impl.plain.size()) impl.compress(ZSTD_e_continue);
    char* at = impl.plain.data() + impl.used;
    *at = static_cast<char>(import::end_of_trace);
    impl.used += static_cast<std::size_t>(import::put_number(at + 1, impl.runs) - at);
    impl.compress(ZSTD_e_end);
    impl.file.close();
}

}  // namespace ridge
