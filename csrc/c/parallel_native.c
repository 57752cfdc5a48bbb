/* gn_parallel_for by a thread pool, which needs only C11's atomic operations from the compiler.
 *
 * A job has a part for each thread. The calling thread offers the job to workers, does its own part, then all parts
 * that no worker has begun, withdraws its offers and waits for parts in progress. So a worker that is late, because it
 * slept or because its core is busy, costs only its help. (OpenMP's threads wait for each other: if two of them share a
 * core for a moment, a call takes a time slice, which is milliseconds.) */
#define _GNU_SOURCE /* POSIX threads; on Linux, the processors that the process may use */

#include "parallel.h"

#if GN_HAS_THREADS
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A waiting thread spins for so many iterations (some tens of microseconds), then yields so often (some milliseconds),
 * then sleeps. If a yield took longer than LONG_YIELD, the core is shared with another program, and the thread sleeps at
 * once: each yield would put it behind the other for a whole time slice, while one that is woken is soon run. */
#define LOOKS 1000
#define YIELDS 4000
#define NAP 50000        /* nanoseconds */
#define LONG_YIELD 20000 /* nanoseconds */

typedef struct job {
    const gn_job *of;
    atomic_uchar is_begun[GN_MOST_THREADS]; /* each part */
} job;

/* The mailbox of a worker. `offer`: a job, or NULL; BUSY while it works. */
typedef struct desk {
    _Alignas(64) _Atomic(job *) offer; /* on a separate cache line */
    atomic_int is_asleep;
    int64_t home; /* the part that it begins with */
    pthread_t worker;
    int avoided; /* the processor that it stays away from, or NO_PROCESSOR */
    pthread_mutex_t lock;
    pthread_cond_t news;
} desk;

#define NO_PROCESSOR (-1)

static job busy;
#define BUSY (&busy)

static desk desks[GN_MOST_THREADS];
static int64_t workers; /* number of workers, whose desks are the first ones; used by the thread that runs a job */

static inline void look_away(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* This thread's part, then those that no thread has begun. */
static void do_parts(job *shared, int64_t home) {
    const gn_job *of = shared->of;
    for (int64_t k = 0; k < of->parts; k++) {
        const int64_t part = (home + k) % of->parts;
        if (!atomic_exchange_explicit(&shared->is_begun[part], 1, memory_order_relaxed)) {
            gn_do_part(of, part);
        }
    }
}

/* Yields; returns whether another program used the core for long. */
static int yields_long(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    sched_yield();
    clock_gettime(CLOCK_MONOTONIC, &after);
    return (after.tv_sec - before.tv_sec) * 1000000000LL + (after.tv_nsec - before.tv_nsec) > LONG_YIELD;
}

static job *wait_for_offer(desk *own) {
    job *offer;
    for (int look = 0; look < LOOKS + YIELDS; look++) {
        if ((offer = atomic_load(&own->offer)) != NULL) {
            return offer;
        }
        if (look < LOOKS) {
            look_away();
        } else if (yields_long()) {
            break;
        }
    }
    pthread_mutex_lock(&own->lock);
    atomic_store(&own->is_asleep, 1); /* then check again: offer_to does both in the reverse order */
    while ((offer = atomic_load(&own->offer)) == NULL) {
        pthread_cond_wait(&own->news, &own->lock);
    }
    atomic_store(&own->is_asleep, 0);
    pthread_mutex_unlock(&own->lock);
    return offer;
}

static void *work(void *at) {
    desk *own = at;
    for (;;) {
        job *offer = wait_for_offer(own);
        if (atomic_compare_exchange_strong(&own->offer, &offer, BUSY)) { /* else it was withdrawn */
            do_parts(offer, own->home);
            atomic_store(&own->offer, NULL);
        }
    }
    return NULL;
}

/* Starts workers up to the number wanted, or as many as the system allows. */
static int64_t hire(int64_t wanted) {
    while (workers < wanted) {
        desk *own = &desks[workers];
        atomic_init(&own->offer, NULL);
        atomic_init(&own->is_asleep, 0);
        own->home = workers + 1;
        own->avoided = NO_PROCESSOR;
        pthread_mutex_init(&own->lock, NULL);
        pthread_cond_init(&own->news, NULL);
        sigset_t all, before; /* signals are handled by the program's own threads */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const int failed = pthread_create(&own->worker, NULL, work, own);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (failed) {
            return workers;
        }
        pthread_detach(own->worker);
        workers++;
    }
    return wanted;
}

/* Keeps the first `count` workers off this thread's processor: the system may wake them there although another one is
 * idle, and they would then take turns with this thread. It has no effect if the others are too few, or on systems that
 * cannot do it. */
static void keep_apart(int64_t count) {
#ifdef __linux__
    const int here = sched_getcpu();
    cpu_set_t usable = {0};
    int is_known = 0;
    for (int64_t each = 0; each < count; each++) {
        desk *one = &desks[each];
        if (one->avoided == here || here < 0 || here >= CPU_SETSIZE) {
            continue;
        }
        if (!is_known) {
            if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) <= count) {
                return;
            }
            CPU_CLR(here, &usable);
            is_known = 1;
        }
        one->avoided = pthread_setaffinity_np(one->worker, sizeof usable, &usable) == 0 ? here : NO_PROCESSOR;
    }
#else
    (void)count;
#endif
}

static void offer_to(desk *one, job *of) {
    atomic_store(&one->offer, of);
    if (atomic_load(&one->is_asleep)) {
        pthread_mutex_lock(&one->lock);
        pthread_cond_signal(&one->news);
        pthread_mutex_unlock(&one->lock);
    }
}

/* Withdraws the offer, or waits until the worker is done. */
static void settle_with(desk *one, job *of) {
    job *offer = of;
    if (atomic_compare_exchange_strong(&one->offer, &offer, NULL)) {
        return;
    }
    int must_nap = 0;
    for (int look = 0; atomic_load(&one->offer) != NULL; look++) {
        if (look < LOOKS) {
            look_away();
        } else if (look < LOOKS + YIELDS && !must_nap) {
            must_nap = yields_long();
        } else {
            look = LOOKS;
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        }
    }
}

void gn_run_native(const gn_job *of) {
    job shared = {.of = of};
    const int64_t helpers = hire(of->parts - 1);
    keep_apart(helpers);
    for (int64_t each = 0; each < helpers; each++) {
        offer_to(&desks[each], &shared);
    }
    do_parts(&shared, 0);
    for (int64_t each = 0; each < helpers; each++) {
        settle_with(&desks[each], &shared);
    }
}

void gn_forget_native_workers(void) {
    workers = 0;
}

/* OMP_NUM_THREADS if set (of a list, its first number), since programs are usually configured by it, else the number of
 * processors that the process may use. */
int32_t gn_native_default_threads(void) {
    const char *told = getenv("OMP_NUM_THREADS");
    long count = told == NULL ? 0 : strtol(told, NULL, 10);
#ifdef __linux__
    cpu_set_t usable; /* holds 1024: the call fails if there are more */
    if (count < 1 && sched_getaffinity(0, sizeof usable, &usable) == 0) {
        count = CPU_COUNT(&usable);
    }
#endif
    count = count < 1 ? sysconf(_SC_NPROCESSORS_ONLN) : count;
    return (int32_t)gn_max(1, gn_min(count, INT32_MAX));
}
#endif
