#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/json.hpp"
#include "core/words_near.hpp"

namespace ridge {
namespace {

/// Line and column of a byte, as editors count.
std::string place_of(const std::string& text, std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    const auto line = std::count(text.begin(), end, '\n') + 1;
    const auto line_start = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
    return fmt::format("{}:{}", line, end - line_start);
}

/// Parser callback that refuses a key given twice in one object; the library keeps the last.
class KeysOnce {
public:
    explicit KeysOnce(const std::string& document) : document_(document) {}

    bool operator()(int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open_.emplace_back();
        if (event == Json::parse_event_t::object_end) open_.pop_back();
        if (event == Json::parse_event_t::key) {
            const auto& name = parsed.get_ref<const std::string&>();
            if (!open_.back().insert(name).second)
                throw bad_input(document_, "each key once", fmt::format("'{}' twice", name));
        }
        return true;
    }

private:
    const std::string& document_;
    std::vector<std::set<std::string>> open_;  ///< keys of each object that is not closed yet
};

}  // namespace

JsonReader::JsonReader(const std::string& text, std::string document)
    : value_(nullptr), document_(std::move(document)) {
    try {
        root_ = std::make_shared<const Json>(Json::parse(text, KeysOnce(document_)));
    } catch (const Json::parse_error& e) {
        throw bad_input(document_ + ":" + place_of(text, e.byte), "JSON", "a syntax error");
    } catch (const Json::out_of_range&) {
        throw bad_input(document_, "numbers of at most 1.8e308", "a larger one");
    }
    value_ = root_.get();
}

std::string JsonReader::key_of(const std::string& child) const {
    return key_.empty() ? child : key_ + "." + child;
}

Error JsonReader::wrong(std::string_view expected, std::string_view found) const {
    return bad_input(key_.empty() ? document_ : document_ + ": " + key_, expected, found);
}

Error JsonReader::wrong(std::string_view expected) const {
    if (value_->is_array()) return wrong(expected, "a list");
    if (value_->is_object()) return wrong(expected, "an object");
    std::string found = value_->dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    return wrong(expected, found);
}

void JsonReader::allow_keys(const std::vector<std::string>& keys) const {
    for (const auto& [name, value] : entries()) {
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
        const auto near = nearest_word(name, keys);
        throw value.wrong(near ? fmt::format("a known key such as '{}'", *near)
                               : "one of the keys " + list_of(keys),
                          fmt::format("'{}'", name));
    }
}

bool JsonReader::has(const std::string& key) const {
    if (!value_->is_object()) throw wrong("an object");
    const auto found = value_->find(key);
    return found != value_->end() && !found->is_null();
}

JsonReader JsonReader::at(const std::string& key) const {
    if (!value_->is_object()) throw wrong("an object");
    const auto found = value_->find(key);
    if (found == value_->end()) throw wrong(fmt::format("the key '{}'", key), "none");
    return {*found, *this, key_of(key)};
}

std::vector<JsonReader> JsonReader::items() const {
    if (!value_->is_array()) throw wrong("a list");
    std::vector<JsonReader> result;
    result.reserve(value_->size());
    for (const auto& item : *value_)
        result.push_back(JsonReader(item, *this, fmt::format("{}[{}]", key_, result.size())));
    return result;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::entries() const {
    if (!value_->is_object()) throw wrong("an object");
    std::vector<std::pair<std::string, JsonReader>> result;
    for (const auto& [name, value] : value_->items())
        result.emplace_back(name, JsonReader(value, *this, key_of(name)));
    return result;
}

double JsonReader::number(double least, double most) const {
    if (!value_->is_number()) throw wrong("a number");
    const double value = value_->get<double>();
    if (!std::isfinite(value) || value < least || value > most)
        throw wrong(fmt::format("a number from {} to {}", least, most));
    return value;
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) const {
    const auto refuse = [&] {
        return wrong(fmt::format("a whole number from {} to {}", least, most));
    };
    if (!value_->is_number_integer()) throw refuse();
    if (value_->is_number_unsigned() &&
        value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        throw refuse();
    const auto value = value_->get<std::int64_t>();
    if (value < least || value > most) throw refuse();
    return value;
}

bool JsonReader::boolean() const {
    if (!value_->is_boolean()) throw wrong("true or false");
    return value_->get<bool>();
}

std::string JsonReader::text() const {
    if (!value_->is_string()) throw wrong("text");
    return value_->get<std::string>();
}

}  // namespace ridge
