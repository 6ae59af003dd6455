#include "collectors/tracer/perf_map.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace ridge::tracer {

bool parse_perf_map_line(const std::string& line, PerfMapEntry& entry) {
    unsigned long long address = 0, bytes = 0;
    int name = 0;
    if (std::sscanf(line.c_str(), "%llx %llx %n", &address, &bytes, &name) < 2 || name == 0)
        return false;
    entry = {address, bytes, line.substr(static_cast<std::size_t>(name))};
    return address != 0 && bytes != 0 && !entry.name.empty();
}

std::vector<PerfMapEntry> read_perf_map() {
    std::vector<PerfMapEntry> entries;
    std::ifstream file("/tmp/perf-" + std::to_string(getpid()) + ".map");
    std::string line;
    while (std::getline(file, line)) {
        if (file.eof()) break;  // without its end of line: still being written
        PerfMapEntry entry;
        if (parse_perf_map_line(line, entry)) entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace ridge::tracer
