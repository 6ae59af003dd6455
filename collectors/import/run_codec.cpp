#include "collectors/import/run_codec.hpp"

namespace ridge::import {
namespace {

/// Whether a touch of the run, from first to last, leaves the 64-bit address space.
bool wraps(const LineRun& run, int line_bytes) {
    const auto lines = ~std::uint64_t{0} / static_cast<std::uint64_t>(line_bytes);
    const auto reach = static_cast<std::uint64_t>((run.offset + run.bytes - 1) / line_bytes);
    if (run.line > lines || reach > lines - run.line) return true;
    const std::uint64_t steps = run.count - 1u;
    const auto step = static_cast<std::uint64_t>(run.stride < 0 ? -std::int64_t{run.stride}
                                                                : std::int64_t{run.stride});
    // Both factors are below 2^32.
    const std::uint64_t distance = steps * step;
    return run.stride < 0 ? distance > run.line : distance > lines - run.line - reach;
}

}  // namespace

const char* decode(const char* at, LineRun& run, CodecState& state, int line_bytes,
                   const char*& expected) {
    const auto tag = static_cast<unsigned char>(*at++);
    const std::size_t kind = tag & 7;
    if (kind >= touch_kinds || tag & 0x80) {
        expected = "a record tag";
        return nullptr;
    }
    expected = "numbers within their range";
    std::uint64_t line = 0, count = 1, stride = zigzag(1), repeats = 1;
    std::uint64_t offset = state.offset[kind], bytes = state.bytes[kind], thread = state.thread;
    at = get_number(at, line);
    if (at && tag & 8) {
        at = get_number(at, count);
        if (at) at = get_number(at, stride);
    }
    if (at && tag & 16) at = get_number(at, repeats);
    if (at && tag & 32) {
        at = get_number(at, offset);
        if (at) at = get_number(at, bytes);
    }
    if (at && tag & 64) at = get_number(at, thread);
    if (!at) return nullptr;
    const std::int64_t step = unzigzag(stride);
    if (count == 0 || count > 0xffffffff || step < -0x7fffffff || step > 0x7fffffff ||
        repeats == 0 || repeats > 0xffff || offset >= static_cast<std::uint64_t>(line_bytes) ||
        bytes == 0 || bytes > max_access_bytes || thread > 254)
        return nullptr;
    run.line = state.line[kind] + static_cast<std::uint64_t>(unzigzag(line));
    run.count = static_cast<std::uint32_t>(count);
    run.stride = static_cast<std::int32_t>(step);
    run.repeats = static_cast<std::uint16_t>(repeats);
    run.offset = static_cast<std::uint16_t>(offset);
    run.bytes = static_cast<std::uint16_t>(bytes);
    run.kind = static_cast<TouchKind>(kind);
    run.thread = static_cast<std::uint8_t>(thread);
    if (wraps(run, line_bytes)) {
        expected = "addresses that do not wrap";
        return nullptr;
    }
    state.line[kind] = run.line;
    state.offset[kind] = run.offset;
    state.bytes[kind] = run.bytes;
    state.thread = run.thread;
    return at;
}

}  // namespace ridge::import
