#include "apps/ridge/counter_choice.hpp"

#include <fmt/format.h>

#include <utility>

#include "ridge/error.hpp"
#include "ridge/tracer.hpp"

namespace ridge::app {
namespace {

std::string traced_unavailable(const std::string& library) {
    if (library != "onednn")
        return "the tracer follows code that oneDNN generates; " + library + " is compiled";
    return tracer_unavailable();
}

}  // namespace

std::string CounterChoice::words() const {
    if (hardware) return traced ? "hardware, traced" : "hardware";
    return traced ? "traced" : "none";
}

CounterChooser::CounterChooser(std::string word) : word_(std::move(word)) {
    if (word_ != "auto" && word_ != "traced" && word_ != "none" && word_ != "hardware")
        throw bad_input("--counters", "auto, traced, none or hardware", "'" + word_ + "'");
}

const std::string& CounterChooser::hardware_unavailable() {
    if (!hardware_) {
        hardware_ = std::make_shared<HardwareCounters>(open_hardware_counters());
        calibrate(*hardware_);
    }
    return hardware_->unavailable;
}

CounterChoice CounterChooser::choose(const std::string& library) {
    if (word_ == "none") return {};
    const bool by_name = word_ != "auto";
    CounterChoice choice;
    std::string no_hardware, no_tracer;
    if (word_ != "traced") {
        no_hardware = hardware_unavailable();
        if (no_hardware.empty()) choice.hardware = hardware_;
        if (by_name && !no_hardware.empty())
            throw not_possible("--counters hardware", "unavailable: " + no_hardware);
    }
    if (word_ != "hardware") {
        no_tracer = traced_unavailable(library);
        choice.traced = no_tracer.empty();
        if (by_name && !no_tracer.empty())
            throw not_possible("--counters traced", "unavailable: " + no_tracer);
    }
    if (by_name || (no_hardware.empty() && no_tracer.empty())) return choice;
    if (no_tracer.empty())
        choice.remark = "counters: traced and simulated; hardware: " + no_hardware;
    else if (no_hardware.empty())
        choice.remark = "counters: hardware; traced: " + no_tracer;
    else
        choice.remark =
            fmt::format("counters: unavailable: hardware: {}; traced: {}", no_hardware, no_tracer);
    return choice;
}

}  // namespace ridge::app
