// ridge <verb> ...: parses the command line, runs the verb, turns errors into one line on stderr
// and the documented exit code.

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "apps/ridge/commands.hpp"

int main(int argc, char** argv) {
    using namespace ridge;
    CLI::App app{
        "Ridgepoint: how long every layer and pass of a training step takes, what bounds it, and "
        "how far that can be trusted.\n\nExample:\n  ridge report alexnet --batch 8 --output "
        "report.html"};
    app.set_version_flag("--version", "ridge " RIDGE_VERSION);
    app.require_subcommand(1);

    app::Action action;
    for (auto add : {app::add_machine, app::add_network, app::add_collect, app::add_explain,
                     app::add_plot, app::add_report, app::add_runs, app::add_simulate})
        add(app, action);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& e) {
        return app.exit(e);
    } catch (const CLI::CallForAllHelp& e) {
        return app.exit(e);
    } catch (const CLI::CallForVersion& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        std::fprintf(stderr, "ridge: %s (see --help)\n", e.what());
        return static_cast<int>(ExitCode::bad_input);
    }

    try {
        const ExitCode code = action();
        // A full disk or a closed file behind `>` is found out only now.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw job_failed("writing to standard output", "not everything could be written");
        return static_cast<int>(code);
    } catch (const Error& e) {
        std::fprintf(stderr, "ridge: %s\n", e.what());
        return static_cast<int>(e.code());
    } catch (const std::system_error& e) {
        std::fprintf(stderr, "ridge: %s\n", e.what());
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "ridge: out of memory\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ridge: unexpected error: %s\n", e.what());
    }
    return static_cast<int>(ExitCode::job_failed);
}
