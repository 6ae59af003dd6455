// A program as a nest of loops over tensors, in a few hundred bytes: what the built-in generators
// are, what the simulator turns into runs, and what the analytic mode reasons about.
//
//   for i in 0..n/8:            one loop of extent n/8
//       load  a[8 i .. 8 i + 7]     a run of 64 bytes, moving on 64 bytes per i
//       store b[8 i .. 8 i + 7]
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridge/cachesim.hpp"
#include "ridge/layer.hpp"
#include "ridge/trace.hpp"

namespace ridge {

/// Touches `rows` times `bytes` contiguous bytes, `pitch` bytes apart, starting at
/// offset + sum of index[d] * move[d] bytes into the array. `move` has one entry per enclosing
/// loop, outermost first; missing ones are 0.
struct NestRun {
    std::size_t array = 0;
    TouchKind kind = TouchKind::load;
    std::int64_t offset = 0;
    std::uint32_t bytes = 64;
    std::uint32_t rows = 1;
    std::int64_t pitch = 0;
    std::vector<std::int64_t> move;
    /// Executed only while low <= value < high, value = start + sum of index[d] * step[d]: rows of
    /// a convolution outside the image.
    struct Guard {
        std::int64_t start = 0, low = 0, high = 0;
        std::vector<std::int64_t> step;
    };
    std::optional<Guard> guard;
};

struct NestLoop;
using NestNode = std::variant<NestRun, NestLoop>;

/// `body` in order, `extent` times.
struct NestLoop {
    std::int64_t extent = 1;
    std::vector<NestNode> body;
};

struct LoopNest {
    std::string name;            ///< what it is, with its parameters
    std::vector<Region> arrays;  ///< line-aligned, disjoint
    NestLoop root;               ///< depth 0: its iterations are shared out among threads
};

/// Runs of the nest in lines of `line_bytes`. With several threads, each takes a contiguous share
/// of the root's iterations, and they take turns by iteration.
[[nodiscard]] std::unique_ptr<RunSource> make_source(LoopNest nest, int line_bytes = 64,
                                                     int threads = 1);

/// Line touches of the nest, guards aside: how long simulating it takes is known before.
[[nodiscard]] double touches_of(const LoopNest& nest, int line_bytes);

/// "stream:bytes=1MiB", "sweep:bytes=32KiB,passes=4", "strided:bytes=1MiB,stride=4KiB,passes=2",
/// "copy:bytes=1MiB[,nt=1]", "triad:bytes=1MiB[,nt=1]",
/// "blocked_matmul:m=256,n=256,k=256,block=32". Nothing for a text whose first word is no
/// generator; throws Error bad_input for wrong parameters.
[[nodiscard]] std::optional<LoopNest> generator_nest(std::string_view text);
struct GeneratorEntry {
    std::string name, parameters, description;
};
[[nodiscard]] std::vector<GeneratorEntry> generators();

/// The loops of a plain direct implementation of a layer pass: convolutions over blocks of 16
/// channels, products in blocks, everything else as streams through its tensors. A library's kernel
/// may order its loops otherwise. Throws Error bad_input for a pass that the layer does not have.
[[nodiscard]] LoopNest nest_of(const Layer& layer, Pass pass);

/// Bytes per level by footprint arithmetic (docs/model.md, "Analytic mode"), in microseconds.
[[nodiscard]] Traffic analyse_nest(const LoopNest& nest, const HierarchySpec& spec);

}  // namespace ridge
