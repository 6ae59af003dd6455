#include "core/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/files.hpp"
#include "core/words_near.hpp"

namespace ridge {
namespace {

template <class Number>
std::optional<Number> read_number(const std::string& text) {
    Number value{};
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (end - begin > 1 && *begin == '+' && *(begin + 1) != '-') ++begin;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || rest != end || begin == end) return std::nullopt;
    return value;
}

}  // namespace

Yaml Yaml::load(const std::string& path) {
    return parse(read_file(path), path);
}

Yaml Yaml::parse(const std::string& text, const std::string& file) {
    try {
        YAML::Node node = YAML::Load(text);
        return {node, file, "", node.IsDefined() ? node.Mark().line + 1 : 0};
    } catch (const YAML::ParserException& e) {
        throw bad_input(fmt::format("{}:{}", file, e.mark.line + 1), "YAML", e.msg);
    } catch (const YAML::Exception& e) {
        throw bad_input(file, "YAML", e.msg);
    }
}

Yaml Yaml::child(const YAML::Node& node, std::string key) const {
    const int line = node.Mark().line >= 0 ? node.Mark().line + 1 : line_;
    return {node, file_, std::move(key), line};
}

std::optional<Yaml> Yaml::find(const std::string& key) const {
    for (auto& [name, value] : entries())
        if (name == key) return value;
    return std::nullopt;
}

Yaml Yaml::at(const std::string& key) const {
    if (auto value = find(key)) return *value;
    throw wrong(fmt::format("the key '{}'", key), "none");
}

std::vector<Yaml> Yaml::items() const {
    if (!node_.IsSequence()) throw wrong("a list", describe());
    std::vector<Yaml> result;
    for (const auto& item : node_)
        result.push_back(child(item, fmt::format("{}[{}]", key_, result.size())));
    return result;
}

std::vector<std::pair<std::string, Yaml>> Yaml::entries() const {
    if (!node_.IsMap()) throw wrong("keys and values", describe());
    std::vector<std::pair<std::string, Yaml>> result;
    std::set<std::string> seen;
    for (const auto& entry : node_) {
        if (!entry.first.IsScalar()) throw wrong("plain keys", "a key that is a list or a map");
        const std::string name = entry.first.Scalar();
        // A value that is empty has no mark of its own: use the key's line.
        Yaml value = child(entry.second, key_.empty() ? name : key_ + "." + name);
        value.line_ = entry.first.Mark().line + 1;
        if (!seen.insert(name).second)
            throw value.wrong("each key once", fmt::format("'{}' twice", name));
        result.emplace_back(name, value);
    }
    return result;
}

void Yaml::allow_keys(const std::vector<std::string>& keys) const {
    for (const auto& [name, value] : entries()) {
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
        if (const auto near = nearest_word(name, keys))
            throw value.wrong(fmt::format("a known key such as '{}'", *near),
                              fmt::format("'{}'", name));
        throw value.wrong("one of the keys " + list_of(keys), fmt::format("'{}'", name));
    }
}

std::string Yaml::text() const {
    if (!node_.IsScalar()) throw wrong("a word or text", describe());
    const std::string& text = node_.Scalar();
    for (const char c : text)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            throw wrong("text without control characters", describe());
    return text;
}

std::string Yaml::line() const {
    std::string result = text();
    if (result.find_first_of("\n\t") != std::string::npos) throw wrong("one line", describe());
    return result;
}

double Yaml::number(double least, double most) const {
    const auto value = node_.IsScalar() ? read_number<double>(node_.Scalar()) : std::nullopt;
    if (!value || !std::isfinite(*value)) throw wrong("a number", describe());
    if (*value < least) throw wrong(fmt::format("a number of at least {}", least), describe());
    if (*value > most) throw wrong(fmt::format("a number of at most {}", most), describe());
    return *value;
}

std::int64_t Yaml::integer(std::int64_t least, std::int64_t most) const {
    const auto value = node_.IsScalar() ? read_number<std::int64_t>(node_.Scalar()) : std::nullopt;
    if (!value) throw wrong("a whole number", describe());
    if (*value < least)
        throw wrong(fmt::format("a whole number of at least {}", least), describe());
    if (*value > most) throw wrong(fmt::format("a whole number of at most {}", most), describe());
    return *value;
}

bool Yaml::boolean() const {
    if (node_.IsScalar() && node_.Scalar() == "true") return true;
    if (node_.IsScalar() && node_.Scalar() == "false") return false;
    throw wrong("true or false", describe());
}

std::string Yaml::where() const {
    std::string place = file_;
    if (line_ > 0) place += fmt::format(":{}", line_);
    if (!key_.empty()) place += ": " + key_;
    return place;
}

Error Yaml::wrong(std::string_view expected, std::string_view found) const {
    return bad_input(where(), expected, found);
}

std::string Yaml::describe() const {
    switch (node_.Type()) {
        case YAML::NodeType::Scalar: {
            const std::string& value = node_.Scalar();
            return value.size() <= 60 ? "'" + value + "'" : "'" + value.substr(0, 57) + "...'";
        }
        case YAML::NodeType::Sequence:
            return "a list";
        case YAML::NodeType::Map:
            return "keys and values";
        default:
            return "nothing";
    }
}

}  // namespace ridge
