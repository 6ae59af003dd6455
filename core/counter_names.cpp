#include "ridge/counter_names.hpp"

namespace ridge::counter {
namespace {

std::string named_after(std::string_view level, std::string_view what) {
    std::string name(level);
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return name.append(what);
}

}  // namespace

std::string read_bytes(std::string_view level) {
    return named_after(level, "_read_bytes");
}

std::string written_bytes(std::string_view level) {
    return named_after(level, "_written_bytes");
}

}  // namespace ridge::counter
