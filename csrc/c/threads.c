/* One pool of threads for all kernels: OpenMP's. */
#define _DEFAULT_SOURCE /* threads of POSIX */

#include "threads.h"

#include "fork.h"
#include "kernel.h"

#ifdef _OPENMP
#include <omp.h>
#if !defined(_WIN32)
#include <pthread.h>
#define GN_LEADER 1
#endif
#endif
#ifndef GN_LEADER
#define GN_LEADER 0
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

#ifdef _OPENMP
/* What gn_parallel was asked for. */
typedef struct region {
    int64_t count;
    int64_t parts;
    gn_task *task;
    void *context;
} region;

GN_NOT_SANITIZED static void open_region(const region *of) {
    GN_BEFORE(of->context);
#pragma omp parallel num_threads((int)of->parts)
    {
        GN_AFTER(of->context);
        /* OpenMP may give fewer threads than asked for. */
        const int64_t share = omp_get_num_threads();
        const int64_t index = omp_get_thread_num();
        const int64_t quotient = of->count / share;
        const int64_t rest = of->count % share;
        const int64_t begin = index * quotient + gn_min(index, rest);
        const int64_t end = begin + quotient + (index < rest ? 1 : 0);
        if (begin < end) {
            of->task(begin, end, of->context);
        }
        GN_BEFORE(of->context);
    }
    GN_AFTER(of->context);
}
#endif

#if GN_LEADER
/* In a child of fork, OpenMP's library may believe that the thread which forked has its team still, and would wait for
 * it forever.  So another thread opens that one's regions, the leader, whose team is new. */
static _Thread_local int has_lost_team;
static pthread_mutex_t leader_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t leader_news = PTHREAD_COND_INITIALIZER;
static int leader_is_there;
static const region *asked_of_leader; /* NULL when it is done */

void gn_forget_team(void) {
    thread_count = 1; /* until it is set: a child is one of several, as a rule */
    has_lost_team = 1;
    leader_is_there = 0; /* the parent may have been a child itself */
    asked_of_leader = NULL;
    leader_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    leader_news = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

static void *lead(void *unused) {
    (void)unused;
    pthread_mutex_lock(&leader_lock);
    for (;;) {
        while (asked_of_leader == NULL) {
            pthread_cond_wait(&leader_news, &leader_lock);
        }
        open_region(asked_of_leader);
        asked_of_leader = NULL;
        pthread_cond_broadcast(&leader_news);
    }
    return NULL;
}

/* Lets the leader open a region for this thread, the only one that asks; returns when it is closed.  0 where the system
 * has no thread for a leader. */
static int ask_leader(const region *of) {
    if (!leader_is_there) {
        pthread_t leader;
        if (pthread_create(&leader, NULL, lead, NULL) != 0) {
            return 0;
        }
        pthread_detach(leader);
        leader_is_there = 1;
    }
    pthread_mutex_lock(&leader_lock);
    asked_of_leader = of;
    pthread_cond_broadcast(&leader_news);
    while (asked_of_leader != NULL) {
        pthread_cond_wait(&leader_news, &leader_lock);
    }
    pthread_mutex_unlock(&leader_lock);
    return 1;
}
#else
void gn_forget_team(void) {
}
#endif

void gn_parallel(int64_t count, int64_t grain, gn_task *task, void *context) {
    if (count <= 0) {
        return;
    }
    const int64_t parts = gn_parallel_parts(count, grain);
    if (parts == 1) {
        task(0, count, context);
        return;
    }
#ifdef _OPENMP
    const region asked = {count, parts, task, context};
#if GN_LEADER
    if (has_lost_team) {
        if (!ask_leader(&asked)) {
            task(0, count, context);
        }
        return;
    }
#endif
    open_region(&asked);
#endif
}
