/* The interface between the emulated driver and the modules that it loads. */
#ifndef GN_EMULATION_MACHINE_H
#define GN_EMULATION_MACHINE_H

#include <cstddef>
#include <cstdint>

/* Incremented when the structures below change: the driver refuses modules with another number. */
#define GN_EMULATION_ABI 1

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

/* The running block, and the driver's services for it. Shared by all modules; owned by the driver. */
struct gn_emulated_machine {
    dim3 grid, block;
    uint3 block_index;
    uint32_t count;      /* threads in a block */
    uint32_t next;       /* the first thread of the block that has not begun */
    uint32_t current;    /* the running thread */
    uint32_t suspended;  /* threads that wait, or can continue but have not yet */
    uint32_t ended;      /* threads that returned */
    void *const *parameters;
    void *dynamic_shared;
    uint32_t dynamic_shared_bytes;
    /* The device's memory, and for each 256 bytes of it how many of them, from the first on, belong to a block. */
    uintptr_t memory_begin, memory_bytes;
    const uint16_t *memory_valid;
    uintptr_t stack_begin, stack_bytes; /* of the current thread */

    /* A thread returned while others are suspended. */
    void (*thread_ended)();
    /* The current thread waits for all of its block; `line` tells barriers apart. */
    void (*block_barrier)(int line);
    /* The current thread synchronizes with the lanes of `mask`: see GN_WARP_*. `value` receives the result. */
    void (*warp_operation)(int operation, uint32_t mask, uint64_t *value, uint32_t source, int line);
    /* Ends the kernel with a nonzero CUresult; does not return. */
    void (*fail)(int result, const char *text);
    /* An access that is not obviously to device memory; see GN_ACCESS_*. */
    void (*access)(uintptr_t address, uint32_t bytes, int kind);
};

#define GN_WARP_MEET 0     /* only synchronizes */
#define GN_WARP_SHUFFLE 1  /* the result is the value of lane `source` */
#define GN_WARP_BALLOT 2   /* the result has a bit for each lane whose value is not 0 */

#define GN_ACCESS_READ 0
#define GN_ACCESS_WRITE 1
#define GN_ACCESS_ATOMIC 2

/* The export of a module for one kernel. */
struct gn_emulated_kernel {
    const char *name; /* the kernel's requested name */
    /* Runs threads of the block from machine->next on until none is left that has not begun. */
    void (*run)(gn_emulated_machine *machine);
    uint32_t parameter_count;
    const uint32_t *sizes, *alignments;
};

#endif
