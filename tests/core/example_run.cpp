#include "tests/core/example_run.hpp"

#include <doctest/doctest.h>

namespace ridge::test {

RunInfo example_info() {
    RunInfo info;
    info.network = "alexnet";
    info.batch = 8;
    info.threads = 2;
    info.dtype = DataType::bf16;
    info.state = CacheState::in_step;
    info.library = "onednn";
    info.machine = "local";
    info.quiet_fma = FlopsPerSecond(178e9);
    info.quiet_issue = InstructionsPerSecond(17.3e9);
    info.quiet_clock = Hertz(2.78e9);
    info.started_at = "2026-01-31T12:00:00Z";
    info.protocol = "rounds, 2 probes";
    info.command = "ridge collect alexnet --batch 8";
    info.counters = "traced";
    info.simulated_caches = "2 threads; L1 32768 bytes";
    auto& environment = info.environment;
    environment.cpu_model = "A processor";
    environment.kernel = "6.1.0";
    environment.hostname_hash = "abc123";
    environment.governor = "performance";
    environment.virtualisation = "kvm";
    environment.cpu_flags = {"avx2", "avx512f"};
    environment.library = "oneDNN";
    environment.library_version = "2.6.3";
    environment.library_isa = "avx512_core";
    environment.threads = 2;
    environment.cpus = {0, 1};
    environment.ridge_version = "0.1.0";
    environment.compiler = "gcc 12";
    return info;
}

Measurement example_row(int i) {
    Measurement row;
    row.key = {"conv" + std::to_string(i / 2 + 1), i % 2 == 0 ? Pass::forward : Pass::backward_data,
               i == 2 ? "reorder src" : ""};
    row.ordinal = i;
    row.kind = LayerKind::convolution;
    row.problem = "conv:mb8ic3ih227oc96oh55kh11sh4";
    row.dtype = DataType::bf16;
    row.implementation = "jit:avx512_core, \"quoted\"";
    row.formats = "src:nchw wei:Acdb16a";
    row.time = {.time = Seconds(1e-3 * (i + 1)),
                .spread = Seconds(1e-5),
                .raw_min = Seconds(0.9e-3),
                .median = Seconds(1.25e-3),
                .samples = 12,
                .quiet_samples = 7,
                .settled = i % 2 == 0,
                .upper_bound = i % 2 == 1};
    if (i % 2 == 0) {
        row.creation = Seconds(0.0125);
        row.first_call = Seconds(0.002);
        row.scratchpad = Bytes(4096);
    }
    row.counters.emplace("PAPI_TOT_INS", Reading(123456789, Source::measured));
    row.counters.emplace("l2_bytes", Reading::unavailable("not simulated"));
    return row;
}

std::vector<Sample> example_samples(int visit, int n) {
    std::vector<Sample> samples;
    for (int i = 0; i < n; ++i)
        samples.push_back({.visit = visit,
                           .time = Seconds(1e-3 + 1e-6 * visit + 1e-7 * i),
                           .raw_time = Seconds(1.1e-3 + 1e-6 * visit + 1e-7 * i),
                           .executions = i + 1,
                           .fma_level = 0.99 - 0.01 * i,
                           .issue_level = 0.98 - 0.01 * i,
                           .quiet = i % 2 == 0});
    return samples;
}

StepTime example_step() {
    return {.time = example_row(0).time,
            .interval_low = Seconds(0.9e-3),
            .interval_high = Seconds(1.1e-3),
            .method = "low quantile of 9 quiet repetitions of 12"};
}

std::int64_t store_example(RunStore& store, int rows) {
    const std::int64_t run = store.begin_run(example_info());
    for (int visit = 0; visit < 3; ++visit) {
        for (int i = 0; i < rows; ++i)
            store.add_visit(run, example_row(i), visit, example_samples(visit, 4));
        store.put_step_samples(run, visit, example_samples(visit, 2));
    }
    for (int i = 0; i < rows; ++i) store.put_row(run, example_row(i));
    store.put_step(run, example_step());
    store.finish_run(run);
    return run;
}

void check_equal(const Sample& a, const Sample& b) {
    CHECK(a.visit == b.visit);
    CHECK(a.time == b.time);
    CHECK(a.raw_time == b.raw_time);
    CHECK(a.executions == b.executions);
    CHECK(a.fma_level == b.fma_level);
    CHECK(a.issue_level == b.issue_level);
    CHECK(a.quiet == b.quiet);
}

void check_equal(const std::vector<Sample>& a, const std::vector<Sample>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) check_equal(a[i], b[i]);
}

void check_equal(const TimeSummary& a, const TimeSummary& b) {
    CHECK(a.time == b.time);
    CHECK(a.spread == b.spread);
    CHECK(a.raw_min == b.raw_min);
    CHECK(a.median == b.median);
    CHECK(a.samples == b.samples);
    CHECK(a.quiet_samples == b.quiet_samples);
    CHECK(a.settled == b.settled);
    CHECK(a.upper_bound == b.upper_bound);
}

void check_equal(const Measurement& a, const Measurement& b) {
    CHECK(a.key == b.key);
    CHECK(a.ordinal == b.ordinal);
    CHECK(a.kind == b.kind);
    CHECK(a.problem == b.problem);
    CHECK(a.dtype == b.dtype);
    CHECK(a.implementation == b.implementation);
    CHECK(a.formats == b.formats);
    check_equal(a.time, b.time);
    CHECK(a.creation == b.creation);
    CHECK(a.first_call == b.first_call);
    CHECK(a.scratchpad == b.scratchpad);
    CHECK(a.counters == b.counters);
}

void check_equal(const StepTime& a, const StepTime& b) {
    check_equal(a.time, b.time);
    CHECK(a.interval_low == b.interval_low);
    CHECK(a.interval_high == b.interval_high);
    CHECK(a.method == b.method);
}

void check_equal(const RunInfo& a, const RunInfo& b) {
    CHECK(a.network == b.network);
    CHECK(a.batch == b.batch);
    CHECK(a.threads == b.threads);
    CHECK(a.dtype == b.dtype);
    CHECK(a.state == b.state);
    CHECK(a.library == b.library);
    CHECK(a.machine == b.machine);
    CHECK(a.quiet_fma == b.quiet_fma);
    CHECK(a.quiet_issue == b.quiet_issue);
    CHECK(a.quiet_clock == b.quiet_clock);
    CHECK(a.started_at == b.started_at);
    CHECK(a.complete == b.complete);
    CHECK(a.protocol == b.protocol);
    CHECK(a.command == b.command);
    const Environment &x = a.environment, &y = b.environment;
    CHECK(x.cpu_model == y.cpu_model);
    CHECK(x.kernel == y.kernel);
    CHECK(x.hostname_hash == y.hostname_hash);
    CHECK(x.governor == y.governor);
    CHECK(x.virtualisation == y.virtualisation);
    CHECK(x.cpu_flags == y.cpu_flags);
    CHECK(x.library == y.library);
    CHECK(x.library_version == y.library_version);
    CHECK(x.library_isa == y.library_isa);
    CHECK(x.threads == y.threads);
    CHECK(x.cpus == y.cpus);
    CHECK(x.ridge_version == y.ridge_version);
    CHECK(x.compiler == y.compiler);
}

}  // namespace ridge::test
