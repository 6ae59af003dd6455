#include <fmt/format.h>

#include "report/html/assets.hpp"
#include "report/html/markup.hpp"
#include "report/html/page.hpp"
#include "report/html/skeleton.hpp"
#include "report/machine_tables.hpp"
#include "report/rows_table.hpp"
#include "report/summary.hpp"
#include "ridge/format.hpp"

namespace ridge::report {
namespace {

std::string list(const std::vector<std::string>& sentences, std::string_view css) {
    if (sentences.empty()) return {};
    std::string html = fmt::format("<ul class=\"{}\">\n", css);
    for (const auto& sentence : sentences) html += fmt::format("<li>{}</li>\n", escape(sentence));
    return html + "</ul>\n";
}

std::string scrolled(const std::string& table) {
    return "<div class=\"scroll\">\n" + table + "</div>\n";
}

std::string card(const std::string& value, const std::string& what, const std::string& detail) {
    return fmt::format("<div class=\"card\"><span>{}</span><b>{}</b><span>{}</span></div>\n",
                       escape(what), escape(value), escape(detail));
}

std::string cards(const RunAnalysis& run, const Summary& summary) {
    std::string html = "<div class=\"cards\">\n";
    if (run.step)
        html += card((run.step->time.upper_bound ? "≤ " : "") + format(run.step->time.time),
                     "One training step",
                     fmt::format("{} to {} (90 %), {} repetitions", format(run.step->interval_low),
                                 format(run.step->interval_high), run.step->time.samples));
    html += card(format(run.sum), "Sum of all rows",
                 run.sum_over_step ? fmt::format("{:.3f} times the step", *run.sum_over_step)
                                   : "the step was not measured as a whole");
    html += card(format_percent(run.convolution_share), "Convolution", "of the rows' time");
    if (!summary.bounds.empty())
        html += card(summary.bounds.front().what, "Bounds most of the time",
                     format_percent(summary.bounds.front().share) + " of it");
    html +=
        card(format(summary.saved_at_roof), "Saved if all were at their roofs",
             run.sum.value() > 0 ? format_percent(summary.saved_at_roof / run.sum) + " of the time"
                                 : "");
    const Trust& trust = summary.trust;
    html += card(fmt::format("{} of {}", trust.settled, trust.rows), "Rows settled",
                 fmt::format("{} of {} samples undisturbed; {} upper bounds", trust.quiet_samples,
                             trust.samples, trust.upper_bound));
    return html + "</div>\n";
}

std::string summary_section(const RunAnalysis& run, const Summary& summary) {
    std::string html = "<section id=\"summary\">\n" + cards(run, summary);
    html += list(findings(run, summary), "findings");
    const auto cautions = caveats(run, summary);
    if (!cautions.empty()) html += "<h3>Read with caution</h3>\n" + list(cautions, "warn");
    html += "<div class=\"columns\">\n<div><h3>What bounds the time</h3>\n";
    html += scrolled(html_table(bounds_table(summary), {.id = "bounds"}));
    html += "<h3>Time by kind of layer</h3>\n";
    html += scrolled(html_table(kinds_table(summary), {.id = "kinds"}));
    html += "</div>\n<div><h3>Where reaching the roof would save most</h3>\n";
    html += scrolled(html_table(savings_table(summary, 12), {.id = "savings"}));
    html += "</div>\n</div>\n";
    if (run.info.counters != "none" && !run.coverage.gaps.empty()) {
        html += "<h3>What was not traced</h3>\n";
        html += scrolled(html_table(coverage_table(run.coverage), {.id = "coverage"}));
    }
    return html + "</section>\n";
}

std::string rows_section(const RunAnalysis& run) {
    const Table table = rows_table(run);
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < run.rows.size(); ++i) ids.push_back(fmt::format("row-{}", i));
    std::string html =
        "<section>\n<h2 id=\"rows\">All rows</h2>\n"
        "<p class=\"note\">One row for each pass of each layer and each reorder around it. Click a "
        "heading to sort; a dot in the roofline to find its row. Under each heading: unit, and how "
        "the number was obtained.</p>\n"
        "<div id=\"rows-controls\"></div>\n<p id=\"rows-status\" class=\"note\"></p>\n"
        "<div id=\"rows-frame\">\n";
    html += html_table(
        table,
        {.id = "rows-table",
         .attributes = "data-hidden=\"sampling|cost|details\" data-filters=\"Kind|Pass|Bound\" "
                       "data-sums=\"Time|Share|Saved\"",
         .row_ids = std::move(ids),
         .long_columns = {"Verdict"},
         .note_columns = {"Flags"}});
    return html + "</div>\n</section>\n";
}

std::string machine_section(const Machine& machine) {
    std::string html = "<section>\n<h2 id=\"machine\">Machine</h2>\n";
    html += html_facts(machine_facts(machine));
    html += "<h3>Compute ceilings</h3>\n" + scrolled(html_table(compute_table(machine), {}));
    html += "<h3>Memory levels</h3>\n" + scrolled(html_table(levels_table(machine), {}));
    html += "<h3>Bandwidths</h3>\n" + scrolled(html_table(bandwidth_table(machine), {}));
    return html + "</section>\n";
}

constexpr std::string_view definitions = R"(<dl>
<dt>FLOP</dt><dd>One multiply-add is 2 FLOP. Counted are operations on data inside the image; taps on padding are not.</dd>
<dt>Traffic</dt><dd>Bytes between the core and the memory level named in the row. "algorithmic": each byte that the pass must read or write, once; "simulated": from the memory simulator. GB is 10⁹ bytes, GiB 2³⁰.</dd>
<dt>Time</dt><dd>Low quantile of the undisturbed samples, normalised to one stated core clock. Spread: from the smallest of the samples used to that quantile. "≤" (upper bound): too few samples were undisturbed, so the machine's other work is included.</dd>
<dt>Sum of rows and step</dt><dd>The step is timed as a whole in a run of its own, by two clock reads around it.</dd>
<dt>Roof</dt><dd>The smaller of the highest compute ceiling and intensity times the bandwidth of the row's level for its mix of reads and writes.</dd>
<dt>Of roof</dt><dd>Least time that the binding resource needs, over the measured time.</dd>
<dt>Bound</dt><dd>The resource with the longest least time; two names when the second is within 10 % of it; "overhead" when fixed costs of the call are the longest; "SSE/AVX transitions" when switching between wide vectors and legacy instructions is.</dd>
<dt>Saved</dt><dd>At the roof: measured time minus that least time: what a perfect implementation could save at most.</dd>
<dt>Ridge point</dt><dd>The intensity at which a bandwidth line meets the highest compute ceiling.</dd>
<dt>Sources</dt><dd>measured: read from a clock or counter; traced: counted in the executed instructions; simulated: from the memory simulator; algorithmic: from the layer's dimensions; given: written by a person.</dd>
<dt>Creation, first call</dt><dd>Paid once per primitive, not in the time of the row. Reorders are rows of their own.</dd>
</dl>
)";

}  // namespace

std::string report_page(const ReportInput& input,
                        const std::variant<ChartJs, std::string>& chart_js) {
    const RunAnalysis& run = input.analysis;
    const Summary summary = summarise(run);
    std::string body = fmt::format(
        "<header>\n<h1>Training step of {}</h1>\n<p class=\"sub\">{}<br>Roofs of {}. Run {} of {}."
        "</p>\n",
        escape(run.info.network), escape(run_title(run.info)), escape(run.machine), run.info.id,
        escape(run.info.started_at));
    body += "<nav><a href=\"#summary\">Summary</a>";
    std::vector<Plot> plots;
    for (const auto& kind : plot_kinds()) {
        plots.push_back(kind.build(run));
        body += fmt::format("<a href=\"#{0}\">{1}</a>", kind.name, escape(plots.back().title));
    }
    body += "<a href=\"#rows\">All rows</a>";
    if (!input.comparisons.empty()) body += "<a href=\"#comparisons\">Comparisons</a>";
    body +=
        "<a href=\"#machine\">Machine</a><a href=\"#environment\">Environment</a>"
        "<a href=\"#definitions\">Definitions</a></nav>\n</header>\n<main>\n";
    body += summary_section(run, summary);
    for (std::size_t i = 0; i < plots.size(); ++i)
        body += fmt::format(
            "<section>\n<h2 id=\"{}\">{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n",
            plot_kinds()[i].name, escape(plots[i].title), escape(plot_kinds()[i].description),
            plot_place(plots[i], chart_js));
    body += rows_section(run);
    if (!input.comparisons.empty()) body += "<section id=\"comparisons\">\n";
    for (const auto& comparison : input.comparisons)
        body += fmt::format(
            "<h2>{}</h2>\n<p class=\"note\">{}</p>\n<div class=\"scroll\">\n{}</div>\n",
            escape(comparison.title), escape(comparison.note), html_table(comparison.table, {}));
    if (!input.comparisons.empty()) body += "</section>\n";
    body += machine_section(input.machine);
    body += "<section>\n<h2 id=\"environment\">Environment and protocol</h2>\n" +
            html_facts(environment_facts(run.info, run.step)) + "</section>\n";
    body += fmt::format("<section>\n<h2 id=\"again\">Do it again</h2>\n<pre>{}</pre>\n",
                        escape(input.command));
    if (!run.info.command.empty() && run.info.command != input.command)
        body += fmt::format("<p class=\"note\">Measured by:</p>\n<pre>{}</pre>\n",
                            escape(run.info.command));
    body += "</section>\n<section>\n<h2 id=\"definitions\">Definitions</h2>\n";
    body += definitions;
    body += fmt::format("</section>\n</main>\n<footer class=\"note\">Ridgepoint {}\n{}</footer>\n",
                        escape(input.ridge_version), licence_note(chart_js));
    if (!input.analysis_json.is_null()) body += embed("run", input.analysis_json);
    return html_document("Ridgepoint: " + run_title(run.info), body, plots, chart_js,
                         asset_report_js);
}

}  // namespace ridge::report
