/* Between threads.c and the two implementations of gn_parallel_for: parallel_native.c and parallel_openmp.c. */
#ifndef GN_PARALLEL_H
#define GN_PARALLEL_H

#include "threads.h"

/* The most threads of a call. */
#define GN_MOST_THREADS 256

/* Two or more parts, as equal as possible, of the numbers from `begin` on. */
typedef struct gn_job {
    int64_t begin;
    int64_t count;
    int64_t parts; /* <= GN_MOST_THREADS, count */
    gn_task *task;
    void *context;
} gn_job;

/* One of the parts, on this thread. */
void gn_do_part(const gn_job *of, int64_t part);

#if GN_HAS_THREADS
/* Do all parts, and return when they are done; one job at a time. */
void gn_run_native(const gn_job *of);
void gn_run_openmp(const gn_job *of);

/* The default number of threads of a call; 0 for OpenMP if the compiler does not support it. */
int32_t gn_native_default_threads(void);
int32_t gn_openmp_default_threads(void);

/* In a forked child: the native workers do not exist there. */
void gn_forget_native_workers(void);
#endif

#endif
