#include "tests/report/fixture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ridge::test {

Roofline example_roofline() {
    Roofline roofline;
    const auto compute = [&](const char* name, Isa isa, bool fma, double rate) {
        roofline.compute.push_back({name, isa, fma, FlopsPerSecond(rate), Source::measured});
    };
    compute("AVX-512 FMA", Isa::avx512, true, 90e9);
    compute("AVX2 FMA", Isa::avx2, true, 89.5e9);
    compute("AVX2", Isa::avx2, false, 45e9);
    compute("SSE", Isa::sse, false, 22e9);
    compute("scalar", Isa::scalar, false, 5.6e9);
    const auto memory = [&](const char* level, double rate, double capacity) {
        BandwidthRoof roof;
        roof.level = level;
        roof.rate = BytesPerSecond(rate);
        roof.source = Source::measured;
        roof.kinds = {{AccessKind::read, false, BytesPerSecond(rate)},
                      {AccessKind::copy, false, BytesPerSecond(rate * 0.8)}};
        if (capacity > 0) roof.capacity = Bytes(capacity);
        roof.ridge = FlopsPerByte(90e9 / rate);
        roofline.bandwidth.push_back(roof);
    };
    memory("L1", 300e9, 32 << 10);
    memory("L2", 150e9, 1 << 20);
    memory("L3", 60e9, 32 << 20);
    memory("DRAM", 15e9, 0);
    roofline.call_overhead = Seconds(3e-6);
    return roofline;
}

Machine example_machine() {
    Machine machine;
    machine.name = "example";
    machine.description = "an imaginary core";
    machine.cpu_model = "Example 9000 <\"fast\" & quiet>";
    machine.vendor = "Example";
    machine.cores = 2;
    machine.threads = 2;
    machine.virtualised = true;
    machine.isa_flags = {"avx2", "fma", "avx512f"};
    machine.probed_at = "2026-01-01T00:00:00Z";
    const Roofline roofline = example_roofline();
    for (const auto& roof : roofline.compute) {
        ComputeCeiling ceiling;
        ceiling.isa = roof.isa;
        ceiling.fma = roof.fma;
        ceiling.flops_per_s = {roof.rate.value(), Source::measured, 0.004, ""};
        if (roof.fma) {
            ceiling.chain_clock_hz = Figure{2.82e9, Source::measured, 0.003, ""};
            ceiling.datasheet_flops_per_s = Figure{90.4e9, Source::given, -1, "2 x 16 x 2 x clock"};
        }
        machine.compute.push_back(ceiling);
    }
    for (const auto& roof : roofline.bandwidth) {
        MemoryLevel level;
        level.name = roof.level;
        if (roof.capacity)
            level.capacity_bytes = Figure{roof.capacity->value(), Source::given, -1, ""};
        level.latency_s = Figure{1.4e-9, Source::measured, 0.01, ""};
        for (const auto& kind : roof.kinds)
            level.bandwidths.push_back(
                {kind.kind, kind.non_temporal, 1, {kind.rate.value(), Source::measured, 0.02, ""}});
        machine.levels.push_back(level);
    }
    machine.overheads.parallel_region_s[2] = {2.1e-6, Source::measured, 0.1, ""};
    machine.overheads.empty_primitive_s = Figure{0.9e-6, Source::measured, 0.05, ""};
    machine.quiet =
        QuietLevels{FlopsPerSecond(90e9), InstructionsPerSecond(11e9), 4, false, Hertz(2.8e9)};
    return machine;
}

RowAnalysis example_row(const std::string& layer, Pass pass, LayerKind kind, double time_s,
                        double flops, double bytes) {
    RowAnalysis row;
    row.row.key = {layer, pass, ""};
    row.row.kind = kind;
    row.row.problem = "conv:mb8ic64ih56oc64oh56kh3ph1";
    row.row.implementation = flops > 0 ? "jit:avx512_core" : "jit_uni:avx512_core";
    row.row.formats = "src:aBcd16b wei:ABcd16b16a dst:aBcd16b";
    row.row.time = {.time = Seconds(time_s),
                    .spread = Seconds(time_s * 0.01),
                    .raw_min = Seconds(time_s * 1.01),
                    .median = Seconds(time_s * 1.06),
                    .samples = 12,
                    .quiet_samples = 9,
                    .settled = true,
                    .upper_bound = false};
    row.row.creation = Seconds(2e-3);
    row.row.first_call = Seconds(time_s * 3);
    row.row.scratchpad = Bytes(0);
    row.useful_flops = Flops(flops);
    row.minimum_bytes = row.bytes = row.footprint = Bytes(bytes);
    row.level = "DRAM";
    const Seconds time(time_s);
    const FlopsPerSecond peak(90e9);
    const BytesPerSecond dram(15e9);
    row.traffic_rate = time_s > 0 ? row.bytes / time : BytesPerSecond(0);
    row.bandwidth = dram;
    row.bandwidth_kind = "copy";
    row.peak = peak;
    if (flops > 0 && bytes > 0) row.intensity = row.useful_flops / row.bytes;
    if (flops > 0 && time_s > 0) row.rate = row.useful_flops / time;
    if (row.intensity) row.roof = std::min(peak, *row.intensity * dram);
    const Seconds compute_time = row.useful_flops / peak, memory_time = row.bytes / dram;
    const auto share = [&](Seconds t) { return time_s > 0 ? t / time : 0; };
    Term compute{"compute", "AVX-512 FMA", compute_time, compute_time, share(compute_time), {}, {}};
    Term memory{"DRAM", "copy", memory_time, memory_time, share(memory_time), row.bytes, dram};
    row.terms = {compute, memory};
    if (memory_time > compute_time) std::swap(row.terms[0], row.terms[1]);
    row.attained = row.terms[0].share;
    row.bound = memory_time > compute_time ? Bound::memory : Bound::compute;
    row.bound_level = row.bound == Bound::memory ? "DRAM" : "";
    row.runner_up = row.terms[1].resource;
    row.saved_at_roof = std::max(Seconds(0), time - row.terms[0].time);
    row.verdict = fmt::format("{} bound: it needs {:.3g} ms of the measured {:.3g} ms; next is {}.",
                              row.bound == Bound::memory ? "DRAM" : "Compute",
                              row.terms[0].time.value() * 1e3, time_s * 1e3, row.runner_up);
    return row;
}

RunAnalysis example_run(std::vector<RowAnalysis> rows) {
    RunAnalysis run;
    run.info.id = 7;
    run.info.network = "example";
    run.info.batch = 8;
    run.info.state = CacheState::in_step;
    run.info.machine = run.machine = "example";
    run.info.quiet_fma = FlopsPerSecond(90e9);
    run.info.quiet_issue = InstructionsPerSecond(11e9);
    run.info.quiet_clock = Hertz(2.8e9);
    run.info.started_at = "2026-01-01T00:00:00Z";
    run.info.complete = true;
    run.info.environment = {.cpu_model = "Example 9000",
                            .kernel = "Linux 6.1",
                            .hostname_hash = "0f3a",
                            .governor = "",
                            .virtualisation = "kvm",
                            .cpu_flags = {"avx2", "avx512f"},
                            .library = "oneDNN",
                            .library_version = "2.6.3",
                            .library_isa = "avx512_core",
                            .threads = 1,
                            .cpus = {0},
                            .ridge_version = "0.1.0",
                            .compiler = "gcc 12"};
    run.info.protocol = "6 rounds, quiet above 0.98 of both levels, stop at 4 samples within 1 %";
    run.info.command = "ridge collect example --batch 8 --threads 1";
    run.roofline = example_roofline();
    Seconds sum;
    for (const auto& row : rows) sum += row.row.time.time;
    int ordinal = 0;
    for (auto& row : rows) {
        row.row.ordinal = ordinal++;
        row.share_of_step = sum.value() > 0 ? row.row.time.time / sum : 0;
        if (sum.value() > 0 && row.row.kind == LayerKind::convolution)
            run.convolution_share += row.share_of_step;
    }
    run.rows = std::move(rows);
    run.sum = sum;
    StepTime step;
    step.time.time = sum * 0.98;
    step.time.samples = 24;
    step.time.quiet_samples = 18;
    step.time.settled = true;
    step.interval_low = sum * 0.97;
    step.interval_high = sum * 0.99;
    run.step = step;
    if (sum.value() > 0) run.sum_over_step = sum / step.time.time;
    return run;
}

namespace {

struct Block {
    std::string name;
    LayerKind kind;
    double flops, bytes, efficiency;
};

/// Forward rows, then backward in reverse order, as a step runs them.
std::vector<RowAnalysis> step_of(const std::vector<Block>& blocks) {
    const auto time_of = [](const Block& b) {
        return std::max(b.flops / 90e9, b.bytes / 15e9) / b.efficiency + 3e-6;
    };
    std::vector<RowAnalysis> rows;
    const auto add = [&](const Block& b, Pass pass, double factor) {
        rows.push_back(
            example_row(b.name, pass, b.kind, factor * time_of(b), b.flops, b.bytes * factor));
    };
    for (const auto& b : blocks) add(b, Pass::forward, 1);
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
        const bool weights =
            b->kind == LayerKind::convolution || b->kind == LayerKind::inner_product;
        if (!weights) {
            add(*b, Pass::backward, 1.4);
            continue;
        }
        if (b->name != blocks.front().name) add(*b, Pass::backward_data, 1.15);
        add(*b, Pass::backward_weights, 1.3);
        Block update = *b;
        update.flops = 4 * b->bytes / 16;
        update.efficiency = 0.8;
        add(update, Pass::update, 0.5);
    }
    return rows;
}

}  // namespace

RunAnalysis alexnet_like() {
    using enum LayerKind;
    std::vector<Block> blocks;
    const double conv_flops[] = {1.7e9, 3.6e9, 2.4e9, 1.8e9, 1.2e9};
    for (int i = 0; i < 5; ++i) {
        const std::string n = std::to_string(i + 1);
        blocks.push_back({"conv" + n, convolution, conv_flops[i], 9e6 - i * 1e6, 0.8 - 0.07 * i});
        blocks.push_back({"relu" + n, eltwise, 2e6, 12e6 - i * 2e6, 0.7});
        if (i < 2) blocks.push_back({"norm" + n, lrn, 60e6 - i * 20e6, 8e6, 0.35});
        if (i < 2 || i == 4)
            blocks.push_back({i == 4 ? hostile_name : "pool" + n, pooling, 0, 7e6 - i * 1e6, 0.6});
    }
    const double ip_flops[] = {600e6, 270e6, 65e6};
    for (int i = 0; i < 3; ++i) {
        const std::string n = std::to_string(i + 6);
        blocks.push_back({"fc" + n, inner_product, ip_flops[i], ip_flops[i] / 4.2, 0.85});
        if (i < 2) {
            blocks.push_back({"relu" + n, eltwise, 3e4, 2.6e5, 0.3});
            blocks.push_back({"drop" + n, dropout, 0, 3.4e5, 0.4});
        }
    }
    blocks.push_back({"loss", softmax, 4e4, 6.4e4, 0.05});
    auto rows = step_of(blocks);
    RowAnalysis moved = example_row("conv2", Pass::forward, convolution, 0.4e-3, 0, 4e6);
    moved.row.key.part = "reorder src";
    moved.row.implementation = "jit:uni";
    rows.insert(rows.begin() + 4, moved);
    rows[2].row.time.upper_bound = true;
    rows[2].row.time.quiet_samples = 0;
    rows[2].flags.push_back("upper bound: no sample was undisturbed");
    rows[5].flags.push_back("above roof: 112 % of AVX2 & \"SSE\" <roof>");
    auto run = example_run(std::move(rows));
    run.info.network = "alexnet";
    return run;
}

RunAnalysis resnet_like() {
    using enum LayerKind;
    std::vector<Block> blocks{{"conv1", convolution, 3.8e9, 60e6, 0.7},
                              {"bn_conv1", batch_normalization, 40e6, 100e6, 0.75},
                              {"relu_conv1", eltwise, 13e6, 100e6, 0.8},
                              {"pool1", pooling, 0, 60e6, 0.6}};
    const int repeats[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage) {
        const double activation = 50e6 / (1 << stage);
        for (int block = 0; block < repeats[stage]; ++block) {
            const std::string base =
                fmt::format("res{}{}", stage + 2, static_cast<char>('a' + block));
            const auto conv_bn_relu = [&](const std::string& name, double flops, bool relu) {
                blocks.push_back({base + name, convolution, flops, activation, 0.78});
                blocks.push_back({"bn_" + base + name, batch_normalization, activation / 4,
                                  activation * 2, 0.7});
                if (relu)
                    blocks.push_back(
                        {"relu_" + base + name, eltwise, activation / 8, activation, 0.8});
            };
            if (block == 0) conv_bn_relu("_branch1", 1.6e9, false);
            conv_bn_relu("_branch2a", 0.8e9, true);
            conv_bn_relu("_branch2b", 1.9e9, true);
            conv_bn_relu("_branch2c", 0.8e9, false);
            blocks.push_back({base, sum, activation / 4, activation * 3, 0.85});
            blocks.push_back({base + "_relu", eltwise, activation / 4, activation * 2, 0.8});
            blocks.push_back({base + "_split", split, 0, activation * 3, 0.8});
        }
    }
    blocks.push_back({"pool5", pooling, 1.6e6, 6.4e6, 0.5});
    blocks.push_back({"fc1000", inner_product, 65e6, 8.3e6, 0.7});
    blocks.push_back({"loss", softmax, 8e4, 1.3e5, 0.05});
    auto run = example_run(step_of(blocks));
    run.info.network = "resnet50";
    run.info.batch = 16;
    return run;
}

}  // namespace ridge::test
