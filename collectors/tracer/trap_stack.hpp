// A stack of its own for the signal handler of single steps, one per thread.
//
// A generated function may point rsp at a buffer of its own: matrix products of oneDNN pack a long
// inner dimension into a workspace on the heap and take the workspace's start as top of the stack.
// The kernel writes a signal's frame (some 3 KiB with AVX-512, 11 with tiles) below rsp, which
// there is somebody else's memory.
#pragma once

namespace ridge::tracer {

/// Makes signals with SA_ONSTACK leave the stack of the calling thread alone, until it ends.
/// Returns false when the system refuses.
bool use_trap_stack();

}  // namespace ridge::tracer
