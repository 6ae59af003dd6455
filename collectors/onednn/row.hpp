// One row of the step: while it is planned, the primitives and plain kernels that make it up; once
// memory exists, the Kernel that runs them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/onednn/step_memory.hpp"
#include "collectors/onednn/version.hpp"
#include "ridge/kernel.hpp"

namespace ridge::onednn {

/// A primitive descriptor and how long the library took to make it (choice of the kernel).
template <class Pd>
struct Created {
    Pd pd;
    Seconds time;
};

[[nodiscard]] inline Seconds seconds_since(std::chrono::steady_clock::time_point start) {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// Runs `make` and times it.
template <class Make>
auto create(Make make) -> Created<decltype(make())> {
    const auto start = std::chrono::steady_clock::now();
    auto pd = make();
    return {std::move(pd), seconds_since(start)};
}

/// A tensor that a row reads or writes. `index` is oneDNN's DNNL_ARG_...; `role` stands in the
/// row's formats, empty to leave it out.
struct Argument {
    int index = 0;
    TensorId tensor = no_tensor;
    std::string role;
    bool written = false;
};

class Row {
public:
    Row(std::shared_ptr<Memory> memory, Measurement description);

    /// Adds a primitive; its creation, code generation included, is timed.
    template <class Pd>
    void primitive(const Created<Pd>& created, std::vector<Argument> arguments) {
        const auto start = std::chrono::steady_clock::now();
        dnnl::primitive made(created.pd.get());
        add_primitive(std::move(made), created.pd.impl_info_str(), created.pd.scratchpad_desc(),
                      created.time + seconds_since(start), std::move(arguments));
    }
    /// Adds a kernel of ours.
    void plain(const std::string& implementation, const std::vector<Argument>& arguments,
               std::function<void()> run);

    /// Makes the kernel, runs it once and records that first call. Preconditions: the memory is
    /// allocated, the rows before this one have started.
    [[nodiscard]] std::unique_ptr<Kernel> start();
    [[nodiscard]] const Measurement& description() const { return description_; }

private:
    struct Call {
        dnnl::primitive primitive;
        Md scratchpad;
        std::vector<Argument> arguments;
        std::function<void()> plain;  ///< used when there is no primitive
    };
    void add_primitive(dnnl::primitive made, const std::string& implementation,
                       const Md& scratchpad, Seconds creation, std::vector<Argument> arguments);
    /// What the calls read and write, each place once. Precondition: the memory is allocated.
    [[nodiscard]] std::vector<KernelTensor> tensors() const;
    void describe(const std::string& implementation, const std::vector<Argument>& arguments);

    std::shared_ptr<Memory> memory_;
    Measurement description_;
    std::vector<Call> calls_;
};

}  // namespace ridge::onednn
