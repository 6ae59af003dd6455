// ridge network: what a network is made of, before anything is measured.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/network_argument.hpp"
#include "core/json.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "ridge/benchdnn.hpp"
#include "ridge/format.hpp"
#include "ridge/network.hpp"

namespace ridge::app {
namespace {

using report::Cell;

struct Options {
    NetworkArgument network;
    std::string dtype = "f32";
    bool json = false, csv = false;
};

Network network_of(const Options& options) {
    const auto dtype = data_type_from_string(options.dtype);
    if (!dtype) throw bad_input("--dtype", "f32 or bf16", "'" + options.dtype + "'");
    const Network network = load_network_argument(options.network);
    // A layer line and a model say themselves what they compute in, unless asked otherwise.
    return is_layer_line(options.network.text) || *dtype == DataType::f32
               ? network
               : with_dtype(network, *dtype);
}

/// What fits a screen, and the arguments of benchdnn where width does not matter.
report::Table layers_table(const Network& network, bool with_benchdnn) {
    std::vector<report::Column> columns{
        {.header = "layer", .shorten_to = 12},   {.header = "pass"},
        {.header = "problem", .shorten_to = 24}, report::right("parameters"),
        report::right("useful work", "MFLOP"),   report::right("least traffic", "MB"),
        report::right("footprint", "MB"),        report::right("intensity", "FLOP/B")};
    if (with_benchdnn) columns.push_back({.header = "benchdnn"});
    report::Table table(columns);
    for (const auto& [layer, from, passes] : network.layers) {
        Layer unnamed = layer;
        unnamed.name.clear();
        bool first = true;
        for (const Pass pass : passes) {
            const Flops flops = useful_flops(layer, pass);
            const Bytes bytes = minimum_bytes(layer, pass);
            const bool has_intensity = flops.value() > 0 && bytes.value() > 0;
            std::vector<Cell> cells{
                report::printable(layer.name),
                std::string(to_string(pass)),
                first ? to_line(unnamed) : "",
                first && parameters(layer) > 0 ? Cell::count(parameters(layer)) : Cell::missing(),
                Cell::number(flops.value() / 1e6, 2),
                Cell::number(bytes.value() / 1e6, 3),
                Cell::number(footprint(layer, pass).value() / 1e6, 3),
                has_intensity ? Cell::number((flops / bytes).value(), 2) : Cell::missing()};
            if (with_benchdnn) cells.emplace_back(benchdnn_line(layer, pass).value_or(""));
            table.add_row(std::move(cells));
            first = false;
        }
    }
    return table;
}

Json footprint_json(const TrainingFootprint& f) {
    return {{"weights_bytes", f.weights.value()},
            {"weight_gradients_bytes", f.weight_gradients.value()},
            {"momentum_bytes", f.momentum.value()},
            {"activations_bytes", f.activations.value()},
            {"activation_gradients_bytes", f.activation_gradients.value()},
            {"workspace_bytes", f.workspace.value()},
            {"total_bytes", f.total.value()},
            {"peak_bytes", f.peak.value()},
            {"peak_at", f.peak_at},
            {"source", to_string(Source::algorithmic)}};
}

Json benchdnn_json(const Layer& layer, Pass pass) {
    const auto line = benchdnn_line(layer, pass);
    return line ? Json(*line) : Json(nullptr);
}

Json network_json(const Network& network) {
    Json layers = Json::array();
    for (const auto& [layer, from, passes] : network.layers) {
        Json work = Json::array();
        for (const Pass pass : passes)
            work.push_back({{"pass", to_string(pass)},
                            {"useful_flops", useful_flops(layer, pass).value()},
                            {"simple_flops", simple_flops(layer, pass).value()},
                            {"minimum_bytes", minimum_bytes(layer, pass).value()},
                            {"footprint_bytes", footprint(layer, pass).value()},
                            {"benchdnn", benchdnn_json(layer, pass)}});
        Layer unnamed = layer;
        unnamed.name.clear();
        layers.push_back({{"name", layer.name},
                          {"kind", to_string(layer.kind)},
                          {"problem", to_line(unnamed)},
                          {"from", from},
                          {"parameters", parameters(layer)},
                          {"passes", work}});
    }
    return {{"name", network.name},
            {"description", network.description},
            {"origin", network.source},
            {"batch", network.batch},
            {"parameters", parameters(network)},
            {"training_footprint",
             network.chained ? footprint_json(training_footprint(network)) : Json(nullptr)},
            {"source", to_string(Source::algorithmic)},
            {"layers", layers}};
}

void print_totals(const Network& network) {
    const auto flops = [&](Pass pass) { return useful_flops(network, pass); };
    const Flops backward =
        flops(Pass::backward_data) + flops(Pass::backward_weights) + flops(Pass::backward);
    fmt::print(
        "{} parameters; useful work of a step: forward {}, backward {}, update {} "
        "(algorithmic; 1 multiply-add = 2 FLOP, padding taps not counted)\n",
        parameters(network), format(flops(Pass::forward)), format(backward),
        format(flops(Pass::update)));
    if (!network.chained) return;
    const TrainingFootprint f = training_footprint(network);
    fmt::print(
        "Memory of a step: {} in all ({} weights, {} their gradients, {} momentum, {} "
        "activations, {} their gradients, {} workspace); {} at the peak, in {}, when each "
        "tensor is freed after its last use\n",
        format_iec(f.total), format_iec(f.weights), format_iec(f.weight_gradients),
        format_iec(f.momentum), format_iec(f.activations), format_iec(f.activation_gradients),
        format_iec(f.workspace), format_iec(f.peak), f.peak_at);
}

ExitCode show(const Options& options) {
    const Network network = network_of(options);
    if (options.json) {
        fmt::print("{}\n", network_json(network).dump(2));
        return ExitCode::done;
    }
    const report::Table table = layers_table(network, options.csv);
    if (options.csv) {
        fmt::print("{}", table.csv());
        return ExitCode::done;
    }
    fmt::print("{}, batch {}\n{}\n\n", network.name, network.batch, network.description);
    const auto screen = report::terminal(1);
    fmt::print("{}\n", table.text({.width = screen.width, .colour = screen.colour}));
    print_totals(network);
    return ExitCode::done;
}

ExitCode list(bool json) {
    if (json) {
        Json all = Json::array();
        for (const auto& entry : shipped_networks())
            all.push_back({{"name", entry.name}, {"description", entry.description}});
        fmt::print("{}\n", all.dump(2));
        return ExitCode::done;
    }
    report::Table table({{.header = "network"},
                         report::right("parameters"),
                         report::right("layers"),
                         {.header = "description", .shorten_to = 24}});
    for (const auto& entry : shipped_networks()) {
        const Network network = load_network(entry.name, 1);
        table.add_row({entry.name, Cell::count(parameters(network)),
                       Cell::count(static_cast<long long>(network.layers.size())),
                       entry.description});
    }
    const auto screen = report::terminal(1);
    fmt::print("{}", table.text({.width = screen.width, .colour = screen.colour}));
    return ExitCode::done;
}

}  // namespace

void add_network(Verb& app, Action& action) {
    auto options = std::make_shared<Options>();
    auto* verb = app.add_subcommand("network", "Layers, work and memory of a network");
    verb->require_subcommand(1);
    verb->footer("Example:\n  ridge network show resnet50 --batch 16");

    auto* list_verb = verb->add_subcommand("list", "The shipped networks");
    list_verb->footer("Example:\n  ridge network list");
    list_verb->add_flag("--json", options->json, "Print as JSON");
    list_verb->callback([options, &action] { action = [options] { return list(options->json); }; });

    auto* show_verb = verb->add_subcommand(
        "show", "Layers, shapes, parameters, FLOPs, least bytes and memory footprint per pass");
    show_verb->footer(
        "Example:\n  ridge network show alexnet --batch 8\n"
        "  ridge network show conv:mb16ic64ih56oc64oh56kh3ph1 --json");
    show_verb
        ->add_option("network", options->network.text,
                     "Network, YAML file, ONNX model, or layer line")
        ->required();
    show_verb->add_option("--batch", options->network.batch, "Images per step")
        ->capture_default_str();
    add_dim_option(*show_verb, options->network.dims);
    show_verb->add_option("--dtype", options->dtype, "f32 or bf16")->capture_default_str();
    show_verb->add_flag("--json", options->json, "Print as JSON");
    show_verb->add_flag("--csv", options->csv, "Print the table as CSV");
    show_verb->callback([options, &action] { action = [options] { return show(*options); }; });
}

}  // namespace ridge::app
