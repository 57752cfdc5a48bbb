/* The hooks that every memory access of a kernel calls when it is compiled with -fsanitize=thread. Their names are
 * those of the sanitizer's runtime, which is not linked.  Part of emulation.h.
 *
 * An access to device memory must be inside a block, aligned to its size; the driver checks everything else
 * (checks.cpp). memcpy and the host's libm are not instrumented. */
#ifndef GN_EMULATION_CHECKS_H
#define GN_EMULATION_CHECKS_H

namespace gn_emulation {

GN_UNCHECKED inline void check(const void *place, uint32_t bytes, int kind) {
    const gn_emulated_machine *const here = machine;
    const uintptr_t address = reinterpret_cast<uintptr_t>(place);
    if (!here || address - reinterpret_cast<uintptr_t>(&indices) < sizeof indices) return;
    if (address - here->stack_begin < here->stack_bytes) return;
    const uintptr_t inside = address - here->memory_begin;
    if (inside < here->memory_bytes && inside % 256 + bytes <= here->memory_valid[inside / 256]) return;
    here->access(address, bytes, kind);
}

GN_UNCHECKED inline void check_aligned(const void *place, uint32_t bytes, int kind) {
    if (reinterpret_cast<uintptr_t>(place) % bytes && machine) {
        machine->fail(716, "an access at an address that is no multiple of its size");
    }
    check(place, bytes, kind);
}

}  // namespace gn_emulation

#define GN_HOOKS(bytes)                                                                              \
    GN_UNCHECKED void __tsan_read##bytes(void *place) {                                              \
        gn_emulation::check_aligned(place, bytes, GN_ACCESS_READ);                                   \
    }                                                                                                \
    GN_UNCHECKED void __tsan_write##bytes(void *place) {                                             \
        gn_emulation::check_aligned(place, bytes, GN_ACCESS_WRITE);                                  \
    }                                                                                                \
    GN_UNCHECKED void __tsan_unaligned_read##bytes(void *place) {                                    \
        gn_emulation::check(place, bytes, GN_ACCESS_READ);                                           \
    }                                                                                                \
    GN_UNCHECKED void __tsan_unaligned_write##bytes(void *place) {                                   \
        gn_emulation::check(place, bytes, GN_ACCESS_WRITE);                                          \
    }
extern "C" {
GN_HOOKS(1)
GN_HOOKS(2)
GN_HOOKS(4)
GN_HOOKS(8)
GN_HOOKS(16)
GN_UNCHECKED void __tsan_read_range(void *place, size_t bytes) {
    gn_emulation::check(place, uint32_t(bytes), GN_ACCESS_READ);
}
GN_UNCHECKED void __tsan_write_range(void *place, size_t bytes) {
    gn_emulation::check(place, uint32_t(bytes), GN_ACCESS_WRITE);
}
GN_UNCHECKED void __tsan_init() {}
GN_UNCHECKED void __tsan_func_entry(void *) {}
GN_UNCHECKED void __tsan_func_exit(void *) {}
}
#undef GN_HOOKS

#endif
