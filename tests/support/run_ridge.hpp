// Runs the built `ridge` as a user would, for the tests of the command line.
#pragma once

#include <string>
#include <vector>

namespace ridge::test {

struct Outcome {
    int exit_code = -1;  ///< 128 + signal when killed
    std::string out, err;
};

/// Arguments are passed as they are, without a shell. `environment` entries are "NAME=value".
Outcome run_ridge(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {});
/// Any program; arguments[0] is looked up in PATH.
Outcome run_program(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {});

/// A fresh empty folder that is removed with the object.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace ridge::test
