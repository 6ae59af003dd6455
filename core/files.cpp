#include "core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ridge/error.hpp"

namespace ridge {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int error) {
    return bad_input(path, "a file that can be written", std::strerror(error));
}

/// A temporary file beside `path`, removed unless it was renamed.
class Aside {
public:
    explicit Aside(const std::string& path) : path_(path + ".XXXXXX") {
        if (fs::is_directory(path)) throw cannot_write(path, EISDIR);
        descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
        if (descriptor_ < 0) throw cannot_write(path, errno);
    }
    ~Aside() {
        if (descriptor_ >= 0) close(descriptor_);
        if (!renamed_) unlink(path_.c_str());
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    void write_all(std::string_view text, const std::string& target) {
        while (!text.empty()) {
            const ssize_t n = ::write(descriptor_, text.data(), text.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) throw cannot_write(target, errno);
            text.remove_prefix(static_cast<std::size_t>(n));
        }
    }

    void rename_to(const std::string& target) {
        // mkostemp makes the file private; give it what a plain open() would have given.
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(descriptor_, 0666 & ~mask);
        if (fsync(descriptor_) != 0 || rename(path_.c_str(), target.c_str()) != 0)
            throw cannot_write(target, errno);
        renamed_ = true;
    }

private:
    std::string path_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

}  // namespace

std::string read_file(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) throw bad_input(path, "a file", "a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw bad_input(path, "a file that can be read", std::strerror(errno));
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view text) {
    Aside aside(path);
    aside.write_all(text, path);
    aside.rename_to(path);
}

void require_writable(const std::string& path) {
    Aside aside(path);
    if (fs::exists(path) && access(path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
}

std::string data_directory(bool create) {
    const char* xdg = std::getenv("XDG_DATA_HOME");
    const char* home = std::getenv("HOME");
    fs::path folder;
    if (xdg && *xdg == '/')
        folder = xdg;
    else if (home && *home)
        folder = fs::path(home) / ".local/share";
    else
        throw bad_input("XDG_DATA_HOME", "an absolute path, or HOME to be set", "neither");
    folder /= "ridge";
    if (create) {
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) throw bad_input(folder.string(), "a folder that can be made", error.message());
    }
    return folder.string();
}

}  // namespace ridge
