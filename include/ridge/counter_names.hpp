// Names under which counters of a row stand in Measurement::counters: PAPI's where PAPI has one.
// Whoever counts (hardware, tracer, simulator) uses these, and the Reading says who it was.
#pragma once

#include <string>
#include <string_view>

namespace ridge::counter {

inline constexpr const char* flops = "PAPI_FP_OPS";  ///< executed, of all precisions
inline constexpr const char* instructions = "PAPI_TOT_INS";
inline constexpr const char* cycles = "PAPI_TOT_CYC";  ///< of the cores, all threads together
inline constexpr const char* loads = "PAPI_LD_INS";    ///< demand loads
inline constexpr const char* stores = "PAPI_SR_INS";   ///< non-temporal ones included

/// Operations that the core handed to its microcode: denormal operands.
inline constexpr const char* fp_assists = "fp_assists";
/// Changes from 256- or 512-bit instructions with dirty upper halves to legacy SSE ones.
inline constexpr const char* sse_transitions = "sse_avx_transitions";

/// Share of the lines of the row's tensors that generated code was seen to read or write; 0 when
/// the row is compiled code.
inline constexpr const char* traced_share = "traced_share";
/// Unavailable with the reason when traced_share is below 1: what was not seen.
inline constexpr const char* untraced_work = "untraced_work";

/// Bytes from a memory level ("L1", "DRAM") towards the core, "l1_read_bytes", and back.
[[nodiscard]] std::string read_bytes(std::string_view level);
[[nodiscard]] std::string written_bytes(std::string_view level);

}  // namespace ridge::counter
