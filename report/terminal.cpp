#include "report/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ridge::report {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

Terminal terminal(int descriptor) {
    Terminal result;
    result.interactive = isatty(descriptor) == 1;
    if (!result.interactive) return result;
    winsize size{};
    result.width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    // https://no-color.org: any non-empty value switches colour off.
    result.colour = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
    return result;
}

}  // namespace ridge::report
