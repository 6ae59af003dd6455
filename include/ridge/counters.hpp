// Hardware counters: what a processor offers, and counts of one execution of a kernel. Behind the
// session stands a back end that opens events: PAPI, or a simulated machine in the tests.
// data/counters says what is counted how on which processor.
//
//   CounterSession session(table, backend, options);
//   session.calibrate(known_work);
//   std::map<std::string, Reading> counts = session.count([&] { kernel.execute(); });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ridge/reading.hpp"

namespace ridge {

/// Whose events a counter sees.
enum class CounterScope {
    thread,   ///< one thread: a counter is attached to each
    socket,   ///< all that a memory controller does, for whomever
    process,  ///< what a library of this process publishes (software-defined events)
};

struct CounterTarget {
    CounterScope scope = CounterScope::process;
    int id = 0;  ///< thread id, or a processor of the socket
};

/// Why an event could not be opened.
struct OpenFailure {
    int error = 0;  ///< errno of the attempt; ENOENT for a name that is not known
    std::string event, detail;
};

/// A cumulative count. Times tell for how long the kernel had the event on a counter; both are 0
/// where the back end does not tell.
struct RawCount {
    double value = 0;
    double enabled_s = 0, running_s = 0;
};

/// Events that were opened together for one target and count at the same time.
class EventGroup {
public:
    virtual ~EventGroup() = default;
    /// An errno, 0 when it counts from now on.
    [[nodiscard]] virtual int start() = 0;
    virtual void stop() = 0;
    /// One count for each event, in the order in which they were opened.
    [[nodiscard]] virtual std::vector<RawCount> read() = 0;
};

/// Opens events by name. One file implements PAPI, one the machines of the tests.
class CounterBackend {
public:
    virtual ~CounterBackend() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    /// Names that it knows, for suggestions; may be empty.
    [[nodiscard]] virtual std::vector<std::string> events() const { return {}; }
    using Opened = std::variant<std::unique_ptr<EventGroup>, OpenFailure>;
    [[nodiscard]] virtual Opened open(std::span<const std::string> events,
                                      const CounterTarget& target) = 0;
};

/// One counter and how often it enters a sum.
struct EventTerm {
    std::string event;                  ///< without the name of the PMU, or a full name ("sde:::x")
    std::optional<std::uint64_t> code;  ///< unit mask and event select, where PAPI lacks the name
    std::string device;                 ///< of memory controllers: name in the kernel's PMU list
    std::string fields;                 ///< of memory controllers: "event=0x04,umask=0x03"
    double weight = 1;
    bool per_128_bits = false;  ///< weight is for vectors of 128 bits and grows with their length
};

/// A quantity as a weighted sum of counters of one microarchitecture.
struct CounterRow {
    std::string name;  ///< PAPI's where PAPI has one, else such as "dram_read_bytes"
    std::string unit;  ///< flop, byte or count
    CounterScope scope = CounterScope::thread;
    std::vector<EventTerm> terms;
    std::string precision;                ///< flop: f32, f64, f16 or any
    std::vector<std::string> stands_for;  ///< quantities that this processor cannot tell apart
    double most_per_cycle = 0;            ///< above it a core cannot get; 0: unknown
    bool lower_bound = false;
    std::string sum_of;       ///< not counted: the sum of these quantities, separated by " + "
    std::string unavailable;  ///< why this processor cannot count it
    std::string note, source;
};

struct EventTable {
    std::string name;  ///< microarchitecture
    std::string vendor;
    int family = 0;
    std::vector<std::pair<int, int>> models;  ///< ranges, ends included
    int first_stepping = 0, last_stepping = 255;
    std::vector<std::string> pmus;  ///< libpfm's names of the core PMUs; several: hybrid
    int counters = 0;               ///< programmable ones of a thread
    int device_counters = 0;        ///< of one memory controller
    bool fixed_base = false;        ///< cycles and instructions have counters of their own
    int counter_bits = 64;          ///< width after which a count starts again
    std::string source;
    std::optional<EventTerm> cycles, instructions;  ///< counted beside every group of a thread
    std::vector<CounterRow> rows;
};

/// Which processor this is, in the words of /proc/cpuinfo.
struct ProcessorId {
    std::string vendor;                       ///< "GenuineIntel", "AuthenticAMD", "ARM"
    int family = 0, model = 0, stepping = 0;  ///< ARM: implementer, part, revision
    bool hypervisor = false;
};
/// Of the text of /proc/cpuinfo; nothing when it names no processor.
[[nodiscard]] std::optional<ProcessorId> parse_processor_id(std::string_view cpuinfo);
[[nodiscard]] std::optional<ProcessorId> this_processor();

/// Length of this processor's scalable vectors; 128 where it has none.
[[nodiscard]] double scalable_vector_bits();

/// What of this system decides about counters.
struct SystemFacts {
    std::optional<int> paranoid;             ///< kernel.perf_event_paranoid
    bool nmi_watchdog = false;               ///< it holds a counter of each core
    bool root = false, cap_perfmon = false;  ///< effective user 0; CAP_PERFMON or CAP_SYS_ADMIN
    bool container = false, hypervisor = false;
    std::map<std::string, std::vector<int>> devices;  ///< kernel's PMUs and the processors that
                                                      ///< read them (one per socket), if listed
    [[nodiscard]] bool core_pmu() const;
};
/// Of this machine; `root` replaces "/" in tests. The hypervisor is the caller's to tell.
[[nodiscard]] SystemFacts read_system_facts(const std::string& root = "");

/// One line: what is wrong and what helps.
[[nodiscard]] std::string remedy(const OpenFailure& failure, const SystemFacts& facts,
                                 std::string_view backend);

/// Work whose operations or bytes are known before it runs.
struct KnownWork {
    std::string name;       ///< "512-bit f32 multiply-adds"
    std::string precision;  ///< f32, f64; "bytes" for a stream that comes from memory
    double expected = 0;    ///< FLOPs, or bytes
    int lanes = 1;          ///< of one instruction
    bool fma = false;
    std::function<void()> run;
};

/// One quantity on this machine.
struct CounterAvailability {
    std::string name, formula, source;
    std::string reason;  ///< empty: it can be counted
    std::string note;    ///< what to know about the number: bound, precision, calibration
};

struct CounterOptions {
    SystemFacts facts;
    double vector_bits = 128;            ///< of scalable vectors
    double peak_bytes_per_s = 1e12;      ///< of the memory; a higher estimate rejects less
    double most_per_cycle = 8;           ///< instructions that a core can retire
    bool correct_known_factors = false;  ///< use counts that calibration found half or double
    std::function<std::vector<int>()> thread_ids;  ///< default: all threads of this process
    std::function<double()> now;                   ///< seconds; default: the steady clock
    std::function<void(double)> idle;              ///< waits so many seconds without work
};

class CounterSession {
public:
    CounterSession(EventTable table, std::shared_ptr<CounterBackend> backend,
                   CounterOptions options);
    ~CounterSession();
    CounterSession(const CounterSession&) = delete;
    CounterSession& operator=(const CounterSession&) = delete;

    /// Counts known work and refuses the quantities that do not come out at it, by name of the
    /// error: half, double, instructions instead of operations, dead, unreliable.
    void calibrate(std::span<const KnownWork> work);

    /// Every quantity of the table, available or with the reason and the remedy.
    [[nodiscard]] const std::vector<CounterAvailability>& available() const;
    /// Empty when something can be counted, else the one line that says why nothing can.
    [[nodiscard]] const std::string& unavailable() const;

    /// Runs `execution` once for each group of counters (never multiplexed) and once more where
    /// threads appeared meanwhile, each time after `prepare`, which is not counted: it brings the
    /// caches into the state that the count is about. Values are `measured` (`traced` where they
    /// are the tracer's), or unavailable with the reason. Cycles and instructions of all threads
    /// come with them where they could be counted.
    [[nodiscard]] std::map<std::string, Reading> count(const std::function<void()>& execution,
                                                       const std::function<void()>& prepare = {});
    /// Threads that the last count() attached counters to.
    [[nodiscard]] int threads_counted() const;
    /// The quantity that stands for `name` on this processor: itself, or such as PAPI_FP_OPS.
    [[nodiscard]] std::string resolve(std::string_view name) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The event table of a processor; nothing when none describes it.
[[nodiscard]] std::optional<EventTable> find_event_table(const std::vector<EventTable>& tables,
                                                         const ProcessorId& processor);
/// Tables that ship with Ridgepoint (data/counters). Throws Error bad_input naming file and line.
[[nodiscard]] std::vector<EventTable> shipped_event_tables();
[[nodiscard]] EventTable parse_event_table(const std::string& text, const std::string& file);

/// PAPI, or why there is none: this build lacks it, the library is another version than the
/// headers, its start failed.
[[nodiscard]] std::variant<std::shared_ptr<CounterBackend>, std::string> papi_backend();

}  // namespace ridge
