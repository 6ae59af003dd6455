// The generated functions of this process: where each lies, and its code as it was before anything
// was hooked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ridge::tracer {

struct Function {
    std::uint64_t address = 0;
    std::string name;
    std::uint64_t sequence = 0;  ///< in the order of the list
    std::vector<std::uint8_t> code;
    bool hooked = false;               ///< its entry jumps to the tracer
    bool brings_vectors_back = false;  ///< vector values decide about branches or addresses

    [[nodiscard]] std::uint64_t end() const { return address + code.size(); }
    [[nodiscard]] bool contains(std::uint64_t at) const { return at >= address && at < end(); }
    /// Code from `at` on. Precondition: contains(at).
    [[nodiscard]] std::span<const std::uint8_t> code_at(std::uint64_t at) const {
        return std::span(code).subspan(static_cast<std::size_t>(at - address));
    }
};

class CodeMap {
public:
    /// Adds a function and forgets what lay at its addresses before: the library frees code and
    /// reuses the place. The code is read now, so entries must be added in the order in which they
    /// were listed. Returns nullptr for a range that only sums up functions listed just before it.
    Function* add(std::uint64_t address, std::uint64_t bytes, std::string name);
    [[nodiscard]] Function* find(std::uint64_t address) const;
    [[nodiscard]] const std::map<std::uint64_t, std::unique_ptr<Function>>& all() const {
        return functions_;
    }

private:
    [[nodiscard]] bool made_of_parts(std::uint64_t address, std::uint64_t end) const;

    std::map<std::uint64_t, std::unique_ptr<Function>> functions_;
    std::uint64_t listed_ = 0;
};

/// True when all of [address, address + bytes) may be read and executed now (/proc/self/maps).
class ExecutableRanges {
public:
    ExecutableRanges();
    [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const;

private:
    std::map<std::uint64_t, std::uint64_t> ranges_;  ///< start to end, neighbours joined
};

}  // namespace ridge::tracer
