#include "ridge/reading.hpp"

#include <cmath>
#include <utility>

#include "ridge/error.hpp"

namespace ridge {

Reading::Reading(double value, Source source) : value_(value), source_(source) {
    if (!std::isfinite(value)) throw job_failed("a reading", "the value is not a finite number");
}

Reading Reading::unavailable(std::string reason) {
    Reading reading;
    reading.reason_ = std::move(reason);
    return reading;
}

double Reading::value() const {
    if (!value_) throw job_failed("a reading", "unavailable: " + reason_);
    return *value_;
}

}  // namespace ridge
