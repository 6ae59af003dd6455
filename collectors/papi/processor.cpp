// Which processor this is, from /proc/cpuinfo.
#include <charconv>
#include <fstream>
#include <iterator>

#include "ridge/counters.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/prctl.h>
#endif

namespace ridge {
namespace {

/// Text behind the colon of the first line that starts with `key`; of the first processor.
std::string_view field(std::string_view text, std::string_view key) {
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line = text.substr(start, end - start);
        start = end + 1;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        std::string_view name = line.substr(0, colon);
        while (!name.empty() && (name.back() == '\t' || name.back() == ' ')) name.remove_suffix(1);
        if (name != key) continue;
        std::string_view value = line.substr(colon + 1);
        while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
        return value;
    }
    return {};
}

std::optional<int> number(std::string_view text) {
    const bool hex = text.substr(0, 2) == "0x";
    if (hex) text.remove_prefix(2);
    int value = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) return std::nullopt;
    return value;
}

}  // namespace

std::optional<ProcessorId> parse_processor_id(std::string_view cpuinfo) {
    ProcessorId id;
    const bool arm = !field(cpuinfo, "CPU implementer").empty();
    const auto family = number(field(cpuinfo, arm ? "CPU implementer" : "cpu family"));
    const auto model = number(field(cpuinfo, arm ? "CPU part" : "model"));
    const auto stepping = number(field(cpuinfo, arm ? "CPU revision" : "stepping"));
    id.vendor = arm ? "ARM" : std::string(field(cpuinfo, "vendor_id"));
    if (!family || !model || id.vendor.empty()) return std::nullopt;
    id.family = *family;
    id.model = *model;
    id.stepping = stepping.value_or(0);
    const std::string flags = " " + std::string(field(cpuinfo, "flags")) + " ";
    id.hypervisor = flags.find(" hypervisor ") != std::string::npos;
    return id;
}

std::optional<ProcessorId> this_processor() {
    std::ifstream file("/proc/cpuinfo");
    return parse_processor_id(std::string(std::istreambuf_iterator<char>(file), {}));
}

double scalable_vector_bits() {
#if defined(__aarch64__) && defined(PR_SVE_GET_VL)
    const int answer = ::prctl(PR_SVE_GET_VL);
    if (answer > 0) return 8.0 * (answer & PR_SVE_VL_LEN_MASK);
#endif
    return 128;
}

}  // namespace ridge
