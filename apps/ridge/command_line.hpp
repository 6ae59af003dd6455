// What a verb asks of the command line. CLI11 does the parsing, but only command_line.cpp includes
// it: it takes longer to compile than any verb. Names are CLI11's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ridge::app {

/// What is wrong with a value as typed; empty: nothing.
using Check = std::function<std::string(const std::string&)>;

/// A whole number in the range. CLI11 itself takes 99999999999999999999 as the highest number there
/// is and -1 as the highest unsigned one.
[[nodiscard]] Check whole_number(std::int64_t least, std::int64_t most);

/// An option or positional argument of a verb.
class VerbOption {
public:
    explicit VerbOption(CLI::Option& option) : option_(&option) {}

    VerbOption* required();
    VerbOption* check(Check check);
    VerbOption* one_of(const std::vector<std::string>& words);  ///< --help lists them
    VerbOption* excludes(const VerbOption* other);
    VerbOption* capture_default_str();  ///< the variable's value is shown in --help
    VerbOption* default_val(const std::string& text);
    VerbOption* allow_extra_args(bool allowed);
    VerbOption* type_name(const std::string& name);  ///< in --help

private:
    CLI::Option* option_;
};

/// `ridge` itself, a verb, or a verb below a verb. Variables given to options must outlive parsing;
/// verbs and options live as long as what they were added to.
class Verb {
public:
    explicit Verb(CLI::App& app);
    Verb(const Verb&) = delete;
    Verb& operator=(const Verb&) = delete;
    ~Verb();

    Verb* add_subcommand(const std::string& name, const std::string& description);
    Verb* require_subcommand(int count);
    Verb* footer(const std::string& text);         ///< below the options in --help
    Verb* callback(std::function<void()> chosen);  ///< called when the verb was parsed

    /// `names`: "--output,-o", or a word for a positional argument. T: what command_line.cpp lists.
    template <class T>
    VerbOption* add_option(const std::string& names, T& variable, const std::string& description);
    VerbOption* add_flag(const std::string& names, bool& variable, const std::string& description);
    VerbOption* get_option(const std::string& name);  ///< one that was added

private:
    VerbOption* keep(CLI::Option& option);

    CLI::App* app_;
    std::vector<std::unique_ptr<Verb>> verbs_;
    std::vector<std::unique_ptr<VerbOption>> options_;
};

}  // namespace ridge::app
