#include "collectors/import/kineto_trace.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/json.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// An event is small; what is longer has lost its end.
constexpr std::size_t longest_object = std::size_t{1} << 20;

/// The end of the object that begins at `begin`, or npos when there is none near.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
    int depth = 0;
    bool quoted = false;
    const std::size_t most = std::min(text.size(), begin + longest_object);
    for (std::size_t i = begin; i < most; ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

/// Where the next event probably begins, behind the damaged one at `damaged`: at the brace before
/// the next "ph", or at that key where the brace is lost.
std::size_t next_event(std::string_view text, std::size_t damaged, std::size_t from) {
    const auto key = text.find("\"ph\"", from);
    if (key == std::string_view::npos) return key;
    const auto brace = text.rfind('{', key);
    return brace == std::string_view::npos || brace <= damaged ? key : brace;
}

/// A number, or a text that is one.
std::optional<double> number_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    double value = 0;
    if (found->is_number()) {
        value = found->get<double>();
    } else if (found->is_string()) {
        const auto& text = found->get_ref<const std::string&>();
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc{} || rest != end) return std::nullopt;
    } else {
        return std::nullopt;
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::int64_t whole_at(const Json& object, const char* key, std::int64_t fallback) {
    const auto value = number_at(object, key);
    return value && std::abs(*value) < 9e15 ? static_cast<std::int64_t>(*value) : fallback;
}

std::string text_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    return found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_device(const std::string& category) {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
           category == "Kernel" || category == "Memcpy" || category == "Memset";
}
bool is_launch(const std::string& category) {
    return category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime";
}
bool is_operator(const std::string& category) {
    return category == "cpu_op" || category == "Operator";
}

class Reader {
public:
    Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    KinetoTrace read() {
        std::size_t at = start_of_list();
        while (at < text_.size()) {
            while (at < text_.size() && text_[at] != '{' && text_[at] != ']') ++at;
            if (at == text_.size() || text_[at] == ']') break;
            const std::size_t end = end_of_object(text_, at);
            const bool taken = end != std::string_view::npos && take(text_.substr(at, end - at));
            if (taken) {
                at = end;
                continue;
            }
            ++trace_.damaged;
            at = next_event(text_, at, next_start(at));
        }
        trace_.cut = at >= text_.size();
        read_device();
        check_devices();
        const auto by_start = [](const KinetoEvent& a, const KinetoEvent& b) {
            if (a.thread != b.thread) return a.thread < b.thread;
            return a.ts_us != b.ts_us ? a.ts_us < b.ts_us : a.dur_us > b.dur_us;
        };
        std::stable_sort(trace_.operators.begin(), trace_.operators.end(), by_start);
        return std::move(trace_);
    }

private:
    std::size_t start_of_list() {
        const auto first = text_.find_first_not_of(" \t\r\n");
        // Chrome also takes the bare list.
        if (first != std::string_view::npos && text_[first] == '[') return first + 1;
        const auto key = text_.find("\"traceEvents\"");
        const auto list = key == std::string_view::npos ? key : text_.find('[', key);
        if (list == std::string_view::npos)
            throw bad_input(file_, "a trace with the list 'traceEvents'", "none");
        return list + 1;
    }

    /// Behind this event's own "ph".
    [[nodiscard]] std::size_t next_start(std::size_t at) const {
        const auto own = text_.find("\"ph\"", at);
        return own == std::string_view::npos ? text_.size() : own + 4;
    }

    bool take(std::string_view object) {
        const Json json = Json::parse(object, nullptr, false);
        if (json.is_discarded() || !json.is_object()) return false;
        if (text_at(json, "ph") != "X") return true;  // flows, counters, names of threads
        KinetoEvent event;
        event.category = text_at(json, "cat");
        event.name = text_at(json, "name");
        const auto ts = number_at(json, "ts"), duration = number_at(json, "dur");
        if (!ts || !duration || event.name.empty()) return false;
        event.ts_us = *ts, event.dur_us = *duration;
        event.thread = text_at(json, "pid") + " " + text_at(json, "tid");
        ++trace_.events;
        if (const auto args = json.find("args"); args != json.end() && args->is_object()) {
            event.correlation = whole_at(*args, "correlation", -1);
            event.external = whole_at(*args, "External id", whole_at(*args, "external id", -1));
            event.sequence = whole_at(*args, "Sequence number", -1);
            event.forward_thread = whole_at(*args, "Fwd thread id", 0);
            event.input_dims = text_at(*args, "Input Dims");
            event.concrete_inputs = text_at(*args, "Concrete Inputs");
        }
        keep(std::move(event));
        return true;
    }

    void keep(KinetoEvent event) {
        if (is_device(event.category)) {
            trace_.kernels.push_back(std::move(event));
            return;
        }
        const bool possible = event.dur_us >= 0 && event.dur_us < 1e15 && event.ts_us >= 0;
        if (!possible) {
            ++trace_.damaged;
            return;
        }
        begin_ = begin_ ? std::min(*begin_, event.ts_us) : event.ts_us;
        end_ = std::max(end_, event.ts_us + event.dur_us);
        if (is_operator(event.category))
            trace_.operators.push_back(std::move(event));
        else if (is_launch(event.category))
            trace_.launches.push_back(std::move(event));
    }

    void read_device() {
        const auto at = text_.find("\"deviceProperties\"");
        const auto name = at == std::string_view::npos ? at : text_.find("\"name\"", at);
        if (name == std::string_view::npos || name > at + 4096) return;
        const auto begin = text_.find('"', name + 6);
        const auto end = begin == std::string_view::npos ? begin : text_.find('"', begin + 1);
        if (end != std::string_view::npos && end - begin < 200)
            trace_.device = text_.substr(begin + 1, end - begin - 1);
    }

    /// Drops what cannot be, and counts it.
    void check_devices() {
        auto& all = trace_.kernels;
        double end = end_;
        for (const auto& event : all)
            if (event.ts_us >= 0) {
                begin_ = begin_ ? std::min(*begin_, event.ts_us) : event.ts_us;
                end = std::max(end, event.ts_us);
            }
        const double length = begin_ ? end - *begin_ : 0;
        std::stable_sort(all.begin(), all.end(), [](const KinetoEvent& a, const KinetoEvent& b) {
            return a.thread != b.thread ? a.thread < b.thread : a.ts_us < b.ts_us;
        });
        std::vector<KinetoEvent> possible;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const KinetoEvent& event = all[i];
            // Starts are rounded to a microsecond in older traces.
            constexpr double rounding_us = 1;
            const bool next_in_stream = i + 1 < all.size() && all[i + 1].thread == event.thread;
            const bool overlaps =
                next_in_stream && event.ts_us + event.dur_us > all[i + 1].ts_us + rounding_us;
            constexpr double day_us = 8.64e10;
            const bool too_long = event.dur_us > day_us ||
                                  (end_ > 0 && length > 0 && event.dur_us > length + rounding_us);
            if (event.ts_us < 0 || event.dur_us < 0 || too_long || overlaps) {
                ++trace_.impossible;
                trace_.impossible_us +=
                    std::clamp(event.dur_us, 0.0, std::max(length, rounding_us));
            } else {
                possible.push_back(event);
            }
        }
        all = std::move(possible);
    }

    std::string_view text_;
    const std::string& file_;
    KinetoTrace trace_;
    std::optional<double> begin_;
    double end_ = 0;  ///< of what the host did
};

}  // namespace

KinetoTrace read_kineto(std::string_view text, const std::string& file) {
    return Reader(text, file).read();
}

}  // namespace ridge::import
