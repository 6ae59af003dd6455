#include "core/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "ridge/error.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int error) {
    return bad_input(path, "a file that can be written", std::strerror(error));
}

/// An open file for writing, closed with the object.
class Descriptor {
public:
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    ~Descriptor() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return descriptor_; }

private:
    int descriptor_;
};

void write_all(int descriptor, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw cannot_write(path, errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// A device or a pipe (/dev/stdout) is written to; renaming over it would replace it.
bool is_special(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return false;
    if (S_ISDIR(status.st_mode)) throw cannot_write(path, EISDIR);
    return !S_ISREG(status.st_mode);
}

/// The file that a link points to, so that the link stays one.
std::string behind_links(const std::string& path) {
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    return error ? path : target.string();
}

/// The name of a new file beside `path`.
std::string aside_name(const std::string& path, int attempt) {
    return fmt::format("{}.{}-{}.part", path, getpid(), attempt);
}

/// Where open files can be given a name; see proc(5).
constexpr const char* open_files = "/proc/self/fd";

/// A new file beside `path`, gone unless it was renamed. Where the file system allows it, it has no
/// name until then, so that a program that is killed leaves nothing behind.
class Aside {
public:
    explicit Aside(const std::string& path) : target_(path), descriptor_(open_new(path, name_)) {}
    ~Aside() {
        if (!renamed_ && !name_.empty()) unlink(name_.c_str());
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_.get(); }

    void rename_to_target() {
        if (fsync(descriptor()) != 0) throw cannot_write(target_, errno);
        if (name_.empty()) give_name();
        if (rename(name_.c_str(), target_.c_str()) != 0) throw cannot_write(target_, errno);
        renamed_ = true;
        // The new name itself must survive a power cut too; a file system that cannot is no error.
        const Descriptor opened(
            open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (opened.get() >= 0) fsync(opened.get());
    }

private:
    /// A name may be left over from a process with our id that was killed.
    static constexpr int attempts = 100;

    static std::string folder_of(const std::string& path) {
        const std::string folder = fs::path(path).parent_path().string();
        return folder.empty() ? "." : folder;
    }

    static int open_new(const std::string& path, std::string& name) {
        if (access(open_files, X_OK) == 0) {
            const int unnamed =
                open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
            if (unnamed >= 0) return unnamed;
        }
        for (int attempt = 0; attempt < attempts; ++attempt) {
            name = aside_name(path, attempt);
            const int descriptor =
                open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (descriptor >= 0) return descriptor;
            if (errno != EEXIST) throw cannot_write(path, errno);
        }
        throw cannot_write(path, EEXIST);
    }

    /// Linking cannot replace the target, renaming can.
    void give_name() {
        const std::string open_file = fmt::format("{}/{}", open_files, descriptor());
        for (int attempt = 0; attempt < attempts; ++attempt) {
            const std::string name = aside_name(target_, attempt);
            if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
                0) {
                name_ = name;
                return;
            }
            if (errno != EEXIST) throw cannot_write(target_, errno);
        }
        throw cannot_write(target_, EEXIST);
    }

    std::string target_, name_;
    Descriptor descriptor_;
    bool renamed_ = false;
};

}  // namespace

bool file_exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::string read_file(const std::string& path, std::size_t most_bytes) {
    constexpr std::size_t piece_bytes = std::size_t{1} << 16;
    const auto unreadable = [&] {
        return bad_input(path, "a file that can be read", std::strerror(errno));
    };
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) throw bad_input(path, "a file", "a folder");
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) throw unreadable();
    std::string text, piece(piece_bytes, '\0');
    for (;;) {
        const ssize_t n = ::read(file.get(), piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw unreadable();
        if (n == 0) return text;
        text.append(piece, 0, static_cast<std::size_t>(n));
        if (text.size() > most_bytes)
            throw bad_input(
                path, "a file of at most " + format_iec(Bytes(static_cast<double>(most_bytes))),
                "a longer one");
    }
}

struct OutputFile::Impl {
    explicit Impl(const std::string& name) : path(name) {
        if (!is_special(path)) {
            aside.emplace(behind_links(path));
        } else {
            device.emplace(open(path.c_str(), O_WRONLY | O_CLOEXEC));
            if (device->get() < 0) throw cannot_write(path, errno);
        }
    }
    std::string path;
    std::optional<Aside> aside;
    std::optional<Descriptor> device;
};

OutputFile::OutputFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view text) {
    write_all(impl_->aside ? impl_->aside->descriptor() : impl_->device->get(), text, impl_->path);
}

void OutputFile::close() {
    if (impl_->aside) impl_->aside->rename_to_target();
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.close();
}

void require_writable(const std::string& path) {
    if (is_special(path)) {
        if (access(path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
        return;
    }
    const std::string target = behind_links(path);
    const Aside aside(target);
    // Renaming over a write-protected file would work, against its owner's wish.
    if (access(target.c_str(), W_OK) != 0 && errno != ENOENT) throw cannot_write(path, errno);
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
