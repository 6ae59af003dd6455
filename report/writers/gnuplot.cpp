#include "report/writers/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "report/table.hpp"
#include "ridge/error.hpp"

namespace ridge::report {
namespace {

// tmpfile() has no name in the file system: nothing is left behind whatever happens.
using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
TemporaryFile temporary_file() {
    TemporaryFile file(std::tmpfile(), &std::fclose);
    if (!file)
        throw job_failed("gnuplot", std::string("no temporary file: ") + std::strerror(errno));
    return file;
}

std::string read_from_start(std::FILE* file) {
    std::rewind(file);
    std::string text;
    std::array<char, 1 << 16> chunk;
    for (std::size_t n; (n = std::fread(chunk.data(), 1, chunk.size(), file)) > 0;)
        text.append(chunk.data(), n);
    return text;
}

/// The environment of the child: ours without what changes how gnuplot reads or writes numbers.
std::vector<std::string> neutral_environment() {
    std::vector<std::string> entries{"LC_ALL=C.UTF-8"};
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with("LC_ALL=") || text.starts_with("GNUPLOT") ||
            text.starts_with("GNUTERM"))
            continue;
        entries.emplace_back(text);
    }
    return entries;
}

int run(const std::string& program, std::FILE* in, std::FILE* out, std::FILE* err) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&files, fileno(err), 2);
    std::string name = program, no_start_up_file = "-d";
    std::array<char*, 3> arguments{name.data(), no_start_up_file.data(), nullptr};
    auto entries = neutral_environment();
    std::vector<char*> environment;
    for (auto& entry : entries) environment.push_back(entry.data());
    environment.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, program.c_str(), &files, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&files);
    if (failed) throw job_failed("gnuplot", std::strerror(failed));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw job_failed("gnuplot", std::strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// gnuplot's first line that says what is wrong, not the one that quotes the input.
std::string first_message(const std::string& messages) {
    std::string line;
    for (std::size_t at = 0; at < messages.size();) {
        const std::size_t end = std::min(messages.find('\n', at), messages.size());
        line = messages.substr(at, end - at);
        at = end + 1;
        if (line.find("line ") != std::string::npos) break;
    }
    return printable(line);
}

}  // namespace

std::optional<std::string> find_gnuplot() {
    const char* path = std::getenv("PATH");
    std::string_view folders = path ? path : "";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const std::string candidate = std::string(folders.substr(0, end)) + "/gnuplot";
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return std::nullopt;
}

void require_gnuplot() {
    if (!find_gnuplot())
        throw not_possible("drawing svg, png or pdf",
                           "gnuplot is not installed (Debian package gnuplot-nox); "
                           "an output name that ends in .html needs none");
}

std::string render(const Plot& plot, ImageFormat format) {
    require_gnuplot();
    const auto in = temporary_file(), out = temporary_file(), err = temporary_file();
    const std::string script = gnuplot_script(plot, format);
    if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
        std::fflush(in.get()) != 0)
        throw job_failed("gnuplot", "its input could not be written");
    std::rewind(in.get());
    const int code = run(*find_gnuplot(), in.get(), out.get(), err.get());
    std::string image = read_from_start(out.get());
    const std::string messages = read_from_start(err.get());
    if (code != 0 || image.empty() || messages.find(gnuplot_done) == std::string::npos)
        throw job_failed("gnuplot", first_message(messages));
    return image;
}

}  // namespace ridge::report
