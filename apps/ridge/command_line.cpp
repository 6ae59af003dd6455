#include "apps/ridge/command_line.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>
#include <utility>

namespace ridge::app {

Check whole_number(std::int64_t least, std::int64_t most) {
    return [least, most](const std::string& text) -> std::string {
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && rest == end && value >= least && value <= most) return {};
        return "expected a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", found '" + text + "'";
    };
}

VerbOption* VerbOption::required() {
    option_->required();
    return this;
}

VerbOption* VerbOption::check(Check check) {
    option_->check(std::move(check));
    return this;
}

VerbOption* VerbOption::one_of(const std::vector<std::string>& words) {
    option_->check(CLI::IsMember(words));
    return this;
}

VerbOption* VerbOption::excludes(const VerbOption* other) {
    option_->excludes(other->option_);
    return this;
}

VerbOption* VerbOption::capture_default_str() {
    option_->capture_default_str();
    return this;
}

VerbOption* VerbOption::default_val(const std::string& text) {
    option_->default_val(text);
    return this;
}

VerbOption* VerbOption::allow_extra_args(bool allowed) {
    option_->allow_extra_args(allowed);
    return this;
}

VerbOption* VerbOption::type_name(const std::string& name) {
    option_->type_name(name);
    return this;
}

Verb::Verb(CLI::App& app) : app_(&app) {}
Verb::~Verb() = default;

Verb* Verb::add_subcommand(const std::string& name, const std::string& description) {
    verbs_.push_back(std::make_unique<Verb>(*app_->add_subcommand(name, description)));
    return verbs_.back().get();
}

Verb* Verb::require_subcommand(int count) {
    app_->require_subcommand(count);
    return this;
}

Verb* Verb::footer(const std::string& text) {
    app_->footer(text);
    return this;
}

Verb* Verb::callback(std::function<void()> chosen) {
    app_->callback(std::move(chosen));
    return this;
}

VerbOption* Verb::keep(CLI::Option& option) {
    options_.push_back(std::make_unique<VerbOption>(option));
    return options_.back().get();
}

template <class T>
VerbOption* Verb::add_option(const std::string& names, T& variable,
                             const std::string& description) {
    return keep(*app_->add_option(names, variable, description));
}

VerbOption* Verb::add_flag(const std::string& names, bool& variable,
                           const std::string& description) {
    return keep(*app_->add_flag(names, variable, description));
}

VerbOption* Verb::get_option(const std::string& name) {
    return keep(*app_->get_option(name));
}

#define RIDGE_OPTION_TYPE(...) \
    template VerbOption* Verb::add_option(const std::string&, __VA_ARGS__&, const std::string&);
RIDGE_OPTION_TYPE(std::string)
RIDGE_OPTION_TYPE(int)
RIDGE_OPTION_TYPE(std::int64_t)
RIDGE_OPTION_TYPE(std::uint64_t)
RIDGE_OPTION_TYPE(double)
RIDGE_OPTION_TYPE(std::optional<int>)
RIDGE_OPTION_TYPE(std::optional<std::int64_t>)
RIDGE_OPTION_TYPE(std::optional<std::uint64_t>)
RIDGE_OPTION_TYPE(std::optional<double>)
RIDGE_OPTION_TYPE(std::optional<std::string>)
RIDGE_OPTION_TYPE(std::vector<std::string>)
#undef RIDGE_OPTION_TYPE

}  // namespace ridge::app
