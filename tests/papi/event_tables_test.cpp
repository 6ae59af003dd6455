// The shipped event tables: the formulas against lane counts, the codes against libpfm.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "collectors/papi/pass_plan.hpp"
#include "collectors/papi/row_state.hpp"
#include "ridge/counters.hpp"
#include "ridge/error.hpp"
#include "tests/papi/fake_machine.hpp"

using namespace ridge;
using namespace ridge::papi;

namespace {

const EventTable& table_named(const std::string& name) {
    static const auto tables = shipped_event_tables();
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const EventTable& t) { return t.name == name; });
    REQUIRE(found != tables.end());
    return *found;
}

const CounterRow* row_named(const EventTable& table, const std::string& name) {
    const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                    [&](const CounterRow& r) { return r.name == name; });
    return found == table.rows.end() ? nullptr : &*found;
}

/// Counts a quantity of a table on a machine where each of its events happened as often as told,
/// in the order of the terms.
double counted(const std::string& table_name, const std::string& name,
               const std::vector<double>& happened, double vector_bits = 128) {
    const EventTable& table = table_named(table_name);
    const auto machine = std::make_shared<test::FakeMachine>();
    std::vector<std::string> events;
    for (const EventTerm& term : row_named(table, name)->terms)
        events.push_back(spellings(term, table.pmus.front()).front());
    machine->known.insert(events.begin(), events.end());
    CounterOptions options = machine->options();
    options.vector_bits = vector_bits;
    CounterSession session(table, machine, options);
    const auto counts = session.count([&] {
        for (std::size_t i = 0; i < events.size(); ++i) machine->happen(1, events[i], happened[i]);
    });
    return counts.at(name).value();
}

/// libpfm's encoder, loaded when the test runs: the library's own header is not needed for it.
class Libpfm {
public:
    Libpfm() : library_(::dlopen("libpfm.so.4", RTLD_NOW)) {
        if (library_ == nullptr) return;
        ::setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);  // also events of other processors
        usable_ = call<int (*)()>("pfm_initialize")() == 0;
    }
    ~Libpfm() {
        ::unsetenv("LIBPFM_ENCODE_INACTIVE");
        if (usable_) call<void (*)()>("pfm_terminate")();
    }
    [[nodiscard]] bool usable() const { return usable_; }

    /// Unit mask, event select and counter mask; nothing for an unknown event.
    [[nodiscard]] std::optional<std::uint64_t> code(const std::string& event) const {
        struct Encoding {
            std::uint64_t* codes = nullptr;
            char** name = nullptr;
            std::size_t size = sizeof(Encoding);
            int count = 0, index = 0;
        } encoding;
        constexpr int user_level = 8, no_system = 0;
        if (call<int (*)(const char*, int, int, void*)>("pfm_get_os_event_encoding")(
                event.c_str(), user_level, no_system, &encoding) != 0)
            return std::nullopt;
        // Bits 16 to 23 switch rings, edges and interrupts.
        const std::uint64_t code = encoding.codes[0] & 0xffff00ffffULL;
        std::free(encoding.codes);
        return code;
    }

private:
    template <class Function>
    Function call(const char* name) const {
        return reinterpret_cast<Function>(::dlsym(library_, name));
    }
    void* library_;
    bool usable_ = false;
};

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("weights are lane counts: 10, 20, 30, 40 single ones are 970 FLOP, double 490 (A1)") {
        for (const char* name : {"Skylake-SP", "Cascade Lake-SP", "Ice Lake-SP", "Sapphire Rapids",
                                 "Emerald Rapids", "Granite Rapids"}) {
            CAPTURE(name);
            CHECK(counted(name, "PAPI_SP_OPS", {10, 20, 30, 40}) == 970);
            CHECK(counted(name, "PAPI_DP_OPS", {10, 20, 30, 40}) == 490);
        }
    }

    TEST_CASE("half precision has twice the lanes of single: 10, 20, 30, 40 are 1930 FLOP") {
        for (const char* name : {"Sapphire Rapids", "Emerald Rapids", "Granite Rapids"})
            CHECK(counted(name, "PAPI_HP_OPS", {10, 20, 30, 40}) == 10 + 160 + 480 + 1280);
    }

    TEST_CASE("every packed event of Intel weighs its width over the width of its type (A1)") {
        const std::regex packed("FP_ARITH_INST_RETIRED2?:([0-9]+)B_PACKED_(HALF|SINGLE|DOUBLE)");
        const std::map<std::string, int> bits{{"HALF", 16}, {"SINGLE", 32}, {"DOUBLE", 64}};
        int checked = 0;
        for (const EventTable& table : shipped_event_tables())
            for (const CounterRow& row : table.rows)
                for (const EventTerm& term : row.terms) {
                    std::smatch match;
                    if (!std::regex_match(term.event, match, packed)) continue;
                    INFO(table.name, " ", term.event);
                    CHECK(term.weight == std::stoi(match[1]) / bits.at(match[2]));
                    ++checked;
                }
        CHECK(checked == 6 * 6 + 3 * 3);
    }

    TEST_CASE("a multiply-add is 2 in the event: 30 of 256 bits are 240 FLOP, not 480 (A2)") {
        CHECK(counted("Skylake-SP", "PAPI_SP_OPS", {0, 0, 30, 0}) == 240);
    }

    TEST_CASE("five active lanes of sixteen count as sixteen: 3.2 times the work (A3)") {
        CHECK(counted("Skylake-SP", "PAPI_SP_OPS", {0, 0, 0, 1}) / 5 == doctest::Approx(3.2));
    }

    TEST_CASE("scalable operations grow with the vectors: 1050, 2050, 4050 (A11)") {
        for (const auto& [bits, flops] :
             std::map<double, double>{{128, 1050}, {256, 2050}, {512, 4050}})
            for (const char* name : {"Neoverse V1", "Neoverse V2", "Neoverse N2"})
                CHECK(counted(name, "PAPI_FP_OPS", {50, 1000}, bits) == flops);
    }

    TEST_CASE("an event of multiply-adds and others keeps a table's weights (A2, A14)") {
        const auto sum = [](const std::string& terms, const std::vector<double>& happened) {
            const EventTable table = parse_event_table(
                "name: t\nsource: s\npmus: [p]\ncounters: 8\nquantities:\n  q:\n    unit: byte\n"
                "    terms: [" +
                    terms + "]\n    source: s\n",
                "t.yaml");
            const auto machine = std::make_shared<test::FakeMachine>();
            for (const EventTerm& term : table.rows[0].terms)
                machine->known.insert("p::" + term.event);
            CounterSession session(table, machine, machine->options());
            return session
                .count([&] {
                    for (std::size_t i = 0; i < happened.size(); ++i)
                        machine->happen(1, "p::" + table.rows[0].terms[i].event, happened[i]);
                })
                .at("q")
                .value();
        };
        CHECK(sum("{event: ADD}, {event: MUL}, {event: FMA, weight: 2}", {10, 20, 30}) == 90);
        CHECK(sum("{event: ADD, weight: 64}, {event: MUL, weight: 64}, {event: FMA, weight: 128}, "
                  "{event: TRANS, weight: 64}",
                  {1, 2, 3, 4}) == 832);
        CHECK(sum("{event: MFMA_MOPS, weight: 512}", {5}) == 2560);
        // B8: requests of 32 and of 64 bytes, where one event counts all and one the short ones.
        CHECK(sum("{event: RD_SHORT, weight: 32}, {event: RD_LONG, weight: 64}", {40, 60}) == 5120);
        CHECK(sum("{event: WR_LONG, weight: 64}, {event: WR_SHORT, weight: 32}", {30, 20}) == 2560);
    }

    TEST_CASE("a processor finds its table by family, model and stepping") {
        const auto name_of = [](const char* vendor, int family, int model, int stepping) {
            const auto table =
                find_event_table(shipped_event_tables(), {vendor, family, model, stepping, false});
            return table ? table->name : std::string();
        };
        CHECK(name_of("GenuineIntel", 6, 0x55, 4) == "Skylake-SP");
        CHECK(name_of("GenuineIntel", 6, 0x55, 7) == "Cascade Lake-SP");
        CHECK(name_of("GenuineIntel", 6, 0x6a, 6) == "Ice Lake-SP");
        CHECK(name_of("GenuineIntel", 6, 0x8f, 8) == "Sapphire Rapids");
        CHECK(name_of("GenuineIntel", 6, 0xcf, 2) == "Emerald Rapids");
        CHECK(name_of("GenuineIntel", 6, 0xad, 1) == "Granite Rapids");
        CHECK(name_of("AuthenticAMD", 0x17, 0x31, 0) == "Zen 2");
        CHECK(name_of("AuthenticAMD", 0x17, 0x01, 2) == "");  // Zen 1
        CHECK(name_of("AuthenticAMD", 0x19, 0x01, 1) == "Zen 3");
        CHECK(name_of("AuthenticAMD", 0x19, 0x11, 1) == "Zen 4");
        CHECK(name_of("AuthenticAMD", 0x1a, 0x02, 1) == "Zen 5");
        CHECK(name_of("ARM", 0x41, 0xd0c, 1) == "Neoverse N1");
        CHECK(name_of("ARM", 0x41, 0xd49, 0) == "Neoverse N2");
        CHECK(name_of("ARM", 0x41, 0xd40, 0) == "Neoverse V1");
        CHECK(name_of("ARM", 0x41, 0xd4f, 0) == "Neoverse V2");
        CHECK(name_of("GenuineIntel", 6, 0x9e, 9) == "");
    }

    TEST_CASE("no two tables describe the same processor; every number has a source") {
        std::set<std::string> seen;
        for (const EventTable& table : shipped_event_tables()) {
            CAPTURE(table.name);
            CHECK(!table.source.empty());
            for (const CounterRow& row : table.rows) CHECK(!row.source.empty());
            for (const auto& [first, last] : table.models)
                for (int model = first; model <= last; ++model)
                    for (int s = table.first_stepping; s <= std::min(table.last_stepping, 15); ++s)
                        CHECK(seen.insert(table.vendor + std::to_string(table.family) + "/" +
                                          std::to_string(model) + "/" + std::to_string(s))
                                  .second);
        }
    }

    TEST_CASE("total is read plus written wherever both are counted (B13)") {
        int totals = 0;
        for (const EventTable& table : shipped_event_tables()) {
            const CounterRow* total = row_named(table, "dram_bytes");
            if (row_named(table, "dram_read_bytes") == nullptr) continue;
            CAPTURE(table.name);
            REQUIRE(total != nullptr);
            CHECK(total->sum_of == "dram_read_bytes + dram_written_bytes");
            ++totals;
        }
        CHECK(totals == 8);
    }

    TEST_CASE("tables of /proc/cpuinfo: Intel, Arm, and a guest") {
        const auto intel = parse_processor_id(
            "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
            "model name\t: Intel(R) Xeon(R) Gold\nstepping\t: 4\nflags\t\t: fpu hypervisor sse\n");
        REQUIRE(intel);
        CHECK(intel->model == 0x55);
        CHECK(intel->stepping == 4);
        CHECK(intel->hypervisor);
        const auto arm = parse_processor_id(
            "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n"
            "CPU part\t: 0xd4f\nCPU revision\t: 1\n");
        REQUIRE(arm);
        CHECK(arm->vendor == "ARM");
        CHECK(arm->model == 0xd4f);
        CHECK(!parse_processor_id("").has_value());
        CHECK(!parse_processor_id("model : x\n").has_value());
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("a table that cannot be is refused with file, line and what was expected") {
        const auto message = [](const std::string& quantity, const std::string& head = "") {
            try {
                (void)parse_event_table(
                    "name: t\nsource: s\n" + head + "quantities:\n  q:\n" + quantity, "t.yaml");
            } catch (const Error& e) {
                CHECK(e.code() == ExitCode::bad_input);
                return std::string(e.what());
            }
            return std::string();
        };
        CHECK(message("    unit: furlong\n").find("t.yaml:5") == 0);
        CHECK(message("    unit: byte\n").find("one of terms, sum_of and unavailable") !=
              std::string::npos);
        CHECK(message("    unit: flop\n    terms: [{event: X}]\n").find("precision") !=
              std::string::npos);
        CHECK(message("    unit: byte\n    terms: [{event: X}]\n").find("counters and pmus") !=
              std::string::npos);
        CHECK(message("    unit: byte\n    terms: [{device: d, fields: a=1}]\n")
                  .find("device_counters") != std::string::npos);
        CHECK(message("    unit: byte\n    terms: [{event: X, code: 0xzz}]\n").find("0xzz") !=
              std::string::npos);
        CHECK(message("    unit: byte\n    sum_of: a + b\n").find("quantities above") !=
              std::string::npos);
        CHECK(message("    unit: byte\n    terms: [{event: X, device: d}]\n")
                  .find("neither or both") != std::string::npos);
        CHECK(message("    unit: byte\n    terms: []\n").find("one of terms") != std::string::npos);
    }
}

TEST_SUITE("reference") {
    TEST_CASE("names and codes of the tables are libpfm's") {
        const Libpfm libpfm;
        if (!libpfm.usable()) {
            MESSAGE("libpfm.so.4 is not installed: the codes are not checked against it");
            return;
        }
        std::set<std::string> checked;
        for (const EventTable& table : shipped_event_tables()) {
            std::vector<EventTerm> terms;
            if (table.cycles) terms = {*table.cycles, *table.instructions};
            for (const CounterRow& row : table.rows)
                terms.insert(terms.end(), row.terms.begin(), row.terms.end());
            // A libpfm older than the processor knows none of its events.
            if (terms.empty() || table.pmus.empty() ||
                !libpfm.code(spellings(terms.front(), table.pmus.front()).front()))
                continue;
            for (const EventTerm& term : terms) {
                if (!term.device.empty()) continue;
                const std::string name = spellings(term, table.pmus.front()).front();
                CAPTURE(name);
                REQUIRE(libpfm.code(name).has_value());
                CHECK(*libpfm.code(name) == term.code.value());
            }
            checked.insert(table.pmus.front());
        }
#ifdef __x86_64__
        for (const char* pmu : {"skx", "clx", "icx", "spr", "amd64_fam17h_zen2",
                                "amd64_fam19h_zen3", "amd64_fam19h_zen4"})
            CHECK(checked.contains(pmu));
#endif
    }
}
