#include "model/predict/cpu/calibration.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/files.hpp"
#include "core/words_near.hpp"
#include "core/yaml.hpp"
#include "ridge/error.hpp"
#include "ridge/network.hpp"

namespace ridge::cpu {
namespace {

/// Key of a constant in the file: the resource's name with underscores.
std::string key_of(Resource r) {
    std::string key(to_string(r));
    for (char& c : key) {
        if (c == ' ' || c == '-') c = '_';
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    if (r == Resource::calls) key += "_s";
    return key;
}

Constants prior_constants() {
    Constants c;
    c.factor.fill(1);
    // Lines that a nearer cache delivers while others are computed on cost part of their time.
    c.of(Resource::stores) = 0.2;
    c.of(Resource::l2_read) = 0.2;
    c.of(Resource::l2_write) = 0.2;
    c.of(Resource::l3_read) = 0.5;
    c.of(Resource::l3_write) = 0.3;
    c.of(Resource::memory_read) = 0.8;
    c.of(Resource::memory_write) = 0.5;
    c.of(Resource::calls) = 10e-9;
    return c;
}

std::string one_quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : one_line(text)) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string text_of(const Range& r) {
    return fmt::format("[{:.6g}, {:.6g}]", r.lowest, r.highest);
}

std::string text_of(const Residuals& r) {
    return fmt::format("{{low: {:.4f}, high: {:.4f}, rows: {}}}", r.low, r.high, r.rows);
}

Range range_from(const Yaml& node) {
    const auto ends = node.items();
    if (ends.size() != 2)
        throw node.wrong("[lowest, highest]", fmt::format("{} numbers", ends.size()));
    const Range range{ends[0].number(0, 1e30), ends[1].number(0, 1e30)};
    if (range.highest < range.lowest) throw node.wrong("[lowest, highest]", "them reversed");
    return range;
}

Residuals residuals_from(const Yaml& node) {
    node.allow_keys({"low", "high", "rows"});
    const Residuals r{node.at("low").number(-10, 10), node.at("high").number(-10, 10),
                      static_cast<int>(node.at("rows").integer(0, 100'000'000))};
    if (r.high < r.low) throw node.wrong("low at most high", "them reversed");
    return r;
}

FamilyModel family_from(const Yaml& node) {
    node.allow_keys({"constants", "residuals", "flops", "footprint_bytes"});
    FamilyModel model;
    const Yaml constants = node.at("constants");
    std::vector<std::string> keys{"capacity", "steepness"};
    for (std::size_t i = 0; i < resources; ++i) {
        const auto r = static_cast<Resource>(i);
        keys.push_back(key_of(r));
        model.constants.of(r) = constants.at(key_of(r)).number(0, 1e6);
    }
    constants.allow_keys(keys);
    model.constants.capacity = constants.at("capacity").number(1e-6, 1e6);
    model.constants.steepness = constants.at("steepness").number(1e-3, 1e3);
    model.residuals = residuals_from(node.at("residuals"));
    model.flops = range_from(node.at("flops"));
    model.footprint_bytes = range_from(node.at("footprint_bytes"));
    return model;
}

std::string path_of(const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(".yaml")) return name;
    const std::string folder = share_directory() + "/calibrations";
    std::vector<std::string> known;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
        if (entry.path().extension() != ".yaml") continue;
        if (entry.path().stem() == name) return entry.path().string();
        known.push_back(entry.path().stem().string());
    }
    std::sort(known.begin(), known.end());
    throw bad_input("calibration", "one of " + list_of(known) + " or the path of a .yaml file",
                    "'" + name + "'");
}

}  // namespace

Calibration prior_calibration() {
    Calibration c;
    c.name = "prior";
    c.provenance = "no measurement: constants from the machine file and common sense";
    for (FamilyModel& model : c.family) model.constants = prior_constants();
    return c;
}

Calibration load_calibration(const std::string& name_or_path) {
    const Yaml file = Yaml::load(path_of(name_or_path));
    file.allow_keys({"ridge_calibration", "name", "machine", "made_at", "library", "provenance",
                     "batch", "threads", "families", "classes"});
    (void)file.at("ridge_calibration").integer(1, 1);
    Calibration c = prior_calibration();
    c.name = file.at("name").line();
    c.machine = file.at("machine").line();
    c.made_at = file.at("made_at").line();
    c.library = file.at("library").line();
    c.provenance = file.at("provenance").line();
    c.batch = range_from(file.at("batch"));
    c.threads = range_from(file.at("threads"));
    const Yaml all = file.at("families");
    std::vector<std::string> names;
    for (int f = 0; f < families; ++f) {
        const std::string name(to_string(static_cast<Family>(f)));
        names.push_back(name);
        c.of(static_cast<Family>(f)) = family_from(all.at(name));
    }
    all.allow_keys(names);
    for (const auto& [name, node] : file.at("classes").entries()) {
        node.allow_keys({"efficiency", "memory", "residuals"});
        c.classes[name] = {node.at("efficiency").number(1e-3, 1e3),
                           node.at("memory").number(1e-3, 1e3),
                           residuals_from(node.at("residuals"))};
    }
    return c;
}

void save_calibration(const Calibration& c, const std::string& path) {
    std::string out =
        "# Constants of the processor model; docs/formats.md, \"Calibration files\".\n"
        "ridge_calibration: 1\n";
    out += fmt::format("name: {}\nmachine: {}\nmade_at: {}\nlibrary: {}\nprovenance: {}\n",
                       one_quoted(c.name), one_quoted(c.machine), one_quoted(c.made_at),
                       one_quoted(c.library), one_quoted(c.provenance));
    out += fmt::format("batch: {}\nthreads: {}\n", text_of(c.batch), text_of(c.threads));
    out +=
        "\n# Factors on the time that the machine file's figures give; seconds where the key says "
        "so.\n";
    out += "families:\n";
    for (int f = 0; f < families; ++f) {
        const FamilyModel& model = c.of(static_cast<Family>(f));
        out += fmt::format("  {}:\n    constants:\n", to_string(static_cast<Family>(f)));
        for (std::size_t i = 0; i < resources; ++i)
            out += fmt::format("      {}: {:.5g}\n", key_of(static_cast<Resource>(i)),
                               model.constants.factor[i]);
        out += fmt::format("      capacity: {:.5g}\n      steepness: {:.5g}\n",
                           model.constants.capacity, model.constants.steepness);
        out += fmt::format("    residuals: {}\n    flops: {}\n    footprint_bytes: {}\n",
                           text_of(model.residuals), text_of(model.flops),
                           text_of(model.footprint_bytes));
    }
    out +=
        "\n# Factor on the family's time, and 10 % and 90 % quantiles of "
        "log(measured/predicted).\n";
    out += c.classes.empty() ? "classes: {}\n" : "classes:\n";
    for (const auto& [name, model] : c.classes)
        out +=
            fmt::format("  {}: {{efficiency: {:.4f}, memory: {:.4f}, residuals: {}}}\n",
                        one_quoted(name), model.efficiency, model.memory, text_of(model.residuals));
    write_file(path, out);
}

}  // namespace ridge::cpu
