// Reference measurements from stored runs: times of the store, counts of the tracer.
#pragma once

#include <string>

namespace ridge::app {

struct RecordTask {
    std::string runs;  ///< numbers separated by commas
    std::string store;
    std::string machine = "local";
    std::string output;
};
/// Traces the step of each run anew and writes one CSV file. Throws Error bad_input, not_possible.
void record_reference(const RecordTask& task);

}  // namespace ridge::app
