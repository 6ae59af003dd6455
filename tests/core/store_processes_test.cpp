// The run store among processes: killed ones, concurrent ones, and those that race for a run.

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "core/store_owner.hpp"
#include "ridge/run_store.hpp"
#include "tests/core/example_run.hpp"
#include "tests/core/expect_error.hpp"
#include "tests/support/run_ridge.hpp"

using namespace ridge;
using ridge::test::example_info;
using ridge::test::example_row;
using ridge::test::example_samples;

namespace {

/// A child process that runs `work`; its exit code is 0 when `work` returned, 1 when it threw.
class Child {
public:
    explicit Child(const std::function<void()>& work) : pid_(fork()) {
        if (pid_ != 0) return;
        try {
            work();
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    ~Child() {
        if (pid_ > 0) {
            kill(SIGKILL);
            wait();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void kill(int signal_number) const { ::kill(pid_, signal_number); }
    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

struct Pipe {
    Pipe() { REQUIRE(pipe(ends) == 0); }
    ~Pipe() {
        close(ends[0]);
        close(ends[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void send(int number) const {
        if (write(ends[1], &number, sizeof number) != sizeof number) _exit(9);
    }
    /// Numbers that have been sent so far; waits for the first as long as told.
    [[nodiscard]] std::vector<int> received(int wait_ms = 0) const {
        std::vector<int> numbers;
        pollfd ready{ends[0], POLLIN, 0};
        int number = 0;
        while (poll(&ready, 1, numbers.empty() ? wait_ms : 0) > 0 &&
               read(ends[0], &number, sizeof number) == sizeof number)
            numbers.push_back(number);
        return numbers;
    }
    int ends[2];
};

/// Goes on where the run stopped, in rounds over all rows, until it is killed. Sends the number of
/// each visit once the store has it.
void measure_until_killed(const std::string& path, std::int64_t run, int rows,
                          const Pipe& acknowledged) {
    RunStore store(path);
    store.resume_run(run);
    for (int visit = 0;; ++visit)
        for (int i = 0; i < rows; ++i) {
            const auto known = store.samples(run, example_row(i).key);
            if (!known.empty() && known.back().visit >= visit) continue;
            store.add_visit(run, example_row(i), visit, example_samples(visit, 5));
            acknowledged.send(visit * rows + i);
        }
}

/// A run that a process which is gone has begun.
std::int64_t begin_in_child(const std::string& path) {
    const Pipe pipe;
    Child child([&] { pipe.send(static_cast<int>(RunStore(path).begin_run(example_info()))); });
    REQUIRE(child.wait() == 0);
    return pipe.received().at(0);
}

}  // namespace

TEST_SUITE("behaviour") {
    TEST_CASE("kill -9 at 20 random moments loses and doubles nothing") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        constexpr int rows = 3;
        const std::int64_t run = begin_in_child(path);
        std::mt19937 engine(20260131);
        std::uniform_int_distribution<int> moment_us(200, 60'000);
        std::size_t acknowledged = 0;
        for (int round = 0; round < 20; ++round) {
            const Pipe pipe;
            Child child([&] { measure_until_killed(path, run, rows, pipe); });
            std::this_thread::sleep_for(std::chrono::microseconds(moment_us(engine)));
            child.kill(SIGKILL);
            REQUIRE(child.wait() == 128 + SIGKILL);
            acknowledged += pipe.received().size();

            const RunStore store(path, StoreAccess::read);
            CHECK(store.check().empty());
            std::size_t visits = 0;
            for (int i = 0; i < rows; ++i) {
                const auto samples = store.samples(run, example_row(i).key);
                REQUIRE(samples.size() % 5 == 0);
                for (std::size_t s = 0; s < samples.size(); ++s)
                    test::check_equal(samples[s],
                                      example_samples(static_cast<int>(s / 5), 5)[s % 5]);
                visits += samples.size() / 5;
            }
            // The kill may fall between the commit and the acknowledgement, once a round.
            CHECK(visits >= acknowledged);
            CHECK(visits - acknowledged <= 1);
            acknowledged = visits;
            CHECK(store.find_incomplete(example_info()) == run);
        }
        CHECK(acknowledged > 0);
    }

    TEST_CASE("two processes write at once, each its own run") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        const auto measure = [&] {
            RunStore store(path);
            const auto run = store.begin_run(example_info());
            for (int visit = 0; visit < 100; ++visit)
                store.add_visit(run, example_row(0), visit, example_samples(visit, 5));
            store.put_row(run, example_row(0));
            store.finish_run(run);
        };
        // Both also create the file.
        Child first(measure), second(measure);
        CHECK(first.wait() == 0);
        CHECK(second.wait() == 0);
        const RunStore store(path, StoreAccess::read);
        REQUIRE(store.list_runs().size() == 2);
        for (const auto& run : store.list_runs()) {
            CHECK(run.complete);
            CHECK(store.samples(run.id, example_row(0).key).size() == 500);
        }
        CHECK(store.check().empty());
    }

    TEST_CASE("of processes that resume a run at the same moment exactly one wins") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        for (int round = 0; round < 10; ++round) {
            const std::int64_t run = begin_in_child(path);
            const Pipe start, result;
            const auto race = [&] {
                RunStore store(path);
                char go = 0;
                if (read(start.ends[0], &go, 1) != 1) _exit(9);
                const auto error = test::error_of([&] { store.resume_run(run); });
                result.send(error ? 0 : 1);
                pause();  // the winner stays alive while the others try
            };
            {
                Child a(race), b(race), c(race);
                REQUIRE(write(start.ends[1], "ggg", 3) == 3);
                std::vector<int> results;
                while (results.size() < 3)
                    for (const int number : result.received(100)) results.push_back(number);
                CHECK(results[0] + results[1] + results[2] == 1);
            }
            RunStore(path).resume_run(run);  // all of them are gone
            RunStore(path).finish_run(run);
        }
    }

    TEST_CASE("a run is taken over only when its owner is gone") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        const Pipe pipe;
        Child owner([&] {
            RunStore store(path);
            pipe.send(static_cast<int>(store.begin_run(example_info())));
            pause();
        });
        std::vector<int> ids;
        while (ids.empty()) ids = pipe.received(100);
        RunStore store(path);
        const std::int64_t run = ids[0];
        CHECK(store.has_live_owner(run));
        CHECK(!store.find_incomplete(example_info()));
        const std::string who = "process " + std::to_string(owner.pid());
        test::expect_error(ExitCode::bad_input, {"run 1", "interrupted", who},
                           [&] { store.resume_run(run); });
        test::expect_error(ExitCode::bad_input, {"run 1", who}, [&] { store.delete_run(run); });
        test::expect_error(ExitCode::job_failed, {"another process"},
                           [&] { store.add_visit(run, example_row(0), 0, example_samples(0, 1)); });

        // Stopped is alive; dead is dead even before its parent has noticed.
        owner.kill(SIGSTOP);
        CHECK(store.has_live_owner(run));
        owner.kill(SIGKILL);
        siginfo_t ended{};
        waitid(P_PID, static_cast<id_t>(owner.pid()), &ended, WEXITED | WNOWAIT);
        CHECK(!store.has_live_owner(run));
        CHECK(store.find_incomplete(example_info()) == run);
        test::check_equal(store.resume_run(run), example_info());
        store.add_visit(run, example_row(0), 0, example_samples(0, 1));
    }

    TEST_CASE("only a run of the same configuration is continued, the newest first") {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("runs.db");
        const auto older = begin_in_child(path), newer = begin_in_child(path);
        CHECK(newer > older);
        RunStore store(path);
        CHECK(store.find_incomplete(example_info()) == newer);
        const auto differs = [&](const std::function<void(RunInfo&)>& change) {
            RunInfo info = example_info();
            change(info);
            return !store.find_incomplete(info);
        };
        CHECK(differs([](RunInfo& info) { info.network = "vgg16"; }));
        CHECK(differs([](RunInfo& info) { info.batch = 16; }));
        CHECK(differs([](RunInfo& info) { info.threads = 1; }));
        CHECK(differs([](RunInfo& info) { info.dtype = DataType::f32; }));
        CHECK(differs([](RunInfo& info) { info.state = CacheState::warm; }));
        CHECK(differs([](RunInfo& info) { info.library = "openblas"; }));
        CHECK(differs([](RunInfo& info) { info.machine = "other"; }));
        CHECK(differs([](RunInfo& info) { info.environment.cpu_model = "another"; }));
        CHECK(differs([](RunInfo& info) { info.environment.library_version = "3.0"; }));
        CHECK(!differs([](RunInfo& info) { info.environment = {}; }));
        CHECK(!differs([](RunInfo& info) { info.started_at = "2027-01-01T00:00:00Z"; }));
    }

    TEST_CASE("a process id that was given to another process is not the owner") {
        const ProcessIdentity self = this_process();
        CHECK(is_alive(self));
        CHECK(self == this_process());
        ProcessIdentity earlier = self;  // the same id, started at another time
        earlier.start.back() = earlier.start.back() == '0' ? '1' : '0';
        CHECK(!is_alive(earlier));
        ProcessIdentity other_boot = self;
        other_boot.start[0] = other_boot.start[0] == 'x' ? 'y' : 'x';
        CHECK(!is_alive(other_boot));
        CHECK(!is_alive({}));
        CHECK(!is_alive({.pid = 1 << 22, .start = self.start}));
        Child child([] { pause(); });
        CHECK(!is_alive({.pid = child.pid(), .start = self.start + "0"}));
    }
}
