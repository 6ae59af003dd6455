// A training step as oneDNN and a framework around it would run it.
#pragma once

#include "ridge/kernel.hpp"
#include "ridge/network.hpp"

namespace ridge {

/// Builds every row of one training step of `network` on real memory, in execution order: forward
/// of all layers, backward in reverse order, the updates of all parameters. Formats are the
/// library's choice (`any`) and carried from layer to layer; a reorder where two neighbours
/// disagree is a row of its own (RowKey::part "reorder src", "reorder wei", "reorder diff_dst",
/// "reorder diff_wei"). What oneDNN lacks are kernels of ours ("ridge:..."). In bf16, weights,
/// activations, gradients and momentum are bf16, batch normalization's parameters f32; there are
/// no f32 master weights.
///
/// All tensors are alive at once, none share memory except those in place: activations are kept
/// for backward, as in a real step.
///
/// `Measurement::creation` holds primitive descriptor and primitive, code generation included, with
/// the library's primitive cache switched off; `first_call` the first execution. The step has run
/// once when this returns.
///
/// Rows that the library has no kernel for stand in TrainingStep::unavailable, and their outputs
/// hold made-up values, so that everything else runs. Throws Error bad_input for a step that does
/// not fit in memory (nothing is allocated), a data type other than f32 and bf16, and a network
/// that is not wired as network.hpp says.
[[nodiscard]] TrainingStep build_onednn_step(const Network& network, const StepOptions& options);

/// From now on the library lists each function that it generates in the perf map of the process,
/// which is removed when the process ends: the tracer finds them there. Before any step is built.
void announce_generated_code();

}  // namespace ridge
