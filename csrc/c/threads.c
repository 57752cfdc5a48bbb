/* One pool of threads for all kernels.
 *
 * A job has a share for each thread.  The calling thread offers a worker its share, does its own, then all that nobody
 * has begun, takes back what it offered and waits for what is still being done.  So a worker that comes late, because it
 * slept or because its processor has other things to do, costs nothing but its help.  (With OpenMP, whose threads wait
 * for each other, a call took four milliseconds, a slice of the system's time, where the two threads of one shared a
 * processor for a moment.) */
#define _DEFAULT_SOURCE /* threads of POSIX */

#include "threads.h"

#include "fork.h"
#include "kernel.h"

/* Kernels tell each other of faults by OpenMP's atomic operations: without these there is one thread. */
#if defined(_OPENMP) && !defined(_WIN32)
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#define GN_POOL 1
#else
#define GN_POOL 0
#endif

/* 0: not asked for yet.  Settled once, at the first use, because another library in the process may change
 * OpenMP's own default. */
static int32_t thread_count = 0;

int32_t gn_get_num_threads(void) {
    if (thread_count == 0) {
#if GN_POOL
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

#if GN_POOL
#define MOST_THREADS 256
/* Who waits looks so often whether it is over, some tens of microseconds; then lets other threads go first so often,
 * some milliseconds; then sleeps. */
#define LOOKS 1000
#define YIELDS 4000
#define NAP 50000 /* nanoseconds */

typedef struct job {
    int64_t count;
    int64_t parts;
    gn_task *task;
    void *context;
    atomic_uchar is_begun[MOST_THREADS]; /* each part */
} job;

/* What a worker is offered: a job, or NULL; BUSY while it is at work. */
typedef struct desk {
    _Alignas(64) _Atomic(job *) offer; /* nobody else's cache line */
    atomic_int is_asleep;
    int64_t home; /* the part that it begins with */
    pthread_mutex_t lock;
    pthread_cond_t news;
} desk;

static job busy;
#define BUSY (&busy)

static desk desks[MOST_THREADS];
static int64_t workers; /* whose desks are the first; of who has the pool */
static atomic_flag is_taken = ATOMIC_FLAG_INIT;
static _Thread_local int is_inside; /* a job's part is being done on this thread */

static inline void look_away(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The part that is this thread's, then those that nobody has begun. */
static void do_parts(job *of, int64_t home) {
    const int64_t quotient = of->count / of->parts;
    const int64_t rest = of->count % of->parts;
    is_inside = 1;
    for (int64_t k = 0; k < of->parts; k++) {
        const int64_t part = (home + k) % of->parts;
        if (atomic_exchange_explicit(&of->is_begun[part], 1, memory_order_relaxed)) {
            continue;
        }
        const int64_t begin = part * quotient + gn_min(part, rest);
        const int64_t end = begin + quotient + (part < rest ? 1 : 0);
        if (begin < end) {
            of->task(begin, end, of->context);
        }
    }
    is_inside = 0;
}

static job *wait_for_offer(desk *own) {
    job *offer;
    for (int look = 0; look < LOOKS + YIELDS; look++) {
        if ((offer = atomic_load(&own->offer)) != NULL) {
            return offer;
        }
        if (look < LOOKS) {
            look_away();
        } else {
            sched_yield();
        }
    }
    pthread_mutex_lock(&own->lock);
    atomic_store(&own->is_asleep, 1); /* then look: who offers something does the reverse */
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
        if (atomic_compare_exchange_strong(&own->offer, &offer, BUSY)) { /* else it was taken back */
            do_parts(offer, own->home);
            atomic_store(&own->offer, NULL);
        }
    }
    return NULL;
}

/* As many workers as a job wants, or as the system has threads for. */
static int64_t hire(int64_t wanted) {
    while (workers < wanted) {
        desk *own = &desks[workers];
        atomic_init(&own->offer, NULL);
        atomic_init(&own->is_asleep, 0);
        own->home = workers + 1;
        pthread_mutex_init(&own->lock, NULL);
        pthread_cond_init(&own->news, NULL);
        sigset_t all, before; /* signals are for the program's own threads */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_t worker;
        const int failed = pthread_create(&worker, NULL, work, own);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (failed) {
            return workers;
        }
        pthread_detach(worker);
        workers++;
    }
    return wanted;
}

static void offer_to(desk *one, job *of) {
    atomic_store(&one->offer, of);
    if (atomic_load(&one->is_asleep)) {
        pthread_mutex_lock(&one->lock);
        pthread_cond_signal(&one->news);
        pthread_mutex_unlock(&one->lock);
    }
}

/* Takes back what was offered, or waits until it is done. */
static void settle_with(desk *one, job *of) {
    job *offer = of;
    if (atomic_compare_exchange_strong(&one->offer, &offer, NULL)) {
        return;
    }
    for (int look = 0; atomic_load(&one->offer) != NULL; look++) {
        if (look < LOOKS) {
            look_away();
        } else if (look < LOOKS + YIELDS) {
            sched_yield();
        } else {
            look--;
            nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        }
    }
}

/* In a child of fork there are no workers: they did not come along. */
void gn_forget_team(void) {
    thread_count = 1; /* until it is set: a child is one of several, as a rule */
    workers = 0;
    atomic_flag_clear(&is_taken);
}
#else
void gn_forget_team(void) {
}
#endif

int64_t gn_parallel_parts(int64_t count, int64_t grain) {
#if GN_POOL
    const int64_t most = count / grain;
    return most < 2 || is_inside ? 1 : gn_min(gn_min(most, gn_get_num_threads()), MOST_THREADS);
#else
    (void)count;
    (void)grain;
    return 1;
#endif
}

void gn_parallel(int64_t count, int64_t grain, gn_task *task, void *context) {
    if (count <= 0) {
        return;
    }
#if GN_POOL
    const int64_t parts = gn_parallel_parts(count, grain);
    if (parts > 1 && !atomic_flag_test_and_set(&is_taken)) { /* else another thread's job has the pool */
        job of = {.count = count, .parts = parts, .task = task, .context = context};
        const int64_t helpers = hire(parts - 1);
        for (int64_t each = 0; each < helpers; each++) {
            offer_to(&desks[each], &of);
        }
        do_parts(&of, 0);
        for (int64_t each = 0; each < helpers; each++) {
            settle_with(&desks[each], &of);
        }
        atomic_flag_clear(&is_taken);
        return;
    }
#else
    (void)grain;
#endif
    task(0, count, context);
}
