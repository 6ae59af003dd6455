// The real PAPI, with what it can count on any machine: software events of the kernel, whose number
// is known.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "collectors/papi/known_work.hpp"
#include "ridge/counters.hpp"
#include "tests/papi/kernel_events.hpp"

using namespace ridge;

namespace {

std::shared_ptr<CounterBackend> real_papi() {
    auto backend = papi_backend();
    REQUIRE(std::holds_alternative<std::shared_ptr<CounterBackend>>(backend));
    return std::get<std::shared_ptr<CounterBackend>>(backend);
}

EventTable page_faults() {
    return parse_event_table(
        "name: kernel\nsource: s\npmus: [perf]\ncounters: 4\nquantities:\n  page_faults:\n"
        "    unit: count\n    terms: [{event: PAGE-FAULTS}]\n    source: s\n  mistyped:\n"
        "    unit: count\n    terms: [{event: PAGE-FAULT}]\n    source: s\n",
        "kernel.yaml");
}

/// Pages that nobody has touched yet; small ones.
class FreshPages {
public:
    explicit FreshPages(std::size_t pages) : bytes_(pages * page_) {
        memory_ =
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(memory_ != MAP_FAILED);
        ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
    }
    ~FreshPages() { ::munmap(memory_, bytes_); }
    FreshPages(const FreshPages&) = delete;
    FreshPages& operator=(const FreshPages&) = delete;
    void touch() {
        for (std::size_t i = 0; i < bytes_; i += page_) static_cast<volatile char*>(memory_)[i] = 1;
    }
    /// Gives the pages back, so that touching them faults again.
    void forget() { ::madvise(memory_, bytes_, MADV_DONTNEED); }

private:
    std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::size_t bytes_;
    void* memory_ = nullptr;
};

/// Threads that exist before anything is counted, and work when they are told to.
class Workers {
public:
    explicit Workers(int count, std::function<void(int)> work)
        : begin_(count + 1), end_(count + 1) {
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([this, i, work] {
                for (;;) {
                    begin_.arrive_and_wait();
                    if (stop_) return;
                    work(i);
                    end_.arrive_and_wait();
                }
            });
    }
    ~Workers() {
        stop_ = true;
        begin_.arrive_and_wait();
        for (auto& thread : threads_) thread.join();
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    void work() {
        begin_.arrive_and_wait();
        end_.arrive_and_wait();
    }

private:
    std::barrier<> begin_, end_;
    std::atomic<bool> stop_ = false;
    std::vector<std::thread> threads_;
};

/// Four threads touch 3000 pages each, in three executions; the session finds the threads itself.
void count_on_existing_threads(std::shared_ptr<CounterBackend> backend) {
    constexpr int threads = 4, pages = 3000;
    std::vector<std::unique_ptr<FreshPages>> memory;
    for (int i = 0; i < threads; ++i) memory.push_back(std::make_unique<FreshPages>(pages));
    Workers workers(threads, [&](int i) { memory[static_cast<std::size_t>(i)]->touch(); });
    CounterOptions options;
    options.facts = read_system_facts();
    CounterSession session(page_faults(), std::move(backend), options);
    REQUIRE(session.available().front().reason == "");
    for (int repetition = 0; repetition < 3; ++repetition) {
        for (auto& m : memory) m->forget();
        const auto counts = session.count([&] { workers.work(); });
        // The program itself touches a few pages of its own meanwhile.
        CHECK(counts.at("page_faults").value() >= threads * pages);
        CHECK(counts.at("page_faults").value() <= threads * pages + 50);
        CHECK(session.threads_counted() >= threads + 1);
    }
}

}  // namespace

TEST_SUITE("reference") {
    TEST_CASE("PAPI counts the page faults of the calling thread") {
        FreshPages memory(3000);
        CounterOptions options;
        options.facts = read_system_facts();
        options.thread_ids = [] { return std::vector<int>{::gettid()}; };
        CounterSession session(page_faults(), real_papi(), options);
        REQUIRE(session.available().front().reason == "");
        for (int repetition = 0; repetition < 3; ++repetition) {
            memory.forget();
            const auto counts = session.count([&] { memory.touch(); });
            CHECK(counts.at("page_faults").value() == 3000);
        }
    }

    TEST_CASE("PAPI counts the page faults of threads that existed before it (C5)" *
              doctest::skip(!read_system_facts().core_pmu())) {
        count_on_existing_threads(real_papi());
    }

    TEST_CASE("the kernel's counters see all threads that existed before, each time (C5)") {
        count_on_existing_threads(std::make_shared<test::KernelEvents>());
    }

    TEST_CASE("an event that PAPI does not know is unavailable and near names are told (C7)") {
        CounterOptions options;
        options.facts = read_system_facts();
        options.facts.devices.emplace("cpu", std::vector<int>{});
        CounterSession session(page_faults(), real_papi(), options);
        CHECK(session.available()[1].reason.find("perf::PAGE-FAULT") != std::string::npos);
        CHECK(session.available()[1].reason.find("nearest: perf::PAGE-FAULTS") !=
              std::string::npos);
    }
}

TEST_SUITE("behaviour") {
    TEST_CASE("every shipped table opens or says why not, on this very machine") {
        const auto processor = this_processor();
        CounterOptions options;
        options.facts = read_system_facts();
        options.facts.hypervisor = processor && processor->hypervisor;
        int quantities = 0;
        for (const EventTable& table : shipped_event_tables()) {
            if (table.vendor.empty()) continue;
            CounterSession session(table, real_papi(), options);
            for (const auto& quantity : session.available()) {
                ++quantities;
                CHECK(quantity.reason.find('\n') == std::string::npos);
            }
            if (!options.facts.core_pmu()) CHECK(!session.unavailable().empty());
        }
        CHECK(quantities > 100);
    }

    TEST_CASE("known work runs, covers f32 and f64, and is exact about widths") {
        const auto cpu = probe::this_cpu();
        const auto work = papi::known_flops(cpu);
        REQUIRE(!work.empty());
        bool single = false, twice = false;
        for (const KnownWork& one : work) {
            one.run();
            single = single || one.precision == "f32";
            twice = twice || one.precision == "f64";
            const double instructions = one.expected / one.lanes / (one.fma ? 2 : 1);
            CHECK(instructions > 0.9e6);
            CHECK(instructions <= 1e6);
        }
        CHECK(single);
        CHECK(twice);
        const auto streams = papi::known_streams(cpu, 1 << 24);
        REQUIRE(streams.size() == 2);
        for (const KnownWork& one : streams) {
            one.run();
            CHECK(one.expected <= 1 << 24);
            CHECK(one.expected > (1 << 24) - 4096);
        }
    }
}
