// ridge plot: a figure of a stored run, as a file.
#include <fmt/format.h>

#include <algorithm>

#include "apps/ridge/commands.hpp"
#include "apps/ridge/simulated_rows.hpp"
#include "apps/ridge/stored_run.hpp"
#include "core/files.hpp"
#include "model/explain/selection.hpp"
#include "report/html/page.hpp"
#include "report/plot.hpp"
#include "report/writers/gnuplot.hpp"

namespace ridge::app {
namespace {

struct PlotOptions {
    std::string kind;
    std::string output;
    StoredRunOptions run;
    bool simulate = false;
};

const report::PlotKind& kind_named(const std::string& name) {
    std::string known;
    for (const auto& kind : report::plot_kinds()) {
        if (kind.name == name) return kind;
        known += (known.empty() ? "" : " or ") + kind.name;
    }
    throw bad_input("plot", known, "'" + name + "'");
}

/// What writes a file of this name. Everything that can be refused is refused here, before work.
std::function<std::string(const report::Plot&)> writer_for(const std::string& path) {
    std::string suffix = path.substr(std::min(path.find_last_of('.'), path.size()));
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) {
        return static_cast<char>(c < 'A' || c > 'Z' ? c : c + 32);
    });
    if (suffix == ".html" || suffix == ".htm") {
        auto found = report::find_chart_js();
        if (const auto* reason = std::get_if<std::string>(&found))
            throw not_possible("drawing html", *reason);
        return [chart_js = std::get<report::ChartJs>(std::move(found))](const report::Plot& plot) {
            return report::plot_page(plot, chart_js);
        };
    }
    const auto format = suffix == ".svg"   ? report::ImageFormat::svg
                        : suffix == ".png" ? report::ImageFormat::png
                        : suffix == ".pdf" ? report::ImageFormat::pdf
                                           : throw bad_input(fmt::format("--output {}", path),
                                                             "a name that ends in .svg, .png, .pdf "
                                                             "or .html",
                                                             "'" + suffix + "'");
    report::require_gnuplot();
    return [format](const report::Plot& plot) { return report::render(plot, format); };
}

ExitCode plot(const PlotOptions& options) {
    const auto& kind = kind_named(options.kind);
    if (options.simulate && kind.name != "roofline")
        throw bad_input("--simulate", "plot roofline", "plot " + kind.name);
    const auto write = writer_for(options.output);
    require_writable(options.output);
    StoredRun stored = load_stored_run(options.run);
    if (!stored.layer.empty()) {
        std::vector<RowAnalysis> rows;
        for (const std::size_t i : select_rows(stored.analysis, stored.layer, RowOrder::layer, 0))
            rows.push_back(stored.analysis.rows[i]);
        stored.analysis.rows = std::move(rows);
    }
    if (options.simulate) simulate_rows(stored.analysis, stored.machine);
    write_file(options.output, write(kind.build(stored.analysis)));
    fmt::print("{}: {} of run {} ({}, batch {})\n", options.output, kind.name, stored.run.info.id,
               stored.run.info.network, stored.run.info.batch);
    return ExitCode::done;
}

}  // namespace

void add_plot(Verb& app, Action& action) {
    auto* verb = app.add_subcommand("plot",
                                    "Draws a stored run as svg, png, pdf or html\n\nExample:\n"
                                    "  ridge plot roofline alexnet --output roofline.svg");
    auto options = std::make_shared<PlotOptions>();
    std::string kinds;
    for (const auto& kind : report::plot_kinds())
        kinds += fmt::format("{}{}: {}", kinds.empty() ? "" : "; ", kind.name, kind.description);
    verb->add_option("PLOT", options->kind, kinds)->required();
    verb->add_option("RUN", options->run.target,
                     "Number, network or layer of a stored run (default: the newest)");
    verb->add_option("--output,-o", options->output, "File to write; its ending names the format")
        ->required();
    verb->add_flag("--simulate,--hierarchical", options->simulate,
                   "roofline: a dot for every memory level, from bytes that the memory simulator "
                   "counts on the machine's caches: those of the run's traced kernels, else of "
                   "plain loops");
    add_stored_run_options(*verb, options->run);
    verb->callback([&action, options] { action = [options] { return plot(*options); }; });
}

}  // namespace ridge::app
