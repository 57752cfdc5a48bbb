/* One pool of threads for all kernels: OpenMP's. */
#include "threads.h"

#include "kernel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* ThreadSanitizer does not see how OpenMP's own library orders threads; it is told here.  Without that, all that
 * the calling thread wrote before a region would look like a race with its workers. */
#if defined(__SANITIZE_THREAD__)
#define GN_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GN_THREAD_SANITIZER 1
#endif
#endif
#ifdef GN_THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define GN_BEFORE(address) __tsan_release(address)
#define GN_AFTER(address) __tsan_acquire(address)
#define GN_NOT_SANITIZED __attribute__((no_sanitize("thread")))
#else
#define GN_BEFORE(address) ((void)0)
#define GN_AFTER(address) ((void)0)
#define GN_NOT_SANITIZED
#endif

/* 0: not asked for yet.  Settled once, at the first use, because another library in the process may change
 * OpenMP's own default. */
static int32_t thread_count = 0;

int32_t gn_get_num_threads(void) {
    if (thread_count == 0) {
#ifdef _OPENMP
        thread_count = omp_get_max_threads();
#else
        thread_count = 1;
#endif
    }
    return thread_count;
}

void gn_set_num_threads(int32_t count) {
    thread_count = count < 1 ? 1 : count;
}

int64_t gn_parallel_parts(int64_t count, int64_t grain) {
#ifdef _OPENMP
    const int64_t most = count / grain;
    if (most < 2 || omp_in_parallel()) {
        return 1;
    }
    return gn_min(most, gn_get_num_threads());
#else
    (void)count;
    (void)grain;
    return 1;
#endif
}

GN_NOT_SANITIZED void gn_parallel(int64_t count, int64_t grain, gn_task *task, void *context) {
    if (count <= 0) {
        return;
    }
    const int64_t parts = gn_parallel_parts(count, grain);
    if (parts == 1) {
        task(0, count, context);
        return;
    }
#ifdef _OPENMP
    GN_BEFORE(context);
#pragma omp parallel num_threads((int)parts)
    {
        GN_AFTER(context);
        /* OpenMP may give fewer threads than asked for. */
        const int64_t share = omp_get_num_threads();
        const int64_t index = omp_get_thread_num();
        const int64_t quotient = count / share;
        const int64_t rest = count % share;
        const int64_t begin = index * quotient + gn_min(index, rest);
        const int64_t end = begin + quotient + (index < rest ? 1 : 0);
        if (begin < end) {
            task(begin, end, context);
        }
        GN_BEFORE(context);
    }
    GN_AFTER(context);
#endif
}
