#include "validate/gpu/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "model/predict/gpu/layer_work.hpp"
#include "ridge/machine.hpp"

namespace ridge::validate::kernels {
namespace {

/// A hash that is the same everywhere (FNV-1a): the folds are part of a published figure.
std::size_t stable_hash(const std::string& text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
}

/// Times that are a few ticks of the clock or mostly launch are scored apart.
bool small_time(const KernelRow& row) {
    if (row.set == "deepbench") return row.time_s < 20e-6;
    if (row.set == "aiconfigurator") return row.time_s < 5e-6;
    if (row.set == "neusight") return row.time_s < 60e-6;
    return false;
}

HeldLayer held_layer(const KernelRow& row, double predicted_s) {
    const auto network = row.layer.substr(0, row.layer.find_first_of("/ "));
    return {fmt::format("{} {} {}", row.set, row.part, row.set == "triosim" ? "" : network), row.op,
            predicted_s, row.time_s};
}

/// Nearest to M = N = K = 4096 in log distance; of convolutions and others the largest work. Chosen
/// by shape, never by time; the first of equals.
const KernelRow* probe_row(const std::vector<const KernelRow*>& rows) {
    const auto distance = [](const KernelRow& row) {
        const auto& w = row.work;
        if (w.kind != gpu::WorkKind::gemm) return -(work_flops(w).value() + work_bytes(w).value());
        const auto term = [](std::int64_t x) {
            const double l = std::log(static_cast<double>(x) / 4096);
            return l * l;
        };
        return term(w.m) + term(w.n * w.batch) + term(w.k);
    };
    return *std::min_element(rows.begin(), rows.end(), [&](const auto* a, const auto* b) {
        return distance(*a) < distance(*b);
    });
}

class Job {
public:
    Job(const Selection& selection, const ValidationOptions& options, Validation& out)
        : s_(selection), o_(options), out_(out) {
        for (const auto* part : {&s_.train, &s_.test})
            for (const auto& row : *part) {
                if (index_.contains(row.machine)) continue;
                index_[row.machine] = devices_.size();
                devices_.push_back(gpu::device_of(load_machine(row.machine)));
            }
    }

    void run() {
        if (o_.by_shape) by_shape();
        fit_everything();
        if (!s_.test.empty()) test_part();
        if (o_.by_device) by_device();
    }

private:
    using Rows = std::vector<const KernelRow*>;
    using Times = std::vector<double>;
    struct Scored {
        Rows rows;
        Times model;
        std::vector<gpu::Kernel> kernels;
        std::map<Baseline, Times> baseline;
    };

    const gpu::Device& device(const KernelRow& row) const {
        return devices_[index_.at(row.machine)];
    }
    gpu::FitRow fit_row(const KernelRow& row) const {
        return {&row.work, row.time_s, index_.at(row.machine)};
    }
    std::string family(const KernelRow& row) const { return kernel_family(device(row)); }

    std::map<std::string, gpu::Calibration> fit_families(const Rows& rows) const {
        std::map<std::string, std::vector<gpu::FitRow>> by_family;
        for (const auto* row : rows) by_family[family(*row)].push_back(fit_row(*row));
        std::map<std::string, gpu::Calibration> result;
        for (const auto& [name, list] : by_family)
            result[name] = gpu::fit(devices_, list, o_.switches);
        return result;
    }

    std::map<std::string, std::map<Baseline, BaselineConstants>> fit_baselines(
        const Rows& rows) const {
        std::map<std::string, std::vector<gpu::FitRow>> by_machine;
        for (const auto* row : rows) by_machine[row->machine].push_back(fit_row(*row));
        std::map<std::string, std::map<Baseline, BaselineConstants>> result;
        for (auto& [machine, list] : by_machine) {
            if (list.size() > 1500) {
                std::vector<gpu::FitRow> fewer;
                for (std::size_t i = 0; i < 1500; ++i)
                    fewer.push_back(list[i * list.size() / 1500]);
                list = std::move(fewer);
            }
            for (const auto b : all_baselines)
                result[machine][b] = fit_baseline(b, devices_[index_.at(machine)], list);
        }
        return result;
    }

    void add(Scored& scored, const KernelRow& row, const gpu::Constants& c,
             const std::map<Baseline, BaselineConstants>& baselines) const {
        scored.rows.push_back(&row);
        const auto e = gpu::estimate(row.work, device(row), c, o_.switches);
        scored.model.push_back(e.time_s);
        scored.kernels.push_back(e.kernel);
        for (const auto& [b, constants] : baselines)
            scored.baseline[b].push_back(baseline_time(b, constants, row.work, device(row)));
    }

    void by_shape() {
        Scored scored;
        for (int fold = 0; fold < o_.folds; ++fold) {
            Rows train, held;
            for (const auto& row : s_.train) {
                const auto at = stable_hash(shape_key(row.work)) % static_cast<unsigned>(o_.folds);
                (static_cast<int>(at) == fold ? held : train).push_back(&row);
            }
            if (train.empty()) continue;
            const auto fits = fit_families(train);
            const auto baselines =
                o_.baselines ? fit_baselines(train) : decltype(fit_baselines(train)){};
            for (const auto* row : held) {
                const auto fit = fits.find(family(*row));
                if (fit == fits.end()) continue;
                const auto b = baselines.find(row->machine);
                add(scored, *row, constants_for(fit->second, device(*row)),
                    b == baselines.end() ? std::map<Baseline, BaselineConstants>{} : b->second);
            }
        }
        report("shape", scored);
        score_choices(scored);
        for (std::size_t i = 0; i < scored.rows.size(); ++i)
            if (const auto& row = *scored.rows[i]; !row.layer.empty() && row.set != "neusight")
                out_.layers.push_back(held_layer(row, scored.model[i]));
    }

    void score_choices(const Scored& scored) {
        const auto winograd = [](gpu::Kernel k) {
            return k == gpu::Kernel::fused_winograd || k == gpu::Kernel::nonfused_winograd;
        };
        std::map<std::string, ChoiceScore> scores;
        std::map<std::string, std::map<gpu::Kernel, std::size_t>> executed;
        for (std::size_t i = 0; i < scored.rows.size(); ++i) {
            const auto& row = *scored.rows[i];
            if (row.work.kind != gpu::WorkKind::convolution || row.kernel.empty()) continue;
            auto& score = scores[row.machine];
            const auto ran = algorithm_of(row.kernel);
            ++score.n;
            ++executed[row.machine][ran];
            score.right += ran == scored.kernels[i] ? 1 : 0;
            score.winograd_right += winograd(ran) == winograd(scored.kernels[i]) ? 1 : 0;
        }
        for (auto& [machine, score] : scores) {
            score.selection = s_.name;
            score.device = machine;
            for (const auto& [kernel, count] : executed[machine])
                score.majority = std::max(score.majority, count);
            out_.choices.push_back(score);
        }
    }

    void fit_everything() {
        Rows all;
        for (const auto& row : s_.train) all.push_back(&row);
        fits_ = fit_families(all);
        if (o_.baselines) baselines_ = fit_baselines(all);
        for (const auto& [name, fit] : fits_) out_.calibrations[s_.name + "/" + name] = fit;
    }

    /// The part that the data set keeps apart, on devices that the other part has.
    void test_part() {
        Scored scored;
        for (const auto& row : s_.test) {
            const auto fit = fits_.find(family(row));
            if (fit == fits_.end() || !fit->second.by_device.contains(row.machine)) continue;
            const auto b = baselines_.find(row.machine);
            add(scored, row, constants_for(fit->second, device(row)),
                b == baselines_.end() ? std::map<Baseline, BaselineConstants>{} : b->second);
        }
        if (!scored.rows.empty()) report("test part", scored);
    }

    /// Rows from which a chip that was left out is predicted: its kernel family where that has
    /// another chip, else every other chip.
    Rows rows_for_unseen(const gpu::Device& unseen) const {
        Rows same, all;
        for (const auto& row : s_.train) {
            if (device(row).chip == unseen.chip) continue;
            all.push_back(&row);
            if (family(row) == kernel_family(unseen)) same.push_back(&row);
        }
        return same.empty() ? all : same;
    }

    void by_device() {
        std::map<std::string, Rows> chips;
        for (const auto* part : {&s_.train, &s_.test}) {
            // A data set's own test part is the harder one; it stands for the device where it is.
            for (const auto& row : *part) {
                if (part == &s_.train && !s_.test.empty() && has_test(row.machine)) continue;
                chips[device(row).chip].push_back(&row);
            }
        }
        if (chips.size() < 2) return;
        Scored never, after_probe;
        for (const auto& [chip, rows] : chips) {
            const auto train = rows_for_unseen(device(*rows.front()));
            if (train.empty()) continue;
            std::vector<gpu::FitRow> list;
            for (const auto* row : train) list.push_back(fit_row(*row));
            const auto fit = gpu::fit(devices_, list, o_.switches);
            std::map<Baseline, BaselineConstants> mean;
            if (o_.baselines)
                for (const auto b : all_baselines) {
                    std::vector<BaselineConstants> others;
                    std::set<std::string> machines;
                    for (const auto* row : train) machines.insert(row->machine);
                    for (const auto& machine : machines)
                        others.push_back(baselines_.at(machine).at(b));
                    mean[b] = mean_of(b, others);
                }
            std::map<std::string, Rows> by_machine;
            for (const auto* row : rows) by_machine[row->machine].push_back(row);
            for (const auto& [machine, mine] : by_machine) {
                const auto unseen = constants_for(fit, device(*mine.front()));
                for (const auto* row : mine) add(never, *row, unseen, mean);
                if (!o_.probe) continue;
                const bool product = mine.front()->work.kind == gpu::WorkKind::gemm;
                const KernelRow* probe = product ? probe_row(mine) : nullptr;
                auto c = probe ? gpu::probed(unseen, probe->work, probe->time_s, device(*probe),
                                             o_.switches)
                               : scaled(unseen, fit, device(*mine.front()));
                if (!probe && c == unseen) {
                    probe = probe_row(mine);
                    c = gpu::probed(unseen, probe->work, probe->time_s, device(*probe),
                                    o_.switches);
                }
                for (const auto* row : mine)
                    if (row != probe) add(after_probe, *row, c, {});
            }
        }
        report("device", never);
        if (o_.probe) report("probe", after_probe);
    }

    /// The device's rate after its probe with one product, relative to those it was taken from.
    gpu::Constants scaled(gpu::Constants c, const gpu::Calibration& fit,
                          const gpu::Device& unseen) const {
        const auto own = o_.probe_share.find(unseen.name);
        if (own == o_.probe_share.end()) return c;
        double sum = 0, count = 0;
        auto from = nearest_devices(fit, unseen.family);
        if (fit.architecture.at(from.front()) != unseen.family) {
            from.clear();  // then the constants are the means of all
            for (const auto& [name, architecture] : fit.architecture) from.push_back(name);
        }
        for (const auto& name : from)
            if (const auto other = o_.probe_share.find(name); other != o_.probe_share.end()) {
                sum += std::log(own->second / other->second);
                ++count;
            }
        if (count == 0) return c;
        const auto& bounds = gpu::constant_table()[0];
        c[gpu::Constant::compute] =
            std::clamp(c[gpu::Constant::compute] * std::exp(sum / count), bounds.low, bounds.high);
        return c;
    }

    bool has_test(const std::string& machine) const {
        return std::any_of(s_.test.begin(), s_.test.end(),
                           [&](const KernelRow& row) { return row.machine == machine; });
    }

    void report(const std::string& split, const Scored& scored) {
        if (scored.rows.empty()) return;
        const auto score = [&](const std::string& model, const std::string& of, const Times& times,
                               const std::function<bool(const KernelRow&)>& take) {
            std::vector<Outcome> outcomes;
            for (std::size_t i = 0; i < scored.rows.size(); ++i)
                if (take(*scored.rows[i]))
                    outcomes.push_back({times[i], scored.rows[i]->time_s, times[i], times[i], 1});
            if (outcomes.empty()) return;
            out_.scores.push_back({s_.name, split, model, of, metrics_of(outcomes)});
        };
        const auto every = [](const KernelRow&) { return true; };
        score("model", "", scored.model, every);
        for (const auto& [b, times] : scored.baseline)
            if (times.size() == scored.rows.size())
                score(std::string(to_string(b)), "", times, every);
        std::set<std::string> machines;
        bool has_small = false;
        for (const auto* row : scored.rows) {
            machines.insert(row->machine);
            has_small = has_small || small_time(*row);
        }
        if (has_small) {
            score("model", "launch floor or quantised", scored.model, small_time);
            score("model", "others", scored.model,
                  [](const KernelRow& row) { return !small_time(row); });
        }
        if (machines.size() > 1)
            for (const auto& machine : machines)
                score("model", machine, scored.model,
                      [&](const KernelRow& row) { return row.machine == machine; });
        std::size_t worst = 0;
        const auto miss = [&](std::size_t i) {
            return std::abs(std::log(scored.model[i] / scored.rows[i]->time_s));
        };
        for (std::size_t i = 1; i < scored.rows.size(); ++i)
            if (miss(i) > miss(worst)) worst = i;
        const auto& row = *scored.rows[worst];
        out_.worst.push_back({s_.name, split,
                              fmt::format("{} line {} on {}: {}", row.set, row.line, row.machine,
                                          shape_key(row.work)),
                              scored.model[worst], row.time_s});
    }

    const Selection& s_;
    const ValidationOptions& o_;
    Validation& out_;
    std::vector<gpu::Device> devices_;
    std::map<std::string, std::size_t> index_;
    std::map<std::string, gpu::Calibration> fits_;
    std::map<std::string, std::map<Baseline, BaselineConstants>> baselines_;
};

std::string selection_name(const KernelRow& row) {
    const auto& w = row.work;
    std::string name = row.set + " " + row.op;
    if (w.kind == gpu::WorkKind::convolution || w.kind == gpu::WorkKind::recurrent)
        name += " " + std::string(to_string(w.pass));
    if (row.set == "deepbench") {
        name += w.tensor_units ? " tensor" : w.dtype == DataType::f16 ? " f16 storage" : " f32";
        name += row.device.starts_with("AMD") ? " AMD" : " NVIDIA";
    }
    if (row.set == "convnet-benchmarks") {
        if (w.kind != gpu::WorkKind::convolution) name += " " + std::string(to_string(w.pass));
        name += " " + row.part;  // every framework brings its own kernels
    }
    if (row.set == "aiconfigurator") name += " bf16";
    return name;
}

}  // namespace

gpu::Kernel algorithm_of(const std::string& name) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("WINOGRAD_NONFUSED")) return gpu::Kernel::nonfused_winograd;
    if (has("winograd") || has("Winograd") || has("WINOGRAD")) return gpu::Kernel::fused_winograd;
    if (has("gcgemm") || has("fft") || has("FFT")) return gpu::Kernel::none;
    if (has("scudnn") || has("convolve") || has("GEMM") || has("cutlass"))
        return gpu::Kernel::tiled_gemm;
    // A plain product among a convolution's kernels is that of separate Winograd transforms.
    if (has("sgemm")) return gpu::Kernel::nonfused_winograd;
    if (has("DIRECT") || has("Direct")) return gpu::Kernel::direct;
    return gpu::Kernel::none;
}

std::string kernel_family(const gpu::Device& d) {
    return gpu::kernel_family(d.family);
}

std::vector<Selection> selections_of(std::vector<KernelRow> rows) {
    std::vector<Selection> selections;
    std::map<std::string, std::size_t> place;
    for (auto& row : rows) {
        const auto name = selection_name(row);
        const auto [at, is_new] = place.emplace(name, selections.size());
        if (is_new) selections.push_back({name, {}, {}});
        auto& selection = selections[at->second];
        (row.part == "test" ? selection.test : selection.train).push_back(std::move(row));
    }
    return selections;
}

void validate_as_it_comes(const std::vector<KernelRow>& rows,
                          const std::vector<gpu::CalibrationFile>& calibrations, Validation& out) {
    std::map<std::string, std::vector<Outcome>> by_op;
    for (const auto& row : rows) {
        const auto device = gpu::device_of(load_machine(row.machine));
        const auto time_of = [&](gpu::Work work, Pass pass) {
            if (work.kind == gpu::WorkKind::convolution) work.pass = pass;
            const auto chosen = choose(calibrations, class_of(work), device);
            return gpu::estimate(work, device, gpu::in_a_step(chosen.constants)).time_s;
        };
        double time = 0;
        if (row.work.pass == Pass::backward && row.work.kind == gpu::WorkKind::convolution)
            time =
                time_of(row.work, Pass::backward_data) + time_of(row.work, Pass::backward_weights);
        else
            time = time_of(row.work, row.work.pass);
        const Outcome outcome{time, row.time_s, time, time, 1};
        const auto direction = row.work.pass == Pass::forward ? "forward" : "backward";
        by_op[fmt::format("{} {} {}", row.set, row.op, direction)].push_back(outcome);
        by_op[fmt::format("{} all layers", row.set)].push_back(outcome);
        out.layers.push_back(held_layer(row, time));
    }
    for (const auto& [op, outcomes] : by_op)
        out.scores.push_back({op, "as it comes", "model", "", metrics_of(outcomes)});
}

gpu::CalibrationFile calibrate(const std::vector<Selection>& selections, const std::string& name) {
    gpu::CalibrationFile file;
    file.name = name;
    file.provenance = fmt::format("all rows of the data set, ridge calibrate --dataset {}", name);
    for (const auto& selection : selections) {
        // Both gradients in one time tell nothing about either.
        if (selection.train.empty() || selection.train.front().work.pass == Pass::backward)
            continue;
        if (selection.train.front().part == "fp16in_fp32math") continue;
        Validation fits;
        validate_selection(selection,
                           {.switches = {},
                            .probe_share = {},
                            .by_shape = false,
                            .by_device = false,
                            .baselines = false},
                           fits);
        for (auto& [key, fit] : fits.calibrations)
            file.classes.push_back({class_of(selection.train.front().work),
                                    key.substr(key.rfind('/') + 1), std::move(fit)});
    }
    // One class may come from several operators (linear, bmm); the first of equals is kept apart by
    // its class, and boards of one family that were measured separately are put together.
    std::vector<gpu::ClassCalibration> merged;
    for (auto& entry : file.classes) {
        const auto same = std::find_if(merged.begin(), merged.end(), [&](const auto& other) {
            return other.kernel_class == entry.kernel_class && other.family == entry.family;
        });
        if (same == merged.end()) merged.push_back(std::move(entry));
    }
    file.classes = std::move(merged);
    return file;
}

std::map<std::string, double> probe_shares(const std::vector<Selection>& selections) {
    std::map<std::string, std::vector<const KernelRow*>> products;
    for (const auto& selection : selections)
        for (const auto& row : selection.train)
            // Old kernels that a recent library keeps for one board tell nothing about its clock.
            if (row.work.kind == gpu::WorkKind::gemm && row.work.dtype == DataType::f32 &&
                row.work.batch == 1 && row.work.stack.cuda < 11)
                products[row.machine].push_back(&row);
    std::map<std::string, double> shares;
    for (const auto& [machine, rows] : products) {
        const auto* row = probe_row(rows);
        shares[machine] = work_flops(row->work).value() / row->time_s /
                          gpu::device_of(load_machine(machine)).f32_flops_per_s;
    }
    return shares;
}

void validate_selection(const Selection& selection, const ValidationOptions& options,
                        Validation& out) {
    Job(selection, options, out).run();
}

}  // namespace ridge::validate::kernels
