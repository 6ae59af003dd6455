// A run with every field set to something of its own, so that a mixed-up field is noticed.
#pragma once

#include <vector>

#include "ridge/measurement.hpp"
#include "ridge/run_store.hpp"

namespace ridge::test {

[[nodiscard]] RunInfo example_info();
/// Row `i` of the example; its summary is set.
[[nodiscard]] Measurement example_row(int i);
/// `n` samples of one visit, different for every visit and place.
[[nodiscard]] std::vector<Sample> example_samples(int visit, int n);
[[nodiscard]] StepTime example_step();

/// Begins, fills and finishes a run of `rows` rows with 3 visits of 4 samples each.
std::int64_t store_example(RunStore& store, int rows = 3);

void check_equal(const Sample& a, const Sample& b);
void check_equal(const std::vector<Sample>& a, const std::vector<Sample>& b);
void check_equal(const TimeSummary& a, const TimeSummary& b);
void check_equal(const Measurement& a, const Measurement& b);
void check_equal(const StepTime& a, const StepTime& b);
/// All but the id.
void check_equal(const RunInfo& a, const RunInfo& b);

}  // namespace ridge::test
