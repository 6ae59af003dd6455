#include "collectors/import/verbose_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

namespace ridge::import {
namespace {

constexpr std::string_view marker_end = "_verbose,";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The first of the fields in `text`, which it leaves behind.
std::string_view next_field(std::string_view& text) {
    const auto comma = text.find(',');
    const std::string_view field = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    return field;
}

bool ends_in_library(std::string_view before) {
    return before.ends_with("onednn") || before.ends_with("mkldnn") || before.ends_with("dnnl");
}

/// "1693533460193.346924"
bool is_time_stamp(std::string_view field) {
    const auto point = field.find('.');
    return all_digits(field.substr(0, point)) &&
           (point == std::string_view::npos || all_digits(field.substr(point + 1)));
}

bool is_version(std::string_view field) {
    return field.size() > 1 && field.front() == 'v' && all_digits(field.substr(1));
}

/// "cpu", "gpu:0", "cpu2gpu"
bool is_engine(std::string_view field) {
    const auto colon = field.find(':');
    const std::string_view name = field.substr(0, colon);
    if (colon != std::string_view::npos && !all_digits(field.substr(colon + 1))) return false;
    return name == "cpu" || name == "gpu" || name == "cpu2gpu" || name == "gpu2cpu" ||
           name == "gpu2gpu" || name == "cpu2cpu";
}

/// "src_f32::blocked:ab:f0", "src:f32:...", and of 0.x "fsrc:nchw", "in:f32_nchw"; "#" where the
/// field did not fit.
bool is_tensor_field(std::string_view field) {
    static constexpr std::array<std::string_view, 33> names{
        "src",    "wei",       "bia",      "dst",       "data",     "diff", "ws",
        "stats",  "scale",     "shift",    "query",     "key",      "val",  "msk",
        "bias",   "in",        "out",      "fsrc",      "fwei",     "fbia", "fdst",
        "fdata",  "fdiff",     "fws",      "src_a",     "src_b",    "mean", "var",
        "states", "src_layer", "src_iter", "wei_layer", "workspace"};
    if (field == "#") return true;
    const std::string_view word = field.substr(0, field.find(' '));
    for (const std::string_view name : names) {
        if (!word.starts_with(name) || word.size() <= name.size()) continue;
        const char next = word[name.size()];
        if (next == '_' || next == ':') return true;
        // src0 and src1 of sums and binaries.
        if (is_digit(next)) return true;
    }
    return false;
}

bool is_propagation(std::string_view field) {
    return field == "undef" || field.starts_with("forward") || field.starts_with("backward");
}

/// Sizes ("2x16x7x7", "1x2:2x3", "*x64", "#") or keys with numbers ("mb2_ic16oc16_ih7..."),
/// not an attribute ("axis:1", "num:1").
bool is_problem(std::string_view field) {
    if (field.empty()) return false;
    if (field == "#") return true;
    if (is_digit(field.front()) || field.front() == '*')
        return std::all_of(field.begin(), field.end(), [](char c) {
            return is_digit(c) || c == 'x' || c == ':' || c == '*' || c == ' ';
        });
    bool number = false;
    for (const char c : field) {
        if (is_digit(c) || c == '*') number = true;
        const bool allowed = is_digit(c) || is_letter(c) || c == '_' || c == '.' || c == '*';
        if (!allowed) return false;
    }
    return number && is_letter(field.front());
}

/// The auxiliary field: empty, or an attribute of the operation.
bool is_auxiliary(std::string_view field) {
    static constexpr std::array<std::string_view, 9> names{
        "alg", "num", "axis", "flags", "msk", "scl", "direction", "kernel", "runtime_dims_masks"};
    if (field.empty()) return true;
    const auto colon = field.find(':');
    return colon != std::string_view::npos &&
           std::find(names.begin(), names.end(), field.substr(0, colon)) != names.end();
}

/// A whole number behind a problem may be the rest of a damaged problem: then sizes are missing in
/// front of it, as many as the tensor's format has letters.
bool has_all_sizes(std::string_view problem, std::string_view tensors) {
    if (!is_digit(problem.front())) return is_digit(problem.back());
    const std::string_view word = tensors.substr(0, tensors.find(' '));
    std::string_view tag;  // the first run of letters behind "blocked:"
    if (const auto at = word.find("blocked:"); at != std::string_view::npos)
        tag = word.substr(at + 8);
    std::size_t rank = 0;
    while (rank < tag.size() && is_letter(tag[rank])) ++rank;
    while (!problem.empty()) {
        const auto end = problem.find_first_of(": ");
        const std::string_view list = problem.substr(0, end);
        const auto sizes = static_cast<std::size_t>(std::count(list.begin(), list.end(), 'x')) + 1;
        if (rank > 0 && sizes != rank) return false;
        problem = end == std::string_view::npos ? std::string_view{} : problem.substr(end + 1);
    }
    return true;
}

/// A problem in words of a release to come: anything but the pieces of a number.
bool names_something(std::string_view field) {
    return !field.empty() && is_letter(field.front());
}

/// Digits that count, in the text of a %g: none superfluous in front or behind.
bool printed_digits(std::string_view whole, std::string_view fraction, bool exponent) {
    if (!all_digits(whole) || (whole.size() > 1 && whole.front() == '0')) return false;
    if (exponent && (whole.size() != 1 || whole == "0")) return false;
    if (fraction.empty()) return whole.size() <= 6;
    if (!all_digits(fraction) || fraction.back() == '0') return false;
    if (whole != "0") return whole.size() + fraction.size() <= 6;
    const auto first = fraction.find_first_not_of('0');
    // Smaller numbers than 0.0001 are printed with an exponent.
    return first <= 3 && fraction.size() - first <= 6 && !exponent;
}

/// Splits "68132e+06" into digits and exponent; false when there is an exponent and it is none.
bool split_exponent(std::string_view text, std::string_view& digits, std::string_view& exponent) {
    const auto e = text.find('e');
    digits = text.substr(0, e);
    exponent = {};
    if (e == std::string_view::npos) return true;
    exponent = text.substr(e + 1);
    return exponent.size() >= 3 && (exponent[0] == '+' || exponent[0] == '-') &&
           all_digits(exponent.substr(1)) && exponent.size() <= 4;
}

std::optional<double> number_of(std::string_view whole, std::string_view fraction,
                                std::string_view exponent) {
    std::array<char, 64> text{};
    std::size_t size = 0;
    const auto add = [&](std::string_view part) {
        std::copy(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(size));
        size += part.size();
    };
    add(whole);
    if (!fraction.empty()) add("."), add(fraction);
    if (!exponent.empty()) add("e"), add(exponent);
    double value = 0;
    // from_chars takes no '+' in front of a number, but does in an exponent.
    const auto [rest, error] = std::from_chars(text.data(), text.data() + size, value);
    constexpr double year_ms = 3.2e10;
    if (error != std::errc{} || rest != text.data() + size || value > year_ms) return std::nullopt;
    return value;
}

/// Fields behind the tensors: [attributes], auxiliary, problem, [time in one or two fields].
void read_tail(VerboseLine& line, std::string_view tail) {
    std::array<std::string_view, 8> fields;
    std::size_t count = 0;
    while (true) {
        const bool last = tail.find(',') == std::string_view::npos;
        if (count == fields.size()) {
            line.what = VerboseClass::damaged;
            return;
        }
        fields[count++] = next_field(tail);
        if (last) break;
    }
    const auto field = [&](std::size_t back) {
        return back < count ? fields[count - 1 - back] : std::string_view{};
    };
    std::size_t behind = 0;  // fields that the time takes
    const std::string_view last = field(0), before = field(1);
    std::string_view digits, exponent;
    const bool looks_cut_at_comma = all_digits(before) && is_problem(field(2)) &&
                                    split_exponent(last, digits, exponent) && all_digits(digits);
    if (looks_cut_at_comma) {
        if (const auto time = parse_printed_time(before, last)) {
            line.form = TimeForm::comma, line.time_ms = *time, behind = 2;
        } else {
            line.what = VerboseClass::damaged;
            return;
        }
    } else if (const auto time = parse_printed_time(last); time && all_digits(last)) {
        const bool whole = is_problem(before) && has_all_sizes(before, line.tensors) &&
                           (!all_digits(before) || is_auxiliary(field(2)));
        if (whole) {
            line.form = TimeForm::whole, line.time_ms = *time, behind = 1;
        } else if (is_problem(before) || !is_problem(last)) {
            line.what = VerboseClass::damaged;
            return;
        }
    } else if (time && (is_problem(before) || names_something(before))) {
        line.form = last.find('.') == std::string_view::npos ? TimeForm::whole : TimeForm::point;
        line.time_ms = *time, behind = 1;
    } else if (!is_problem(last)) {
        // Neither a time nor a problem: whatever it was, it is not whole.
        line.what = VerboseClass::damaged;
        return;
    }
    if (count < behind + 1) {
        line.what = VerboseClass::damaged;
        return;
    }
    line.problem = field(behind);
    if (count >= behind + 2) line.auxiliary = field(behind + 1);
    if (count >= behind + 3) line.attributes = field(behind + 2);
    const char* body_end = line.problem.data() + line.problem.size();
    line.body = {line.rest.data(), static_cast<std::size_t>(body_end - line.rest.data())};
}

/// The numeric id of a partition, or a name in parentheses, stands where the kind of a primitive
/// does.
bool is_graph_record(std::string_view kind) {
    return all_digits(kind) || kind.find('(') != std::string_view::npos;
}

/// A partition has no problem; its time is the last field, and with a decimal comma nobody can
/// tell.
void read_partition(VerboseLine& line) {
    line.what = VerboseClass::graph;
    const auto comma = line.rest.rfind(',');
    if (comma == std::string_view::npos) return;
    const std::string_view last = line.rest.substr(comma + 1);
    if (last.find('.') == std::string_view::npos) return;
    if (const auto time = parse_printed_time(last)) {
        line.form = TimeForm::point;
        line.time_ms = *time;
    }
}

void read_record(VerboseLine& line) {
    std::string_view text = line.rest;
    std::string_view field = next_field(text);
    if (is_engine(field)) {
        line.engine = field;
        field = next_field(text);
    }
    if (is_graph_record(field)) {
        read_partition(line);
        return;
    }
    line.kind = field;
    if (line.kind.ends_with("_v2")) line.kind.remove_suffix(3);
    // implementation and propagation, of which a release of gemm_api leaves one out
    std::array<std::string_view, 3> between;
    std::size_t count = 0;
    while (true) {
        if (text.empty() || count == between.size()) {
            line.what = VerboseClass::damaged;
            return;
        }
        field = next_field(text);
        if (is_tensor_field(field)) break;
        between[count++] = field;
    }
    if (count > 0 && is_propagation(between[count - 1])) line.propagation = between[--count];
    if (count > 0) line.implementation = between[0];
    line.tensors = field;
    if (line.kind.empty() || text.empty()) {
        line.what = VerboseClass::damaged;
        return;
    }
    read_tail(line, text);
}

}  // namespace

std::optional<double> parse_printed_time(std::string_view text) {
    std::string_view mantissa, exponent;
    if (text.size() > 16 || !split_exponent(text, mantissa, exponent)) return std::nullopt;
    const auto point = mantissa.find('.');
    const std::string_view whole = mantissa.substr(0, point);
    const std::string_view fraction =
        point == std::string_view::npos ? std::string_view{} : mantissa.substr(point + 1);
    if (point != std::string_view::npos && fraction.empty()) return std::nullopt;
    if (!printed_digits(whole, fraction, !exponent.empty())) return std::nullopt;
    return number_of(whole, fraction, exponent);
}

std::optional<double> parse_printed_time(std::string_view whole, std::string_view fraction) {
    std::string_view digits, exponent;
    if (whole.size() + fraction.size() > 16 || !split_exponent(fraction, digits, exponent))
        return std::nullopt;
    if (digits.empty() || !printed_digits(whole, digits, !exponent.empty())) return std::nullopt;
    return number_of(whole, digits, exponent);
}

std::optional<VerboseStart> find_verbose_start(std::string_view line) {
    // Lines are searched from the front, where the marker mostly is; the last one counts.
    std::optional<VerboseStart> start;
    for (std::size_t from = 0; from < line.size();) {
        const void* found =
            memmem(line.data() + from, line.size() - from, marker_end.data(), marker_end.size());
        if (!found) break;
        const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - line.data());
        from = at + marker_end.size();
        if (!ends_in_library(line.substr(0, at))) continue;
        const bool earlier = start.has_value();
        start = VerboseStart{from, false, earlier};
    }
    if (!start) return start;
    std::string_view text = line.substr(start->at);
    std::string_view rest = text, field = next_field(rest);
    const auto skip = [&] {
        text = rest;
        field = next_field(rest);
    };
    if (is_version(field)) skip();
    if (is_time_stamp(field)) skip();
    if (field == "primitive" || field == "graph" || field == "common" || field == "ukernel") {
        start->graph = field == "graph";
        skip();
    }
    start->at = static_cast<std::size_t>(text.data() - line.data());
    if (text.empty()) start->at = line.size();
    return start;
}

VerboseLine parse_verbose_line(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t' ||
                             line.back() == '\0'))
        line.remove_suffix(1);
    VerboseLine result;
    const auto start = find_verbose_start(line);
    if (!start) return result;
    result.two_records = start->earlier;
    result.rest = line.substr(start->at);
    result.operation = next_field(result.rest);
    const std::string_view operation = result.operation;
    if (operation == "exec")
        result.what = start->graph ? VerboseClass::graph : VerboseClass::exec;
    else if (operation.starts_with("create"))
        result.what = VerboseClass::create;
    else
        result.what = operation == "info" ? VerboseClass::info : VerboseClass::other;
    if (result.what == VerboseClass::exec) read_record(result);
    if (result.what == VerboseClass::graph && start->graph) read_partition(result);
    // Of what the dispatcher says only that it spoke is of interest.
    if (result.what == VerboseClass::create && operation != "create:dispatch" &&
        operation != "create:check") {
        read_record(result);
        if (result.what == VerboseClass::graph) result.what = VerboseClass::create;
        if (result.what == VerboseClass::damaged) result.what = VerboseClass::create;
    }
    return result;
}

std::string_view without_decoration(std::string_view line, std::vector<char>& buffer) {
    const bool plain = std::memchr(line.data(), '\0', line.size()) == nullptr &&
                       std::memchr(line.data(), '\x1b', line.size()) == nullptr;
    if (plain) return line;
    buffer.clear();
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\0') continue;
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            // Parameters, then one letter.
            i += 2;
            while (i < line.size() && !is_letter(line[i])) ++i;
            continue;
        }
        buffer.push_back(line[i]);
    }
    return {buffer.data(), buffer.size()};
}

}  // namespace ridge::import
