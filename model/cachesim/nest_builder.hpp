// Small helpers for writing loop nests down.
#pragma once

#include "ridge/loop_nest.hpp"

namespace ridge::cachesim {

/// Places arrays one after the other, each on a page of its own, with one guard page between.
class ArrayPlacer {
public:
    std::size_t add(LoopNest& nest, std::string name, std::uint64_t bytes) {
        constexpr std::uint64_t page = 4096;
        nest.arrays.push_back({std::move(name), next_, bytes});
        next_ += (bytes + page - 1) / page * page + page;
        return nest.arrays.size() - 1;
    }

private:
    std::uint64_t next_ = std::uint64_t{1} << 40;
};

inline NestRun run_of(std::size_t array, TouchKind kind, std::uint64_t bytes,
                      std::vector<std::int64_t> move, std::int64_t offset = 0) {
    NestRun run;
    run.array = array;
    run.kind = kind;
    run.bytes = static_cast<std::uint32_t>(bytes);
    run.move = std::move(move);
    run.offset = offset;
    return run;
}

/// C[m x n] += A[m x k] B[k x n], row major, all sizes in elements of `element` bytes, blocks that
/// divide the sizes. Loops: rows of blocks, columns of blocks, depth.
struct MatmulShape {
    std::int64_t m = 1, n = 1, k = 1;
    std::int64_t block_m = 1, block_n = 1, block_k = 1;
    std::int64_t element = 4;
};
struct MatmulArrays {
    std::size_t a, b, c;
};
[[nodiscard]] NestLoop matmul_loops(const MatmulShape& shape, const MatmulArrays& arrays);

}  // namespace ridge::cachesim
