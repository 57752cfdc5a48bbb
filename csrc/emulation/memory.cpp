/* Memory of the devices, in blocks between guard bands, and pinned memory of the host. */
#include <cstring>
#include <sys/mman.h>

#include "driver.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace driver {
namespace {

constexpr size_t GRANULE = 256;       /* blocks begin at multiples of it; `valid` has a number for each */
constexpr size_t GUARD = 512;         /* bytes before and, at least, after a block */
constexpr uint8_t UNDEFINED_BYTE = 0xA5;
constexpr uint64_t GUARD_WORD = 0xC35AC35AC35AC35Aull;
constexpr size_t LARGE = 1 << 20;     /* blocks whose pages go back to the system when they are freed */

std::map<uintptr_t, size_t> pinned;

size_t rounded(size_t bytes) {
    return (bytes + GRANULE - 1) / GRANULE * GRANULE;
}

/* The bytes between the end of a block and that of its last granule are guarded as well. */
uint8_t guard_byte(uintptr_t address) {
    return uint8_t(GUARD_WORD >> (address % 8 * 8));
}

void fill_guard(uintptr_t begin, uintptr_t end) {
    for (; begin < end; begin++) *reinterpret_cast<uint8_t *>(begin) = guard_byte(begin);
}

/* The first address in the range with a byte changed since fill_guard, or `end`. */
__attribute__((no_sanitize("address"))) uintptr_t first_damage(uintptr_t begin, uintptr_t end) {
#if !defined(__SANITIZE_ADDRESS__) /* which would report memcmp here as a fault */
    static const std::vector<uint64_t> whole((GUARD + GRANULE) / 8 + 1, GUARD_WORD);
    const auto *const expected = reinterpret_cast<const uint8_t *>(whole.data()) + begin % 8;
    if (memcmp(reinterpret_cast<const void *>(begin), expected, end - begin) == 0) return end;
#endif
    while (begin < end && *reinterpret_cast<uint8_t *>(begin) == guard_byte(begin)) begin++;
    return begin;
}

/* The last damaged address of a range that has one. */
__attribute__((no_sanitize("address"))) uintptr_t last_damage(uintptr_t begin, uintptr_t end) {
    while (end > begin && *reinterpret_cast<uint8_t *>(end - 1) == guard_byte(end - 1)) end--;
    return end - 1;
}

uintptr_t end_of_guard(const Block &block) {
    return block.begin + rounded(block.bytes) + GUARD;
}

void set_valid(Memory &memory, const Block &block, bool is_block) {
    uint16_t *valid = memory.valid + (block.begin - memory.begin) / GRANULE;
    for (size_t done = 0; done < block.bytes; done += GRANULE) {
        const size_t left = block.bytes - done;
        *valid++ = is_block ? uint16_t(left < GRANULE ? left : GRANULE) : uint16_t(0);
    }
}

void poison_guards(const Block &block) {
    ASAN_POISON_MEMORY_REGION(reinterpret_cast<void *>(block.begin - GUARD), GUARD);
    const uintptr_t end = block.begin + block.bytes;
    ASAN_POISON_MEMORY_REGION(reinterpret_cast<void *>(end), end_of_guard(block) - end);
}

void unpoison(const Block &block) {
    const uintptr_t begin = block.begin - GUARD;
    ASAN_UNPOISON_MEMORY_REGION(reinterpret_cast<void *>(begin), end_of_guard(block) - begin);
}

bool reserve(Memory &memory) {
    if (memory.begin) return true;
    /* Four times as many addresses as memory, so that guard bands and gaps do not exhaust them. */
    memory.reserved = 4 * rounded(memory.limit) + (size_t(1) << 30);
    void *const range = mmap(nullptr, memory.reserved, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *const valid = mmap(nullptr, memory.reserved / GRANULE * sizeof(uint16_t), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || valid == MAP_FAILED) return false;
    memory.begin = reinterpret_cast<uintptr_t>(range);
    memory.valid = static_cast<uint16_t *>(valid);
    memory.gaps[memory.begin] = memory.reserved;
    return true;
}

void release(Memory &memory, const Block &block) {
    unpoison(block);
    set_valid(memory, block, false);
    if (block.bytes >= LARGE) {
        const uintptr_t page = 4096;
        const uintptr_t from = (block.begin + page - 1) / page * page;
        const uintptr_t to = (block.begin + block.bytes) / page * page;
        madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
    } else {
        memset(reinterpret_cast<void *>(block.begin), UNDEFINED_BYTE, block.bytes);
    }
    uintptr_t begin = block.begin - GUARD;
    size_t bytes = end_of_guard(block) - begin;
    memory.used -= rounded(block.bytes);
    memory.blocks.erase(block.begin);
    /* Merges adjacent gaps. */
    auto after = memory.gaps.lower_bound(begin);
    if (after != memory.gaps.end() && after->first == begin + bytes) {
        bytes += after->second;
        after = memory.gaps.erase(after);
    }
    if (after != memory.gaps.begin()) {
        auto before = std::prev(after);
        if (before->first + before->second == begin) {
            before->second += bytes;
            return;
        }
    }
    memory.gaps[begin] = bytes;
}

}  // namespace

const Block *Memory::near(uintptr_t address) const {
    auto after = blocks.upper_bound(address);
    if (after == blocks.begin()) return nullptr;
    return &std::prev(after)->second;
}

const Block *Memory::find(uintptr_t address, size_t bytes) const {
    const Block *const block = near(address);
    if (!block || bytes > block->bytes || address - block->begin > block->bytes - bytes) return nullptr;
    return block;
}

std::string damage_of(const Block &block) {
    const uintptr_t begin = block.begin - GUARD;
    const uintptr_t end = block.begin + block.bytes;
    const bool before = first_damage(begin, block.begin) != block.begin;
    if (!before && first_damage(end, end_of_guard(block)) == end_of_guard(block)) return "";
    const std::string what = " a block of " + std::to_string(block.bytes) + " bytes was written to";
    if (before) {
        return std::to_string(block.begin - first_damage(begin, block.begin)) + " bytes before" + what;
    }
    const uintptr_t last = last_damage(end, end_of_guard(block));
    return std::to_string(last + 1 - end) + " bytes beyond the end of" + what;
}

std::string damage_of(const Memory &memory) {
    for (const auto &[begin, block] : memory.blocks) {
        const std::string damage = damage_of(block);
        if (!damage.empty()) return damage;
    }
    return "";
}

void release_all(Memory &memory) {
    while (!memory.blocks.empty()) {
        const Block block = memory.blocks.begin()->second;
        release(memory, block);
    }
}

/* Releases the address range when it is empty. */
void give_back_range(Memory &memory) {
    if (!memory.begin) return;
    munmap(reinterpret_cast<void *>(memory.begin), memory.reserved);
    munmap(memory.valid, memory.reserved / GRANULE * sizeof(uint16_t));
    memory = Memory();
}

Context *owner_of(uintptr_t address, size_t bytes) {
    for (auto &context : contexts()) {
        if (context->memory.find(address, bytes)) return context.get();
    }
    return nullptr;
}

bool is_pinned(const void *host, size_t bytes) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(host);
    auto after = pinned.upper_bound(address);
    if (after == pinned.begin()) return false;
    const auto &[begin, size] = *std::prev(after);
    return bytes <= size && address - begin <= size - bytes;
}

}  // namespace driver

using namespace driver;

GN_EXPORT int cuMemAlloc_v2(Address *address, size_t bytes) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (!address || bytes == 0) return INVALID_VALUE;
    if (forbidden_by_capture()) return CAPTURE_UNSUPPORTED;
    Memory &memory = context->memory;
    if (bytes > memory.limit || rounded(bytes) > memory.limit - memory.used || !reserve(memory)) {
        return OUT_OF_MEMORY;
    }
    const size_t wanted = rounded(bytes) + 2 * GUARD;
    auto gap = memory.gaps.begin();
    while (gap != memory.gaps.end() && gap->second < wanted) ++gap;
    if (gap == memory.gaps.end()) return OUT_OF_MEMORY;
    const uintptr_t from = gap->first;
    const size_t left = gap->second - wanted;
    memory.gaps.erase(gap);
    if (left) memory.gaps[from + wanted] = left;
    const Block block = {from + GUARD, bytes};
    memory.blocks[block.begin] = block;
    memory.used += rounded(bytes);
    fill_guard(from, block.begin);
    memset(reinterpret_cast<void *>(block.begin), UNDEFINED_BYTE, bytes);
    fill_guard(block.begin + bytes, end_of_guard(block));
    set_valid(memory, block, true);
    poison_guards(block);
    counts.allocations++;
    *address = block.begin;
    return SUCCESS;
}

GN_EXPORT int cuMemFree_v2(Address address) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    if (!address) return SUCCESS;
    if (forbidden_by_capture()) return CAPTURE_UNSUPPORTED;
    Context *const context = owner_of(address, 0);
    if (!context || context->memory.find(address, 0)->begin != address) return INVALID_VALUE;
    /* Waits for the device, like the real one. */
    drain_all(*context);
    if (context->error == SUCCESS) {
        const std::string damage = damage_of(*context->memory.find(address, 0));
        if (!damage.empty()) check_memory(*context);
    }
    if (context->error != SUCCESS) return context->error;
    release(context->memory, *context->memory.find(address, 0));
    return SUCCESS;
}

GN_EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (free_bytes) *free_bytes = context->memory.limit - context->memory.used;
    if (total) *total = context->memory.limit;
    return SUCCESS;
}

GN_EXPORT int cuMemHostAlloc(void **host, size_t bytes, unsigned int) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    if (!host || bytes == 0) return INVALID_VALUE;
    if (forbidden_by_capture()) return CAPTURE_UNSUPPORTED;
    void *memory = nullptr;
    if (posix_memalign(&memory, 4096, bytes)) return OUT_OF_MEMORY;
    memset(memory, UNDEFINED_BYTE, bytes);
    pinned[reinterpret_cast<uintptr_t>(memory)] = bytes;
    *host = memory;
    return SUCCESS;
}

GN_EXPORT int cuMemFreeHost(void *host) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (forbidden_by_capture()) return CAPTURE_UNSUPPORTED;
    if (!pinned.count(reinterpret_cast<uintptr_t>(host))) return INVALID_VALUE;
    for (auto &each : contexts()) drain_all(*each);
    pinned.erase(reinterpret_cast<uintptr_t>(host));
    free(host);
    return context->error;
}
