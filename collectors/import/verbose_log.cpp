#include "collectors/import/verbose_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>
#include <string_view>
#include <unordered_map>

#include "collectors/import/verbose_layer.hpp"
#include "ridge/error.hpp"

namespace ridge::import {
namespace {

/// Prefixes of lines that are known by sight. With a decimal comma each whole number of
/// milliseconds is one of its own.
constexpr std::size_t most_prefixes = 40'000;
constexpr std::size_t longest_line = std::size_t{1} << 16;

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

constexpr std::size_t forms = 4;  // of TimeForm
std::size_t index(TimeForm form) {
    return static_cast<std::size_t>(form);
}

/// Sums of one kind of line by the form of the time: only the end of the log tells which of point
/// and comma it is.
struct ByForm {
    std::array<std::int64_t, forms> count{};
    std::array<double, forms> sum_ms{};
    std::array<double, forms> least_ms{};
    std::array<double, forms> most_ms{};

    void add(TimeForm form, double time_ms) {
        const std::size_t i = index(form);
        least_ms[i] = count[i] == 0 ? time_ms : std::min(least_ms[i], time_ms);
        most_ms[i] = std::max(most_ms[i], time_ms);
        ++count[i];
        sum_ms[i] += time_ms;
    }
};

struct RawGroup {
    ByForm executions, creations;
};

/// What is known of the text between the operation and the last comma.
struct Prefix {
    std::uint32_t group = 0;
    bool execution = false;
    bool split_time = false;  ///< it ends in the whole part of a time with decimal comma
    std::string_view whole;   ///< that part; a view into the key
};

struct RawEvent {
    std::uint32_t group = 0;
    TimeForm form = TimeForm::none;
    float time_ms = 0;
};

class Reader {
public:
    VerboseLog read(ByteStream& bytes) {
        std::vector<char> buffer(std::size_t{1} << 18);
        std::size_t kept = 0;
        bool too_long = false;
        while (true) {
            const std::size_t got = bytes.read(std::span(buffer).subspan(kept));
            log_.bytes += got;
            const std::size_t size = kept + got;
            const char* at = buffer.data();
            const char* const end = buffer.data() + size;
            while (const auto* line_end = static_cast<const char*>(
                       std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) {
                if (!too_long) line({at, static_cast<std::size_t>(line_end - at)}, true);
                too_long = false;
                at = line_end + 1;
            }
            kept = static_cast<std::size_t>(end - at);
            if (got == 0) {
                if (kept > 0 && !too_long) line({at, kept}, false);
                break;
            }
            if (kept > longest_line) {
                if (!too_long) ++log_.lines, ++log_.noise;
                too_long = true;
                kept = 0;
            }
            if (kept > 0) std::memmove(buffer.data(), at, kept);
        }
        return finish();
    }

private:
    void line(std::string_view text, bool whole_line) {
        ++log_.lines;
        text = without_decoration(text, plain_);
        while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
        if (whole_line && known(text)) return;
        VerboseLine parsed = parse_verbose_line(text);
        if (parsed.two_records) ++log_.lost;
        if (!whole_line && parsed.form != TimeForm::none && may_be_cut(parsed, text)) {
            parsed.form = TimeForm::none;
            log_.last_time_cut = true;
        }
        switch (parsed.what) {
            case VerboseClass::exec:
            case VerboseClass::create:
                record(parsed);
                break;
            case VerboseClass::graph:
                ++log_.graph;
                log_.graph_ms += parsed.time_ms;
                break;
            case VerboseClass::info:
                ++log_.info;
                about_library(parsed.rest);
                break;
            case VerboseClass::other:
                ++log_.other;
                break;
            case VerboseClass::noise:
                ++log_.noise;
                if (text.find("__REPRO") != std::string_view::npos || text.starts_with("perf,"))
                    log_.harness = true;
                break;
            case VerboseClass::damaged:
                ++log_.damaged;
                break;
        }
    }

    /// A line whose prefix was seen before differs in its time only. True when that settles it.
    bool known(std::string_view text) {
        const auto start = find_verbose_start(text);
        if (!start || start->earlier || start->graph) return false;
        const std::string_view record = text.substr(start->at);
        const auto comma = record.rfind(',');
        if (comma == std::string_view::npos) return false;
        const auto found = prefixes_.find(record.substr(0, comma));
        if (found == prefixes_.end()) return false;
        const Prefix& prefix = found->second;
        const std::string_view last = record.substr(comma + 1);
        TimeForm form = TimeForm::comma;
        std::optional<double> time;
        if (prefix.split_time) {
            time = parse_printed_time(prefix.whole, last);
        } else {
            time = parse_printed_time(last);
            form = last.find('.') == std::string_view::npos ? TimeForm::whole : TimeForm::point;
        }
        if (!time) return false;
        count(prefix.group, prefix.execution, form, *time);
        return true;
    }

    void record(const VerboseLine& parsed) {
        const bool execution = parsed.what == VerboseClass::exec;
        if (!execution) {
            ++log_.creations;
            count_cache(parsed.operation);
            // Nested creations are within the time of another.
            if (parsed.operation.starts_with("create_nested") ||
                parsed.operation == "create:nested_cache_hit" || parsed.problem.empty())
                return;
        }
        const auto group = group_of(parsed);
        if (!group) {
            ungrouped_.add(parsed.form, parsed.time_ms);
            return;
        }
        if (execution || parsed.form != TimeForm::none)
            count(*group, execution, parsed.form, parsed.time_ms);
        // Creations are few and tell hits from misses, so they are read in full each time.
        if (execution && parsed.form != TimeForm::none && !parsed.two_records)
            remember(parsed, *group);
    }

    void count(std::uint32_t group, bool execution, TimeForm form, double time_ms) {
        RawGroup& raw = raw_[group];
        (execution ? raw.executions : raw.creations).add(form, time_ms);
        if (!execution) return;
        if (events_.size() < most_events)
            events_.push_back({group, form, static_cast<float>(time_ms)});
        else
            log_.events_cut = true;
    }

    void count_cache(std::string_view operation) {
        if (operation == "create:cache_hit" || operation == "create:kernel_cache_hit" ||
            operation == "create:persistent_cache_hit")
            ++log_.cache_hits;
        if (operation == "create:cache_miss") ++log_.cache_misses;
    }

    /// Executions and creations of the same primitive are one group: they say the same behind the
    /// operation.
    std::optional<std::uint32_t> group_of(const VerboseLine& parsed) {
        const auto found = groups_.find(parsed.body);
        if (found != groups_.end()) return found->second;
        if (raw_.size() >= most_groups) return std::nullopt;
        const auto number = static_cast<std::uint32_t>(raw_.size());
        groups_.emplace(parsed.body, number);
        raw_.emplace_back();
        VerboseGroup group;
        group.record = {std::string(parsed.engine),         std::string(parsed.kind),
                        std::string(parsed.implementation), std::string(parsed.propagation),
                        std::string(parsed.tensors),        std::string(parsed.attributes),
                        std::string(parsed.auxiliary),      std::string(parsed.problem)};
        log_.groups.push_back(std::move(group));
        return number;
    }

    void remember(const VerboseLine& parsed, std::uint32_t group) {
        if (prefixes_.size() >= most_prefixes) return;
        const auto comma = parsed.rest.rfind(',');
        // The problem "144" before a whole number is told from a time by what is around them only.
        const bool digits_before =
            parsed.problem.find_first_not_of("0123456789") == std::string_view::npos;
        if (comma == std::string_view::npos || digits_before) return;
        const std::string key =
            std::string(parsed.operation) + "," + std::string(parsed.rest.substr(0, comma));
        const auto [entry, added] =
            prefixes_.try_emplace(key, Prefix{group, true, parsed.form == TimeForm::comma, {}});
        if (!added) return;
        const std::string_view stored = entry->first;
        entry->second.whole = stored.substr(stored.rfind(',') + 1);
    }

    /// Six digits that count are all that %g prints; with fewer, more may have followed.
    static bool may_be_cut(const VerboseLine& parsed, std::string_view text) {
        if (parsed.form == TimeForm::whole) return true;
        std::size_t digits = 0;
        bool counts = false;
        const std::size_t fields = parsed.form == TimeForm::comma ? 2 : 1;
        std::size_t begin = text.size();
        for (std::size_t i = 0; i < fields; ++i) begin = text.rfind(',', begin - 1);
        for (const char c : text.substr(begin + 1)) {
            if (c == 'e') return true;
            counts = counts || (c >= '1' && c <= '9');
            if (counts && c >= '0' && c <= '9') ++digits;
        }
        return digits < 6;
    }

    void about_library(std::string_view text) {
        for (const std::string_view name : {"oneDNN v", "DNNL v", "MKL-DNN v"}) {
            const auto at = text.find(name);
            if (at == std::string_view::npos) continue;
            std::string_view version = text.substr(at + name.size());
            version = version.substr(0, version.find(' '));
            if (log_.versions.size() < 8 && std::find(log_.versions.begin(), log_.versions.end(),
                                                      version) == log_.versions.end())
                log_.versions.emplace_back(version);
            break;
        }
        if (text.starts_with("cpu,isa:")) log_.isa = text.substr(8);
        if (text.starts_with("Detected ISA is ")) log_.isa = text.substr(16);
        if (!text.starts_with("cpu,runtime:")) return;
        log_.runtime = text.substr(12, text.find(',', 12) - 12);
        const auto threads = text.find("nthr:");
        int count = 0;
        if (threads != std::string_view::npos &&
            std::from_chars(text.data() + threads + 5, text.data() + text.size(), count).ec ==
                std::errc{} &&
            count > 0 && count < 100'000)
            log_.threads = count;
    }

    VerboseLog finish() {
        std::int64_t points = 0, commas = 0;
        for (const RawGroup& raw : raw_) {
            points += raw.executions.count[index(TimeForm::point)];
            commas += raw.executions.count[index(TimeForm::comma)];
        }
        log_.decimal_comma = commas > points;
        const TimeForm wrong = log_.decimal_comma ? TimeForm::point : TimeForm::comma;
        const TimeForm right = log_.decimal_comma ? TimeForm::comma : TimeForm::point;
        distrust_whole_numbers();
        for (std::size_t i = 0; i < raw_.size(); ++i)
            finish_group(raw_[i], log_.groups[i], right, wrong);
        log_.ungrouped = ungrouped_.count[index(right)] + ungrouped_.count[index(TimeForm::whole)] +
                         ungrouped_.count[index(TimeForm::none)];
        log_.ungrouped_ms =
            ungrouped_.sum_ms[index(right)] + ungrouped_.sum_ms[index(TimeForm::whole)];
        log_.timed += log_.ungrouped - ungrouped_.count[index(TimeForm::none)];
        log_.untimed += ungrouped_.count[index(TimeForm::none)];
        log_.exec_ms += log_.ungrouped_ms;
        log_.damaged += ungrouped_.count[index(wrong)];
        log_.events.reserve(events_.size());
        for (const RawEvent& event : events_)
            if (event.form != wrong)
                log_.events.push_back(
                    {event.group, event.form == TimeForm::none ? -1.0F : event.time_ms});
        return std::move(log_);
    }

    /// Where executions of a kind have no times, a whole number at the end of one is the rest of a
    /// damaged problem.
    void distrust_whole_numbers() {
        const auto side = [&](std::size_t i) {
            const VerboseRecord& record = log_.groups[i].record;
            return record.engine + " " + record.kind;
        };
        std::set<std::string> without_times;
        for (std::size_t i = 0; i < raw_.size(); ++i)
            if (raw_[i].executions.count[index(TimeForm::none)] > 0) without_times.insert(side(i));
        std::set<std::size_t> distrusted;
        for (std::size_t i = 0; i < raw_.size() && !without_times.empty(); ++i) {
            std::int64_t& count = raw_[i].executions.count[index(TimeForm::whole)];
            if (count == 0 || !without_times.contains(side(i))) continue;
            log_.damaged += count;
            count = 0;
            raw_[i].executions.sum_ms[index(TimeForm::whole)] = 0;
            distrusted.insert(i);
        }
        if (distrusted.empty()) return;
        std::erase_if(events_, [&](const RawEvent& event) {
            return event.form == TimeForm::whole && distrusted.contains(event.group);
        });
    }

    /// Times with the other decimal sign than the log has are damaged.
    void finish_group(const RawGroup& raw, VerboseGroup& group, TimeForm right, TimeForm wrong) {
        const auto total = [&](const auto& by_form) {
            return by_form[index(right)] + by_form[index(TimeForm::whole)];
        };
        const std::int64_t timed = total(raw.executions.count);
        group.untimed = raw.executions.count[index(TimeForm::none)];
        group.executions = timed + group.untimed;
        group.sum_ms = total(raw.executions.sum_ms);
        group.creations = total(raw.creations.count);
        group.create_ms = total(raw.creations.sum_ms);
        bool first = true;
        for (const TimeForm form : {right, TimeForm::whole}) {
            const std::size_t i = index(form);
            group.longest_create_ms = std::max(group.longest_create_ms, raw.creations.most_ms[i]);
            if (raw.executions.count[i] == 0) continue;
            group.least_ms = first ? raw.executions.least_ms[i]
                                   : std::min(group.least_ms, raw.executions.least_ms[i]);
            first = false;
        }
        group.flops = product_flops(group.record);
        group.reference = is_reference(group.record);
        log_.timed += timed;
        log_.untimed += group.untimed;
        log_.damaged += raw.executions.count[index(wrong)];
        log_.exec_ms += group.sum_ms;
        if (group.record.kind == "reorder") log_.reorder_ms += group.sum_ms;
        if (group.reference) log_.reference_ms += group.sum_ms;
        log_.create_ms += group.create_ms;
        log_.flops += group.flops * static_cast<double>(group.executions);
        if (group.executions > 0 && !is_known_kind(group.record.kind) &&
            (log_.unknown_kinds.size() < 100 || log_.unknown_kinds.contains(group.record.kind)))
            log_.unknown_kinds[group.record.kind] += group.executions;
    }

    VerboseLog log_;
    std::vector<RawGroup> raw_;  ///< parallel to log_.groups
    std::vector<RawEvent> events_;
    ByForm ungrouped_;
    TextMap<std::uint32_t> groups_;
    TextMap<Prefix> prefixes_;
    std::vector<char> plain_;
};

}  // namespace

VerboseLog read_verbose_log(ByteStream& bytes) {
    return Reader().read(bytes);
}

void require_executions(const VerboseLog& log, const std::string& name) {
    if (log.timed + log.untimed > 0) return;
    const std::string found = fmt::format(
        "{} lines: {} creations, {} info, {} graph, {} others, {} damaged, {} not of "
        "oneDNN",
        log.lines, log.creations, log.info, log.graph, log.other, log.damaged, log.noise);
    std::string hint =
        "set ONEDNN_VERBOSE=1 (DNNL_VERBOSE, MKLDNN_VERBOSE in old releases) and "
        "save the program's standard output";
    if (log.graph > 0)
        hint =
            "these are partitions of oneDNN Graph only; primitives are listed with "
            "ONEDNN_VERBOSE=profile_exec";
    else if (log.creations > 0)
        hint = "nothing was executed, or only creations were asked for: set ONEDNN_VERBOSE=1";
    throw bad_input(name, fmt::format("lines 'onednn_verbose,...,exec,...' ({})", hint), found);
}

}  // namespace ridge::import
