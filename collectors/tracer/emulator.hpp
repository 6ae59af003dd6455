// Runs the scalar part of generated functions, one call at a time, for one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/tracer/block.hpp"
#include "collectors/tracer/code_map.hpp"
#include "collectors/tracer/state.hpp"
#include "collectors/tracer/tiles.hpp"
#include "ridge/kernel_counts.hpp"
#include "ridge/trace.hpp"

namespace ridge::tracer {

/// General-purpose registers in machine order.
using Registers = std::array<std::uint64_t, 16>;

/// Where a block started, for the comparison with the native run.
struct BlockStart {
    std::uint64_t address = 0;
    std::uint64_t instruction = 0;  ///< instructions of the call before it
    Registers registers{};
};

class Emulator {
public:
    Emulator(const CodeMap& code, std::uint8_t thread) : code_(code), thread_(thread) {}

    /// Forgets all counts. Runs go to `out` unless it is null.
    void begin(RunBuffer* out, bool compressed, std::vector<Region> tensors);
    /// Emulates one call from outside, with the registers at its entry. Block starts are appended
    /// to `log` unless it is null. Returns how often hooked functions are entered on the way: the
    /// native call will enter the tracer that often.
    std::uint64_t call(const Function& function, const Registers& entry,
                       std::vector<BlockStart>* log = nullptr);

    /// Why the counts are of no use; empty while they are.
    [[nodiscard]] const std::string& failure() const { return state_.failure; }
    [[nodiscard]] const std::string& flops_failure() const { return flops_failure_; }
    /// Adds what was counted since begin().
    void add_to(KernelTrace& trace) const;
    [[nodiscard]] double seconds() const { return seconds_; }

private:
    void run(Block* block, std::vector<BlockStart>* log);
    void execute(const Block& block);
    void segment(Segment& segment);
    void masked_access(const Instruction& instruction);
    void tile(const Instruction& instruction);
    void tile_rows(const Instruction& instruction, const Operand& memory, TileShape shape);
    void masked_work(const Instruction& instruction, double times);
    void repeat(Block& block);
    [[nodiscard]] Block* successor(Block& block);
    [[nodiscard]] Block* branch(Block& block);
    [[nodiscard]] Block* call_target(Block& block);
    [[nodiscard]] Block* return_target();
    [[nodiscard]] Block* block_at(std::uint64_t address);

    const CodeMap& code_;
    std::uint8_t thread_;
    State state_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Block>> blocks_;
    std::vector<Block*> used_;  ///< executed since begin(), in order of their first execution
    std::unordered_map<const Function*, std::uint64_t> calls_;
    RunBuffer* out_ = nullptr;
    bool compressed_ = true;
    std::uint64_t entry_stack_ = 0;
    std::uint64_t entries_ = 0;
    std::uint64_t waits_ = 0;  ///< pauses of the current call
    bool upper_dirty_ = false;
    Tiles tiles_;           ///< shapes of the matrix registers
    KernelCounts dynamic_;  ///< what depends on masks and on the state of the upper halves
    std::string flops_failure_;
    double seconds_ = 0;
};

}  // namespace ridge::tracer
