/* Replaces CUDA's built-ins when the host's C++ compiler compiles a CUDA kernel.
 *
 * Code compiled with this header is a module of the emulated driver (driver.cpp), which runs its kernels. A launch runs
 * on one OS thread. CUDA threads are ordinary calls of the kernel, one after another. If one of them must wait, at a
 * barrier or in a shuffle, it keeps its stack (a fiber), and the next thread begins on another fiber. So a kernel that
 * never waits is a simple loop.
 *
 * `__shared__` is `static`: blocks run one after another.  A kernel is exported by GN_EMULATED_KERNEL.
 *
 * Compiled with -fsanitize=thread, but without that sanitizer's library, every access of a kernel to memory
 * calls the hooks in checks.h, which find accesses outside of blocks and missing barriers:
 *
 *     c++ -std=c++20 -O1 -fwrapv -fPIC -shared -I. kernels.cpp -o kernels.so \
 *         -fsanitize=thread -nodefaultlibs -lstdc++ -lm -lgcc_s -lgcc -lc                                  */
#ifndef GN_EMULATION_H
#define GN_EMULATION_H

#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include "machine.h"

/* What follows is local to the module: two modules may have different kernels of the same name. */
#pragma GCC visibility push(hidden)

#if defined(__SANITIZE_THREAD__)
#define GN_UNCHECKED __attribute__((noinline, no_sanitize_thread))
#define GN_UNCHECKED_INLINE __attribute__((no_sanitize_thread))
#else
#define GN_UNCHECKED
#define GN_UNCHECKED_INLINE
#endif

/* `inline` gives the statics of a kernel a linkage with which the compiler instruments them. */
#define __global__ inline
#define __device__
#define __host__
#define __constant__ static
#define __managed__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) alignas(bytes)
#define __grid_constant__
#define __launch_bounds__(...)
/* Without the guard that GCC adds to statics of a class with constructors, even if the constructor does nothing. */
#if defined(__clang__)
#define __shared__ static
#else
#define __shared__ static constinit
#endif
/* T *name: the shared memory whose size the launch gives. */
#define GN_DYNAMIC_SHARED(T, name) T *const name = static_cast<T *>(gn_emulation::machine->dynamic_shared)

namespace gn_emulation {

inline gn_emulated_machine *machine;

/* CUDA's built-in variables, in one struct, so that the checks can identify them. */
struct Indices {
    uint3 thread, block;
    dim3 block_size, grid_size;
};
inline Indices indices;

}  // namespace gn_emulation

inline uint3 &threadIdx = gn_emulation::indices.thread;
inline uint3 &blockIdx = gn_emulation::indices.block;
inline dim3 &blockDim = gn_emulation::indices.block_size;
inline dim3 &gridDim = gn_emulation::indices.grid_size;
constexpr int warpSize = 32;

namespace gn_emulation {

/* The driver's services run other threads; afterwards the caller's index is restored. */
GN_UNCHECKED inline void block_barrier(int line) {
    const uint3 mine = threadIdx;
    machine->block_barrier(line);
    threadIdx = mine;
}

GN_UNCHECKED inline uint64_t warp_operation(int operation, uint32_t mask, uint64_t value, uint32_t source,
                                            int line) {
    const uint3 mine = threadIdx;
    machine->warp_operation(operation, mask, &value, source, line);
    threadIdx = mine;
    return value;
}

GN_UNCHECKED inline uint32_t lane() {
    return machine->current & 31u;
}

template <class Kernel, Kernel kernel> struct Launcher;

template <class... Parameters, void (*kernel)(Parameters...)>
struct Launcher<void (*)(Parameters...), kernel> {
    static constexpr uint32_t sizes[sizeof...(Parameters) + 1] = {uint32_t(sizeof(Parameters))..., 0};
    static constexpr uint32_t alignments[sizeof...(Parameters) + 1] = {uint32_t(alignof(Parameters))..., 0};

    template <size_t... Place>
    GN_UNCHECKED_INLINE static void call(void *const *parameters, std::index_sequence<Place...>) {
        (void)parameters;
        kernel(*static_cast<std::remove_cv_t<Parameters> *>(parameters[Place])...);
    }

    GN_UNCHECKED_INLINE static void run(gn_emulated_machine *shared) {
        machine = shared;
        blockDim = shared->block;
        gridDim = shared->grid;
        blockIdx = shared->block_index;
        uint3 at = {};
        uint32_t after = 0; /* the thread after the last that began on this fiber */
        while (shared->next < shared->count) {
            const uint32_t index = shared->next++;
            shared->current = index;
            if (index && index == after) {
                /* Increments the index: divisions would cost more than a small kernel. */
                if (++at.x == shared->block.x) {
                    at.x = 0;
                    if (++at.y == shared->block.y) {
                        at.y = 0;
                        at.z++;
                    }
                }
            } else {
                const uint32_t row = index / shared->block.x;
                at = {index % shared->block.x, row % shared->block.y, row / shared->block.y};
            }
            after = index + 1;
            threadIdx = at;
            call(shared->parameters, std::index_sequence_for<Parameters...>());
            shared->ended++;
            if (shared->suspended) shared->thread_ended();
        }
    }
};

template <auto kernel> constexpr gn_emulated_kernel describe(const char *name) {
    using Here = Launcher<std::remove_cv_t<decltype(kernel)>, kernel>;
    constexpr uint32_t parameters = sizeof(Here::sizes) / sizeof(uint32_t) - 1;
    return {name, Here::run, parameters, Here::sizes, Here::alignments};
}

template <class T> inline uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> inline T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> inline T shuffle(uint32_t mask, T value, uint32_t source, int line) {
    return from_bits<T>(warp_operation(GN_WARP_SHUFFLE, mask, to_bits(value), source, line));
}

}  // namespace gn_emulation

/* GN_EMULATED_KERNEL(k0, add<float>) makes the kernel `add<float>` the module's symbol `k0`. */
#define GN_EMULATED_KERNEL(symbol, ...)                                                              \
    extern "C" {                                                                                     \
    extern __attribute__((visibility("default"))) const gn_emulated_kernel symbol;                   \
    const gn_emulated_kernel symbol = gn_emulation::describe<&__VA_ARGS__>(#__VA_ARGS__);                    \
    }

extern "C" {
extern __attribute__((visibility("default"))) const uint32_t gn_emulation_abi;
const uint32_t gn_emulation_abi = GN_EMULATION_ABI;
}

#include "builtins.h"
#if defined(__SANITIZE_THREAD__)
#include "checks.h"
#endif

#endif
