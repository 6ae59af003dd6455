// The words of the simulator's enumerations, as machine files, options and JSON spell them.
#include <array>
#include <utility>

#include "ridge/cachesim.hpp"

namespace ridge {
namespace {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
    for (const auto& [one, word] : words)
        if (one == value) return word;
    return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view text) {
    for (const auto& [one, word] : words)
        if (word == text) return one;
    return std::nullopt;
}

constexpr Words<TrafficMethod, 4> method_words{{{TrafficMethod::exact, "exact"},
                                                {TrafficMethod::sampled, "sampled"},
                                                {TrafficMethod::periodic, "periodic"},
                                                {TrafficMethod::analytic, "analytic"}}};
constexpr Words<Inclusion, 3> inclusion_words{{{Inclusion::non_inclusive, "non_inclusive"},
                                               {Inclusion::inclusive, "inclusive"},
                                               {Inclusion::exclusive, "exclusive"}}};
constexpr Words<WritePolicy, 3> write_words{{{WritePolicy::write_back, "write_back"},
                                             {WritePolicy::write_through, "write_through"},
                                             {WritePolicy::untracked, "untracked"}}};
constexpr Words<Prefetcher, 3> prefetcher_words{{{Prefetcher::none, "none"},
                                                 {Prefetcher::next_line, "next_line"},
                                                 {Prefetcher::stream, "stream"}}};

}  // namespace

std::string_view to_string(TrafficMethod method) {
    return word_of(method_words, method);
}
std::string_view to_string(Inclusion inclusion) {
    return word_of(inclusion_words, inclusion);
}
std::string_view to_string(WritePolicy policy) {
    return word_of(write_words, policy);
}
std::string_view to_string(Prefetcher prefetcher) {
    return word_of(prefetcher_words, prefetcher);
}

std::optional<TrafficMethod> traffic_method_from_string(std::string_view word) {
    return value_of(method_words, word);
}
std::optional<Inclusion> inclusion_from_string(std::string_view word) {
    return value_of(inclusion_words, word);
}
std::optional<WritePolicy> write_policy_from_string(std::string_view word) {
    return value_of(write_words, word);
}
std::optional<Prefetcher> prefetcher_from_string(std::string_view word) {
    return value_of(prefetcher_words, word);
}

}  // namespace ridge
