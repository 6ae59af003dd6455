// Sessions on machines that the tests make up: what is counted, what is refused and why.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "collectors/papi/pass_plan.hpp"
#include "tests/papi/session_machine.hpp"

using namespace ridge;
using namespace ridge::test;

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
