// Files that are either whole or untouched, and where Ridgepoint keeps its own.
#pragma once

#include <string>
#include <string_view>

namespace ridge {

/// The whole file. Throws Error bad_input naming the path and the reason.
[[nodiscard]] std::string read_file(const std::string& path);

/// Writes `text` beside `path`, syncs, renames over it: a reader sees the old file or the new one,
/// whenever the program dies. Links stay links; a device or pipe is simply written to. Throws Error
/// bad_input for a path that cannot be written.
void write_file(const std::string& path, std::string_view text);

/// Throws Error bad_input when write_file(path) could not succeed; leaves nothing behind. For
/// verbs that work long before they write.
void require_writable(const std::string& path);

/// $XDG_DATA_HOME/ridge or ~/.local/share/ridge; created when `create`.
[[nodiscard]] std::string data_directory(bool create);

}  // namespace ridge
