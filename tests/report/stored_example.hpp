// A store with runs that were never measured, and the file of the machine they pretend to be from.
#pragma once

#include <string>

#include "ridge/measurement.hpp"
#include "tests/support/run_ridge.hpp"

namespace ridge::test {

/// All rows of a network's training step, each at 70 % of the roof of example_machine().
[[nodiscard]] Run example_measured_run(const std::string& network, std::int64_t batch, int threads,
                                       const std::string& library);

class StoredExample {
public:
    StoredExample();
    /// Adds a complete run and returns its id.
    std::int64_t add(const Run& run);
    [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
    [[nodiscard]] std::string store() const { return file("runs.db"); }
    [[nodiscard]] std::string machine() const { return file("example.yaml"); }
    /// "XDG_DATA_HOME=...": an empty home of data, so that nothing of this user is read.
    [[nodiscard]] std::string environment() const { return "XDG_DATA_HOME=" + folder_.path(); }

private:
    TemporaryFolder folder_;
};

}  // namespace ridge::test
