// A made-up machine with round numbers, so that terms can be worked out by hand.
#pragma once

#include "ridge/machine.hpp"

namespace ridge::test {

/// 1 GHz; 32 GFLOP/s with 512-bit multiply-adds (one a cycle), two other vector instructions a
/// cycle, two loads of 64 bytes and one store of 64 a cycle, 4 instructions a cycle. L2 64 GB/s,
/// L3 32 GB/s, DRAM 8 GB/s; L1 32 KiB, L2 1 MiB, L3 16 MiB shared by two threads. On two threads
/// everything doubles but DRAM.
[[nodiscard]] Machine round_machine();

}  // namespace ridge::test
