// One line of ONEDNN_VERBOSE in any dialect, MKL-DNN 0.x to oneDNN 3.13:
//
//   mkldnn_verbose,exec,convolution,jit:avx2,forward_training,fsrc:nchw
//   ...,alg:...,mb1_ic3oc64...,7,42
//   onednn_verbose,v1,1702442956104.3,primitive,exec,cpu,convolution,...,src:f32::blocked:abcd::f0
//   ...,attr,aux,problem,0.5
//
// The field of the tensors is the anchor: what stands before it and behind it follows from there.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ridge::import {

/// What a line is about.
enum class VerboseClass {
    noise,    ///< not oneDNN's
    exec,     ///< an execution of a primitive, with or without a time
    create,   ///< a creation of a primitive
    graph,    ///< an execution of a partition of oneDNN Graph
    info,     ///< about the library, the processor, the format
    other,    ///< checks, errors, remarks
    damaged,  ///< an execution or creation that cannot be read
};

/// Which decimal sign the time of a line can have; the whole log decides, see VerboseLog.
enum class TimeForm {
    none,   ///< there is no time
    whole,  ///< "12": the same in every locale
    point,  ///< "12.5"
    comma,  ///< "12,5": split at the comma as everything else
};

/// Parts of the line; views into it.
struct VerboseLine {
    VerboseClass what = VerboseClass::noise;
    bool two_records = false;    ///< another record began in the same line and is lost
    std::string_view operation;  ///< exec, create:cache_hit, create_nested:cache_miss, info...
    std::string_view engine;     ///< empty in logs of 0.x
    std::string_view kind;       ///< without "_v2"
    std::string_view implementation, propagation, tensors, attributes, auxiliary, problem;
    std::string_view rest;  ///< what follows the operation
    std::string_view body;  ///< what follows the operation, without the time
    TimeForm form = TimeForm::none;
    double time_ms = 0;  ///< as `form` reads it
};

/// `line` without its line end. Blanks, CR and NUL at its end do not matter.
[[nodiscard]] VerboseLine parse_verbose_line(std::string_view line);

/// Where the record of a line begins: behind the marker, the version, the time stamp and the
/// component. Nothing in a line without marker.
struct VerboseStart {
    std::size_t at = 0;    ///< of the operation
    bool graph = false;    ///< component "graph"
    bool earlier = false;  ///< another marker stands before
};
[[nodiscard]] std::optional<VerboseStart> find_verbose_start(std::string_view line);

/// A time as printf's %g prints it, which is how every release does: at most six digits that count,
/// none that is superfluous. `fraction` stands behind a decimal comma when the locale has one.
/// Nothing for any other text: a damaged number must not become a time.
[[nodiscard]] std::optional<double> parse_printed_time(std::string_view text);
[[nodiscard]] std::optional<double> parse_printed_time(std::string_view whole,
                                                       std::string_view fraction);

/// The line without NUL (UTF-16 shows as NUL between the letters) and colours.
[[nodiscard]] std::string_view without_decoration(std::string_view line, std::vector<char>& buffer);

}  // namespace ridge::import
