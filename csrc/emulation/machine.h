/* What the emulated driver and the modules that it loads know of each other. */
#ifndef GN_EMULATION_MACHINE_H
#define GN_EMULATION_MACHINE_H

#include <cstddef>
#include <cstdint>

/* Counts up when the structures below change: a driver refuses modules of another number. */
#define GN_EMULATION_ABI 1

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

/* The block that runs, and what the driver does for it.  One for all modules; the driver owns it. */
struct gn_emulated_machine {
    dim3 grid, block;
    uint3 block_index;
    uint32_t count;      /* threads in a block */
    uint32_t next;       /* the first thread of the block that has not begun */
    uint32_t current;    /* the thread that runs */
    uint32_t suspended;  /* threads that wait, or may go on but have not yet */
    uint32_t ended;      /* threads that returned */
    void *const *parameters;
    void *dynamic_shared;
    uint32_t dynamic_shared_bytes;
    /* The memory of the device, and of each 256 bytes of it how many, from the first on, lie in a block. */
    uintptr_t memory_begin, memory_bytes;
    const uint16_t *memory_valid;
    uintptr_t stack_begin, stack_bytes; /* of the current thread */

    /* A thread returned while others are suspended. */
    void (*thread_ended)();
    /* The current thread waits for all of its block; `line` tells barriers apart. */
    void (*block_barrier)(int line);
    /* The current thread meets the lanes of `mask`: see GN_WARP_*.  `value` takes the result. */
    void (*warp_operation)(int operation, uint32_t mask, uint64_t *value, uint32_t source, int line);
    /* The kernel is over, with a CUresult that is not 0; does not return. */
    void (*fail)(int result, const char *text);
    /* An access that is not plainly one to the device's memory; see GN_ACCESS_*. */
    void (*access)(uintptr_t address, uint32_t bytes, int kind);
};

#define GN_WARP_MEET 0     /* nothing but to meet */
#define GN_WARP_SHUFFLE 1  /* the result is the value of lane `source` */
#define GN_WARP_BALLOT 2   /* the result has a bit for each lane whose value is not 0 */

#define GN_ACCESS_READ 0
#define GN_ACCESS_WRITE 1
#define GN_ACCESS_ATOMIC 2

/* What a module exports for a kernel. */
struct gn_emulated_kernel {
    const char *name; /* as the kernel was asked for */
    /* Runs threads of the block from machine->next on until none is left that has not begun. */
    void (*run)(gn_emulated_machine *machine);
    uint32_t parameter_count;
    const uint32_t *sizes, *alignments;
};

#endif
