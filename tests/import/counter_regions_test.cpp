// Counters that PAPI-HL, LIKWID, perf stat and Nsight Compute wrote.
#include <doctest/doctest.h>

#include "collectors/import/counter_regions.hpp"
#include "ridge/error.hpp"

namespace ridge::test {
namespace {

using namespace ridge::import;

const std::string header15 =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
    "Unit\",\"Metric Value\"\n";

std::string metric(const std::string& name, const std::string& unit, const std::string& value) {
    return "\"0\",\"123\",\"app\",\"host\",\"k(int, float)\",\"1\",\"7\",\"(1,1,1)\",\"(1,1,1)\","
           "\"0\",\"8.0\",\"Command line profiler metrics\",\"" +
           name + "\",\"" + unit + "\",\"" + value + "\"\n";
}

std::string reason(const CounterRegion& region, const std::string& name) {
    return region.counters.at(name).reason();
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("Nsight Compute, long form: remarks, names with commas, units, thousands") {
        const CounterFile file = read_nsight_compute(
            "==PROF== Connected to process 123\noutput of the program, \"quoted\n" + header15 +
                metric("dram__bytes_read.sum", "Mbyte", "1,234.50") +
                metric("dram__bytes_write.sum", "Kbyte", "500.00") +
                metric("gpu__time_duration.sum", "us", "91.50") +
                metric("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "10") +
                metric("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "20") +
                metric("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", "30") +
                metric("sm__x", "%", "n/a"),
            "a.csv");
        REQUIRE(file.regions.size() == 1);
        const CounterRegion& kernel = file.regions[0];
        CHECK(kernel.name == "k(int, float)");
        CHECK(kernel.counters.at("dram__bytes_read.sum").value() == 1.2345e9);
        CHECK(kernel.derived.at("dram_bytes").value() == doctest::Approx(1.235e9));
        CHECK(kernel.derived.at("flops").value() == 90);
        CHECK(*kernel.time_s == doctest::Approx(91.5e-6));
        CHECK(kernel.profiled_time);
        CHECK(file.notes[0].find("no efficiency") != std::string::npos);
        CHECK(reason(kernel, "sm__x") == "ncu has no value");
    }

    TEST_CASE("Nsight Compute: operations of tensor units, or that they were not counted (A13)") {
        // 4096 x 4096 x 4096: 2 n^3 operations.
        const auto kernel = [](const std::string& metrics) {
            return read_nsight_compute(header15 + metrics, "a.csv").regions[0];
        };
        for (const std::string name : {"sm__ops_path_tensor_src_fp16_dst_fp32",
                                       "sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp32"}) {
            const auto region =
                kernel(metric(name + ".sum", "", "137,438,953,472.00") +
                       metric(name + "_sparsity_off.sum", "", "137,438,953,472.00") +
                       metric(name + ".sum.per_second", "1/s", "5.00"));
            CHECK(region.derived.at("tensor_flops").value() == 2.0 * 4096 * 4096 * 4096);
        }
        const auto pipe =
            kernel(metric("sm__inst_executed_pipe_tensor.sum", "inst", "33,554,432.00"));
        CHECK(pipe.derived.at("tensor_flops").reason().starts_with("tensor work not counted"));
        CHECK(!pipe.derived.at("flops").available());
    }

    TEST_CASE("Nsight Compute, older long form with 12 columns and a decimal comma") {
        const std::string header =
            "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel "
            "Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric "
            "Unit\",\"Metric Value\"\n";
        const auto line = [](const std::string& name, const std::string& value) {
            return "\"3\",\"1\",\"a\",\"h\",\"k\",\"2019-May-01\",\"1\",\"7\",\"S\",\"" + name +
                   "\",\"byte\",\"" + value + "\"\n";
        };
        const CounterFile file = read_nsight_compute(
            header + line("dram__bytes.sum", "1.234,50") + line("x", "9,00") + line("y", "1,234"),
            "a.csv");
        CHECK(file.regions[0].counters.at("dram__bytes.sum").value() == 1234.5);
        CHECK(file.regions[0].counters.at("y").value() == 1.234);
    }

    TEST_CASE("Nsight Compute: numbers that can be read in two ways are asked for") {
        const std::string text = header15 + metric("dram__bytes.sum", "byte", "1,234");
        try {
            (void)read_nsight_compute(text, "a.csv");
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find("--locale") != std::string::npos);
        }
        CHECK(read_nsight_compute(text, "a.csv", NumberLocale::point)
                  .regions[0]
                  .counters.at("dram__bytes.sum")
                  .value() == 1234);
        CHECK(read_nsight_compute(text, "a.csv", NumberLocale::comma)
                  .regions[0]
                  .counters.at("dram__bytes.sum")
                  .value() == 1.234);
    }

    TEST_CASE("Nsight Compute, wide form: units behind the header, one kernel per line") {
        const CounterFile file = read_nsight_compute(
            "==WARNING== x\n\"ID\",\"Kernel Name\",\"Stream\",\"dram__bytes.sum\",\"gpu__time_"
            "duration.sum\"\n\"\",\"\",\"\",\"Gbyte\",\"ms\"\n"
            "\"0\",\"void f<float, 4>(a)\",\"7\",\"1.5\",\"2.5\"\n"
            "\"1\",\"g\",\"7\",\"nan\",\"1.25\"\n\"2\",\"cut\"\n",
            "a.csv");
        REQUIRE(file.regions.size() == 2);
        CHECK(file.regions[0].name == "void f<float, 4>(a)");
        CHECK(file.regions[0].derived.at("dram_bytes").value() == 1.5e9);
        CHECK(*file.regions[1].time_s == 1.25e-3);
        CHECK(!file.regions[1].derived.at("dram_bytes").available());
        CHECK(file.damaged == 1);
    }

    TEST_CASE("perf stat: multiplexing, events that were not counted, uncore bytes, sockets") {
        const CounterFile file = read_perf_stat(
            "# started on Thu\n\n"
            "1000,,cycles,5000,100.00,,\n3000,,instructions,5000,100.00,3.00,insn per cycle\n"
            "10,,fp_arith_inst_retired.scalar_single:FP_ARITH.SCALAR_SINGLE,5,100.00,,\n"
            "20,,FP_ARITH.128B_PACKED_SINGLE,5,100.00,,\n30,,FP_ARITH.256B_PACKED_SINGLE,5,100.00,,"
            "\n40,,FP_ARITH.512B_PACKED_SINGLE,5,100.00,,\n"
            "4000,,cache-misses,10,12.50,,\n<not counted>,,LLC-loads,0,0.00,,\n"
            "<not supported>,,branches,0,100.00,,\n"
            "1.50,MiB,uncore_imc/cas_count_read/,1,100.00,,\n0.50,MiB,uncore_imc/cas_count_write/"
            ",1,"
            "100.00,,\nrubbish\n",
            "perf.csv");
        REQUIRE(file.regions.size() == 1);
        const CounterRegion& all = file.regions[0];
        CHECK(all.derived.at("instructions_per_cycle").value() == 3);
        CHECK(all.derived.at("flops").value() == 10 + 80 + 240 + 640);
        CHECK(all.derived.at("dram_bytes").value() == 2 * 1048576.0);
        CHECK(reason(all, "cache-misses").find("12.5 %") != std::string::npos);
        CHECK(reason(all, "LLC-loads").starts_with("not counted"));
        CHECK(reason(all, "branches").starts_with("not supported"));
        CHECK(file.damaged == 1);
        const CounterFile sockets = read_perf_stat(
            "S0;8;100;;cycles;5;100.00;;\nS1;8;200;;cycles;5;100.00;;\n", "perf.csv");
        REQUIRE(sockets.regions.size() == 2);
        CHECK(sockets.regions[1].where == "S1 8");
        CHECK(sockets.regions[1].counters.at("cycles").value() == 200);
        CHECK_THROWS_AS((void)read_perf_stat("nothing\n", "x"), Error);
    }

    TEST_CASE("PAPI-HL: numbers are texts, instantaneous events are objects, nonsense is refused") {
        const CounterFile file = read_papi_hl(
            R"({"papi_version":"7.0","event_definitions":{},"threads":{"0":{"regions":{
               "0":{"name":"conv1","parent_region_id":"-1","cycles":"100","real_time_nsec":"2500",
                    "PAPI_TOT_CYC":"3444794","PAPI_TOT_INS":"3200020432","PAPI_SP_OPS":"970",
                    "temperature":{"region_value":"42","read_1":"41"},"PAPI_L1_DCM":"-5"},
               "1":{"name":"pool1","real_time_nsec":"1000"}}}}})",
            "rank_000000.json");
        REQUIRE(file.regions.size() == 2);
        const CounterRegion& conv = file.regions[0];
        CHECK(conv.name == "conv1");
        CHECK(*conv.time_s == doctest::Approx(2.5e-6));
        CHECK(conv.derived.at("flops").value() == 970);
        CHECK(conv.derived.at("instructions_per_cycle").reason().find("928.9") !=
              std::string::npos);
        CHECK(conv.counters.at("temperature").value() == 42);
        CHECK(reason(conv, "PAPI_L1_DCM").find("negative") != std::string::npos);
        const CounterFile older = read_papi_hl(
            R"({"threads":[{"id":"7","regions":[{"solve":{"region_count":"3","cycles":"9"}}]}]})",
            "x");
        CHECK(older.regions[0].name == "solve");
        CHECK(older.regions[0].where == "thread 7");
        CHECK(older.regions[0].calls == 3);
        CHECK_THROWS_AS((void)read_papi_hl("{}", "x"), Error);
        CHECK_THROWS_AS((void)read_papi_hl("{\"threads\":", "x"), Error);
    }

    TEST_CASE(
        "LIKWID: one column per thread, metrics with units, statistics are not counted twice") {
        const CounterFile file = read_likwid(
            "STRUCT,Info,3,,\nCPU name:,x,,,\n"
            "TABLE,Region solve,Group 1 Raw,MEM_SP,3,\nRegion Info,HWThread 0,HWThread 1,\n"
            "RDTSC Runtime [s],0.5,0.25,\ncall count,2,2,\n"
            "Event,Counter,HWThread 0,HWThread 1,\n"
            "CAS_COUNT_RD,MBOX0C0,1000000,-,\nCAS_COUNT_WR,MBOX0C1,250000,-,\n"
            "INSTR_RETIRED_ANY,FIXC0,18800000000000000000,10,\n"
            "TABLE,Region solve,Group 1 Raw Stat,MEM_SP STAT,1,\nEvent,Counter,Sum,Min\n"
            "CAS_COUNT_RD STAT,MBOX0C0,9,9\n"
            "TABLE,Region solve,Group 1 Metric,MEM_SP,1,\nMetric,HWThread 0,HWThread 1,\n"
            "Energy [J],3,4\n",
            "likwid.csv");
        REQUIRE(file.regions.size() == 2);
        CHECK(file.regions[0].name == "solve");
        CHECK(file.regions[0].where == "HWThread 0");
        CHECK(*file.regions[1].time_s == 0.25);
        CHECK(file.regions[0].derived.at("dram_bytes").value() == 80'000'000);
        CHECK(!file.regions[1].derived.at("dram_bytes").available());
        CHECK(reason(file.regions[0], "INSTR_RETIRED_ANY").starts_with("invalid"));
        CHECK(file.regions[1].counters.at("Energy [J]").value() == 4);
        const CounterFile json = read_likwid(
            R"({"Region solve":{"Raw":{"CAS_COUNT_RD":{"HWThread 0":100},
                "CAS_COUNT_WR":{"HWThread 0":28}}}})",
            "likwid.json");
        CHECK(json.format == "LIKWID JSON");
        CHECK(json.regions[0].derived.at("dram_bytes").value() == 8192);
        CHECK_THROWS_AS((void)read_likwid("nothing", "x"), Error);
    }

    TEST_CASE("CSV fields, RFC 4180") {
        CHECK(csv_fields("a,\"b\"\"c,d\",") == std::vector<std::string>{"a", "b\"c,d", ""});
    }
}

}  // namespace ridge::test
