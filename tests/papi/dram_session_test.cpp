// Sessions on made-up machines that read the memory controllers: which of them, how often, and when
// their counts are refused.
#include <doctest/doctest.h>

#include <array>
#include <cerrno>

#include "tests/papi/session_machine.hpp"

using namespace ridge;
using namespace ridge::test;

TEST_SUITE("behaviour") {
    TEST_CASE("a socket is read once, by its own reader, and not once per core (C15)") {
        const EventTable table = shipped("Skylake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
        for (int id = 1; id < 64; ++id) machine->threads.push_back(id + 100);
        options.idle = [&](double s) { machine->pass_time(s); };
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->pass_time(1e-3);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x03/", 100);
        });
        CHECK(counts.at("dram_read_bytes").value() == 6400);
    }

    TEST_CASE("eight channels with four counters: two passes whose counts add up (C15)") {
        const EventTable table = shipped("Zen 3");
        CounterOptions options;
        const auto machine = complete(table, options, {{"amd_df", {0}}});
        machine->counters = 4;
        CounterSession session(table, machine, options);
        int executions = 0;
        const auto counts = session.count([&] {
            ++executions;
            machine->pass_time(1e-3);
            for (const char* event : {"0x7", "0x47", "0x87", "0xc7"})
                machine->happen(0, std::string("amd_df/event=") + event + ",umask=0x38/", 10);
            for (const char* event : {"0x107", "0x147", "0x187", "0x1c7"})
                machine->happen(0, std::string("amd_df/event=") + event + ",umask=0x38/", 12);
        });
        CHECK(counts.at("dram_bytes").value() == 88 * 64);
        CHECK(executions >= 2);
    }

    TEST_CASE(
        "Granite Rapids: both schedulers of all twelve channels, total = read + written (B13)") {
        const EventTable table = shipped("Granite Rapids");
        CounterOptions options;
        std::map<std::string, std::vector<int>> devices;
        for (int i = 0; i < 12; ++i) devices["uncore_imc_" + std::to_string(i)] = {0, 120};
        const auto machine = complete(table, options, devices);
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->pass_time(1e-3);
            for (const auto& [device, cpus] : devices)
                for (const int cpu : cpus) {
                    for (const char* read : {"event=0x05,umask=0xcf", "event=0x06,umask=0xcf"})
                        machine->happen(cpu, device + "/" + read + "/", 100);
                    for (const char* write : {"event=0x05,umask=0xf0", "event=0x06,umask=0xf0"})
                        machine->happen(cpu, device + "/" + write + "/", 25);
                }
        });
        const double read = 12 * 2 * 2 * 100 * 64, written = 12 * 2 * 2 * 25 * 64;
        CHECK(counts.at("dram_read_bytes").value() == read);
        CHECK(counts.at("dram_written_bytes").value() == written);
        CHECK(counts.at("dram_bytes").value() == read + written);
    }

    TEST_CASE("a million reads and 250,000 writes are 80 MB; in 10 ms 8 GB/s") {
        const EventTable table = shipped("Ice Lake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->pass_time(10e-3);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x0f/", 1e6);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x30/", 25e4);
        });
        CHECK(counts.at("dram_bytes").value() == 80e6);
        CHECK(counts.at("dram_bytes").value() / 10e-3 == doctest::Approx(8e9));
    }

    TEST_CASE("what the machine moves anyway is subtracted; more than half of it is refused") {
        const EventTable table = shipped("Ice Lake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
        double others_per_s = 1e7;
        const auto pass = [&](double seconds) {
            machine->pass_time(seconds);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x0f/", others_per_s * seconds);
        };
        options.idle = pass;
        CounterSession session(table, machine, options);
        const auto work = [&] {
            pass(10e-3);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x0f/", 1e6);
        };
        CHECK(session.count(work).at("dram_read_bytes").value() == doctest::Approx(64e6));
        others_per_s = 2e8;
        CHECK(has(session.count(work).at("dram_read_bytes").reason(), "67 % of the traffic"));
    }

    TEST_CASE("DRAM counters that read 0 or three times are absent with the reason (B5)") {
        for (const auto& [factor, word] : {std::pair{0.0, "dead counter"}, {3.0, "unreliable"}}) {
            const EventTable table = shipped("Ice Lake-SP");
            CounterOptions options;
            const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
            CounterSession session(table, machine, options);
            const std::array work{
                KnownWork{"a stream", "dram_read_bytes", 64e6, 1, false, [&, f = factor] {
                              machine->pass_time(10e-3);
                              machine->happen(0, "uncore_imc_0/event=0x04,umask=0x0f/", f * 1e6);
                          }}};
            session.calibrate(work);
            CHECK(has(entry(session, "dram_read_bytes").reason, word));
            CHECK(has(entry(session, "dram_bytes").reason, word));
            CHECK(!session.count([] {}).at("dram_bytes").available());
        }
    }

    TEST_CASE("no access to memory controllers: a labelled lower bound remains (B6)") {
        const EventTable table = shipped("Ice Lake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
        options.facts.paranoid = 2;
        for (const std::string& event : machine->known)
            if (event.find('/') != std::string::npos) machine->refused[event] = EACCES;
        CounterSession session(table, machine, options);
        CHECK(has(entry(session, "dram_read_bytes").reason, "perf_event_paranoid is 2"));
        CHECK(has(entry(session, "dram_read_bytes_lower_bound").note, "lower bound"));
        CHECK(session.unavailable().empty());
        const auto counts = session.count([&] {
            machine->happen(1, "icx::UNHALTED_CORE_CYCLES", 1e6);
            machine->happen(1, "icx::LONGEST_LAT_CACHE:MISS", 1000);
        });
        CHECK(counts.at("dram_read_bytes_lower_bound").value() == 64'000);
        CHECK(!counts.at("dram_bytes").available());
    }

    TEST_CASE("traffic beyond four times the peak is refused (B7)") {
        const EventTable table = shipped("Ice Lake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {{"uncore_imc_0", {0}}});
        options.peak_bytes_per_s = 2e11;
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->pass_time(1e-3);
            machine->happen(0, "uncore_imc_0/event=0x04,umask=0x0f/", 1.88e19);
        });
        CHECK(has(counts.at("dram_read_bytes").reason(), "invalid count"));
    }
}
