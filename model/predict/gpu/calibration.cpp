#include "model/predict/gpu/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/files.hpp"
#include "core/yaml.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"

namespace ridge::gpu {
namespace {

constexpr int format_version = 1;

void add_constants(std::string& out, const Constants& c, std::size_t first, std::size_t last) {
    out += "{";
    for (std::size_t i = first; i < last; ++i)
        out += fmt::format("{}{}: {:.5g}", i > first ? ", " : "", constant_table()[i].name,
                           c.value[i]);
    out += "}";
}

Constants read_constants(const Yaml& node, Constants c, std::size_t first, std::size_t last) {
    std::vector<std::string> names;
    for (std::size_t i = first; i < last; ++i) names.emplace_back(constant_table()[i].name);
    node.allow_keys(names);
    for (std::size_t i = first; i < last; ++i) {
        const auto& info = constant_table()[i];
        // Rounding of the file may leave a bound by its last digit.
        if (const auto value = node.find(names[i - first]))
            c.value[i] = value->number(info.low * 0.999, info.high * 1.001);
    }
    return c;
}

ClassCalibration read_class(const Yaml& node) {
    node.allow_keys({"class", "family", "rows", "residuals", "shared", "devices"});
    ClassCalibration entry;
    entry.kernel_class = node.at("class").line();
    entry.family = node.at("family").line();
    entry.constants.rows = static_cast<std::size_t>(node.at("rows").integer(1));
    const auto residuals = node.at("residuals").items();
    if (residuals.size() != 2) throw node.at("residuals").wrong("two numbers", "others");
    entry.constants.low = residuals[0].number(-5, 5);
    entry.constants.high = residuals[1].number(-5, 5);
    entry.constants.shared = read_constants(node.at("shared"), {}, 0, constant_count);
    for (const auto& device : node.at("devices").items()) {
        device.allow_keys({"machine", "architecture", "constants"});
        const auto machine = device.at("machine").line();
        entry.constants.architecture[machine] = device.at("architecture").line();
        entry.constants.by_device[machine] =
            read_constants(device.at("constants"), entry.constants.shared, 0, device_constants);
    }
    return entry;
}

/// Families from the nearest to the farthest kernels.
std::vector<std::string> neighbours(const std::string& family) {
    static const std::vector<std::string> order{"kepler", "maxwell", "volta",    "ampere",
                                                "ada",    "hopper",  "blackwell"};
    if (family == "gcn" || family == "cdna") return {family, "gcn", "cdna", "maxwell", "volta"};
    std::vector<std::string> result = order;
    const auto at = std::find(order.begin(), order.end(), family) - order.begin();
    std::stable_sort(result.begin(), result.end(), [&](const auto& a, const auto& b) {
        const auto distance = [&](const std::string& x) {
            return std::abs(std::find(order.begin(), order.end(), x) - order.begin() - at);
        };
        return distance(a) < distance(b);
    });
    return result;
}

/// Classes whose constants stand in for one that nobody measured, best first.
std::vector<std::string> related(const std::string& kernel_class) {
    std::vector<std::string> list{kernel_class};
    const bool tensor = kernel_class.ends_with("tensor");
    const auto add = [&](const std::string& name) { list.push_back(name); };
    if (kernel_class.starts_with("convolution")) {
        const auto bare = kernel_class.substr(0, kernel_class.rfind(' '));
        add(bare + (tensor ? " tensor" : " f32"));
        add("convolution forward" + std::string(tensor ? " tensor" : " f32"));
        add(bare + " f32");
    } else if (kernel_class.find("gemm") != std::string::npos ||
               kernel_class.starts_with("recurrent")) {
        add(tensor ? "gemm tensor" : "gemm f32");
        add("gemm f32");
    }
    add("elementwise f32");
    return list;
}

}  // namespace

std::string class_of(const Work& w) {
    const char* units = w.tensor_units ? " tensor" : " f32";
    switch (w.kind) {
        case WorkKind::convolution:
            return fmt::format("convolution {}{}", to_string(w.pass), units);
        case WorkKind::gemm:
            return fmt::format("{}gemm{}", w.batch > 1 ? "batched " : "", units);
        case WorkKind::recurrent:
            return fmt::format("recurrent {}{}", to_string(w.pass), units);
        case WorkKind::softmax:
        case WorkKind::layer_norm:
            return fmt::format("{} f32", to_string(w.kind));
        case WorkKind::elementwise:
        case WorkKind::batch_norm:
        case WorkKind::pooling:
            break;
    }
    return "elementwise f32";
}

std::string kernel_family(const std::string& family) {
    if (family == "pascal") return "maxwell";
    if (family == "turing") return "volta";
    return family;
}

CalibrationFile calibration_from_yaml(const std::string& text, const std::string& file) {
    const Yaml yaml = Yaml::parse(text, file);
    yaml.allow_keys({"ridge_gpu_calibration", "name", "provenance", "classes"});
    (void)yaml.at("ridge_gpu_calibration").integer(format_version, format_version);
    CalibrationFile result;
    result.name = yaml.at("name").line();
    result.provenance = yaml.at("provenance").line();
    for (const auto& node : yaml.at("classes").items()) result.classes.push_back(read_class(node));
    return result;
}

std::string calibration_to_yaml(const CalibrationFile& file) {
    std::string out =
        "# Constants of GPU kernel classes for ridge; docs/model.md tells what each one means.\n"
        "# Residuals: log(predicted / measured) at the 10th and 90th percentile of the rows.\n";
    out += fmt::format("ridge_gpu_calibration: {}\nname: {}\nprovenance: \"{}\"\n\nclasses:\n",
                       format_version, file.name, file.provenance);
    for (const auto& entry : file.classes) {
        out += fmt::format("  - class: {}\n    family: {}\n    rows: {}\n", entry.kernel_class,
                           entry.family, entry.constants.rows);
        out += fmt::format("    residuals: [{:.4g}, {:.4g}]\n    shared: ", entry.constants.low,
                           entry.constants.high);
        add_constants(out, entry.constants.shared, 0, constant_count);
        out += "\n    devices:\n";
        for (const auto& [machine, constants] : entry.constants.by_device) {
            out += fmt::format("      - machine: {}\n        architecture: {}\n        constants: ",
                               machine, entry.constants.architecture.at(machine));
            add_constants(out, constants, 0, device_constants);
            out += "\n";
        }
    }
    return out;
}

std::vector<CalibrationFile> shipped_calibrations() {
    std::vector<std::string> paths;
    std::error_code absent;
    for (const auto& entry :
         std::filesystem::directory_iterator(share_directory() + "/calibrations/gpu", absent))
        if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    // The newest libraries first: where two sets measured a class, theirs is what runs today.
    std::vector<CalibrationFile> files;
    for (const auto& path : paths) files.push_back(calibration_from_yaml(read_file(path), path));
    std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
        return (a.name != "deepbench") > (b.name != "deepbench");
    });
    return files;
}

Chosen choose(const std::vector<CalibrationFile>& files, const std::string& kernel_class,
              const Device& device) {
    const auto family = kernel_family(device.family);
    const auto near = neighbours(family);
    for (const auto& name : related(kernel_class)) {
        Chosen best;
        std::size_t best_distance = near.size() + 1;
        for (const auto& file : files)
            for (const auto& entry : file.classes) {
                if (entry.kernel_class != name) continue;
                const bool own = entry.constants.by_device.contains(device.name);
                const std::size_t distance =
                    own ? 0
                        : 1 + static_cast<std::size_t>(
                                  std::find(near.begin(), near.end(), entry.family) - near.begin());
                if (distance >= best_distance) continue;
                best_distance = distance;
                best = {&entry, constants_for(entry.constants, device), own, entry.family == family,
                        name == kernel_class};
            }
        if (best.from) return best;
    }
    throw job_failed("choosing constants for " + kernel_class, "no calibration has such a class");
}

}  // namespace ridge::gpu
