#include "validate/datasets/dataset.hpp"

#include <cstdlib>
#include <filesystem>

#include "core/words_near.hpp"
#include "ridge/error.hpp"

namespace ridge::validate {

const std::vector<DataSet>& data_sets() {
    static const std::vector<DataSet> sets{
        {"deepbench", "deepbench", read_deepbench},
        {"neusight", "neusight", read_neusight},
        {"aiconfigurator", "aiconfigurator", read_aiconfigurator},
        {"convnet-benchmarks", "convnet-benchmarks", read_convnet_benchmarks},
        {"justus2018", "justus2018", read_justus2018},
        {"triosim", "triosim", read_triosim},
    };
    return sets;
}

const DataSet& data_set(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& set : data_sets()) {
        if (set.name == name) return set;
        known.emplace_back(set.name);
    }
    throw bad_input("--dataset", "one of " + list_of(known), "'" + one_line(name) + "'");
}

std::string data_directory_of(const std::string& given) {
    if (!given.empty()) {
        if (!std::filesystem::is_directory(given))
            throw bad_input("--data", "a folder", "'" + one_line(given) + "'");
        return given;
    }
    const char* variable = std::getenv("RIDGE_DATA_DIR");
    if (!variable || !std::filesystem::is_directory(variable))
        throw not_possible("reading public data sets",
                           "RIDGE_DATA_DIR names no folder and --data was not given "
                           "(scripts/datasets.sh brings the data there)");
    return variable;
}

ReadReport read_data_set(const DataSet& set, const std::string& data_directory,
                         const RowSink& sink) {
    const std::string folder = data_directory + "/" + std::string(set.folder);
    if (!std::filesystem::is_directory(folder))
        throw not_possible("reading " + std::string(set.name),
                           "there is no folder " + one_line(folder));
    return set.read(folder, sink);
}

}  // namespace ridge::validate
