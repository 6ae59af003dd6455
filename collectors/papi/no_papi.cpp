// A build without PAPI: everything else works, and says what is missing.
#include "collectors/papi/software_events.hpp"
#include "ridge/counters.hpp"

namespace ridge {

namespace {
constexpr const char* missing =
    "this build has no PAPI: install libpapi-dev and build again (cmake finds it)";
}

std::variant<std::shared_ptr<CounterBackend>, std::string> papi_backend() {
    return std::string(missing);
}

namespace papi {

SoftwareEvents::SoftwareEvents() = default;
std::string SoftwareEvents::unavailable() const {
    return missing;
}
void SoftwareEvents::add(const KernelCounts&) {}

}  // namespace papi
}  // namespace ridge
