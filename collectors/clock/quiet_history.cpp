// The file that keeps what the probes saw, across runs.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "collectors/clock/quiet_levels.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge::clock {
namespace {

constexpr int format_version = 1;

Json to_json(const LevelHistory& history) {
    Json windows = Json::array();
    for (const auto& best : history.best())
        windows.push_back({{"window", best.window}, {"value", best.value}});
    return windows;
}

LevelHistory level_from_json(const JsonReader& json) {
    LevelHistory history;
    for (const auto& item : json.items())
        history.add(item.at("window").integer(INT64_MIN, INT64_MAX),
                    item.at("value").number(1, 1e18));
    return history;
}

Json to_json(const QuietHistory& history) {
    Json of_all = Json::array();
    for (const auto& [threads, clock] : history.clock_of_all)
        of_all.push_back({{"threads", threads}, {"clock_hz", to_json(clock)}});
    return {{"ridge_quiet_history", format_version},
            {"cpu_model", history.cpu_model},
            {"window_s", window_s},
            {"fma_flops_per_s", to_json(history.fma)},
            {"issue_instructions_per_s", to_json(history.issue)},
            {"clock_hz", to_json(history.clock)},
            {"clock_of_all", of_all}};
}

QuietHistory history_from_json(const JsonReader& json) {
    if (json.at("ridge_quiet_history").integer(0, INT64_MAX) != format_version)
        throw json.at("ridge_quiet_history").wrong("version 1");
    QuietHistory history;
    history.cpu_model = json.at("cpu_model").text();
    history.fma = level_from_json(json.at("fma_flops_per_s"));
    history.issue = level_from_json(json.at("issue_instructions_per_s"));
    history.clock = level_from_json(json.at("clock_hz"));
    for (const auto& item : json.at("clock_of_all").items())
        history.clock_of_all[static_cast<int>(item.at("threads").integer(1, 1 << 20))].merge(
            level_from_json(item.at("clock_hz")));
    return history;
}

/// Waits for other processes that change the same file.
class Lock {
public:
    explicit Lock(const std::string& path)
        : file_(open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
        if (file_ >= 0) flock(file_, LOCK_EX);
    }
    ~Lock() {
        if (file_ >= 0) close(file_);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    int file_;
};

}  // namespace

std::string quiet_history_path() {
    return data_directory(false) + "/quiet.json";
}

QuietHistory load_quiet_history(const std::string& path, const std::string& cpu_model) {
    QuietHistory empty;
    empty.cpu_model = cpu_model;
    if (!file_exists(path)) return empty;
    auto history = history_from_json(JsonReader(read_file(path), path));
    return history.cpu_model == cpu_model ? history : empty;
}

QuietHistory merge_quiet_history(const std::string& path, const QuietHistory& history) {
    std::error_code ignored;  // an unwritable place is reported by write_file
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    const Lock lock(path);
    auto sum = load_quiet_history(path, history.cpu_model);
    sum.fma.merge(history.fma);
    sum.issue.merge(history.issue);
    sum.clock.merge(history.clock);
    for (const auto& [threads, clock] : history.clock_of_all)
        sum.clock_of_all[threads].merge(clock);
    write_file(path, to_json(sum).dump(2) + "\n");
    return sum;
}

}  // namespace ridge::clock
