// Fuzzes the reader of Valgrind lackey text.
#include "tests/fuzz/trace_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ridge::fuzz::read_trace(data, size);
    return 0;
}
