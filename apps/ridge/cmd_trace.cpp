// ridge trace: every instruction, FLOP and address of the kernels of a layer, without counters.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/traced_layer.hpp"
#include "collectors/tracer/touched_lines.hpp"
#include "core/json.hpp"
#include "model/roofline/executed_work.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "ridge/format.hpp"
#include "ridge/trace_file.hpp"

namespace ridge::app {
namespace {

using report::Cell;

struct Options {
    std::string layer, pass, dtype, save;
    std::int64_t batch = 0;
    int threads = 1;
    bool self_check = false, json = false;
};

/// One row with everything that is told about it.
struct TracedRow {
    const Measurement* row;
    Layer layer;
    KernelTrace trace;
    std::vector<TensorLines> tensors;
    double other_lines = 0;
    std::string incomplete;  ///< empty when generated code did all the work
    std::vector<WorkDifference> differences;
};

/// Hands runs to two sinks.
class Both : public RunSink {
public:
    Both(RunSink& first, RunSink* second) : first_(first), second_(second) {}
    void consume(std::span<const LineRun> chunk) override {
        first_.consume(chunk);
        if (second_ != nullptr) second_->consume(chunk);
    }

private:
    RunSink& first_;
    RunSink* second_;
};

Layer layer_of(const Options& options) {
    Layer layer = parse_layer(options.layer);
    if (options.batch > 0) layer.dims.mb = options.batch;
    if (!options.dtype.empty()) {
        const auto dtype = data_type_from_string(options.dtype);
        if (!dtype || (*dtype != DataType::f32 && *dtype != DataType::bf16))
            throw bad_input("--dtype", "f32 or bf16", "'" + options.dtype + "'");
        layer.dtype = *dtype;
    }
    return layer;
}

TracedRow trace_row(TracedLayer& traced, Kernel& kernel, RunSink* save, bool self_check) {
    TracedRow result{
        &kernel.description(), parse_layer(kernel.description().problem), {}, {}, 0, {}, {}};
    TouchedLines lines(trace_info(kernel, traced.threads()));
    Both sinks(lines, save);
    result.trace = traced.trace(kernel, &sinks, self_check ? 3 : 0);
    if (!result.trace.unavailable.empty()) return result;
    result.tensors = lines.tensors();
    result.other_lines = lines.other_lines();
    result.incomplete = missing_work(kernel, result.layer, lines).text;
    if (result.trace.flops_unavailable.empty() && result.row->key.part.empty())
        result.differences =
            explain_executed_work(result.layer, result.row->key.pass, result.trace.counts.flops(),
                                  result.row->implementation, result.row->formats);
    return result;
}

Json accesses_json(const AccessCounts& counts) {
    return {{"count", counts.accesses}, {"bytes", counts.bytes}};
}

Json counts_json(const TracedRow& row) {
    const KernelCounts& c = row.trace.counts;
    Json classes = Json::object();
    for (int i = 0; i < instruction_classes; ++i) {
        const auto kind = static_cast<InstructionClass>(i);
        for (int j = 0; j < vector_widths; ++j) {
            const auto width = static_cast<VectorWidth>(j);
            if (c.of(kind, width) > 0)
                classes[std::string(to_string(kind))][std::string(to_string(width))] =
                    c.of(kind, width);
        }
    }
    Json ports = Json::object();
    for (int i = 0; i < port_classes; ++i) {
        const auto kind = static_cast<PortClass>(i);
        ports[std::string(to_string(kind))] = port_operations(c, kind);
    }
    Json json{{"source", to_string(Source::traced)},
              {"calls", c.calls},
              {"instructions", c.instructions},
              {"instructions_by_class_and_width", classes},
              {"operations_by_port_class", ports},
              {"scalar_loads", accesses_json(c.scalar_loads)},
              {"scalar_stores", accesses_json(c.scalar_stores)},
              {"vector_loads", accesses_json(c.vector_loads)},
              {"broadcast_loads", accesses_json(c.broadcast_loads)},
              {"vector_stores", accesses_json(c.vector_stores)},
              {"non_temporal_stores", accesses_json(c.non_temporal_stores)},
              {"prefetches", c.prefetches},
              {"sse_avx_transitions", c.sse_transitions},
              {"code_bytes", c.code_bytes},
              {"hot_block_fmas", c.hot_fmas},
              {"hot_block_longest_chain", c.hot_chain}};
    if (row.trace.flops_unavailable.empty())
        json["flops"] = {{"f32", c.flops_f32},
                         {"f64", c.flops_f64},
                         {"f16", c.flops_f16},
                         {"bf16", c.flops_bf16},
                         {"all", c.flops()}};
    else
        json["flops_unavailable"] = row.trace.flops_unavailable;
    return json;
}

Json row_json(const TracedRow& row) {
    Json json{{"pass", to_string(row.row->key.pass)},
              {"part", row.row->key.part},
              {"problem", row.row->problem},
              {"implementation", row.row->implementation},
              {"formats", row.row->formats}};
    if (!row.trace.unavailable.empty()) {
        json["unavailable"] = row.trace.unavailable;
        return json;
    }
    json["counts"] = counts_json(row);
    json["useful_flops"] = useful_flops(row.layer, row.row->key.pass).value();
    for (const WorkDifference& part : row.differences)
        json["difference"].push_back({{"cause", part.cause}, {"flops", part.flops}});
    for (const TensorLines& t : row.tensors)
        json["tensors"].push_back({{"tensor", t.name},
                                   {"lines", t.lines},
                                   {"lines_read", t.read},
                                   {"lines_written", t.written}});
    json["other_lines"] = row.other_lines;
    if (!row.incomplete.empty()) json["incomplete"] = row.incomplete;
    if (row.trace.self_check.calls > 0)
        json["self_check"] = {{"calls", row.trace.self_check.calls},
                              {"instructions", row.trace.self_check.instructions},
                              {"block_starts_compared", row.trace.self_check.blocks}};
    return json;
}

void print_work(const TracedRow& row) {
    const KernelCounts& c = row.trace.counts;
    const double useful = useful_flops(row.layer, row.row->key.pass).value();
    if (!row.trace.flops_unavailable.empty()) {
        fmt::print("  FLOPs unavailable: {}\n", row.trace.flops_unavailable);
        return;
    }
    fmt::print("  {:.4f} MFLOP executed (traced)", c.flops() / 1e6);
    if (useful > 0)
        fmt::print(", {:.4f} useful (algorithmic), ratio {:.4f}", useful / 1e6, c.flops() / useful);
    fmt::print("\n");
    for (const WorkDifference& part : row.differences)
        fmt::print("    {:+.4f} MFLOP: {}\n", part.flops / 1e6, part.cause);
}

void print_mix(const KernelCounts& c) {
    report::Table table(
        {{.header = "instructions"}, report::right("count"), report::right("share", "%")});
    for (int i = 0; i < instruction_classes; ++i)
        for (int j = 0; j < vector_widths; ++j) {
            const auto kind = static_cast<InstructionClass>(i);
            const auto width = static_cast<VectorWidth>(j);
            const double n = c.of(kind, width);
            if (n == 0) continue;
            std::string name(to_string(kind));
            if (width == VectorWidth::lane) name += ", one lane";
            if (width == VectorWidth::tile)
                name += ", tile";
            else if (width > VectorWidth::lane)
                name += fmt::format(", {} bits", to_string(width));
            table.add_row({name, Cell::number(n, 0), Cell::number(100 * n / c.instructions, 2)});
        }
    fmt::print("{}", table.text({.width = report::terminal(1).width}));
}

void print(const TracedRow& row) {
    fmt::print("{}{}{}, {}\n", to_string(row.row->key.pass), row.row->key.part.empty() ? "" : " ",
               row.row->key.part, row.row->implementation);
    if (!row.trace.unavailable.empty()) {
        fmt::print("  counts unavailable: {}\n\n", row.trace.unavailable);
        return;
    }
    const KernelCounts& c = row.trace.counts;
    fmt::print("  {:.0f} instructions in {:.0f} calls, {:.0f} bytes of code (traced)\n",
               c.instructions, c.calls, c.code_bytes);
    print_work(row);
    if (c.hot_fmas > 0)
        fmt::print("  hot block: {:.0f} multiply-adds, longest chain {:.0f}\n", c.hot_fmas,
                   c.hot_chain);
    if (c.sse_transitions > 0)
        fmt::print("  {:.0f} changes from wide vectors to legacy SSE instructions\n",
                   c.sse_transitions);
    if (!row.incomplete.empty()) fmt::print("  incomplete: {}\n", row.incomplete);
    if (row.trace.self_check.calls > 0)
        fmt::print(
            "  self-check: {:.0f} calls, {:.0f} instructions single-stepped, registers equal "
            "at {:.0f} block starts\n",
            row.trace.self_check.calls, row.trace.self_check.instructions,
            row.trace.self_check.blocks);
    print_mix(c);
    report::Table table({{.header = "tensor"},
                         report::right("lines"),
                         report::right("read"),
                         report::right("written")});
    for (const TensorLines& t : row.tensors)
        table.add_row({t.name, Cell::number(t.lines, 0), Cell::number(t.read, 0),
                       Cell::number(t.written, 0)});
    fmt::print("{}  other lines (stack, parameters, constants): {:.0f}\n\n",
               table.text({.width = report::terminal(1).width}), row.other_lines);
}

ExitCode run(const Options& options) {
    const std::string reason = tracer_unavailable();
    if (!reason.empty()) throw not_possible("tracing", reason);
    std::optional<Pass> pass;
    if (!options.pass.empty()) {
        pass = pass_from_string(options.pass);
        if (!pass)
            throw bad_input("--pass", "forward, backward, backward_data or backward_weights",
                            "'" + options.pass + "'");
    }
    if (!options.save.empty() && !pass)
        throw bad_input("--save", "one pass, chosen with --pass", "all of them");
    TracedLayer traced(layer_of(options), options.threads);
    if (pass) (void)traced.row(*pass);  // refuses a pass that the layer does not have

    Json json{{"layer", options.layer}, {"threads", options.threads}, {"rows", Json::array()}};
    for (const auto& kernel : traced.step().kernels) {
        const RowKey& key = kernel->description().key;
        if (pass ? key.pass != *pass : key.pass == Pass::update) continue;
        std::unique_ptr<TraceWriter> writer;
        if (!options.save.empty() && key.part.empty())
            writer =
                std::make_unique<TraceWriter>(options.save, trace_info(*kernel, options.threads));
        const TracedRow row = trace_row(traced, *kernel, writer.get(), options.self_check);
        if (writer) {
            if (!row.trace.unavailable.empty()) throw job_failed("tracing", row.trace.unavailable);
            writer->close();
        }
        if (options.json)
            json["rows"].push_back(row_json(row));
        else
            print(row);
    }
    if (options.json) fmt::print("{}\n", json.dump(2));
    return ExitCode::done;
}

}  // namespace

void add_trace(Verb& app, Action& action) {
    auto options = std::make_shared<Options>();
    auto* verb =
        app.add_subcommand("trace", "Exact instruction and FLOP counts of a layer's real kernels");
    verb->footer("Example:\n  ridge trace conv:mb1ic64ih56oc64oh56kh3ph1 --pass forward");
    verb->add_option("layer", options->layer, "A layer line")->required();
    verb->add_option("--pass", options->pass, "One pass instead of all");
    verb->add_option("--batch", options->batch, "Images, instead of the layer's mb")
        ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()));
    verb->add_option("--dtype", options->dtype, "f32 or bf16");
    verb->add_option("--threads", options->threads, "OpenMP threads of the kernel")
        ->check(whole_number(1, 255))
        ->capture_default_str();
    verb->add_option("--save", options->save, "Write the touches in ridge's own form");
    verb->add_flag("--self-check", options->self_check,
                   "Compare a few calls of each function with the native run, step by step");
    verb->add_flag("--json", options->json, "Print as JSON");
    verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace ridge::app
