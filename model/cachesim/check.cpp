// What a hierarchy must satisfy before it is simulated, and how one follows from a machine file.
#include <fmt/format.h>

#include <bit>

#include "model/cachesim/level_setup.hpp"
#include "model/cachesim/write_combining.hpp"
#include "ridge/error.hpp"

namespace ridge {
namespace {

void check_geometry(const CacheSpec& level, const std::string& where) {
    if (level.line_bytes < 8 || !std::has_single_bit(static_cast<unsigned>(level.line_bytes)) ||
        level.line_bytes > cachesim::WriteCombining::max_line_bytes)
        throw bad_input(where + ".line",
                        fmt::format("a power of two from 8 to {} bytes",
                                    cachesim::WriteCombining::max_line_bytes),
                        std::to_string(level.line_bytes));
    cachesim::PolicyParameters parameters;
    const auto* policy = cachesim::find_policy(level.policy, parameters);
    if (!policy) {
        std::string known;
        for (const auto& entry : policies()) known += (known.empty() ? "" : ", ") + entry.name;
        throw bad_input(where + ".policy", "one of " + known, "\"" + level.policy + "\"");
    }
    if (level.ways < 1 || level.ways > policy->max_ways)
        throw bad_input(where + ".ways",
                        fmt::format("1 to {} ways with {}", policy->max_ways, policy->name),
                        std::to_string(level.ways));
    if (policy->power_of_two_ways && !std::has_single_bit(static_cast<unsigned>(level.ways)))
        throw bad_input(where + ".ways",
                        fmt::format("a power of two of ways with {}", policy->name),
                        std::to_string(level.ways));
    const auto row =
        static_cast<std::uint64_t>(level.line_bytes) * static_cast<std::uint64_t>(level.ways);
    if (level.capacity_bytes == 0 || level.capacity_bytes % row != 0)
        throw bad_input(where + ".capacity",
                        fmt::format("a multiple of line x ways = {} bytes", row),
                        std::to_string(level.capacity_bytes));
    if (level.capacity_bytes > std::uint64_t{1} << 40)
        throw bad_input(where + ".capacity", "at most 1 TiB", std::to_string(level.capacity_bytes));
    if (level.sector_bytes != 0 &&
        (level.sector_bytes < 0 || level.line_bytes % level.sector_bytes != 0 ||
         !std::has_single_bit(static_cast<unsigned>(level.sector_bytes)) ||
         level.line_bytes / level.sector_bytes > 16))
        throw bad_input(where + ".sector",
                        "a power of two that divides the line into at most 16 sectors",
                        std::to_string(level.sector_bytes));
    if (!(level.write_allocate_evasion >= 0 && level.write_allocate_evasion <= 1))
        throw bad_input(where + ".write_allocate_evasion", "a share from 0 to 1",
                        fmt::format("{}", level.write_allocate_evasion));
    if (level.shared_by < 1)
        throw bad_input(where + ".shared_by", "at least 1 thread", std::to_string(level.shared_by));
}

/// Of an outer level and the one above it.
void check_link(const CacheSpec& outer, const CacheSpec& inner, std::uint64_t inner_bytes,
                const std::string& where) {
    if (outer.line_bytes != inner.line_bytes)
        throw bad_input(where + ".line",
                        fmt::format("{} bytes as in {}", inner.line_bytes, inner.name),
                        std::to_string(outer.line_bytes));
    if (outer.shared_by % inner.shared_by != 0)
        throw bad_input(
            where + ".shared_by",
            fmt::format("a multiple of the {} threads that share {}", inner.shared_by, inner.name),
            std::to_string(outer.shared_by));
    if (outer.inclusion == Inclusion::inclusive && outer.capacity_bytes < inner_bytes)
        throw bad_input(where + ".capacity",
                        fmt::format("an inclusive level to hold the {} bytes of {} above it",
                                    inner_bytes, inner.name),
                        std::to_string(outer.capacity_bytes));
    if ((outer.write_policy == WritePolicy::untracked) !=
        (inner.write_policy == WritePolicy::untracked))
        throw bad_input(where + ".write_policy", "untracked in all levels or in none",
                        std::string(to_string(outer.write_policy)));
}

}  // namespace

void check(const HierarchySpec& spec) {
    const std::string where = spec.name.empty() ? "machine" : spec.name;
    if (spec.levels.empty()) throw bad_input(where, "at least one cache level", "none");
    if (spec.threads < 1 || spec.threads > 255)
        throw bad_input(where + ".threads", "1 to 255", std::to_string(spec.threads));
    if (spec.write_combining_buffers < 1 || spec.write_combining_buffers > 64)
        throw bad_input(where + ".write_combining_buffers", "1 to 64",
                        std::to_string(spec.write_combining_buffers));
    for (const CacheSpec& level : spec.levels) check_geometry(level, where + "." + level.name);
    for (std::size_t i = 1; i < spec.levels.size(); ++i) {
        const CacheSpec& outer = spec.levels[i];
        // An inclusive level must hold everything above it, of all the threads that share it.
        std::uint64_t inner_bytes = 0;
        const int sharers = std::min(outer.shared_by, spec.threads);
        const auto copies = static_cast<std::uint64_t>(
            (sharers + spec.levels[i - 1].shared_by - 1) / spec.levels[i - 1].shared_by);
        inner_bytes = copies * spec.levels[i - 1].capacity_bytes;
        check_link(outer, spec.levels[i - 1], inner_bytes, where + "." + outer.name);
    }
    if (spec.levels.front().inclusion != Inclusion::non_inclusive)
        throw bad_input(where + "." + spec.levels.front().name + ".inclusion",
                        "nothing for the first level: it has no level above",
                        std::string(to_string(spec.levels.front().inclusion)));
    if (spec.instruction) {
        check_geometry(*spec.instruction, where + "." + spec.instruction->name);
        if (spec.levels.size() > 1)
            check_link(spec.levels[1], *spec.instruction, 0, where + "." + spec.levels[1].name);
    }
    if (spec.convention == Convention::cachegrind && spec.threads != 1)
        throw bad_input(where + ".threads", "1 with Cachegrind's conventions",
                        std::to_string(spec.threads));
}

}  // namespace ridge
