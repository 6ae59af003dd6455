// Lines of ONEDNN_VERBOSE: dialects, times, damage.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "collectors/import/verbose_layer.hpp"
#include "collectors/import/verbose_line.hpp"
#include "collectors/import/verbose_log.hpp"
#include "tests/import/verbose_examples.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;
using namespace std::string_literals;

VerboseRecord record_of(const VerboseLine& line) {
    return {std::string(line.engine),         std::string(line.kind),
            std::string(line.implementation), std::string(line.propagation),
            std::string(line.tensors),        std::string(line.attributes),
            std::string(line.auxiliary),      std::string(line.problem)};
}

VerboseLog read_text(const std::string& text) {
    const auto bytes = bytes_in_memory({text.data(), text.size()}, "log");
    return read_verbose_log(*bytes);
}

const std::string conv =
    "onednn_verbose,primitive,exec,cpu,convolution,jit:avx2,forward_training,"
    "src_f32::blocked:abcd::f0 wei_f32::blocked:abcd::f0 bia_undef::undef::: "
    "dst_f32::blocked:abcd::f0,,alg:convolution_direct,"
    "mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2,";

/// What the line says at its end, read without the reader: the number behind the last comma, or
/// behind the last but one with that comma as decimal sign.
double spelled_time(std::string_view line, TimeForm form) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\0' ||
                             line.back() == '\t'))
        line.remove_suffix(1);
    auto comma = line.rfind(',');
    std::string number(line.substr(comma + 1));
    if (form == TimeForm::comma) {
        comma = line.rfind(',', comma - 1);
        number = line.substr(comma + 1);
        number[number.find(',')] = '.';
    }
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    return end == number.c_str() + number.size() ? value : -1;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("every dialect gives its fields, its time and its work") {
        for (const auto& example : verbose_examples()) {
            INFO(example.line);
            const VerboseLine line = parse_verbose_line(example.line);
            CHECK(line.what == VerboseClass::exec);
            CHECK(line.engine == example.engine);
            CHECK(line.kind == example.kind);
            CHECK(line.implementation == example.implementation);
            CHECK(line.propagation == example.propagation);
            CHECK(line.problem == example.problem);
            CHECK((line.form == TimeForm::none) == (example.time_ms < 0));
            if (example.time_ms >= 0) CHECK(line.time_ms == example.time_ms);
            CHECK(product_flops(record_of(line)) == example.flops);
        }
    }

    TEST_CASE("a time is what %g prints, and nothing else") {
        for (const char* text : {"0", "0.5", "12", "999999", "1e+06", "1.68132e+06", "9.76562e-05",
                                 "0.000976562", "0.0001", "123456", "1.5"}) {
            INFO(text);
            REQUIRE(parse_printed_time(text).has_value());
            CHECK(*parse_printed_time(text) == std::strtod(text, nullptr));
            char printed[32];
            std::snprintf(printed, sizeof printed, "%g", *parse_printed_time(text));
            CHECK(std::string(printed) == text);
        }
        for (const char* text :
             {"",        ".",        "5.",   ".5",        "00.5", "01",  "0.50", "0.00001",
              "1234567", "1.234567", "-1",   "+1",        "nan",  "inf", "1e6",  "10e+06",
              "0e+00",   "1e+999",   "0x10", "1x3x13x13", "1 ",   " 1",  "9e+99"})
            CHECK_MESSAGE(!parse_printed_time(text).has_value(), text);
    }

    TEST_CASE("random times survive printing and reading, with either decimal sign") {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> exponent(-6, 7);
        for (int i = 0; i < 20000; ++i) {
            const double value = std::pow(10.0, exponent(random));
            char text[32];
            std::snprintf(text, sizeof text, "%g", value);
            INFO(text);
            REQUIRE(parse_printed_time(text).has_value());
            CHECK(*parse_printed_time(text) == std::strtod(text, nullptr));
            std::string with_comma = text;
            const auto point = with_comma.find('.');
            if (point != std::string::npos) with_comma[point] = ',';
            const std::string text_of_line = conv + with_comma;  // the fields point into it
            const VerboseLine line = parse_verbose_line(text_of_line);
            CHECK(line.what == VerboseClass::exec);
            CHECK(line.time_ms == std::strtod(text, nullptr));
            CHECK(line.problem == "mb2_ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2");
        }
    }

    TEST_CASE("what is not an execution is told apart") {
        const auto what = [](const char* text) { return parse_verbose_line(text).what; };
        CHECK(what("[ RUN      ] test") == VerboseClass::noise);
        CHECK(what("") == VerboseClass::noise);
        CHECK(what("onednn_verbose") == VerboseClass::noise);
        CHECK(what("onednn_verbose,") == VerboseClass::other);
        CHECK(what("some_verbose,exec,cpu") == VerboseClass::noise);
        CHECK(what("onednn_verbose,v1,info,gpu,gemm,consider:8x16,8x4x1,score:1.5") ==
              VerboseClass::info);
        CHECK(what("onednn_verbose,v0,primitive,info,template:timestamp,operation") ==
              VerboseClass::info);
        CHECK(what("onednn_verbose,v1,primitive,exec:check,primitive,unused,src/a.cpp:77") ==
              VerboseClass::other);
        CHECK(what("onednn_verbose,primitive,error,cpu,out of memory") == VerboseClass::other);
        CHECK(what("onednn_verbose,v1,graph,exec,gpu,_gen_index(_gen_index),18446744073709551615,"
                   "attrs:{axis:2},inputs:{f32:102},outputs:{s32:1},0.193115") ==
              VerboseClass::graph);
        CHECK(
            what("onednn_verbose,v1,primitive,exec,gpu,100002,sdp,a;b,,in0_f16:0:s:u:1,fpm:strict,"
                 "k,dnnl_backend,0.0309") == VerboseClass::graph);
        CHECK(what("onednn_verbose,exec,cpu,convolution") == VerboseClass::damaged);
        CHECK(what("onednn_verbose,exec") == VerboseClass::damaged);
    }

    TEST_CASE("text before the marker, line ends, colours, NUL and UTF-16 do not matter") {
        const std::string plain = conv + "0.5";
        std::string wide = "\xff\xfe";
        for (const char c : plain + "\r\n") wide += {c, '\0'};
        for (const std::string& text :
             {plain + "\n", plain + "\r\n", "epoch 3: " + plain + "  \n",
              "\x1b[32m" + plain + "\x1b[0m\n", "progress 10 %\r" + plain + "\n", wide}) {
            const VerboseLog log = read_text(text);
            CHECK(log.timed == 1);
            CHECK(log.exec_ms == 0.5);
            CHECK(log.damaged == 0);
        }
    }

    TEST_CASE("of two records in one line the last counts and the first is told lost") {
        const VerboseLog log = read_text(conv.substr(0, 90) + conv + "0.5\n3sw1dw0pw0,0.7\n");
        CHECK(log.timed == 1);
        CHECK(log.exec_ms == 0.5);
        CHECK(log.lost == 1);
        CHECK(log.noise == 1);
        const VerboseLog both = read_text(conv + "0.25" + conv + "0.5\n");
        CHECK(both.exec_ms == 0.5);
        CHECK(both.lost == 1);
    }

    TEST_CASE("the decimal sign is decided for the whole log") {
        const VerboseLog comma = read_text(conv + "8,9651\n" + conv + "7,556\n" + conv + "9\n");
        CHECK(comma.decimal_comma);
        CHECK(comma.timed == 3);
        CHECK(comma.exec_ms == doctest::Approx(8.9651 + 7.556 + 9));
        CHECK(comma.groups.size() == 1);
        // One line with the other sign is damaged, not a time a thousand times too long.
        const VerboseLog mixed = read_text(conv + "8.5\n" + conv + "7.25\n" + conv + "7,556\n");
        CHECK(!mixed.decimal_comma);
        CHECK(mixed.exec_ms == 15.75);
        CHECK(mixed.damaged == 1);
        const VerboseLog reverse = read_text(conv + "8,5\n" + conv + "7,25\n" + conv + "7.556\n");
        CHECK(reverse.decimal_comma);
        CHECK(reverse.exec_ms == 15.75);
        CHECK(reverse.damaged == 1);
    }

    TEST_CASE("a log that ends within a number does not use it") {
        CHECK(read_text(conv + "0.5\n" + conv + "0.12").exec_ms == 0.5);
        CHECK(read_text(conv + "0.5\n" + conv + "0.12").last_time_cut);
        CHECK(read_text(conv + "0.5\n" + conv + "0.12").untimed == 1);
        // Six digits that count are all there can be.
        CHECK(read_text(conv + "0.5\n" + conv + "0.123456").exec_ms == 0.623456);
    }

    TEST_CASE("very long lines and binary rubbish are noise") {
        std::string text(300'000, 'x');
        text += "\n" + conv + "0.5\n" + std::string("\xff\xfe\0\1\x1b[", 6) + "\n";
        const VerboseLog log = read_text(text);
        CHECK(log.timed == 1);
        CHECK(log.noise == 2);
        CHECK(log.lines == 3);
    }

    TEST_CASE("a log mutated at 100000 places never crashes and never invents a time") {
        const std::string original = verbose_log_text();
        std::vector<std::string_view> lines;
        for (std::string_view rest = original; !rest.empty();) {
            const auto end = rest.find('\n');
            lines.push_back(rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        std::mt19937_64 random(20261203);
        const std::string bytes = ",.:_ 0123456789ex\n\r\0-+#*abn"s;
        int changed_times = 0;
        for (int round = 0; round < 100'000; ++round) {
            const std::size_t which = random() % lines.size();
            std::string text(lines[which]);
            const VerboseLine before = parse_verbose_line(lines[which]);
            const std::size_t at = random() % text.size();
            const char byte =
                random() % 4 == 0 ? static_cast<char>(random()) : bytes[random() % bytes.size()];
            switch (random() % 4) {
                case 0:
                    text[at] = byte;
                    break;
                case 1:
                    text.insert(at, 1, byte);
                    break;
                case 2:
                    text.erase(at, 1 + random() % 3);
                    break;
                default:
                    text = text.substr(at) + text.substr(0, at);  // parts in the wrong order
            }
            const VerboseLine after = parse_verbose_line(text);
            if (after.form == TimeForm::none) continue;
            if (after.what == VerboseClass::exec && after.time_ms == before.time_ms &&
                before.form != TimeForm::none)
                continue;
            // Another time than before: then the damaged line itself spells it.
            std::vector<char> buffer;
            const std::string_view plain = without_decoration(text, buffer);
            const auto line_end = std::string_view(text).find('\n');
            if (line_end != std::string_view::npos) continue;  // two lines for the log reader
            INFO(text);
            if (before.form == TimeForm::none && before.what == VerboseClass::exec) {
                // The whole log knows that such lines have no time.
                const VerboseLog log = read_text(std::string(lines[which]) + "\n" + text + "\n");
                REQUIRE(log.timed == 0);
                continue;
            }
            ++changed_times;
            REQUIRE(before.form != TimeForm::none);
            REQUIRE(spelled_time(plain, after.form) == after.time_ms);
        }
        CHECK(changed_times < 10'000);
    }

    TEST_CASE("the quick path of the log reader says what the line reader says, mutated or not") {
        std::mt19937_64 random(5);
        const std::string original = verbose_log_text() + verbose_log_text();
        for (int round = 0; round < 3000; ++round) {
            std::string text = original;
            for (int n = static_cast<int>(random() % 4); n >= 0; --n)
                text[random() % text.size()] = ",.0159\n x:"[random() % 10];
            if (text.back() != '\n') text += '\n';
            double point_ms = 0, comma_ms = 0;
            std::int64_t points = 0, commas = 0, untimed = 0, lines = 0;
            // Whole numbers of kinds that also run without a time are not trusted.
            std::map<std::string, std::vector<double>> wholes;
            std::set<std::string> without_time;
            for (std::string_view rest = text; !rest.empty();) {
                const auto end = rest.find('\n');
                const VerboseLine line = parse_verbose_line(rest.substr(0, end));
                rest.remove_prefix(end + 1);
                ++lines;
                if (line.what != VerboseClass::exec) continue;
                const std::string side = std::string(line.engine) + " " + std::string(line.kind);
                switch (line.form) {
                    case TimeForm::none:
                        ++untimed;
                        without_time.insert(side);
                        break;
                    case TimeForm::point:
                        ++points, point_ms += line.time_ms;
                        break;
                    case TimeForm::comma:
                        ++commas, comma_ms += line.time_ms;
                        break;
                    case TimeForm::whole:
                        wholes[side].push_back(line.time_ms);
                        break;
                }
            }
            const VerboseLog log = read_text(text);
            REQUIRE(log.lines == lines);
            REQUIRE(log.lines == log.timed + log.untimed + log.creations + log.info + log.graph +
                                     log.other + log.noise + log.damaged);
            REQUIRE(log.untimed == untimed);
            std::int64_t timed = std::max(points, commas);
            double sum_ms = commas > points ? comma_ms : point_ms;
            for (const auto& [side, times] : wholes)
                for (const double time : times)
                    if (!without_time.contains(side)) ++timed, sum_ms += time;
            REQUIRE(log.timed == timed);
            REQUIRE(log.exec_ms == doctest::Approx(sum_ms));
        }
    }
}

}  // namespace ridge::test
