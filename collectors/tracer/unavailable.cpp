// Where the tracer cannot be built: it says so.
#include "ridge/error.hpp"
#include "ridge/tracer.hpp"

namespace ridge {

struct Tracer::Impl {
    std::vector<std::string> none;
};

std::string tracer_unavailable() {
#if defined(__x86_64__)
    return "this build has no instruction decoder; install libzydis-dev and build again";
#else
    return "it reads x86-64 machine code, and this processor runs another one";
#endif
}

Tracer::Tracer() {
    throw not_possible("tracing", tracer_unavailable());
}
Tracer::~Tracer() = default;
const std::vector<std::string>& Tracer::not_hooked() const {
    return impl_->none;
}
int Tracer::hooked() const {
    return 0;
}
KernelTrace Tracer::trace(Kernel&, RunSink*, const TracerOptions&) {
    throw not_possible("tracing", tracer_unavailable());
}

}  // namespace ridge
