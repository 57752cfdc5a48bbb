/* gn_parallel_for: splits the work, and chooses the implementation that runs the threads.
 *
 * The choice affects no result: a task's results do not depend on where the parts end, and both make the same parts. */
#include "threads.h"

#include "fork.h"
#include "kernel.h"
#include "parallel.h"

#if GN_HAS_THREADS
/* 0: not determined yet. Determined once, at the first use, because another library in the process may change OpenMP's
 * default. */
static _Atomic(int32_t) thread_count = 0;

static _Atomic(int32_t) chosen = GN_PARALLEL_NATIVE;
static _Atomic(int32_t) is_child; /* of fork */
static atomic_flag is_taken = ATOMIC_FLAG_INIT; /* a job is running */
static _Atomic(int64_t) most_grain = INT64_MAX;
static _Thread_local int is_inside; /* this thread is running a job's part */

int32_t gn_get_num_threads(void) {
    int32_t count = thread_count;
    if (count == 0) {
        count = gn_openmp_default_threads();
        count = count > 0 ? count : gn_native_default_threads();
        thread_count = count;
    }
    return count;
}

void gn_set_num_threads(int32_t count) {
    thread_count = count < 1 ? 1 : count;
}

/* OpenMP is not available in a forked child: its threads do not exist there, and libgomp would wait for them forever,
 * even if another library of the parent started them. */
int32_t gn_has_parallel(int32_t which) {
    return which == GN_PARALLEL_NATIVE || (which == GN_PARALLEL_OPENMP && gn_openmp_default_threads() > 0 && !is_child);
}

int32_t gn_set_parallel(int32_t which) {
    if (gn_has_parallel(which)) {
        chosen = which;
    }
    return gn_get_parallel();
}

int32_t gn_get_parallel(void) {
    return chosen;
}

void gn_forget_team(void) {
    is_child = 1;
    chosen = GN_PARALLEL_NATIVE;
    thread_count = 1; /* until it is set: a child is usually one of several */
    gn_forget_native_workers();
    atomic_flag_clear(&is_taken);
}

void gn_set_most_grain(int64_t most) {
    most_grain = most < 1 ? INT64_MAX : most;
}

int64_t gn_parallel_parts(int64_t count, int64_t grain) {
    const int64_t most = count / gn_min(grain, most_grain);
    return most < 2 || is_inside ? 1 : gn_min(gn_min(most, gn_get_num_threads()), GN_MOST_THREADS);
}

void gn_do_part(const gn_job *of, int64_t part) {
    const int64_t quotient = of->count / of->parts;
    const int64_t rest = of->count % of->parts;
    const int64_t begin = of->begin + part * quotient + gn_min(part, rest);
    is_inside = 1;
    of->task(begin, begin + quotient + (part < rest ? 1 : 0), of->context);
    is_inside = 0;
}

void gn_parallel_for(int64_t begin, int64_t end, int64_t grain, gn_task *task, void *context) {
    if (begin >= end) {
        return;
    }
    const int64_t parts = gn_parallel_parts(end - begin, grain);
    if (parts == 1 || atomic_flag_test_and_set(&is_taken)) { /* a second calling thread runs alone */
        task(begin, end, context);
        return;
    }
    const gn_job job = {begin, end - begin, parts, task, context};
    if (chosen == GN_PARALLEL_OPENMP) {
        gn_run_openmp(&job);
    } else {
        gn_run_native(&job);
    }
    atomic_flag_clear(&is_taken);
}
#else
int32_t gn_get_num_threads(void) {
    return 1;
}

void gn_set_num_threads(int32_t count) {
    (void)count;
}

int32_t gn_has_parallel(int32_t which) {
    return which == GN_PARALLEL_NONE;
}

int32_t gn_set_parallel(int32_t which) {
    (void)which;
    return GN_PARALLEL_NONE;
}

int32_t gn_get_parallel(void) {
    return GN_PARALLEL_NONE;
}

void gn_forget_team(void) {
}

void gn_set_most_grain(int64_t most) {
    (void)most;
}

int64_t gn_parallel_parts(int64_t count, int64_t grain) {
    (void)count;
    (void)grain;
    return 1;
}

void gn_parallel_for(int64_t begin, int64_t end, int64_t grain, gn_task *task, void *context) {
    (void)grain;
    if (begin < end) {
        task(begin, end, context);
    }
}
#endif
