#include "model/workload/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/words_near.hpp"

namespace ridge::workload {
namespace {

bool is_key_letter(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_printable(char c) {
    return c >= ' ' && c <= '~';
}

/// Errors stay one readable line whatever the text holds.
std::string shown(std::string_view text, std::size_t length) {
    std::string result(text.substr(0, text.size() > length ? length - 3 : length));
    for (char& c : result)
        if (!is_printable(c)) c = '?';
    return text.size() > length ? result + "..." : result;
}

/// Where the name starts: an 'n' that begins a key. No key of any driver begins with 'n'.
std::size_t find_name(std::string_view problem) {
    for (std::size_t at = 0; at < problem.size() && problem[at] != ','; ++at)
        if (problem[at] == 'n' && (at == 0 || !is_key_letter(problem[at - 1]))) return at;
    return std::string_view::npos;
}

void remember(std::vector<std::string>& known, const std::string& key) {
    if (std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
}

}  // namespace

ProblemReader::ProblemReader(std::string_view line) : line_(shown(line, 120)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0)
        throw wrong("form", "driver:problem such as conv:ic3ih8oc4kh3", "no driver");
    driver_ = std::string(line.substr(0, colon));
    std::string_view rest = line.substr(colon + 1);

    std::string_view problem = rest.substr(0, find_name(rest));
    if (problem.size() < rest.size()) {
        // A shell may have eaten the quotes: such a name ends at the first comma.
        rest.remove_prefix(problem.size() + 1);
        const bool quoted = rest.starts_with('"');
        if (quoted) rest.remove_prefix(1);
        const auto end = std::min(rest.find(quoted ? '"' : ','), rest.size());
        if (quoted && end == rest.size()) throw wrong("name", "a closing quote", "none");
        name_ = std::string(rest.substr(0, end));
        rest.remove_prefix(end + (quoted ? 1 : 0));
        if (!rest.empty() && rest.front() != ',')
            throw wrong("name", "nothing but attributes behind it", fmt::format("'{}'", rest));
    } else {
        problem = rest.substr(0, rest.find(','));
        rest.remove_prefix(problem.size());
    }
    if (name_.size() > 200 || name_.find('"') != std::string::npos ||
        !std::all_of(name_.begin(), name_.end(), is_printable))
        throw wrong("name", "at most 200 printable characters without quotes", "'" + name_ + "'");
    read_keys(problem);
    if (!rest.empty()) read_attributes(rest.substr(1));
}

void ProblemReader::read_keys(std::string_view problem) {
    if (!problem.empty() && is_digit(problem.front())) {
        while (problem.ends_with('_')) problem.remove_suffix(1);
        dimensions_ = std::string(problem);
        return;
    }
    std::size_t at = 0;
    const auto take_while = [&](auto belongs) {
        const std::size_t start = at;
        while (at < problem.size() && belongs(problem[at])) ++at;
        return std::string(problem.substr(start, at - start));
    };
    while (at < problem.size()) {
        if (problem[at] == '_') {
            ++at;
            continue;
        }
        const std::string key = take_while(is_key_letter);
        if (key.empty())
            throw wrong("problem", "a key such as mb, ic or ih",
                        fmt::format("'{}'", problem.substr(at, 10)));
        const std::string number =
            take_while([](char c) { return is_digit(c) || c == '.' || c == '-'; });
        if (number.empty())
            throw wrong(key, "a number",
                        at < problem.size() ? fmt::format("'{}'", problem.substr(at, 10)) : "none");
        if (!keys_.emplace(key, Value{number}).second)
            throw wrong(key, "each key once", "it twice");
    }
}

void ProblemReader::read_attributes(std::string_view text) {
    while (true) {
        const auto comma = std::min(text.find(','), text.size());
        const std::string_view item = text.substr(0, comma);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size())
            throw wrong("attribute", "name=value", fmt::format("'{}'", item));
        const std::string key(item.substr(0, equals));
        if (!attributes_.emplace(key, Value{std::string(item.substr(equals + 1))}).second)
            throw wrong(key, "each attribute once", "it twice");
        if (comma == text.size()) return;
        text.remove_prefix(comma + 1);
    }
}

const std::string* ProblemReader::find_text(const std::string& key) {
    remember(known_keys_, key);
    const auto it = keys_.find(key);
    if (it == keys_.end()) return nullptr;
    it->second.used = true;
    return &it->second.text;
}

std::optional<std::int64_t> ProblemReader::find(const std::string& key, std::int64_t least) {
    const std::string* text = find_text(key);
    if (!text) return std::nullopt;
    std::int64_t number = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, number);
    if (rest != end || error == std::errc::invalid_argument)
        throw wrong(key, "a whole number", "'" + *text + "'");
    const bool spatial = key.size() == 2 && (key[1] == 'h' || key[1] == 'w');
    const std::int64_t most = spatial ? largest_extent : largest_dimension;
    if (error != std::errc{} || number > most)
        throw wrong(key, fmt::format("at most {}", most), *text);
    if (number < least) throw wrong(key, fmt::format("at least {}", least), *text);
    return number;
}

std::int64_t ProblemReader::at(const std::string& key, std::int64_t least) {
    if (const auto number = find(key, least)) return *number;
    throw wrong(key, "the key, as in " + key + "64",
                dimensions_.empty() ? "none" : "the sizes '" + dimensions_ + "'");
}

std::int64_t ProblemReader::get(const std::string& key, std::int64_t fallback, std::int64_t least) {
    return find(key, least).value_or(fallback);
}

double ProblemReader::real(const std::string& key, double fallback) {
    const std::string* text = find_text(key);
    if (!text) return fallback;
    double number = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, number, std::chars_format::fixed);
    if (rest != end || error != std::errc{} || !std::isfinite(number))
        throw wrong(key, "a number such as 0.75", "'" + *text + "'");
    return number;
}

std::optional<std::string> ProblemReader::attribute(const std::string& key) {
    remember(known_attributes_, key);
    const auto it = attributes_.find(key);
    if (it == attributes_.end()) return std::nullopt;
    it->second.used = true;
    return it->second.text;
}

bool ProblemReader::flag(const std::string& key, bool fallback) {
    const auto text = attribute(key);
    if (!text) return fallback;
    if (*text == "1") return true;
    if (*text == "0") return false;
    throw wrong(key, "0 or 1", "'" + *text + "'");
}

void ProblemReader::finish() const {
    // By now everything that the kind has was asked for.
    if (!dimensions_.empty() && !dimensions_used_)
        throw wrong("problem", fmt::format("keys such as {}64", known_keys_.front()),
                    "the sizes '" + dimensions_ + "'");
    for (const auto& [key, value] : keys_)
        if (!value.used)
            throw wrong(fmt::format("key '{}'", key),
                        fmt::format("one of the keys {}", list_of(known_keys_)),
                        fmt::format("'{}{}'", key, value.text));
    for (const auto& [key, value] : attributes_)
        if (!value.used)
            throw wrong(fmt::format("attribute '{}'", key),
                        fmt::format("one of the attributes {}", list_of(known_attributes_)),
                        fmt::format("'{}={}'", key, value.text));
}

Error ProblemReader::wrong(std::string_view what, std::string_view expected,
                           std::string_view found) const {
    return bad_input(fmt::format("layer '{}': {}", line_, shown(what, 60)), shown(expected, 300),
                     shown(found, 60));
}

}  // namespace ridge::workload
