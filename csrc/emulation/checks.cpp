/* Checks each access of an instrumented kernel: may the thread access the memory, and, for shared memory, is there a
 * barrier between this access and those of other threads?
 *
 * Every byte of shared memory has a shadow: who wrote it and who read it last, and after which barrier.  Two accesses
 * are in order if one thread made both, a barrier of the block lies between them, or an operation of the warp that both
 * threads belong to.  All others are a race if one of them writes, even if the result was right in the order in which
 * the threads ran here. */
#include <cstring>

#include "driver.h"

namespace driver {
namespace {

/* Who: a thread of the block; or several of one warp; or of several warps. */
constexpr uint16_t WARP = 0x4000;
constexpr uint16_t MANY = 0x8000;

struct Trace {
    uint32_t block_epoch = 0; /* 0: none */
    uint32_t warp_epoch = 0;
    uint16_t who = 0;
};

struct Shadow {
    Trace write, read, atomic;
};

/* A write to bytes that another thread wrote: harmless if it writes the same values, which is checked afterwards. */
struct Pending {
    uintptr_t address = 0;
    uint32_t bytes = 0;
    uint32_t thread = 0, other = 0;
    uint8_t before[16];
};

std::vector<Shadow> static_shadow, dynamic_shadow;
Pending pending;

bool in_order(const Trace &earlier, uint32_t thread) {
    if (earlier.block_epoch != block_epoch || earlier.who == thread) return true;
    const uint32_t warp = thread / 32;
    const bool same_warp = earlier.who < WARP ? earlier.who / 32u == warp : earlier.who == (WARP | warp);
    return same_warp && earlier.warp_epoch != warp_epoch[warp];
}

std::string who(const Trace &trace) {
    if (trace.who >= WARP) return "other threads";
    return "thread " + std::to_string(trace.who);
}

/* One more read, or atomic operation. */
void note(Trace &last, uint32_t thread) {
    const Trace now = {block_epoch, warp_epoch[thread / 32], uint16_t(thread)};
    if (in_order(last, thread)) {
        last = now;
        return;
    }
    const bool same_warp = last.who < WARP ? last.who / 32u == thread / 32 : last.who == (WARP | thread / 32);
    last.who = same_warp ? uint16_t(WARP | thread / 32) : MANY;
    last.warp_epoch = now.warp_epoch;
}

[[noreturn]] void missing_barrier(uint32_t bytes, const char *does, const Trace &other, const char *did) {
    fail(LAUNCH_FAILED, "a missing barrier: thread " + std::to_string(current_thread()) + " " + does + " " +
                            std::to_string(bytes) + " bytes of shared memory that " + who(other) + " " + did +
                            " since the last barrier");
}

void shared_access(Shadow *shadow, uintptr_t address, uint32_t bytes, int kind) {
    const uint32_t me = current_thread();
    for (uint32_t i = 0; i < bytes; i++) {
        auto &[write, read, atomic] = shadow[i];
        const bool after_write = in_order(write, me);
        if (kind == GN_ACCESS_READ) {
            if (!after_write) missing_barrier(bytes, "reads", write, "wrote");
            if (!in_order(atomic, me)) missing_barrier(bytes, "reads", atomic, "changed atomically");
            note(read, me);
            continue;
        }
        if (!in_order(read, me)) missing_barrier(bytes, "writes", read, "read");
        if (kind == GN_ACCESS_ATOMIC) {
            if (!after_write) missing_barrier(bytes, "changes atomically", write, "wrote");
            note(atomic, me);
            continue;
        }
        if (!in_order(atomic, me)) missing_barrier(bytes, "writes", atomic, "changed atomically");
        if (!after_write) {
            if (bytes > sizeof pending.before) missing_barrier(bytes, "writes", write, "wrote");
            pending.address = address;
            pending.bytes = bytes;
            pending.thread = me;
            pending.other = write.who;
            memcpy(pending.before, reinterpret_cast<const void *>(address), bytes);
        }
        write = {block_epoch, warp_epoch[me / 32], uint16_t(me)};
    }
}

const char *verb(int kind) {
    return kind == GN_ACCESS_READ ? "reads" : kind == GN_ACCESS_WRITE ? "writes" : "changes";
}

[[noreturn]] void illegal(const Memory &memory, uintptr_t address, uint32_t bytes, int kind) {
    std::string text = std::string(verb(kind)) + " " + std::to_string(bytes) + " bytes ";
    const Block *const block = memory.near(address);
    const uintptr_t end = block ? block->begin + block->bytes : 0;
    const auto next = memory.blocks.upper_bound(address);
    const bool has_next = next != memory.blocks.end();
    if (!memory.contains(address)) {
        text += address < 65536 ? "at a null pointer" : "that are not the device's";
    } else if (block && address < end) {
        text += "across the end of a block of " + std::to_string(block->bytes);
    } else if (block && (!has_next || address - end <= next->first - address)) {
        text += std::to_string(address - end) + " bytes beyond the end of a block of " +
                std::to_string(block->bytes);
    } else if (has_next) {
        text += std::to_string(next->first - address) + " bytes before a block of " +
                std::to_string(next->second.bytes);
    } else {
        text += "outside of all blocks";
    }
    fail(ILLEGAL_ADDRESS, text);
}

}  // namespace

void settle_writes() {
    if (!pending.bytes) return;
    const void *const written = reinterpret_cast<const void *>(pending.address);
    const bool same = memcmp(pending.before, written, pending.bytes) == 0;
    const uint32_t bytes = pending.bytes;
    pending.bytes = 0;
    if (same) return;
    fail(LAUNCH_FAILED, "a missing barrier: thread " + std::to_string(pending.thread) + " writes other " +
                            std::to_string(bytes) + " bytes of shared memory than thread " +
                            std::to_string(pending.other) + " did since the last barrier");
}

void begin_checks(const Module &module, size_t dynamic_bytes) {
    pending.bytes = 0;
    /* Epochs are never reused, so that records of earlier kernels have no effect. */
    const size_t statics = module.statics_end - module.statics_begin;
    if (static_shadow.size() < statics) static_shadow.resize(statics);
    if (dynamic_shadow.size() < dynamic_bytes) dynamic_shadow.resize(dynamic_bytes);
}

void check_access(const Memory &memory, const Module &module, const gn_emulated_machine &machine,
                  uintptr_t address, uint32_t bytes, int kind) {
    settle_writes();
    const uintptr_t in_dynamic = address - reinterpret_cast<uintptr_t>(machine.dynamic_shared);
    if (in_dynamic < machine.dynamic_shared_bytes + DYNAMIC_SLACK) {
        if (in_dynamic + bytes > machine.dynamic_shared_bytes) {
            fail(ILLEGAL_ADDRESS, std::string(verb(kind)) + " beyond the end of the " +
                                      std::to_string(machine.dynamic_shared_bytes) +
                                      " bytes of dynamic shared memory");
        }
        shared_access(dynamic_shadow.data() + in_dynamic, address, bytes, kind);
        return;
    }
    if (address >= module.statics_begin && address + bytes <= module.statics_end) {
        shared_access(static_shadow.data() + (address - module.statics_begin), address, bytes, kind);
        return;
    }
    if (memory.find(address, bytes)) return;
    const bool in_image = address >= module.image_begin && address + bytes <= module.image_end;
    if (kind == GN_ACCESS_READ && in_image) return;
    const uintptr_t in_machine = address - reinterpret_cast<uintptr_t>(&machine);
    if (kind == GN_ACCESS_READ && in_machine < sizeof machine) return;
    if (is_pinned(reinterpret_cast<const void *>(address), bytes)) return;
    illegal(memory, address, bytes, kind);
}

}  // namespace driver
