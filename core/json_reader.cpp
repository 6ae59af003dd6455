#include <fmt/format.h>

#include <cmath>

#include "core/json.hpp"

namespace ridge {

JsonReader::JsonReader(const std::string& text, std::string document)
    : document_(std::move(document)) {
    try {
        value_ = Json::parse(text);
    } catch (const Json::parse_error& e) {
        throw bad_input(fmt::format("{}: byte {}", document_, e.byte), "JSON", "a syntax error");
    }
}

Error JsonReader::wrong(std::string_view expected) const {
    std::string found = value_.is_structured()
                            ? value_.type_name()
                            : value_.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    return bad_input(key_.empty() ? document_ : document_ + ": " + key_, expected, found);
}

bool JsonReader::has(const std::string& key) const {
    if (!value_.is_object()) throw wrong("an object");
    return value_.contains(key) && !value_.at(key).is_null();
}

JsonReader JsonReader::at(const std::string& key) const {
    if (!value_.is_object()) throw wrong("an object");
    if (!value_.contains(key))
        throw bad_input(key_.empty() ? document_ : document_ + ": " + key_,
                        fmt::format("the key '{}'", key), "none");
    return {value_.at(key), document_, key_.empty() ? key : key_ + "." + key};
}

std::vector<JsonReader> JsonReader::items() const {
    if (!value_.is_array()) throw wrong("a list");
    std::vector<JsonReader> result;
    result.reserve(value_.size());
    for (const auto& item : value_)
        result.emplace_back(item, document_, fmt::format("{}[{}]", key_, result.size()));
    return result;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::entries() const {
    if (!value_.is_object()) throw wrong("an object");
    std::vector<std::pair<std::string, JsonReader>> result;
    for (const auto& [name, value] : value_.items())
        result.emplace_back(name,
                            JsonReader(value, document_, key_.empty() ? name : key_ + "." + name));
    return result;
}

double JsonReader::number(double least, double most) const {
    if (!value_.is_number()) throw wrong("a number");
    const double value = value_.get<double>();
    if (!std::isfinite(value) || value < least || value > most)
        throw wrong(fmt::format("a number from {} to {}", least, most));
    return value;
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) const {
    const auto refuse = [&] {
        return wrong(fmt::format("a whole number from {} to {}", least, most));
    };
    if (!value_.is_number_integer()) throw refuse();
    if (value_.is_number_unsigned() &&
        value_.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        throw refuse();
    const auto value = value_.get<std::int64_t>();
    if (value < least || value > most) throw refuse();
    return value;
}

bool JsonReader::boolean() const {
    if (!value_.is_boolean()) throw wrong("true or false");
    return value_.get<bool>();
}

std::string JsonReader::text() const {
    if (!value_.is_string()) throw wrong("text");
    return value_.get<std::string>();
}

}  // namespace ridge
