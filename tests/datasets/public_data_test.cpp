// The readers on the real files, where they are there: RIDGE_DATA_DIR names the folder.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "ridge/machine.hpp"
#include "validate/datasets/dataset.hpp"

using namespace ridge;
using namespace ridge::validate;

TEST_SUITE("reference") {
    TEST_CASE("every row of every set is read or counted, on a machine that has a file") {
        const char* folder = std::getenv("RIDGE_DATA_DIR");
        if (!folder || !std::filesystem::is_directory(folder)) {
            std::puts("RIDGE-SKIP-ALL: RIDGE_DATA_DIR names no folder");
            return;
        }
        std::set<std::string> machines;
        for (const auto& set : data_sets()) {
            if (!std::filesystem::is_directory(std::string(folder) + "/" + std::string(set.folder)))
                continue;
            std::size_t kept = 0;
            const auto report = read_data_set(set, folder, [&](KernelRow&& row) {
                ++kept;
                machines.insert(row.machine);
                CHECK(row.time_s > 0);
                CHECK(work_bytes(row.work).value() > 0);
            });
            std::size_t skipped = 0;
            for (const auto& [reason, count] : report.skipped) skipped += count;
            CHECK(kept > 0);
            CHECK(kept + skipped == report.rows);
        }
        for (const auto& name : machines) CHECK_NOTHROW((void)load_machine(name));
    }

    // No device beats its own lanes: apart from Winograd and FFT, which convolutions may run, a
    // product's rate stays below the boost clock's peak (a few percent above the sheet's clock).
    TEST_CASE("matrix products in f32 stay below their machine file's peak") {
        const char* folder = std::getenv("RIDGE_DATA_DIR");
        if (!folder || !std::filesystem::is_directory(std::string(folder) + "/deepbench")) {
            std::puts("RIDGE-SKIP-ALL: RIDGE_DATA_DIR holds no deepbench");
            return;
        }
        std::map<std::string, double> peaks;
        (void)read_data_set(data_set("deepbench"), folder, [&](KernelRow&& row) {
            if (row.op != "gemm" || row.work.dtype != DataType::f32 || row.time_s < 1e-3) return;
            if (!peaks.contains(row.machine)) {
                const auto machine = load_machine(row.machine);
                peaks[row.machine] = peak(machine, DataType::f32, machine.cores)->value();
            }
            CHECK_MESSAGE(work_flops(row.work).value() / row.time_s < 1.2 * peaks[row.machine],
                          row.device);
        });
        CHECK(peaks.size() >= 8);
    }
}
