/* One pool of threads for all kernels. */
#ifndef GN_THREADS_H
#define GN_THREADS_H

#include "kernel.h"

/* The part [begin, end) of a job. */
typedef void gn_task(int64_t begin, int64_t end, void *context);

/* Runs `task` over [0, count) on up to gn_get_num_threads() threads, in contiguous parts of at least `grain`
 * (>= 1); on the calling thread alone when that leaves one part, or when it is itself a worker.  A task must
 * not let its results depend on where the parts end.  Returns when all are done; can not fail. */
void gn_parallel(int64_t count, int64_t grain, gn_task *task, void *context);

/* How many parts gn_parallel would make. */
int64_t gn_parallel_parts(int64_t count, int64_t grain);

/* A status that several threads may set.  What one of them sets last stays. */
static inline void gn_report(int32_t *status, int32_t found) {
    if (GN_UNLIKELY(found != GN_OK)) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        *status = found;
    }
}

#endif
