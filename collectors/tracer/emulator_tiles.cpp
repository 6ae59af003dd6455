// Instructions of matrix registers.
#include "collectors/tracer/block_counts.hpp"
#include "collectors/tracer/emulator.hpp"

namespace ridge::tracer {

void Emulator::tile(const Instruction& i) {
    const Operand &to = i.operands[0], &from = i.operands[1];
    const auto shape = [&](const Operand& operand) { return tiles_.shape[operand.number & 7U]; };
    switch (i.operation) {
        case Operation::tile_configure: {
            std::array<std::uint8_t, Tiles::config_bytes> config{};
            if (state_.is_tainted(to.address))
                return state_.fail("an address that depends on data");
            const std::uint64_t at = state_.address(to.address);
            for (unsigned byte = 0; byte < config.size(); ++byte) {
                const Loaded loaded = state_.memory.load(at + byte, 1);
                if (loaded.tainted) return state_.fail("shapes of tiles that depend on data");
                config[byte] = static_cast<std::uint8_t>(loaded.value);
            }
            if (!tiles_.configure(config)) return state_.fail("shapes of tiles that do not exist");
            return tile_rows(i, to, {1, Tiles::config_bytes});
        }
        case Operation::tile_release:
            tiles_ = {};
            return;
        case Operation::tile_product: {
            if (!tiles_.configured) break;
            // Multiplications and additions of one group are the instruction's work per lane.
            const auto groups = static_cast<double>(product_groups(shape(to), shape(from)));
            return add_work(dynamic_, i, 1, groups);
        }
        default:
            if (!tiles_.configured) break;
            if (to.kind == OperandKind::memory) return tile_rows(i, to, shape(from));
            if (from.kind == OperandKind::memory) return tile_rows(i, from, shape(to));
            return;  // tilezero
    }
    state_.fail("a tile without shape, " + i.name);
}

/// Rows lie as far apart as the index register says.
void Emulator::tile_rows(const Instruction& i, const Operand& memory, TileShape shape) {
    if (state_.is_tainted(memory.address)) return state_.fail("an address that depends on data");
    const bool written =
        i.operands[0].kind == OperandKind::memory && i.operation != Operation::tile_configure;
    Address first = memory.address;
    first.index = no_register;
    const std::uint64_t stride = state_.general[memory.address.index] << memory.address.shift;
    std::uint64_t address = state_.address(first);
    for (int row = 0; row < shape.rows && shape.bytes > 0; ++row, address += stride) {
        add_access(dynamic_, i, shape.bytes, written);
        if (written) state_.memory.store_unknown(address, static_cast<std::uint64_t>(shape.bytes));
        if (out_ == nullptr) continue;
        out_->push({.line = address / 64,
                    .offset = static_cast<std::uint16_t>(address % 64),
                    .bytes = static_cast<std::uint16_t>(shape.bytes),
                    .kind = written ? TouchKind::store : TouchKind::load,
                    .thread = thread_});
    }
}

}  // namespace ridge::tracer
