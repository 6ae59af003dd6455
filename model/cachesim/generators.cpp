// The generators for tests and teaching. To add one: a function that writes the nest down, a row in
// the table, a test.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "model/cachesim/nest_builder.hpp"
#include "ridge/error.hpp"
#include "ridge/format.hpp"

namespace ridge {
namespace cachesim {

NestLoop matmul_loops(const MatmulShape& s, const MatmulArrays& arrays) {
    const auto block = [&](std::size_t array, TouchKind kind, std::int64_t rows,
                           std::int64_t columns, std::int64_t row_elements,
                           std::vector<std::int64_t> move) {
        NestRun run =
            run_of(array, kind, static_cast<std::uint64_t>(columns * s.element), std::move(move));
        run.rows = static_cast<std::uint32_t>(rows);
        run.pitch = row_elements * s.element;
        return run;
    };
    const std::int64_t e = s.element;
    NestLoop depth{s.k / s.block_k,
                   {block(arrays.a, TouchKind::load, s.block_m, s.block_k, s.k,
                          {s.block_m * s.k * e, 0, s.block_k * e}),
                    block(arrays.b, TouchKind::load, s.block_k, s.block_n, s.n,
                          {0, s.block_n * e, s.block_k * s.n * e}),
                    block(arrays.c, TouchKind::modify, s.block_m, s.block_n, s.n,
                          {s.block_m * s.n * e, s.block_n * e, 0})}};
    NestLoop columns{s.n / s.block_n, {std::move(depth)}};
    return {s.m / s.block_m, {std::move(columns)}};
}

namespace {

constexpr std::uint64_t block_bytes = 512;

/// "key=value" pairs after the generator's name.
class Parameters {
public:
    /// `usage` is what a right text looks like.
    Parameters(std::string_view text, std::string where, std::string usage)
        : where_(std::move(where)), usage_(std::move(usage)) {
        while (!text.empty()) {
            const std::size_t comma = std::min(text.find(','), text.size());
            const std::string_view pair = text.substr(0, comma);
            const std::size_t equals = pair.find('=');
            if (equals == std::string_view::npos)
                throw bad_input(where_, usage_, "\"" + std::string(pair) + "\"");
            const std::string key(pair.substr(0, equals));
            if (!values_.emplace(key, pair.substr(equals + 1)).second)
                throw bad_input(where_, "each key once", key + " twice");
            text.remove_prefix(std::min(comma + 1, text.size()));
        }
    }

    /// Takes a size such as 4096 or 1MiB; `fallback` 0 means that it must be there.
    std::uint64_t size(const std::string& key, std::uint64_t fallback, std::uint64_t multiple,
                       double most = 1e15) {
        const auto text = take(key, fallback == 0);
        if (!text) return fallback;
        return whole(key, *text, parse_bytes(*text, where_ + " " + key).value(), multiple, most,
                     "bytes");
    }

    /// Takes a number of things, such as 400 or 1e6.
    std::uint64_t count(const std::string& key, std::uint64_t fallback, std::uint64_t multiple = 1,
                        double most = 1e15) {
        const auto text = take(key, fallback == 0);
        if (!text) return fallback;
        double value = 0;
        const char* end = text->data() + text->size();
        const auto [rest, error] = std::from_chars(text->data(), end, value);
        if (error != std::errc{} || rest != end)
            throw bad_input(where_ + " " + key, "a whole number", "'" + *text + "'");
        return whole(key, *text, value, multiple, most, "");
    }

    /// Takes 0 or 1; absent means 0.
    bool flag(const std::string& key) {
        const auto found = values_.find(key);
        if (found == values_.end()) return false;
        const std::string value = found->second;
        values_.erase(found);
        if (value != "0" && value != "1")
            throw bad_input(where_ + " " + key, "0 or 1", "'" + value + "'");
        return value == "1";
    }

    [[nodiscard]] const std::string& where() const { return where_; }

    void done() const {
        if (!values_.empty())
            throw bad_input(where_, usage_, "the key \"" + values_.begin()->first + "\"");
    }

private:
    std::optional<std::string> take(const std::string& key, bool required) {
        const auto found = values_.find(key);
        if (found == values_.end()) {
            if (required) throw bad_input(where_, usage_, "no " + key);
            return std::nullopt;
        }
        std::string text = std::move(found->second);
        values_.erase(found);
        return text;
    }

    [[nodiscard]] std::uint64_t whole(const std::string& key, const std::string& text, double value,
                                      std::uint64_t multiple, double most, const char* unit) const {
        if (!(value >= 1 && value <= most))
            throw bad_input(where_ + " " + key, fmt::format("1 to {}", most), "'" + text + "'");
        if (value != std::floor(value))
            throw bad_input(where_ + " " + key,
                            fmt::format("a whole number{}{}", *unit ? " of " : "", unit),
                            "'" + text + "'");
        const auto number = static_cast<std::uint64_t>(value);
        if (number % multiple != 0)
            throw bad_input(where_ + " " + key, fmt::format("a multiple of {}", multiple),
                            std::to_string(number));
        return number;
    }

    std::string where_, usage_;
    std::map<std::string, std::string> values_;
};

LoopNest stream(Parameters& p) {
    const std::uint64_t bytes = p.size("bytes", 0, block_bytes);
    LoopNest nest;
    ArrayPlacer place;
    const auto a = place.add(nest, "a", bytes);
    nest.root = {static_cast<std::int64_t>(bytes / block_bytes),
                 {run_of(a, TouchKind::load, block_bytes, {block_bytes})}};
    return nest;
}

LoopNest sweep(Parameters& p) {
    const std::uint64_t bytes = p.size("bytes", 0, 64), passes = p.count("passes", 2);
    LoopNest nest;
    ArrayPlacer place;
    const auto a = place.add(nest, "a", bytes);
    nest.root = {static_cast<std::int64_t>(passes),
                 {NestLoop{static_cast<std::int64_t>(bytes / 64),
                           {run_of(a, TouchKind::load, 64, {0, 64})}}}};
    return nest;
}

LoopNest strided(Parameters& p) {
    const std::uint64_t stride = p.size("stride", 4096, 1, 1 << 30);
    // As many elements as one run can count.
    const std::uint64_t bytes =
        p.size("bytes", 0, stride,
               static_cast<double>(stride) * std::numeric_limits<std::uint32_t>::max());
    const std::uint64_t passes = p.count("passes", 2);
    LoopNest nest;
    ArrayPlacer place;
    const auto a = place.add(nest, "a", bytes);
    NestRun run = run_of(a, TouchKind::load, std::min<std::uint64_t>(stride, 8), {0});
    run.rows = static_cast<std::uint32_t>(bytes / stride);
    run.pitch = static_cast<std::int64_t>(stride);
    nest.root = {static_cast<std::int64_t>(passes), {run}};
    return nest;
}

LoopNest vectors(Parameters& p, int inputs) {
    const std::uint64_t bytes = p.size("bytes", 0, block_bytes);
    const bool nt = p.flag("nt");
    LoopNest nest;
    ArrayPlacer place;
    nest.root.extent = static_cast<std::int64_t>(bytes / block_bytes);
    for (int i = 0; i < inputs; ++i) {
        const auto in = place.add(nest, std::string(1, static_cast<char>('b' + i)), bytes);
        nest.root.body.emplace_back(run_of(in, TouchKind::load, block_bytes, {block_bytes}));
    }
    const auto out = place.add(nest, "a", bytes);
    nest.root.body.emplace_back(
        run_of(out, nt ? TouchKind::store_nt : TouchKind::store, block_bytes, {block_bytes}));
    return nest;
}

LoopNest copy(Parameters& p) {
    return vectors(p, 1);
}
LoopNest triad(Parameters& p) {
    return vectors(p, 2);
}

LoopNest blocked_matmul(Parameters& p) {
    MatmulShape s;
    constexpr double largest_side = 1 << 24, largest_block = 1 << 16;
    const auto block = p.count("block", 32, 1, largest_block);
    const auto side = [&](const char* key) {
        return static_cast<std::int64_t>(p.count(key, 0, block, largest_side));
    };
    s.m = side("m");
    s.n = side("n");
    s.k = side("k");
    s.block_m = s.block_n = s.block_k = static_cast<std::int64_t>(block);
    // Addresses are 64 bits wide; a matrix of 1e15 bytes is more than any machine holds.
    for (const auto& [rows, columns] : {std::pair(s.m, s.k), {s.k, s.n}, {s.m, s.n}})
        if (const double size = 4.0 * static_cast<double>(rows) * static_cast<double>(columns);
            size > 1e15)
            throw bad_input(p.where(), "matrices of at most 1e15 bytes",
                            fmt::format("{:.3g} bytes", size));
    LoopNest nest;
    ArrayPlacer place;
    const auto bytes = [](std::int64_t r, std::int64_t c) {
        return static_cast<std::uint64_t>(4 * r * c);
    };
    const MatmulArrays arrays{place.add(nest, "A", bytes(s.m, s.k)),
                              place.add(nest, "B", bytes(s.k, s.n)),
                              place.add(nest, "C", bytes(s.m, s.n))};
    nest.root = matmul_loops(s, arrays);
    return nest;
}

struct Generator {
    const char* name;
    const char* parameters;
    const char* description;
    LoopNest (*make)(Parameters&);
};
constexpr std::array table{
    Generator{"stream", "bytes=1MiB", "one read through a buffer", stream},
    Generator{"sweep", "bytes=1MiB[,passes=2]", "repeated reads through a buffer", sweep},
    Generator{"strided", "bytes=1MiB[,stride=4KiB][,passes=2]", "one element per stride", strided},
    Generator{"copy", "bytes=1MiB[,nt=1]", "a = b, by non-temporal stores with nt=1", copy},
    Generator{"triad", "bytes=1MiB[,nt=1]", "a = b + s c", triad},
    Generator{"blocked_matmul", "m=256,n=256,k=256[,block=32]", "C += A B in f32 blocks",
              blocked_matmul},
};

}  // namespace
}  // namespace cachesim

std::optional<LoopNest> generator_nest(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    for (const auto& generator : cachesim::table) {
        if (text.substr(0, colon) != generator.name) continue;
        cachesim::Parameters parameters(text.substr(std::min(colon + 1, text.size())),
                                        std::string(text),
                                        fmt::format("{}:{}", generator.name, generator.parameters));
        LoopNest nest = generator.make(parameters);
        parameters.done();
        nest.name = std::string(text);
        return nest;
    }
    return std::nullopt;
}

std::vector<GeneratorEntry> generators() {
    std::vector<GeneratorEntry> entries;
    for (const auto& one : cachesim::table)
        entries.push_back({one.name, one.parameters, one.description});
    return entries;
}

}  // namespace ridge
