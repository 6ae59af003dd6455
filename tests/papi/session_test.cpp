// Sessions on machines that the tests make up: what is counted, what is refused and why.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "collectors/papi/pass_plan.hpp"
#include "tests/papi/fake_machine.hpp"

using namespace ridge;
using ridge::test::FakeMachine;

namespace {

EventTable shipped(const std::string& name) {
    for (EventTable& table : shipped_event_tables())
        if (table.name == name) return table;
    FAIL("no table " << name);
    return {};
}

/// A table of one processor with the quantities of `rows` (YAML, indented by two).
EventTable table_of(const std::string& rows, const std::string& head = "pmus: [p]\ncounters: 4\n") {
    return parse_event_table(
        "name: t\nsource: s\ndevice_counters: 4\n" + head + "quantities:\n" + rows, "t.yaml");
}

const std::string adds_row =
    "  PAPI_SP_OPS:\n    unit: flop\n    precision: f32\n"
    "    terms: [{event: ADD}]\n    source: s\n";

std::shared_ptr<FakeMachine> machine_with(const std::set<std::string>& events) {
    auto machine = std::make_shared<FakeMachine>();
    machine->known = events;
    return machine;
}

/// A machine that has every event of a table and these memory controllers.
std::shared_ptr<FakeMachine> complete(const EventTable& table, CounterOptions& options,
                                      const std::map<std::string, std::vector<int>>& devices) {
    auto machine = std::make_shared<FakeMachine>();
    options = machine->options();
    for (const auto& [name, cpus] : devices) options.facts.devices[name] = cpus;
    std::vector<EventTerm> terms;
    if (table.cycles) terms = {*table.cycles, *table.instructions};
    for (const CounterRow& row : table.rows)
        terms.insert(terms.end(), row.terms.begin(), row.terms.end());
    for (const EventTerm& term : terms) {
        for (const std::string& pmu : table.pmus)
            if (term.device.empty()) machine->known.insert(papi::spellings(term, pmu).front());
        for (const std::string& device : papi::instances(options.facts, term.device))
            if (!term.device.empty()) machine->known.insert(device + "/" + term.fields + "/");
    }
    return machine;
}

const CounterAvailability& entry(const CounterSession& session, const std::string& name) {
    const auto found = std::find_if(session.available().begin(), session.available().end(),
                                    [&](const auto& a) { return a.name == name; });
    REQUIRE(found != session.available().end());
    return *found;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("four threads of a million additions are four million, also the second time (C5)") {
        const auto machine = machine_with({"p::ADD"});
        machine->threads = {11, 12, 13, 14};
        CounterSession session(table_of(adds_row), machine, machine->options());
        for (int repetition = 0; repetition < 2; ++repetition) {
            const auto counts = session.count([&] {
                for (const int id : machine->threads) machine->happen(id, "p::ADD", 1e6);
            });
            CHECK(counts.at("PAPI_SP_OPS") == Reading(4e6, Source::measured));
            CHECK(session.threads_counted() == 4);
        }
    }

    TEST_CASE("what prepares the caches runs before each execution and is not counted") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        std::string order;
        const auto counts = session.count(
            [&] {
                order += "e";
                machine->happen(1, "p::ADD", 7);
            },
            [&] {
                order += "p";
                machine->happen(1, "p::ADD", 1e6);
            });
        CHECK(order == "pe");
        CHECK(counts.at("PAPI_SP_OPS").value() == 7);
    }

    TEST_CASE("threads that the first execution creates are counted by a second one (C5)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        int executions = 0;
        const auto counts = session.count([&] {
            ++executions;
            machine->threads = {1, 2, 3, 4};
            for (const int id : machine->threads) machine->happen(id, "p::ADD", 1e6);
        });
        CHECK(executions == 2);
        CHECK(counts.at("PAPI_SP_OPS").value() == 4e6);
    }

    TEST_CASE("threads that keep appearing make a count incomplete, and it says so (C5)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        const auto counts = session.count([&] {
            machine->threads.push_back(static_cast<int>(machine->threads.size()) + 1);
            for (const int id : machine->threads) machine->happen(id, "p::ADD", 1e6);
        });
        CHECK(has(counts.at("PAPI_SP_OPS").reason(), "threads appeared"));
    }

    TEST_CASE("the order of events changes no value (A7)") {
        std::vector<std::string> names{"A", "B", "C", "D", "E", "F"};
        const auto values = [&] {
            std::string rows;
            for (const std::string& name : names)
                rows += "  " + name + ":\n    unit: count\n    terms: [{event: " + name +
                        "}]\n    source: s\n";
            const auto machine = machine_with({"p::A", "p::B", "p::C", "p::D", "p::E", "p::F"});
            machine->counters = 4;  // two passes
            CounterSession session(table_of(rows), machine, machine->options());
            return session.count([&] {
                double n = 100;
                for (const char* event : {"p::A", "p::B", "p::C", "p::D", "p::E", "p::F"})
                    machine->happen(1, event, n += 1);
            });
        };
        const auto first = values();
        CHECK(first.at("C").value() == 103);
        int orders = 1;
        while (std::next_permutation(names.begin(), names.end())) {
            if (++orders % 37 != 0) continue;
            CHECK(values() == first);
        }
        CHECK(orders == 720);
    }

    TEST_CASE("more events than counters: several passes, nothing multiplexed (A6)") {
        const EventTable table = shipped("Skylake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {});
        machine->counters = 4 + 2;  // cycles and instructions have their own
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->happen(1, "skx::UNHALTED_CORE_CYCLES", 1e6);
            machine->happen(1, "skx::INSTRUCTION_RETIRED", 2e6);
            machine->happen(1, "skx::FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", 1e5);
            machine->happen(1, "skx::FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", 1e5);
            machine->happen(1, "skx::L1D:REPLACEMENT", 1000);
        });
        CHECK(counts.at("PAPI_SP_OPS").value() == 16e5);
        CHECK(counts.at("PAPI_DP_OPS").value() == 8e5);
        CHECK(counts.at("l2_read_bytes").value() == 64'000);
    }

    TEST_CASE("an event that was opened but never got a counter is missing, not 0 (A6, A7)") {
        const EventTable table = shipped("Skylake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {});
        CounterSession session(table, machine, options);
        const auto counts = session.count([] {});
        CHECK(has(counts.at("PAPI_SP_OPS").reason(), "never got a counter"));
    }

    TEST_CASE("times tell that a count is partial: scaled, or refused below a fifth (A6)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        const auto work = [&] {
            machine->pass_time(10e-3);
            machine->happen(1, "p::ADD", 4000);
        };
        machine->coverage = 0.25;
        CHECK(session.count(work).at("PAPI_SP_OPS").value() == doctest::Approx(4000));
        machine->coverage = 0.1;
        CHECK(has(session.count(work).at("PAPI_SP_OPS").reason(), "10 % of the time only"));
    }

    TEST_CASE("a shared counter in less than a period of the sharing: measure in passes (C1)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        double length_s = 50e-6;
        const auto work = [&] {
            machine->pass_time(length_s);
            machine->happen(1, "p::ADD", 4000);
        };
        machine->coverage = 0.5;
        CHECK(has(session.count(work).at("PAPI_SP_OPS").reason(), "measure in passes: 50 us"));
        machine->coverage = 1;  // its own for the whole time: however short
        CHECK(session.count(work).at("PAPI_SP_OPS").value() == 4000);
        machine->coverage = 0.5;
        length_s = 5e-3;
        CHECK(session.count(work).at("PAPI_SP_OPS").value() == doctest::Approx(4000));
    }

    TEST_CASE("impossible counts are refused: IPC 929, more FLOPs than the units can do (C1)") {
        const EventTable table = shipped("Skylake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {});
        CounterSession session(table, machine, options);
        double cycles = 3'444'794, instructions = 3'200'020'432.0, packed = 0;
        const auto work = [&] {
            machine->happen(1, "skx::UNHALTED_CORE_CYCLES", cycles);
            machine->happen(1, "skx::INSTRUCTION_RETIRED", instructions);
            machine->happen(1, "skx::FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE", packed);
        };
        CHECK(has(session.count(work).at("PAPI_SP_OPS").reason(), "IPC 928.9"));
        instructions = 2 * cycles;
        packed = 4 * cycles;
        const auto counts = session.count(work);
        CHECK(counts.at("PAPI_SP_OPS").value() == 64 * cycles);
        CHECK(counts.at("PAPI_TOT_CYC").value() == cycles);
        CHECK(counts.at("PAPI_TOT_INS").value() == 2 * cycles);
        packed = 4.1 * cycles;
        CHECK(has(session.count(work).at("PAPI_SP_OPS").reason(), "per cycle"));
    }

    TEST_CASE("a counter that runs backwards is refused (C1)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        const auto counts = session.count([&] { machine->happen(1, "p::ADD", -5); });
        CHECK(has(counts.at("PAPI_SP_OPS").reason(), "negative"));
    }

    TEST_CASE("an event that counts instructions is found at the start and named (A8)") {
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        const std::array work{KnownWork{"scalar additions", "f32", 1e6, 1, false,
                                        [&] { machine->happen(1, "p::ADD", 1e6); }},
                              KnownWork{"512-bit multiply-adds", "f32", 32e6, 16, true,
                                        [&] { machine->happen(1, "p::ADD", 1e6); }}};
        session.calibrate(work);
        CHECK(has(entry(session, "PAPI_SP_OPS").reason, "instructions, not operations"));
        CHECK(has(session.unavailable(), "instructions, not operations"));
        CHECK(!session.count([] {}).at("PAPI_SP_OPS").available());
    }

    TEST_CASE("half on Zen 5: refused, or corrected on request (A9)") {
        const EventTable table = shipped("Zen 5");
        for (const bool correct : {false, true}) {
            CounterOptions options;
            const auto machine = complete(table, options, {});
            options.correct_known_factors = correct;
            CounterSession session(table, machine, options);
            const auto half_of = [&](double flops) {
                const std::string pmu = table.pmus.front();
                machine->happen(1, pmu + "::CYCLES_NOT_IN_HALT", flops / 32);
                machine->happen(1, pmu + "::RETIRED_INSTRUCTIONS", flops / 32);
                machine->happen(1, papi::spellings(table.rows[0].terms[0], pmu).front(), flops / 2);
            };
            const std::array work{
                KnownWork{"f32 multiply-adds", "f32", 32e6, 16, true, [&] { half_of(32e6); }},
                KnownWork{"f64 multiply-adds", "f64", 16e6, 8, true, [&] { half_of(16e6); }}};
            session.calibrate(work);
            const auto counts = session.count([&] { half_of(8e6); });
            if (correct) {
                CHECK(counts.at("PAPI_FP_OPS").value() == 8e6);
                CHECK(has(entry(session, "PAPI_FP_OPS").note, "corrected by 2"));
            } else {
                CHECK(has(counts.at("PAPI_FP_OPS").reason(), "half"));
                CHECK(has(counts.at("PAPI_FP_OPS").reason(), "only on request"));
            }
        }
    }

    TEST_CASE("single precision asked of Zen 3 is FLOPs of any precision (A10)") {
        const EventTable table = shipped("Zen 3");
        CounterOptions options;
        const auto machine = complete(table, options, {});
        CounterSession session(table, machine, options);
        CHECK(session.resolve("PAPI_SP_OPS") == "PAPI_FP_OPS");
        CHECK(session.resolve("PAPI_DP_OPS") == "PAPI_FP_OPS");
        CHECK(session.resolve("PAPI_VEC_SP").empty());
        CHECK(has(entry(session, "PAPI_FP_OPS").note, "any precision"));
    }

    TEST_CASE("without PAPI's name the event's code counts the same (C8)") {
        const EventTable table = shipped("Ice Lake-SP");
        const auto machine = std::make_shared<FakeMachine>();
        for (const EventTerm& term : table.rows[0].terms)
            machine->known.insert(papi::spellings(term, "icx").back());
        CHECK(machine->known.contains("perf_raw::r80c7"));
        CounterSession session(table, machine, machine->options());
        const auto counts = session.count([&] {
            machine->happen(1, "perf_raw::r02c7", 10);
            machine->happen(1, "perf_raw::r08c7", 20);
            machine->happen(1, "perf_raw::r20c7", 30);
            machine->happen(1, "perf_raw::r80c7", 40);
        });
        CHECK(counts.at("PAPI_SP_OPS").value() == 970);
    }

    TEST_CASE("an unknown event costs its quantity only, and names near ones are told (C7)") {
        const auto machine = machine_with({"p::ADD", "p::ADDS", "p::AND", "p::LONG_NAME"});
        CounterSession session(table_of(adds_row + "  other:\n    unit: count\n"
                                                   "    terms: [{event: ADO}]\n    source: s\n"),
                               machine, machine->options());
        CHECK(has(entry(session, "other").reason, "nearest: p::ADD, p::ADDS, p::AND"));
        CHECK(entry(session, "PAPI_SP_OPS").reason.empty());
        CHECK(session.unavailable().empty());
        const auto counts = session.count([&] { machine->happen(1, "p::ADD", 7); });
        CHECK(counts.at("PAPI_SP_OPS").value() == 7);
    }

    TEST_CASE("nothing can be opened: one line, every quantity unavailable (C3)") {
        for (const auto& [error, word] : {std::pair{EACCES, "perf_event_paranoid"},
                                          {EBUSY, "counter in use"},
                                          {EOPNOTSUPP, "no PMU"}}) {
            const EventTable table = shipped("Sapphire Rapids");
            CounterOptions options;
            const auto machine = complete(table, options, {});
            for (const std::string& event : machine->known) machine->refused[event] = error;
            for (const CounterRow& row : table.rows)
                for (const EventTerm& term : row.terms)
                    if (term.code) machine->refused[papi::spellings(term, "spr").back()] = error;
            CounterSession session(table, machine, options);
            CHECK(has(session.unavailable(), word));
            CHECK(!has(session.unavailable(), "\n"));
            int executions = 0;
            for (const auto& [name, reading] : session.count([&] { ++executions; })) {
                CHECK(!reading.available());
                CHECK(!reading.reason().empty());
            }
            CHECK(executions == 0);
        }
    }

    TEST_CASE("the fourth counter is taken: the group does not start, and it says why (C9)") {
        const EventTable table = shipped("Skylake-SP");
        CounterOptions options;
        const auto machine = complete(table, options, {});
        options.facts.nmi_watchdog = true;
        machine->counters = 3 + 2;
        CounterSession session(table, machine, options);
        const auto counts = session.count([&] {
            machine->happen(1, "skx::UNHALTED_CORE_CYCLES", 1e6);
            machine->happen(1, "skx::L1D:REPLACEMENT", 10);
        });
        CHECK(has(counts.at("PAPI_SP_OPS").reason(), "kernel.nmi_watchdog=0"));
    }

    TEST_CASE("two kinds of cores: both are added; one missing is told (C4)") {
        const std::string head = "pmus: [core, atom]\ncounters: 4\n";
        const auto machine = machine_with({"core::ADD", "atom::ADD"});
        machine->threads = {1, 2};
        const auto work = [&] {
            machine->happen(1, "core::ADD", 1000);
            machine->happen(2, "atom::ADD", 300);
        };
        CounterSession both(table_of(adds_row, head), machine, machine->options());
        CHECK(both.count(work).at("PAPI_SP_OPS").value() == 1300);
        CHECK(both.threads_counted() == 2);
        CHECK(!has(entry(both, "PAPI_SP_OPS").note, "only"));
        machine->known = {"core::ADD"};
        CounterSession one(table_of(adds_row, head), machine, machine->options());
        CHECK(one.count(work).at("PAPI_SP_OPS").value() == 1000);
        CHECK(has(entry(one, "PAPI_SP_OPS").note, "only the work of core cores is counted"));
    }

    TEST_CASE("counting itself is subtracted, and what it hides is refused (C6)") {
        const auto machine = machine_with({"p::INS"});
        const EventTable table = table_of(
            "  PAPI_TOT_INS:\n    unit: count\n    terms: [{event: INS}]\n    source: s\n");
        CounterOptions options = machine->options();
        // Reading the clock, which a session does inside the counted region, costs 100.
        options.now = [&machine] {
            machine->happen(1, "p::INS", 50);
            return machine->clock_s;
        };
        CounterSession session(table, machine, options);
        const auto counted = [&](double n) {
            return session.count([&] { machine->happen(1, "p::INS", n); }).at("PAPI_TOT_INS");
        };
        CHECK(counted(1e6).value() == 1e6);
        CHECK(has(counted(900).reason(), "too short"));
        CHECK(counted(901).value() == 901);
    }

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

#ifdef __x86_64__
    TEST_CASE("denormals are flushed while a count runs, and as before afterwards (C14)") {
        constexpr unsigned flush = 1U << 15 | 1U << 6;
        const auto machine = machine_with({"p::ADD"});
        CounterSession session(table_of(adds_row), machine, machine->options());
        const unsigned before = _mm_getcsr();
        _mm_setcsr(before & ~flush);
        unsigned inside = 0;
        (void)session.count([&] { inside = _mm_getcsr(); });
        CHECK((inside & flush) == flush);
        CHECK((_mm_getcsr() & flush) == 0);
        _mm_setcsr(before);
    }
#endif
}
