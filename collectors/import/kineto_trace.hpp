// Traces of the PyTorch profiler (Kineto): Chrome's JSON with operators, launches and kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::import {

struct KinetoEvent {
    std::string category, name;
    double ts_us = 0, dur_us = 0;
    std::string thread;  ///< process and thread, or device and stream
    std::int64_t correlation = -1, external = -1, sequence = -1, forward_thread = 0;
    std::string input_dims, concrete_inputs;  ///< JSON lists as text; of operators
};

struct KinetoTrace {
    std::vector<KinetoEvent> operators;  ///< cpu_op, sorted by thread and start
    std::vector<KinetoEvent> launches;   ///< cuda_runtime, cuda_driver
    std::vector<KinetoEvent> kernels;    ///< and copies on the device, possible ones only
    std::int64_t events = 0;             ///< complete events of any category
    std::int64_t damaged = 0;            ///< objects that are no JSON or lack time or name
    bool cut = false;                    ///< the file ends within the list
    std::int64_t impossible = 0;         ///< device events whose duration cannot be
    double impossible_us = 0;  ///< what they claimed, at most the length of the trace each
    std::string device;        ///< name of the first device, if told
};

/// Reads what can be read. A device event is impossible when its duration is negative, longer than
/// the trace, or runs past the start of the next one in its stream. Throws Error bad_input naming
/// `file` when there is no list of events.
[[nodiscard]] KinetoTrace read_kineto(std::string_view text, const std::string& file);

}  // namespace ridge::import
