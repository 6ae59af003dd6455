#include "report/writers/gnuplot.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "ridge/error.hpp"
#include "tests/report/fixture.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

/// Sets a variable of the environment for a scope.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        setenv(name, value.c_str(), 1);
    }
    ~ScopedVariable() {
        if (old_)
            setenv(name_, old_->c_str(), 1);
        else
            unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> old_;
};

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("every plot renders in every format, whatever the names in it") {
        for (const auto& kind : plot_kinds()) {
            const Plot plot = kind.build(alexnet_like());
            const std::string svg = render(plot, ImageFormat::svg);
            CHECK(svg.starts_with("<?xml"));
            CHECK(svg.find("</svg>") != std::string::npos);
            CHECK(render(plot, ImageFormat::png).starts_with("\x89PNG"));
            CHECK(render(plot, ImageFormat::pdf).starts_with("%PDF"));
        }
    }

    TEST_CASE("the svg shows the texts of the plot") {
        const std::string roofline = render(roofline_plot(alexnet_like()), ImageFormat::svg);
        for (const std::string text : {"AVX-512 FMA", "DRAM 15", "ridge", "Rows without arithmetic",
                                       "arithmetic intensity (FLOP/B)", "100 G"})
            CHECK_MESSAGE(roofline.find(text) != std::string::npos, text);
        const std::string layers = render(layers_plot(alexnet_like()), ImageFormat::svg);
        CHECK(layers.find("pool'5 \"a,b\" &lt;/script>") != std::string::npos);
        CHECK(layers.find("<b>") == std::string::npos);
    }

    TEST_CASE("a name is data: it cannot end a string or start a command") {
        auto run = example_run({example_row("x'\nset out 'y'\n`date`\"", Pass::forward,
                                            LayerKind::convolution, 0.01, 1e9, 1e7)});
        const std::string script = gnuplot_script(layers_plot(run), ImageFormat::svg);
        CHECK(script.find("\nset out") == std::string::npos);
        CHECK(script.find("'x''?set out ''y''?`date`\"'") != std::string::npos);
        CHECK(render(layers_plot(run), ImageFormat::svg).find("</svg>") != std::string::npos);
    }

    TEST_CASE("G1: numbers keep their decimal point under a locale with a comma") {
        const std::string plain = render(roofline_plot(alexnet_like()), ImageFormat::svg);
        const ScopedVariable locale("LC_ALL", "de_DE.UTF-8");
        CHECK(render(roofline_plot(alexnet_like()), ImageFormat::svg) == plain);
    }

    TEST_CASE("nothing is left behind") {
        TemporaryFolder folder;
        const ScopedVariable temporary("TMPDIR", folder.path());
        const auto before = std::filesystem::current_path();
        std::filesystem::current_path(folder.path());
        (void)render(layers_plot(alexnet_like()), ImageFormat::svg);
        std::filesystem::current_path(before);
        CHECK(std::filesystem::is_empty(folder.path()));
    }

    TEST_CASE("without gnuplot the error names the package and what works without") {
        TemporaryFolder empty;
        const ScopedVariable path("PATH", empty.path());
        CHECK_FALSE(find_gnuplot());
        try {
            (void)render(layers_plot(alexnet_like()), ImageFormat::svg);
            FAIL("render must not succeed");
        } catch (const Error& error) {
            CHECK(error.code() == ExitCode::not_possible);
            const std::string line = error.what();
            CHECK(line.find("gnuplot-nox") != std::string::npos);
            CHECK(line.find("html") != std::string::npos);
            CHECK(line.find('\n') == std::string::npos);
        }
    }

    TEST_CASE("a gnuplot that fails is an error with its own words") {
        TemporaryFolder folder;
        const ScopedVariable path("PATH", folder.path());
        const std::string fake = folder.file("gnuplot");
        {
            std::FILE* file = std::fopen(fake.c_str(), "w");
            std::fputs("#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n", file);
            std::fclose(file);
            std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
        }
        CHECK_THROWS_WITH_AS((void)render(layers_plot(alexnet_like()), ImageFormat::svg),
                             "gnuplot failed: line 3: no such terminal", Error);
    }
}
