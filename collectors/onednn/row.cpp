#include "collectors/onednn/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "collectors/onednn/formats.hpp"

namespace ridge::onednn {
namespace {

/// Arguments are bound once: the library's C++ call would build a list on every execution.
class PrimitiveCall {
public:
    PrimitiveCall(dnnl::primitive primitive, std::vector<std::pair<int, dnnl::memory>> arguments,
                  dnnl::stream stream)
        : primitive_(std::move(primitive)),
          memories_(std::move(arguments)),
          stream_(std::move(stream)) {
        for (const auto& [index, memory] : memories_) arguments_.push_back({index, memory.get()});
    }
    void operator()() const {
        dnnl::error::wrap_c_api(
            dnnl_primitive_execute(primitive_.get(), stream_.get(),
                                   static_cast<int>(arguments_.size()), arguments_.data()),
            "could not execute a primitive");
    }

private:
    dnnl::primitive primitive_;
    std::vector<std::pair<int, dnnl::memory>> memories_;
    dnnl::stream stream_;
    std::vector<dnnl_exec_arg_t> arguments_;
};

class StepKernel : public Kernel {
public:
    StepKernel(Measurement description, std::vector<std::function<void()>> calls,
               std::vector<std::uint64_t*> writes, std::vector<KernelTensor> tensors,
               std::shared_ptr<Memory> memory)
        : description_(std::move(description)),
          calls_(std::move(calls)),
          writes_(std::move(writes)),
          tensors_(std::move(tensors)),
          memory_(std::move(memory)),
          stream_(memory_->stream()) {}

    [[nodiscard]] const Measurement& description() const override { return description_; }

    void execute() override {
        for (const auto& call : calls_) call();
        stream_.wait();
        for (std::uint64_t* count : writes_) ++*count;
    }

    [[nodiscard]] std::vector<KernelTensor> tensors() const override { return tensors_; }

    void first_call() {
        const auto start = std::chrono::steady_clock::now();
        execute();
        description_.first_call = seconds_since(start);
    }

private:
    Measurement description_;
    std::vector<std::function<void()>> calls_;
    std::vector<std::uint64_t*> writes_;
    std::vector<KernelTensor> tensors_;
    std::shared_ptr<Memory> memory_;
    dnnl::stream stream_;
};

}  // namespace

Row::Row(std::shared_ptr<Memory> memory, Measurement description)
    : memory_(std::move(memory)), description_(std::move(description)) {
    description_.scratchpad = Bytes(0);
    description_.creation = Seconds(0);
}

void Row::describe(const std::string& implementation, const std::vector<Argument>& arguments) {
    std::string& names = description_.implementation;
    if (names.empty())
        names = implementation;
    else if (names != implementation && !names.ends_with(" + " + implementation))
        names += " + " + implementation;
    for (const Argument& argument : arguments) {
        if (argument.role.empty()) continue;
        std::string& formats = description_.formats;
        if (!formats.empty()) formats += ' ';
        formats += argument.role;
        formats += ':';
        formats += format_tag(memory_->md(argument.tensor));
    }
}

void Row::add_primitive(dnnl::primitive made, const std::string& implementation,
                        const Md& scratchpad, Seconds creation, std::vector<Argument> arguments) {
    describe(implementation, arguments);
    *description_.creation += creation;
    const std::size_t bytes = scratchpad.get_size();
    memory_->need_scratchpad(bytes);
    description_.scratchpad = std::max(*description_.scratchpad, Bytes(static_cast<double>(bytes)));
    calls_.push_back({std::move(made), scratchpad, std::move(arguments), {}});
}

void Row::plain(const std::string& implementation, const std::vector<Argument>& arguments,
                std::function<void()> run) {
    describe(implementation, arguments);
    calls_.push_back({{}, {}, arguments, std::move(run)});
}

std::vector<KernelTensor> Row::tensors() const {
    std::vector<KernelTensor> tensors;
    std::map<int, std::size_t> index;  // by slot: views and arguments in place share one
    for (const Call& call : calls_) {
        for (const Argument& a : call.arguments) {
            const auto [found, fresh] = index.try_emplace(memory_->slot(a.tensor), tensors.size());
            if (fresh)
                tensors.push_back({a.role.empty() ? fmt::format("tensor {}", a.index) : a.role,
                                   reinterpret_cast<std::uint64_t>(memory_->data(a.tensor)),
                                   memory_->md(a.tensor).get_size()});
            KernelTensor& tensor = tensors[found->second];
            (a.written ? tensor.written : tensor.read) = true;
        }
    }
    const auto bytes = static_cast<std::uint64_t>(description_.scratchpad->value());
    if (bytes > 0)
        tensors.push_back({"scratchpad",
                           reinterpret_cast<std::uint64_t>(memory_->scratchpad_data()), bytes, true,
                           true, true});
    return tensors;
}

std::unique_ptr<Kernel> Row::start() {
    std::vector<KernelTensor> used = tensors();
    std::vector<std::function<void()>> calls;
    std::set<int> read;
    for (Call& call : calls_) {
        for (const Argument& a : call.arguments)
            if (!a.written) read.insert(memory_->slot(a.tensor));
        if (call.plain) {
            calls.push_back(std::move(call.plain));
            continue;
        }
        std::vector<std::pair<int, dnnl::memory>> arguments;
        for (const Argument& a : call.arguments)
            arguments.emplace_back(a.index, memory_->memory(a.tensor));
        if (call.scratchpad.get_size() > 0)
            arguments.emplace_back(DNNL_ARG_SCRATCHPAD,
                                   memory_->scratchpad_memory(call.scratchpad));
        calls.emplace_back(
            PrimitiveCall(std::move(call.primitive), std::move(arguments), memory_->stream()));
    }
    std::set<std::uint64_t*> writes;
    for (const Call& call : calls_)
        for (const Argument& a : call.arguments)
            if (a.written && !read.contains(memory_->slot(a.tensor)))
                writes.insert(&memory_->writes(a.tensor));
    auto kernel = std::make_unique<StepKernel>(
        std::move(description_), std::move(calls),
        std::vector<std::uint64_t*>(writes.begin(), writes.end()), std::move(used), memory_);
    kernel->first_call();
    return kernel;
}

}  // namespace ridge::onednn
