/* How all kernels use several threads: a loop over numbers, split into parts. */
#ifndef GN_THREADS_H
#define GN_THREADS_H

#include "kernel.h"
#include "../library.h"

/* Threads are POSIX threads that communicate by C11 atomics; without either there is a single thread. */
#if !defined(_WIN32) && !defined(__STDC_NO_ATOMICS__)
#define GN_HAS_THREADS 1
#include <stdatomic.h>
#else
#define GN_HAS_THREADS 0
#endif

/* The part [begin, end) of a job. */
typedef void gn_task(int64_t begin, int64_t end, void *context);

/* Runs `task` over [begin, end) on up to gn_get_num_threads() threads, in contiguous parts of at least `grain` (>= 1),
 * unless a test wants smaller ones; on the calling thread alone if that gives one part, or if that thread is running a
 * part itself. A task's results must not depend on where the parts end. Returns when all are done; cannot fail. */
void gn_parallel_for(int64_t begin, int64_t end, int64_t grain, gn_task *task, void *context);

/* The number of parts that gn_parallel_for makes of so many numbers. */
int64_t gn_parallel_parts(int64_t count, int64_t grain);

/* A status that several threads may set, and a count that several add to. */
#if GN_HAS_THREADS
typedef _Atomic(int32_t) gn_status;
typedef _Atomic(int64_t) gn_shared_count;
#else
typedef int32_t gn_status;
typedef int64_t gn_shared_count;
#endif

/* The last error that a thread reports remains. */
static inline void gn_report(gn_status *status, int32_t found) {
    if (GN_UNLIKELY(found != GN_OK)) {
#if GN_HAS_THREADS
        atomic_store_explicit(status, found, memory_order_relaxed);
#else
        *status = found;
#endif
    }
}

/* Returns the previous count. */
static inline int64_t gn_add_to(gn_shared_count *total, int64_t count) {
#if GN_HAS_THREADS
    return atomic_fetch_add_explicit(total, count, memory_order_relaxed);
#else
    const int64_t before = *total;
    *total += count;
    return before;
#endif
}

#endif
