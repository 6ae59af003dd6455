// PAPI's low-level interface: one event set for each thread, attached before its events are added,
// so that threads which exist already are counted too.
#include <fmt/format.h>
#include <papi.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "collectors/papi/device_counters.hpp"
#include "ridge/counters.hpp"

namespace ridge {
namespace {

/// PAPI's error as the errno that says the same.
int errno_of(int error) {
    switch (error) {
        case PAPI_OK:
            return 0;
        case PAPI_EINVAL:
            return EINVAL;
        case PAPI_ENOMEM:
            return ENOMEM;
        case PAPI_ESYS:
            return errno != 0 ? errno : EIO;
        case PAPI_ECMP:
        case PAPI_ENOCMP:
        case PAPI_ECMP_DISABLED:
            return ENODEV;
        case PAPI_ENOEVNT:
        case PAPI_ENOTPRESET:
        case PAPI_EATTR:
            return ENOENT;
        case PAPI_ECNFLCT:
        case PAPI_ECOUNT:
        case PAPI_ENOCNTR:
        case PAPI_EISRUN:
            return EBUSY;
        case PAPI_EPERM:
            return EPERM;
        case PAPI_ENOSUPP:
            return EOPNOTSUPP;
        default:
            return EIO;
    }
}

class EventSet : public EventGroup {
public:
    EventSet() = default;
    ~EventSet() override {
        if (set_ == PAPI_NULL) return;
        stop();
        PAPI_cleanup_eventset(set_);
        PAPI_destroy_eventset(&set_);
    }
    EventSet(const EventSet&) = delete;
    EventSet& operator=(const EventSet&) = delete;

    /// PAPI's error codes.
    [[nodiscard]] int create(const CounterTarget& target) {
        if (const int error = PAPI_create_eventset(&set_); error != PAPI_OK) return error;
        // A thread counts itself without being attached, also where PAPI refuses to attach (it
        // tries with a hardware event, even for a set of software events).
        if (target.scope != CounterScope::thread || target.id == ::gettid()) return PAPI_OK;
        const int component = PAPI_get_component_index("perf_event");
        if (component < 0) return component;
        if (const int error = PAPI_assign_eventset_component(set_, component); error != PAPI_OK)
            return error;
        return PAPI_attach(set_, static_cast<unsigned long>(target.id));
    }
    [[nodiscard]] int add(const std::string& event) {
        const int error = PAPI_add_named_event(set_, event.c_str());
        if (error == PAPI_OK) ++events_;
        return error;
    }

    int start() override {
        const int error = PAPI_start(set_);
        running_ = error == PAPI_OK;
        return errno_of(error);
    }
    void stop() override {
        if (!std::exchange(running_, false)) return;
        std::vector<long long> values(events_);
        PAPI_stop(set_, values.data());
    }
    std::vector<RawCount> read() override {
        std::vector<long long> values(events_);
        if (PAPI_read(set_, values.data()) != PAPI_OK) return {};
        std::vector<RawCount> counts;
        for (const long long value : values) counts.push_back({static_cast<double>(value), 0, 0});
        return counts;
    }

private:
    int set_ = PAPI_NULL;
    std::size_t events_ = 0;
    bool running_ = false;
};

class PapiBackend : public CounterBackend {
public:
    std::string name() const override {
        const int version = PAPI_get_opt(PAPI_LIB_VERSION, nullptr);
        return fmt::format("PAPI {}.{}.{}", PAPI_VERSION_MAJOR(version),
                           PAPI_VERSION_MINOR(version), PAPI_VERSION_REVISION(version));
    }

    /// Of the components that this back end opens; others start devices when they are listed.
    std::vector<std::string> events() const override {
        std::vector<std::string> names;
        for (const char* component : {"perf_event", "sde"}) {
            const int index = PAPI_get_component_index(component);
            int code = PAPI_NATIVE_MASK;
            if (index < 0 || PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index) != PAPI_OK)
                continue;
            do {
                char name[PAPI_MAX_STR_LEN] = {};
                if (PAPI_event_code_to_name(code, name) == PAPI_OK) names.emplace_back(name);
            } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, index) == PAPI_OK);
        }
        return names;
    }

    Opened open(std::span<const std::string> events, const CounterTarget& target) override {
        if (target.scope == CounterScope::socket)
            return papi::open_device_events(events, target.id);
        auto set = std::make_unique<EventSet>();
        errno = 0;
        if (const int error = set->create(target); error != PAPI_OK)
            return OpenFailure{errno_of(error), events.front(), PAPI_strerror(error)};
        for (const std::string& event : events) {
            errno = 0;
            if (const int error = set->add(event); error != PAPI_OK)
                return OpenFailure{errno_of(error), event, PAPI_strerror(error)};
        }
        return std::unique_ptr<EventGroup>(std::move(set));
    }
};

/// Empty when PAPI is ready. It can be started once per process.
const std::string& start_papi() {
    static const std::string reason = [] {
        const int version = PAPI_library_init(PAPI_VER_CURRENT);
        if (version == PAPI_VER_CURRENT) return std::string();
        if (version > 0)
            return fmt::format("the PAPI library is version {}.{}, this program needs {}.{}",
                               PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                               PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
        return fmt::format("PAPI does not start: {}", PAPI_strerror(version));
    }();
    return reason;
}

}  // namespace

std::variant<std::shared_ptr<CounterBackend>, std::string> papi_backend() {
    if (const std::string& reason = start_papi(); !reason.empty()) return reason;
    return std::shared_ptr<CounterBackend>(std::make_shared<PapiBackend>());
}

}  // namespace ridge
