#include "tests/support/run_ridge.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ridge::test {
namespace {

std::string read_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment) {
    TemporaryFolder folder;
    const std::string out = folder.file("out"), err = folder.file("err");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        for (const auto& entry : environment) putenv(const_cast<char*>(entry.c_str()));
        const int out_fd = open(out.c_str(), O_CREAT | O_WRONLY, 0600);
        const int err_fd = open(err.c_str(), O_CREAT | O_WRONLY, 0600);
        const int in_fd = open("/dev/null", O_RDONLY);
        dup2(in_fd, 0);
        dup2(out_fd, 1);
        dup2(err_fd, 2);
        std::vector<char*> argv;
        for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_whole(out);
    outcome.err = read_whole(err);
    return outcome;
}

Outcome run_ridge(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment) {
    const char* binary = std::getenv("RIDGE_BINARY");
    if (!binary) throw std::runtime_error("RIDGE_BINARY is not set; run through ctest");
    std::vector<std::string> all{binary};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_program(all, environment);
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ridge-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace ridge::test
