// The shared logs: real excerpts with expected values that were computed without this reader.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "collectors/import/byte_stream.hpp"
#include "collectors/import/verbose_layer.hpp"
#include "collectors/import/verbose_log.hpp"
#include "collectors/import/verbose_run.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

/// Folder of the logs; empty when the data are not here.
std::string logs_folder() {
    const char* data = std::getenv("RIDGE_DATA_DIR");
    const std::string folder = data ? std::string(data) + "/onednn-verbose" : std::string();
    if (!data || !std::filesystem::exists(folder)) {
        MESSAGE("skipped: RIDGE_DATA_DIR does not lead to the shared logs");
        return {};
    }
    return folder;
}

using Row = std::map<std::string, std::string>;

/// A table with a header, tab-separated.
std::vector<Row> read_table(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::vector<std::string> header;
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        std::vector<std::string> fields(1);
        for (const char c : line)
            if (c == '\t')
                fields.emplace_back();
            else
                fields.back() += c;
        if (header.empty()) {
            header = fields;
            continue;
        }
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i)
            row[header[i]] = i < fields.size() ? fields[i] : "";
    }
    return rows;
}

VerboseLog read_log(const std::string& path) {
    return read_verbose_log(*open_bytes(path));
}

double number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

VerboseRunOptions named(const std::string& name) {
    VerboseRunOptions options;
    options.name = name;
    options.machine = "m";
    return options;
}

VerboseRun run_of(const std::string& name) {
    const std::string path = logs_folder() + "/" + name + ".log";
    return make_run(read_log(path), named(name), path);
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("all shared logs give the expected counts, times and FLOPs") {
        const std::string folder = logs_folder();
        if (folder.empty()) return;
        const auto expected = read_table(folder + "/expected.tsv");
        CHECK(expected.size() >= 29);
        for (const Row& row : expected) {
            INFO(row.at("log"));
            const VerboseLog log = read_log(folder + "/" + row.at("log") + ".log");
            const auto count = [&](const char* key) { return std::stoll(row.at(key)); };
            CHECK(log.lines == count("lines"));
            CHECK(log.timed == count("exec_timed"));
            CHECK(log.untimed == count("exec_untimed"));
            CHECK(log.creations == count("create"));
            CHECK(log.info == count("info"));
            CHECK(log.graph == count("graph"));
            CHECK(log.other == count("other"));
            CHECK(log.noise == count("noise"));
            CHECK(log.damaged == 0);
            CHECK(log.decimal_comma == (row.at("decimal") == "comma"));
            CHECK(log.exec_ms == doctest::Approx(number(row.at("exec_ms"))).epsilon(1e-5));
            CHECK(log.reorder_ms == doctest::Approx(number(row.at("reorder_ms"))).epsilon(1e-5));
            CHECK(log.flops == number(row.at("flops")));
        }
    }

    TEST_CASE("each line of the shared logs gives its fields, its time and its FLOPs") {
        const std::string folder = logs_folder();
        if (folder.empty()) return;
        std::map<std::string, std::vector<Row>> by_log;
        for (Row& row : read_table(folder + "/expected_lines.tsv"))
            by_log[row.at("log")].push_back(row);
        std::size_t checked = 0;
        for (const auto& [name, rows] : by_log) {
            const VerboseLog log = read_log(folder + "/" + name + ".log");
            REQUIRE(log.events.size() == rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                INFO(name << " execution " << i);
                const VerboseGroup& group = log.groups[log.events[i].group];
                const Row& row = rows[i];
                CHECK((group.record.engine.empty() ? "-" : group.record.engine) ==
                      row.at("engine"));
                CHECK(group.record.kind == row.at("kind"));
                CHECK(group.record.implementation == row.at("impl"));
                CHECK(group.record.propagation == row.at("prop"));
                CHECK(group.record.problem == row.at("problem"));
                CHECK(group.flops == number(row.at("useful_flops")));
                if (row.at("ms").empty())
                    CHECK(log.events[i].time_ms < 0);
                else
                    CHECK(log.events[i].time_ms ==
                          doctest::Approx(number(row.at("ms"))).epsilon(1e-6));
                ++checked;
            }
        }
        CHECK(checked == read_table(folder + "/expected_lines.tsv").size());
    }

    TEST_CASE("warm-up, reference kernels, reorders and harness of the shared logs") {
        if (logs_folder().empty()) return;
        // Log 05: three equal convolutions, the first one cold.
        const VerboseRun equal = run_of("05_dnnl_v160_conv_level2");
        REQUIRE(equal.rows.size() == 1);
        CHECK(equal.rows[0].warm_up == 1);
        CHECK(equal.rows[0].row.time.time.value() == doctest::Approx(0.140015e-3));
        REQUIRE(equal.rows[0].row.creation.has_value());
        CHECK(equal.rows[0].row.creation->value() == doctest::Approx(0.573975e-3));
        CHECK(equal.info.environment.library_version == "1.6.0");

        // Log 04: the same pooling by a kernel and by reference code.
        const VerboseRun pools = run_of("04_mkldnn018_vs_dnnl111_pool_bn");
        const auto is_reference = [](const VerboseRow& row) { return row.reference; };
        CHECK(std::count_if(pools.rows.begin(), pools.rows.end(), is_reference) == 3);
        CHECK(pools.rows[1].total_ms / pools.rows[0].total_ms ==
              doctest::Approx(234).epsilon(0.01));

        // Log 25: 47.9 % of the time are reorders; those of the convolutions' tensors are theirs.
        const std::string path = logs_folder() + "/25_mkldnn_v0x_comma_reorders.log";
        const VerboseLog log = read_log(path);
        CHECK(100 * log.reorder_ms / log.exec_ms == doctest::Approx(47.9).epsilon(1e-3));
        const VerboseRun reorders = make_run(log, named("25"), path);
        std::map<std::string, int> parts;
        for (const auto& row : reorders.rows)
            if (row.row.kind == LayerKind::reorder) ++parts[row.row.key.part];
        CHECK(parts["reorder src"] == 2);
        CHECK(parts["reorder diff_dst"] == 1);
        CHECK(parts["reorder wei"] == 1);
        CHECK(parts["reorder wei 2"] == 1);

        // Log 31: benchdnn's own fills.
        const VerboseRun fills = run_of("31_mkldnn_v0x_benchdnn_resnet_conv1");
        CHECK(std::any_of(fills.notes.begin(), fills.notes.end(), [](const std::string& note) {
            return note.starts_with("harness: ") && note.find("50.358 ms") != std::string::npos;
        }));

        // Log 40: an empty tensor keeps its row, without work.
        const VerboseRun empty = run_of("40_dnnl_v140_deconv_bwd_nested_conv");
        CHECK(std::any_of(empty.rows.begin(), empty.rows.end(), [](const VerboseRow& row) {
            return row.row.problem == "eltwise:0x2x4x4x4";
        }));
    }
}

}  // namespace ridge::test
