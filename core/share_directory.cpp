// Where the networks and machines that ship with Ridgepoint are.

#include <cstdlib>
#include <filesystem>

#include "ridge/network.hpp"

namespace ridge {

std::string share_directory() {
    if (const char* chosen = std::getenv("RIDGE_SHARE_DIR"); chosen && *chosen) return chosen;
    // PREFIX/bin/ridge finds PREFIX/share/ridge, wherever the prefix was moved to; a program in a
    // build tree has no such neighbour and takes the source tree's folder.
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        const auto installed = program.parent_path().parent_path() / "share" / "ridge";
        if (std::filesystem::is_directory(installed, error)) return installed.string();
    }
    return RIDGE_SOURCE_SHARE_DIR;
}

}  // namespace ridge
