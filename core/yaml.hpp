// Reads YAML that people wrote: every access says what it expects, and every error names the file,
// the line and the key. Numbers are read with a decimal point whatever the locale.
//
//   const Yaml file = Yaml::load("machine.yaml");
//   file.allow_keys({"name", "levels"});
//   for (const Yaml& level : file.at("levels").items())
//       capacity = level.at("capacity_bytes").number(1, 1e15);
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridge/error.hpp"

namespace ridge {

/// A node with its place. All accessors throw Error bad_input.
class Yaml {
public:
    /// Reads a file; `parse` does the same with text that came from `file`.
    [[nodiscard]] static Yaml load(const std::string& path);
    [[nodiscard]] static Yaml parse(const std::string& text, const std::string& file);

    /// Child of a map; `find` gives nothing when absent, `at` throws.
    [[nodiscard]] std::optional<Yaml> find(const std::string& key) const;
    [[nodiscard]] Yaml at(const std::string& key) const;
    /// Elements of a list.
    [[nodiscard]] std::vector<Yaml> items() const;
    /// Keys and values of a map, in the order of the file. Refuses a key given twice.
    [[nodiscard]] std::vector<std::pair<std::string, Yaml>> entries() const;
    /// Refuses keys that are not listed, naming the nearest that is.
    void allow_keys(const std::vector<std::string>& keys) const;

    [[nodiscard]] bool is_map() const { return node_.IsMap(); }
    [[nodiscard]] bool is_list() const { return node_.IsSequence(); }
    [[nodiscard]] bool is_scalar() const { return node_.IsScalar(); }

    /// Control characters other than line breaks and tabs are refused: texts reach terminals.
    [[nodiscard]] std::string text() const;
    /// A text that is one line.
    [[nodiscard]] std::string line() const;
    [[nodiscard]] double number(double least = std::numeric_limits<double>::lowest(),
                                double most = std::numeric_limits<double>::max()) const;
    [[nodiscard]] std::int64_t integer(
        std::int64_t least = std::numeric_limits<std::int64_t>::min(),
        std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    [[nodiscard]] bool boolean() const;

    /// "machine.yaml:12: levels[0].ways"
    [[nodiscard]] std::string where() const;
    /// bad_input at this node.
    [[nodiscard]] Error wrong(std::string_view expected, std::string_view found) const;

private:
    Yaml(YAML::Node node, std::string file, std::string key, int line)
        : node_(std::move(node)), file_(std::move(file)), key_(std::move(key)), line_(line) {}
    [[nodiscard]] Yaml child(const YAML::Node& node, std::string key) const;
    [[nodiscard]] std::string describe() const;

    YAML::Node node_;
    std::string file_, key_;
    int line_ = 0;  ///< 1-based; 0 when unknown
};

}  // namespace ridge
