// Files that are either whole or untouched, and where Ridgepoint keeps its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ridge {

/// Whether there is something at `path`. A name that no file can have (too long, a folder that may
/// not be entered) is a file that is not there, never an exception.
[[nodiscard]] bool file_exists(const std::string& path);

/// The whole file. Throws Error bad_input naming the path and the reason; a device without an end
/// is refused at `most_bytes` instead of filling the memory.
[[nodiscard]] std::string read_file(const std::string& path,
                                    std::size_t most_bytes = std::size_t{1} << 30);

/// A file written piece by piece: beside `path` and renamed over it by close(), so that a reader
/// sees the old file or the new one, whenever the program dies. Links stay links; a device or pipe
/// is simply written to, renaming over it would replace it. Throws Error bad_input for a path that
/// cannot be written; without close() nothing is left.
class OutputFile {
public:
    explicit OutputFile(const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    void write(std::string_view text);
    void close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes `text` as an OutputFile.
void write_file(const std::string& path, std::string_view text);

/// Throws Error bad_input when write_file(path) could not succeed; leaves nothing behind. For
/// verbs that work long before they write.
void require_writable(const std::string& path);

/// $XDG_DATA_HOME/ridge or ~/.local/share/ridge; created when `create`.
[[nodiscard]] std::string data_directory(bool create);

}  // namespace ridge
