#include "collectors/papi/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridge::papi {
namespace {

bool near(double ratio, double target) {
    return std::abs(ratio - target) <= flop_tolerance * target;
}

std::string told(const char* what, double counted, const KnownWork& work) {
    return fmt::format("{}: {:.0f} of {:.0f} known ones of {} (ratio {:.5f})", what, counted,
                       work.expected, work.name, counted / work.expected);
}

}  // namespace

CalibrationVerdict judge_flops(double counted, const KnownWork& work) {
    CalibrationVerdict verdict;
    verdict.ratio = counted / work.expected;
    const double r = verdict.ratio;
    const auto fault = [&](CalibrationFault kind, const char* what, double correction) {
        verdict.fault = kind;
        verdict.correction = correction;
        verdict.text = told(what, counted, work);
    };
    // One instruction of n lanes is n operations, a multiply-add 2 n. Of a scalar multiply-add,
    // instructions and half of the operations are the same; wider work tells them apart.
    const double per_instruction = work.lanes * (work.fma ? 2 : 1);
    if (near(r, 1)) return verdict;
    if (counted <= 0)
        fault(CalibrationFault::dead, "counts no operation", 1);
    else if (near(r, 0.5))
        fault(CalibrationFault::half, "counts half of the operations on this CPU", 2);
    else if (near(r, 2))
        fault(CalibrationFault::twice, "counts operations twice on this CPU", 0.5);
    else if (work.lanes > 1 && near(r, 1 / per_instruction))
        fault(CalibrationFault::instructions, "counts instructions, not operations", 1);
    else
        fault(CalibrationFault::unreliable, "does not count operations", 1);
    return verdict;
}

CalibrationVerdict judge_bytes(double counted, const KnownWork& work) {
    CalibrationVerdict verdict;
    verdict.ratio = counted / work.expected;
    if (counted <= 0) {
        verdict.fault = CalibrationFault::dead;
        verdict.text = fmt::format("dead counter: no byte of {:.0f} known ones of {}",
                                   work.expected, work.name);
    } else if (verdict.ratio < least_dram_ratio || verdict.ratio > most_dram_ratio) {
        verdict.fault = CalibrationFault::unreliable;
        verdict.text = told("DRAM counters unreliable", counted, work);
    }
    return verdict;
}

CalibrationVerdict worse_of(const CalibrationVerdict& a, const CalibrationVerdict& b) {
    CalibrationVerdict worse = a.fault == CalibrationFault::none ? b : a;
    // Instructions look like half in work of one lane with multiply-adds.
    if (b.fault == CalibrationFault::instructions) worse = b;
    if (a.fault != b.fault) worse.correction = 1;
    return worse;
}

double least_stream_bytes(double all_last_level_bytes) {
    constexpr double gib = 1024.0 * 1024 * 1024;
    const double wanted = 4 * all_last_level_bytes;
    return all_last_level_bytes >= gib / 8 ? std::max(wanted, gib) : wanted;
}

}  // namespace ridge::papi
