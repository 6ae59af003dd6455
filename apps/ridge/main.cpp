// ridge <verb> ...: parses the command line, runs the verb, turns errors into one line on stderr
// and the documented exit code.

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "apps/ridge/commands.hpp"
#include "ridge/cachesim.hpp"

namespace ridge {
namespace {

/// A full disk or a closed file behind `>` is found out only now.
void require_all_written() {
    std::cout.flush();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
        throw job_failed("writing to standard output", "not everything could be written");
}

/// What is wrong with the command line. CLI11 says of a mistyped verb only that one is missing.
Error wrong_command_line(const CLI::App& app, const CLI::ParseError& error) {
    const auto rest = app.remaining(true);
    if (error.get_name() == "RequiredError" && app.get_subcommands().empty() && !rest.empty())
        return bad_input("verb", "one that --help lists", "'" + rest.front() + "'");
    if (error.get_name() == "RequiredError" && !rest.empty())
        return {ExitCode::bad_input, one_line(std::string(error.what()) + ", found '" +
                                              rest.front() + "' (see --help)")};
    return {ExitCode::bad_input, one_line(std::string(error.what()) + " (see --help)")};
}

/// Runs `work` and turns what it throws into one line and an exit code.
template <class Work>
int with_errors_told(Work&& work) {
    try {
        const int code = work();
        require_all_written();
        return code;
    } catch (const Error& e) {
        std::fprintf(stderr, "ridge: %s\n", e.what());
        return static_cast<int>(e.code());
    } catch (const std::system_error& e) {
        std::fprintf(stderr, "ridge: %s\n", one_line(e.what()).c_str());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "ridge: out of memory\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ridge: unexpected error: %s\n", one_line(e.what()).c_str());
    }
    return static_cast<int>(ExitCode::job_failed);
}

}  // namespace
}  // namespace ridge

int main(int argc, char** argv) {
    using namespace ridge;
    CLI::App app{
        "Ridgepoint: how long every layer and pass of a training step takes, what bounds it, and "
        "how far that can be trusted.\n\nExample:\n  ridge report alexnet --batch 8 --output "
        "report.html"};
    keep_freed_memory();
    app.set_version_flag("--version", "ridge " RIDGE_VERSION);
    app.require_subcommand(1);

    app::Verb root(app);
    app::Action action;
    for (auto add :
         {app::add_machine, app::add_network, app::add_collect, app::add_calibrate,
          app::add_explain, app::add_plot, app::add_predict, app::add_report, app::add_runs,
          app::add_simulate, app::add_trace, app::add_validate, app::add_import})
        add(root, action);

    return with_errors_told([&] {
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& e) {  // --help and --version
            return app.exit(e);
        } catch (const CLI::ParseError& e) {
            throw wrong_command_line(app, e);
        }
        return static_cast<int>(action());
    });
}
