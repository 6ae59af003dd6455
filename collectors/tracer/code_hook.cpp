#include "collectors/tracer/code_hook.hpp"

#include <sys/mman.h>

#include <cstring>
#include <span>

#include "collectors/tracer/decoder.hpp"
#include "collectors/tracer/hook_entry.hpp"
#include "ridge/error.hpp"

namespace ridge::tracer {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t pool_bytes = std::size_t{1} << 20;
constexpr std::uint32_t jump_bytes = 5;
constexpr std::size_t site_bytes = 96;  // trampoline and stub

/// Length of the whole instructions that cover the first `least` bytes; 0 when one of them cannot
/// be moved.
std::uint32_t movable_bytes(const Function& function, std::uint32_t least) {
    std::uint32_t length = 0;
    while (length < least) {
        if (length >= function.code.size()) return 0;
        const auto next = relocation(std::span(function.code).subspan(length));
        if (!next || !next->movable) return 0;
        length += next->length;
    }
    return length;
}

/// Whether a branch of the function leads into its first `bytes` bytes.
bool branches_into(const Function& function, std::uint32_t bytes) {
    return any_instruction(function, [&](const Instruction& i) {
        return i.direct && i.operation != Operation::call && i.target >= function.address &&
               i.target < function.address + bytes;
    });
}

class CodeWriter {
public:
    explicit CodeWriter(std::uint8_t* at) : at_(at) {}
    [[nodiscard]] std::uint64_t here() const { return reinterpret_cast<std::uint64_t>(at_); }
    void bytes(std::span<const std::uint8_t> code) {
        std::memcpy(at_, code.data(), code.size());
        at_ += code.size();
    }
    template <class T>
    void value(T v) {
        std::memcpy(at_, &v, sizeof v);
        at_ += sizeof v;
    }
    void jump(std::uint64_t to) {  // jmp [rip + 0]; the address follows
        bytes(std::array<std::uint8_t, 6>{0xff, 0x25, 0, 0, 0, 0});
        value(to);
    }

private:
    std::uint8_t* at_;
};

/// Changes code in place. Only the pages touched change their protection, and get back r-x.
bool patch(std::uint64_t address, std::span<const std::uint8_t> code) {
    const std::uint64_t first = address / page * page;
    const std::uint64_t size = (address + code.size() + page - 1) / page * page - first;
    void* pages = reinterpret_cast<void*>(first);
    if (mprotect(pages, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    std::memcpy(reinterpret_cast<void*>(address), code.data(), code.size());
    mprotect(pages, size, PROT_READ | PROT_EXEC);
    return true;
}

void write_site(HookSite& site, std::uint8_t* at) {
    const Function& f = *site.function;
    CodeWriter out(at);
    site.trampoline = out.here();
    out.bytes(std::span(f.code).first(site.displaced));
    out.jump(f.address + site.displaced);
    site.stub = out.here();
    // push [rip + 25]: over push rax (1), mov rax, imm64 (10) and jmp (14) to the address below.
    out.bytes(std::array<std::uint8_t, 6>{0xff, 0x35, 25, 0, 0, 0});
    out.bytes(std::array<std::uint8_t, 3>{0x50, 0x48, 0xb8});
    out.value(reinterpret_cast<std::uint64_t>(&site));
    out.jump(reinterpret_cast<std::uint64_t>(&ridge_tracer_thunk));
    out.value(site.trampoline);
}

}  // namespace

CodeHooks::CodeHooks(HookHandler& handler) {
    if (!__builtin_cpu_supports("avx"))
        throw not_possible("tracing", "the processor has no AVX state to save");
    if (hook_handler_set()) throw job_failed("tracing", "another tracer is at work");
    set_hook_handler(&handler);
}

CodeHooks::~CodeHooks() {
    const ExecutableRanges ranges;
    for (const auto& site : sites_) {
        Function& f = *site->function;
        remove_breakpoint(f.address);
        f.hooked = false;
        if (!ranges.contains(f.address, f.code.size())) continue;
        // Freed and used for other code meanwhile: nothing of ours is left there.
        const auto* now = reinterpret_cast<const std::uint8_t*>(f.address);
        if (now[0] != (site->patched == 1 ? 0xcc : 0xe9)) continue;
        patch(f.address, std::span(f.code).first(site->patched));
    }
    set_hook_handler(nullptr);
    for (const Pool& pool : pools_) munmap(pool.begin, pool.size);
}

std::uint8_t* CodeHooks::room_near(std::uint64_t address, std::size_t bytes) {
    constexpr std::uint64_t reach = std::uint64_t{1} << 30;  // of a jump: twice as far
    for (Pool& pool : pools_) {
        const auto begin = reinterpret_cast<std::uint64_t>(pool.begin);
        const std::uint64_t distance = begin > address ? begin - address : address - begin;
        if (distance >= reach || pool.size - pool.used < bytes) continue;
        pool.used += bytes;
        return pool.begin + pool.used - bytes;
    }
    for (std::uint64_t gap = 64 * pool_bytes; gap < reach && gap < address;
         gap += 16 * pool_bytes) {
        void* wanted = reinterpret_cast<void*>(address / pool_bytes * pool_bytes - gap);
        void* got = mmap(wanted, pool_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == MAP_FAILED) continue;
        if (got != wanted) {  // a kernel that does not know the flag
            munmap(got, pool_bytes);
            continue;
        }
        pools_.push_back({static_cast<std::uint8_t*>(got), pool_bytes, bytes});
        return pools_.back().begin;
    }
    return nullptr;
}

std::string CodeHooks::add(Function& function, bool force_breakpoint) {
    auto site = std::make_unique<HookSite>();
    site->function = &function;
    site->displaced = force_breakpoint ? 0 : movable_bytes(function, jump_bytes);
    site->patched = jump_bytes;
    if (site->displaced == 0 || branches_into(function, site->displaced)) {
        site->displaced = movable_bytes(function, 1);
        site->patched = 1;
        if (site->displaced == 0 || branches_into(function, site->displaced))
            return "its first instruction cannot be moved";
    }
    std::uint8_t* room = room_near(function.address, site_bytes);
    if (room == nullptr) return "no free address space near its code";
    write_site(*site, room);
    if (site->patched == 1) {
        add_breakpoint(function.address, site->stub);
        if (!patch(function.address, std::array<std::uint8_t, 1>{0xcc}))
            return "its code is locked";
    } else {
        std::array<std::uint8_t, jump_bytes> jump{0xe9};
        const auto distance = static_cast<std::int32_t>(
            static_cast<std::int64_t>(site->stub - (function.address + jump_bytes)));
        std::memcpy(jump.data() + 1, &distance, sizeof distance);
        if (!patch(function.address, jump)) return "its code is locked";
    }
    function.hooked = true;
    sites_.push_back(std::move(site));
    return {};
}

}  // namespace ridge::tracer
