// Fuzzes the reader of the own trace form, uncompressed or within zstd or gzip. What is fed is
// taken twice: as a file, and as the records of a block whose checksum is right, which no mutation
// would ever hit.
#include <fmt/format.h>

#include <cstring>

#include "collectors/import/checksum.hpp"
#include "collectors/import/run_codec.hpp"
#include "tests/fuzz/trace_sink.hpp"

namespace {

std::string block_of(const std::string& records) {
    std::string text(ridge::import::block_head, '\0');
    const auto length = static_cast<std::uint32_t>(records.size());
    const std::uint64_t sum = ridge::import::checksum(records);
    std::memcpy(text.data(), &length, sizeof(length));
    std::memcpy(text.data() + sizeof(length), &sum, sizeof(sum));
    return text + records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ridge::fuzz::read_trace(data, size);
    if (size == 0 || size > ridge::import::longest_block) return 0;
    const std::string header = "{\"line_bytes\":64,\"threads\":2,\"origin\":\"\",\"regions\":[]}\n";
    const std::string whole = fmt::format("{}{:016x}\n{}", ridge::import::binary_magic,
                                          ridge::import::checksum(header), header) +
                              block_of({reinterpret_cast<const char*>(data), size});
    ridge::fuzz::read_trace(reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
    return 0;
}
