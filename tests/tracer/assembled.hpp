// Functions written in assembly, for tests of what the tracer makes of single instructions: the
// assembler is the other party, not the decoder under test.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/emulator.hpp"
#include "ridge/trace.hpp"

/// Defines a function of the given instructions and the symbols around it.
#define RIDGE_ASSEMBLED(name, text)                                                  \
    extern "C" const unsigned char name[], name##_end[];                             \
    asm(".pushsection .text\n.globl " #name "\n.globl " #name "_end\n.hidden " #name \
        "\n.hidden " #name "_end\n" #name ":\n.intel_syntax noprefix\n" text         \
        "\nret\n.att_syntax\n" #name "_end:\n.popsection\n")

namespace ridge::test {

struct Emulated {
    KernelTrace trace;
    std::string failure;  ///< of the emulator
};

/// Registers at the entry as the calling convention has them, with a stack that nobody else uses.
inline tracer::Registers arguments(std::uint64_t rdi = 0, std::uint64_t rsi = 0,
                                   std::uint64_t rdx = 0) {
    tracer::Registers registers{};
    registers[tracer::register_rdx] = rdx;
    registers[tracer::register_rsp] = 0x700000000000;
    registers[6] = rsi;
    registers[7] = rdi;
    return registers;
}

inline Emulated emulate(const unsigned char* begin, const unsigned char* end,
                        const tracer::Registers& entry, RunSink* sink = nullptr,
                        bool compressed = true, bool block_by_block = false) {
    tracer::CodeMap code;
    const auto address = reinterpret_cast<std::uint64_t>(begin);
    const tracer::Function* function =
        code.add(address, static_cast<std::uint64_t>(end - begin), "assembled");
    tracer::Emulator emulator(code, 0);
    std::unique_ptr<RunBuffer> buffer;
    if (sink != nullptr) buffer = std::make_unique<RunBuffer>(*sink);
    emulator.begin(buffer.get(), compressed, {});
    std::vector<tracer::BlockStart> log;
    (void)emulator.call(*function, entry, block_by_block ? &log : nullptr);
    if (buffer) buffer->flush();
    Emulated result;
    result.failure = emulator.failure();
    emulator.add_to(result.trace);
    return result;
}

}  // namespace ridge::test
