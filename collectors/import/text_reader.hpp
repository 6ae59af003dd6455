// What the readers of text traces share: whole lines from a stream, with their numbers.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/import/byte_stream.hpp"
#include "ridge/error.hpp"

namespace ridge::import {

/// Whether the last line may lack its end. Where a cut line cannot be told from a whole one (the
/// size of a lackey record), it may not.
enum class LastLine { ended, open };

/// Calls `take(begin, end)` with stretches of whole lines; `take` counts lines itself.
/// Throws Error bad_input when the text ends within a line, after the lines before were taken.
template <class Take>
void for_whole_lines(ByteStream& bytes, const std::string& name, const std::uint64_t& line_number,
                     LastLine last_line, Take take) {
    constexpr std::size_t longest_line = 4096;
    std::vector<char> buffer(std::size_t{1} << 18);
    std::size_t kept = 0;
    for (;;) {
        const std::size_t got = bytes.read(std::span(buffer).subspan(kept));
        if (got == 0 && kept > 0 && last_line == LastLine::open) {
            buffer[kept] = '\n';
            return take(buffer.data(), buffer.data() + kept + 1);
        }
        const std::size_t size = kept + got;
        std::size_t end = size;
        while (end > 0 && buffer[end - 1] != '\n') --end;
        take(buffer.data(), buffer.data() + end);
        kept = size - end;
        if (kept > longest_line || (got == 0 && kept > 0)) {
            throw bad_input(fmt::format("{}: line {}", name, line_number + 1),
                            got == 0 ? "a complete line" : "a line of at most 4096 characters",
                            got == 0 ? "the end of the file within it" : "a longer one");
        }
        if (got == 0) return;
        std::memmove(buffer.data(), buffer.data() + end, kept);
    }
}

/// Checks that both text formats need; empty when all is well.
[[nodiscard]] inline const char* wrong_access(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0 || bytes > 4096) return "a size from 1 to 4096 bytes";
    if (address > ~std::uint64_t{0} - (bytes - 1)) return "an access within 64 bits of address";
    return nullptr;
}

}  // namespace ridge::import
