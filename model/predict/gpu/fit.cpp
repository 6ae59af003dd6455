#include "model/predict/gpu/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/predict/gpu/convolution.hpp"
#include "model/predict/gpu/log_fit.hpp"

namespace ridge::gpu {
namespace {

std::vector<FitRow> spread(const std::vector<FitRow>& rows, std::size_t devices,
                           std::size_t most_rows) {
    if (rows.size() <= most_rows) return rows;
    std::vector<std::vector<FitRow>> each(devices);
    for (const auto& row : rows) each[row.device].push_back(row);
    std::size_t present = 0;
    for (const auto& list : each) present += list.empty() ? 0 : 1;
    const std::size_t share = std::max<std::size_t>(1, most_rows / present);
    std::vector<FitRow> kept;
    for (const auto& list : each) {
        const std::size_t count = std::min(share, list.size());
        for (std::size_t i = 0; i < count; ++i) kept.push_back(list[i * list.size() / count]);
    }
    return kept;
}

/// Start of the energy constant: what f32 lanes and what tensor units need.
double energy_start(const FitRow& row, const Device& device) {
    return peak_of(*row.work, device) > 1.01 * device.f32_flops_per_s ? 7e-13 : 8e-12;
}

}  // namespace

std::vector<Constant> constants_of(const Work& work) {
    using enum Constant;
    switch (work.kind) {
        case WorkKind::convolution: {
            std::vector<Constant> list{latency, tile,     prologue,  tail,    l2,
                                       energy,  nonfused, transform, strided, resident};
            if (work.tensor_units) list.push_back(unaligned);
            if (work.pass != Pass::backward_weights) {
                list.push_back(fused);
                list.push_back(fused_prologue);
            } else {
                list.push_back(split);
            }
            if (work.pass == Pass::backward_data) list.push_back(direct);
            return list;
        }
        case WorkKind::gemm:
        case WorkKind::recurrent:
            return {latency, tile,  prologue, tail,  l2,      unaligned,
                    energy,  split, narrow,   drift, resident};
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            return {latency, prologue, l2, resident};
        case WorkKind::elementwise:
        case WorkKind::batch_norm:
        case WorkKind::pooling:
            return {latency, l2, resident};
    }
    return {};
}

Calibration fit(const std::vector<Device>& devices, const std::vector<FitRow>& all,
                const Switches& switches, std::size_t most_rows) {
    Calibration result;
    if (all.empty()) return result;
    const auto rows = spread(all, devices.size(), most_rows);
    const auto shared = constants_of(*rows.front().work);
    FitTask task;
    for (const Constant c : shared) {
        const auto& info = constant_table()[static_cast<std::size_t>(c)];
        double start = info.start;
        if (c == Constant::energy) start = energy_start(rows.front(), devices[rows.front().device]);
        task.parameters.push_back({info.low, info.high, start});
    }
    std::vector<int> place(devices.size(), -1);  // of a device's first parameter
    for (const auto& row : rows) {
        task.measured_s.push_back(row.time_s);
        task.group.push_back(static_cast<int>(row.device));
        if (place[row.device] >= 0) continue;
        place[row.device] = static_cast<int>(task.parameters.size());
        for (std::size_t i = 0; i < device_constants; ++i) {
            const auto& info = constant_table()[i];
            task.parameters.push_back(
                {info.low, info.high, info.start, static_cast<int>(row.device)});
        }
    }
    const auto assemble = [&](std::size_t device, std::span<const double> values) {
        Constants c;
        for (std::size_t i = 0; i < shared.size(); ++i) c[shared[i]] = values[i];
        const auto first = static_cast<std::size_t>(place[device]);
        for (std::size_t i = 0; i < device_constants; ++i) c.value[i] = values[first + i];
        return c;
    };
    task.predict = [&](std::size_t i, std::span<const double> values) {
        const auto& row = rows[i];
        return estimate(*row.work, devices[row.device], assemble(row.device, values), switches)
            .time_s;
    };
    const auto values = fit_log(task);
    result.rows = rows.size();
    std::array<double, device_constants> log_sum{};
    std::size_t count = 0;
    for (std::size_t d = 0; d < devices.size(); ++d) {
        if (place[d] < 0) continue;
        const Constants c = assemble(d, values);
        result.by_device[devices[d].name] = c;
        result.architecture[devices[d].name] = devices[d].family;
        result.shared = c;
        for (std::size_t i = 0; i < device_constants; ++i) log_sum[i] += std::log(c.value[i]);
        ++count;
    }
    for (std::size_t i = 0; i < device_constants; ++i)
        result.shared.value[i] = std::exp(log_sum[i] / static_cast<double>(count));
    std::vector<double> residual;
    for (std::size_t i = 0; i < rows.size(); ++i)
        residual.push_back(std::log(task.predict(i, values) / rows[i].time_s));
    std::sort(residual.begin(), residual.end());
    result.low = residual[residual.size() / 10];
    result.high = residual[residual.size() * 9 / 10];
    return result;
}

int generations_between(const std::string& a, const std::string& b) {
    static constexpr std::array<std::string_view, 9> order{
        "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"};
    const auto place = [](const std::string& family) {
        const auto at = std::find(order.begin(), order.end(), family);
        return at == order.end() ? -100 : static_cast<int>(at - order.begin());
    };
    return a == b ? 0 : std::max(1, std::abs(place(a) - place(b)));
}

std::vector<std::string> nearest_devices(const Calibration& calibration,
                                         const std::string& family) {
    std::vector<std::string> names;
    int best = 1 << 20;
    for (const auto& [name, architecture] : calibration.architecture) {
        const int distance = generations_between(architecture, family);
        if (distance < best) names.clear();
        best = std::min(best, distance);
        if (distance == best) names.push_back(name);
    }
    return names;
}

Constants constants_for(const Calibration& calibration, const Device& device) {
    const auto own = calibration.by_device.find(device.name);
    if (own != calibration.by_device.end()) return own->second;
    const auto near = nearest_devices(calibration, device.family);
    Constants c = calibration.shared;
    if (near.empty() || calibration.architecture.at(near.front()) != device.family) return c;
    for (std::size_t i = 0; i < device_constants; ++i) {
        double sum = 0;
        for (const auto& name : near) sum += std::log(calibration.by_device.at(name).value[i]);
        c.value[i] = std::exp(sum / static_cast<double>(near.size()));
    }
    return c;
}

Constants probed(const Constants& shared, const Work& work, double time_s, const Device& device,
                 const Switches& switches) {
    const Estimate first = estimate(work, device, shared, switches);
    const Constant which = first.dram_s > first.compute_s ? Constant::bandwidth : Constant::compute;
    const auto& info = constant_table()[static_cast<std::size_t>(which)];
    Constants c = shared;
    // The time falls with either constant: bisection in its logarithm. Where the board's power
    // binds, it is the energy that must give way.
    double low = std::log(info.low), high = std::log(info.high);
    for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2;
        c[which] = std::exp(middle);
        (estimate(work, device, c, switches).time_s > time_s ? low : high) = middle;
    }
    if (estimate(work, device, c, switches).time_s > 1.01 * time_s) {
        c[which] = shared[which];
        const auto& energy = constant_table()[static_cast<std::size_t>(Constant::energy)];
        low = std::log(energy.low);
        high = std::log(shared[Constant::energy]);
        for (int i = 0; i < 40; ++i) {
            const double middle = (low + high) / 2;
            c[Constant::energy] = std::exp(middle);
            (estimate(work, device, c, switches).time_s > time_s ? high : low) = middle;
        }
    }
    return c;
}

}  // namespace ridge::gpu
