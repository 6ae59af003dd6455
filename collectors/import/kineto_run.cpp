#include "collectors/import/kineto_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "collectors/import/warm_up.hpp"
#include "core/json.hpp"
#include "ridge/error.hpp"
#include "ridge/layer.hpp"

namespace ridge::import {
namespace {

constexpr std::size_t no_operator = static_cast<std::size_t>(-1);
constexpr std::size_t most_samples = 64;

/// Where an operator stands: the outermost one around it, and that of its forward part.
struct Place {
    std::size_t outermost = no_operator;
    bool backward = false, update = false;
    std::int64_t sequence = -1;  ///< of the backward node around it
};

bool is_backward_name(std::string_view name) {
    return name.find("Backward") != std::string_view::npos ||
           name.find("backward") != std::string_view::npos;
}

/// Operators of a thread nest in time.
std::vector<Place> places_of(const std::vector<KinetoEvent>& operators) {
    std::vector<Place> places(operators.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const KinetoEvent& event = operators[i];
        while (!open.empty() &&
               (operators[open.back()].thread != event.thread ||
                operators[open.back()].ts_us + operators[open.back()].dur_us <= event.ts_us))
            open.pop_back();
        Place& place = places[i];
        if (!open.empty()) place = places[open.back()];
        if (open.empty()) place.outermost = i;
        if (event.forward_thread > 0 || is_backward_name(event.name) ||
            event.name.starts_with("autograd::"))
            place.backward = true;
        if (place.backward && event.sequence >= 0 && place.sequence < 0)
            place.sequence = event.sequence;
        if (event.name.starts_with("Optimizer.step")) place.update = true;
        open.push_back(i);
    }
    return places;
}

using Sizes = std::vector<std::int64_t>;

/// "[[8, 3, 224, 224], [64, 3, 7, 7], []]" as lists; scalars are empty lists.
std::vector<Sizes> lists_of(const std::string& text) {
    std::vector<Sizes> lists;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_array()) return lists;
    for (const auto& item : json) {
        Sizes sizes;
        if (item.is_array())
            for (const auto& size : item)
                if (size.is_number_integer() && size >= 0 && size <= 1'000'000'000)
                    sizes.push_back(size.get<std::int64_t>());
        lists.push_back(std::move(sizes));
    }
    return lists;
}

/// Concrete inputs are texts of lists: ["", "", "", "[2, 2]", "[3, 3]"].
Sizes concrete(const std::string& text, std::size_t index) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_array() || index >= json.size() || !json[index].is_string()) return {};
    const auto inner = lists_of("[" + json[index].get<std::string>() + "]");
    if (inner.empty()) return {};
    if (!inner[0].empty()) return inner[0];
    const Json number = Json::parse(json[index].get<std::string>(), nullptr, false);
    return number.is_number_integer() ? Sizes{number.get<std::int64_t>()} : Sizes{};
}

std::int64_t pick(const Sizes& sizes, std::size_t index, std::int64_t fallback) {
    if (sizes.empty()) return fallback;
    return sizes[std::min(index, sizes.size() - 1)];
}

/// conv2d(input, weight, bias, stride, padding, dilation, [transposed, output_padding,] groups)
std::string convolution_line(const KinetoEvent& op, const std::vector<Sizes>& dims) {
    if (dims.size() < 2 || dims[0].size() != 4 || dims[1].size() != 4) return {};
    const Sizes stride = concrete(op.concrete_inputs, 3), padding = concrete(op.concrete_inputs, 4),
                dilation = concrete(op.concrete_inputs, 5);
    if (stride.empty() || padding.empty()) return {};  // without them the output is unknown
    std::string line =
        fmt::format("conv:mb{}g{}ic{}oc{}", dims[0][0],
                    dims[1][1] > 0 ? dims[0][1] / dims[1][1] : 1, dims[0][1], dims[1][0]);
    for (std::size_t i = 0; i < 2; ++i)
        line += fmt::format("i{0}{1}k{0}{2}s{0}{3}d{0}{4}p{0}{5}", i == 0 ? 'h' : 'w',
                            dims[0][i + 2], dims[1][i + 2], pick(stride, i, 1),
                            pick(dilation, i, 1) - 1, pick(padding, i, 0));
    return line + (dims.size() > 2 && !dims[2].empty() ? "" : ",bias=0");
}

std::int64_t rows_of(const Sizes& sizes) {
    double product = 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) product *= static_cast<double>(sizes[i]);
    return product < 1e9 ? static_cast<std::int64_t>(product) : 0;
}

std::string image(const Sizes& sizes) {
    if (sizes.size() < 2) return fmt::format("mb1ic{}", sizes.empty() ? 1 : sizes[0]);
    std::string text = fmt::format("mb{}ic{}", sizes[0], sizes[1]);
    if (sizes.size() < 3) return text;
    const Sizes middle(sizes.begin() + 1, sizes.end() - 1);
    return text + fmt::format("ih{}iw{}", rows_of(middle) / std::max<std::int64_t>(1, sizes[1]),
                              sizes.back());
}

/// The line of the layer that an operator is; empty where its sizes do not tell.
std::string layer_line(const KinetoEvent& op) {
    const auto dims = lists_of(op.input_dims);
    if (dims.empty() || dims[0].empty()) return {};
    const std::string& name = op.name;
    const auto matrices = [&](std::size_t a, std::size_t b) -> std::string {
        if (dims.size() <= b || dims[a].size() != 2 || dims[b].size() != 2) return {};
        return fmt::format("matmul:{}x{}:{}x{}", dims[a][0], dims[a][1], dims[b][0], dims[b][1]);
    };
    if (name == "aten::conv2d" || name == "aten::convolution" || name == "aten::_convolution")
        return convolution_line(op, dims);
    if (name == "aten::linear" && dims.size() > 1 && dims[1].size() == 2)
        return fmt::format("ip:mb{}ic{}oc{}{}", rows_of(dims[0]), dims[1][1], dims[1][0],
                           dims.size() > 2 && !dims[2].empty() ? "" : ",bias=0");
    if (name == "aten::mm") return matrices(0, 1);
    if (name == "aten::addmm") return matrices(1, 2);
    if (name == "aten::bmm" && dims.size() > 1 && dims[0].size() == 3 && dims[1].size() == 3)
        return fmt::format("matmul:{}:{}", fmt::join(dims[0], "x"), fmt::join(dims[1], "x"));
    if (name == "aten::relu" || name == "aten::relu_") return "eltwise:" + image(dims[0]);
    if (name == "aten::batch_norm") return "bnorm:" + image(dims[0]);
    if (name == "aten::softmax" && dims[0].size() == 2) return "softmax:" + image(dims[0]);
    std::string op_name = name.starts_with("aten::") ? name.substr(6) : name;
    for (char& c : op_name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
    return "other:" + image(dims[0]) + ",op=" + op_name;
}

/// Names of cuDNN's and cuBLAS's backward kernels say of which gradient.
std::optional<Pass> gradient_of(std::string_view kernel) {
    const auto has = [&](std::string_view part) {
        return kernel.find(part) != std::string_view::npos;
    };
    if (has("dgrad") || has("bwd_data") || has("backward_data")) return Pass::backward_data;
    if (has("wgrad") || has("bwd_weight") || has("backward_weight") || has("bwd_filter"))
        return Pass::backward_weights;
    return std::nullopt;
}

/// One run of a row: the kernels of one outermost operator in one direction.
struct OneRun {
    double total_us = 0, longest_us = 0, first_us = 0;
    std::int64_t kernels = 0;
};

class Builder {
public:
    Builder(const KinetoTrace& trace, const KinetoOptions& options, const std::string& file)
        : trace_(trace), options_(options), file_(file), places_(places_of(trace.operators)) {
        for (std::size_t i = 0; i < trace.operators.size(); ++i) {
            const KinetoEvent& op = trace.operators[i];
            if (op.external >= 0) by_external_.try_emplace(op.external, i);
            if (op.sequence >= 0 && !places_[i].backward)
                by_sequence_.try_emplace(op.sequence, places_[i].outermost);
        }
        for (std::size_t i = 0; i < trace.launches.size(); ++i)
            if (trace.launches[i].correlation >= 0)
                by_correlation_.try_emplace(trace.launches[i].correlation, i);
    }

    KinetoRun build() {
        if (trace_.kernels.empty())
            take_operators();
        else
            take_kernels();
        for (const auto& [key, runs] : runs_) add_row(key, runs);
        if (result_.rows.empty())
            throw bad_input(file_, "kernels or operators with a duration",
                            fmt::format("{} events, {} damaged, {} impossible", trace_.events,
                                        trace_.damaged, trace_.impossible));
        sort_by_start();
        describe();
        return std::move(result_);
    }

private:
    struct RowId {
        std::string label;  ///< operator and sizes
        Pass pass = Pass::forward;
        bool by_order = false;
        std::size_t op = no_operator;  ///< an example, for the layer line
        auto operator<=>(const RowId& other) const {
            if (const auto order = label <=> other.label; order != 0) return order;
            if (const auto order = pass <=> other.pass; order != 0) return order;
            return by_order <=> other.by_order;
        }
        bool operator==(const RowId& other) const {
            return (*this <=> other) == std::strong_ordering::equal;
        }
    };

    [[nodiscard]] std::string label_of(std::size_t op) const {
        const KinetoEvent& event = trace_.operators[op];
        return event.input_dims.empty() ? event.name : event.name + " " + event.input_dims;
    }

    /// The row of an operator, by its outermost one and, in backward, by the forward partner.
    [[nodiscard]] RowId row_of(std::size_t op, std::string_view kernel) const {
        const Place& place = places_[op];
        RowId id;
        id.op = place.outermost;
        if (place.update) {
            id.pass = Pass::update;
        } else if (place.backward) {
            id.pass = gradient_of(kernel).value_or(Pass::backward);
            const auto partner = by_sequence_.find(place.sequence);
            if (partner != by_sequence_.end()) id.op = partner->second;
        }
        id.label = label_of(id.op);
        return id;
    }

    /// The operator that launched a kernel, directly or through the launch's correlation.
    [[nodiscard]] std::size_t operator_of(const KinetoEvent& kernel, bool& graph) const {
        const auto by_id = [&](std::int64_t external) {
            const auto found = by_external_.find(external);
            return found == by_external_.end() ? no_operator : found->second;
        };
        const auto launch = by_correlation_.find(kernel.correlation);
        if (launch != by_correlation_.end()) {
            const KinetoEvent& event = trace_.launches[launch->second];
            graph = event.name.find("GraphLaunch") != std::string::npos;
            if (graph) return no_operator;
            if (const std::size_t op = by_id(event.external); op != no_operator) return op;
        }
        return by_id(kernel.external);
    }

    void take_kernels() {
        std::map<std::string, int> in_graph;  // of each name, by correlation
        for (const KinetoEvent& kernel : trace_.kernels) {
            bool graph = false;
            const std::size_t op = operator_of(kernel, graph);
            if (op == no_operator && !graph) {
                result_.unattributed_ms += kernel.dur_us * 1e-3;
                continue;
            }
            RowId id;
            std::int64_t instance = kernel.correlation;
            if (graph) {
                const int order = ++in_graph[fmt::format("{} {}", kernel.correlation, kernel.name)];
                id.label = fmt::format("{} #{}", kernel.name, order);
                id.by_order = true;
            } else {
                id = row_of(op, kernel.name);
                instance = static_cast<std::int64_t>(places_[op].outermost);
            }
            add(id, instance, kernel);
        }
    }

    /// Without a device the operators themselves are timed.
    void take_operators() {
        for (std::size_t i = 0; i < trace_.operators.size(); ++i)
            if (places_[i].outermost == i && trace_.operators[i].dur_us > 0)
                add(row_of(i, ""), static_cast<std::int64_t>(i), trace_.operators[i]);
    }

    void add(const RowId& id, std::int64_t instance, const KinetoEvent& event) {
        auto& run = runs_[id][instance];
        if (run.kernels == 0) run.first_us = event.ts_us;
        run.first_us = std::min(run.first_us, event.ts_us);
        run.total_us += event.dur_us;
        run.longest_us = std::max(run.longest_us, event.dur_us);
        ++run.kernels;
    }

    void add_row(const RowId& id, const std::map<std::int64_t, OneRun>& runs) {
        std::vector<const OneRun*> order;
        for (const auto& [instance, run] : runs)
            if (run.total_us >= 1e-3) order.push_back(&run);
        if (order.empty()) return;
        std::stable_sort(order.begin(), order.end(), [](const OneRun* a, const OneRun* b) {
            return a->first_us < b->first_us;
        });
        KinetoRow added;
        std::vector<double> times_ms;
        for (const OneRun* run : order) {
            times_ms.push_back(run->total_us * 1e-3);
            added.kernels += run->kernels;
            added.helper_ms += (run->total_us - run->longest_us) * 1e-3;
            added.total_ms += times_ms.back();
        }
        added.runs = static_cast<std::int64_t>(times_ms.size());
        added.by_order = id.by_order;
        const std::size_t warm_up = warm_up_of(times_ms);
        added.warm_up = static_cast<std::int64_t>(warm_up);
        const std::vector<double> steady(times_ms.begin() + static_cast<long>(warm_up),
                                         times_ms.end());
        fill(added.row, id, steady, times_ms);
        const std::size_t every = (steady.size() + most_samples - 1) / most_samples;
        for (std::size_t i = 0; i < steady.size(); i += every)
            added.samples_s.push_back(steady[i] * 1e-3);
        // Labels that differ in unprintable bytes only.
        const std::string name = added.row.key.layer;
        for (int n = 2; !keys_.insert(added.row.key).second; ++n)
            added.row.key.layer = fmt::format("{} #{}", name, n);
        first_.push_back(order.front()->first_us);
        result_.rows.push_back(std::move(added));
    }

    /// Rows in the order in which they first ran.
    void sort_by_start() {
        std::vector<std::size_t> order(result_.rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return first_[a] < first_[b]; });
        std::vector<KinetoRow> sorted;
        for (const std::size_t i : order) {
            sorted.push_back(std::move(result_.rows[i]));
            sorted.back().row.ordinal = static_cast<int>(sorted.size()) - 1;
        }
        result_.rows = std::move(sorted);
    }

    void fill(Measurement& row, const RowId& id, const std::vector<double>& steady,
              const std::vector<double>& all) {
        row.key.layer = one_line(id.label);
        row.key.pass = id.pass;
        row.kind = LayerKind::other;
        row.problem = one_line(id.label);
        row.implementation = "pytorch";
        if (id.op != no_operator && !id.by_order) set_layer(row, trace_.operators[id.op]);
        const double least = *std::min_element(steady.begin(), steady.end());
        row.time.time = Seconds(median_of(steady) * 1e-3);
        row.time.spread = Seconds(row.time.time.value() - least * 1e-3);
        row.time.raw_min = Seconds(*std::min_element(all.begin(), all.end()) * 1e-3);
        row.time.median = Seconds(median_of(all) * 1e-3);
        row.time.samples = static_cast<int>(std::min<std::size_t>(all.size(), 1u << 30));
        row.time.upper_bound = true;
    }

    static void set_layer(Measurement& row, const KinetoEvent& op) {
        const std::string line = layer_line(op);
        if (line.empty()) return;
        try {
            const Layer layer = parse_layer(line);
            row.kind = layer.kind;
            row.problem = to_line(layer);
        } catch (const Error&) {
            return;  // sizes that Ridgepoint's kinds do not have: the row keeps its own words
        }
    }

    void describe() {
        RunInfo& info = result_.info;
        info.network = options_.name;
        info.machine = options_.machine;
        info.state = CacheState::in_step;
        info.library = info.environment.library = "pytorch";
        info.started_at = options_.imported_at;
        info.complete = true;
        info.command = options_.command;
        info.environment.ridge_version = options_.ridge_version;
        info.environment.cpu_model = trace_.device;
        info.protocol = fmt::format(
            "imported from a PyTorch trace of {} events: {}", trace_.events,
            trace_.kernels.empty() ? "times of operators on the CPU" : "times of kernels");
        auto& notes = result_.notes;
        double total = result_.unattributed_ms;
        for (const auto& row : result_.rows) total += row.total_ms;
        if (trace_.impossible > 0)
            notes.push_back(fmt::format(
                "impossible: {} device events (negative, longer than the trace, or past the next "
                "start in their stream) are dropped; they claimed {:.1f} % of the device time",
                trace_.impossible,
                100 * trace_.impossible_us * 1e-3 / (trace_.impossible_us * 1e-3 + total)));
        if (trace_.damaged > 0)
            notes.push_back(fmt::format("damaged: {} events cannot be read", trace_.damaged));
        if (trace_.cut) notes.push_back("cut: the file ends within the list of events");
        if (result_.unattributed_ms > 0)
            notes.push_back(
                fmt::format("no operator: kernels of {:.6g} ms ({:.1f} %) are in no row",
                            result_.unattributed_ms, 100 * result_.unattributed_ms / total));
        if (std::any_of(result_.rows.begin(), result_.rows.end(),
                        [](const KinetoRow& row) { return row.by_order; }))
            notes.push_back(
                "by order: kernels of CUDA graphs carry no operator; their rows are told apart by "
                "their order within the graph");
    }

    const KinetoTrace& trace_;
    const KinetoOptions& options_;
    const std::string& file_;
    std::vector<Place> places_;
    std::unordered_map<std::int64_t, std::size_t> by_external_, by_sequence_, by_correlation_;
    std::map<RowId, std::map<std::int64_t, OneRun>> runs_;
    std::vector<double> first_;
    std::set<RowKey> keys_;
    KinetoRun result_;
};

}  // namespace

KinetoRun make_run(const KinetoTrace& trace, const KinetoOptions& options,
                   const std::string& file) {
    return Builder(trace, options, file).build();
}

}  // namespace ridge::import
