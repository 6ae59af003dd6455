#include "model/workload/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/words_near.hpp"

namespace ridge::workload {
namespace {

/// No dimension of a tensor is larger: products of the few that a kind multiplies stay exact.
constexpr std::int64_t largest_dimension = 1'000'000'000;
/// Heights and widths, whose taps are counted one by one.
constexpr std::int64_t largest_extent = 65536;

bool is_key_letter(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

ProblemReader::ProblemReader(std::string_view line) : line_(line) {
    if (line_.size() > 120) line_ = line_.substr(0, 117) + "...";
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0)
        throw wrong("form", "driver:problem such as conv:ic3ih8oc4kh3", "no driver");
    driver_ = std::string(line.substr(0, colon));
    std::string_view rest = line.substr(colon + 1);

    // The name may hold commas: cut it out first.
    std::string problem;
    if (const auto start = rest.find("n\""); start != std::string_view::npos) {
        const auto end = rest.find('"', start + 2);
        if (end == std::string_view::npos) throw wrong("name", "a closing quote", "none");
        name_ = std::string(rest.substr(start + 2, end - start - 2));
        problem = std::string(rest.substr(0, start)) + std::string(rest.substr(end + 1));
    } else {
        problem = std::string(rest);
    }
    const auto comma = std::min(problem.find(','), problem.size());
    read_keys(std::string_view(problem).substr(0, comma));
    if (comma < problem.size()) read_attributes(std::string_view(problem).substr(comma + 1));
}

void ProblemReader::read_keys(std::string_view problem) {
    if (!problem.empty() && is_digit(problem.front())) {
        dimensions_ = std::string(problem);
        return;
    }
    std::size_t at = 0;
    while (at < problem.size()) {
        if (problem[at] == '_') {
            ++at;
            continue;
        }
        const std::size_t key_start = at;
        while (at < problem.size() && is_key_letter(problem[at])) ++at;
        const std::string key(problem.substr(key_start, at - key_start));
        if (key.empty())
            throw wrong("problem", "a key such as mb, ic or ih",
                        fmt::format("'{}'", problem.substr(at, 10)));
        const std::size_t number_start = at;
        if (at < problem.size() && problem[at] == '-') ++at;
        while (at < problem.size() && is_digit(problem[at])) ++at;
        const std::string digits(problem.substr(number_start, at - number_start));
        std::int64_t number = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (digits.empty() || error == std::errc::invalid_argument)
            throw wrong(key, "a whole number", at < problem.size() ? "none" : "nothing");
        const bool spatial = key.size() == 2 && (key[1] == 'h' || key[1] == 'w');
        const std::int64_t most = spatial ? largest_extent : largest_dimension;
        if (error != std::errc{} || number > most)
            throw wrong(key, fmt::format("at most {}", most), digits);
        if (!keys_.emplace(key, Value{number, false}).second)
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
        if (!attributes_.emplace(key, Attribute{std::string(item.substr(equals + 1)), false})
                 .second)
            throw wrong(key, "each attribute once", "it twice");
        if (comma == text.size()) return;
        text.remove_prefix(comma + 1);
    }
}

std::optional<std::int64_t> ProblemReader::find(const std::string& key, std::int64_t least) {
    const auto it = keys_.find(key);
    if (it == keys_.end()) return std::nullopt;
    it->second.used = true;
    if (it->second.number < least)
        throw wrong(key, fmt::format("at least {}", least), fmt::format("{}", it->second.number));
    return it->second.number;
}

std::int64_t ProblemReader::at(const std::string& key, std::int64_t least) {
    if (const auto number = find(key, least)) return *number;
    throw wrong(key, "the key, as in " + key + "64", "none");
}

std::int64_t ProblemReader::get(const std::string& key, std::int64_t fallback, std::int64_t least) {
    return find(key, least).value_or(fallback);
}

std::optional<std::string> ProblemReader::attribute(const std::string& key) {
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
    // By now every key that the kind has was asked for, so the used ones are the known ones.
    for (const auto& [key, value] : keys_)
        if (!value.used)
            throw wrong(fmt::format("key '{}'", key),
                        fmt::format("the keys of a {} layer (see docs/formats.md)", driver_),
                        fmt::format("{}{}", key, value.number));
    for (const auto& [key, value] : attributes_)
        if (!value.used)
            throw wrong(fmt::format("attribute '{}'", key),
                        fmt::format("the attributes of a {} layer (see docs/formats.md)", driver_),
                        fmt::format("{}={}", key, value.text));
}

Error ProblemReader::wrong(std::string_view what, std::string_view expected,
                           std::string_view found) const {
    return bad_input(fmt::format("layer '{}': {}", line_, what), expected, found);
}

}  // namespace ridge::workload
