/* csrc/c/threads.c and what it chooses from, by themselves: test_csrc_parallel.py compiles this with them, with OpenMP and
 * without, and says what to check.  Prints what it finds; a wrong count ends it. */
#define _GNU_SOURCE /* which processors a thread may use */

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "../../csrc/c/fork.h"
#include "../../csrc/c/threads.h"

/* Of the allocator, which is not here. */
void gn_lock_memory(void) {
}
void gn_unlock_memory(void) {
}

static void expect(int is_right, const char *what) {
    if (!is_right) {
        printf("wrong: %s\n", what);
        fflush(stdout);
        _Exit(1);
    }
}

/* How often each number of a job has come, and how it was cut. */
#define MOST 5000
typedef struct cover {
    int64_t begin;
    int64_t grain;
    gn_shared_count times[MOST];
    gn_shared_count parts;
    gn_shared_count numbers;
    gn_shared_count small;
} cover;

static void visit(int64_t begin, int64_t end, void *context) {
    cover *all = context;
    gn_add_to(&all->parts, 1);
    gn_add_to(&all->small, end - begin < all->grain);
    for (int64_t i = begin; i < end; i++) {
        gn_add_to(&all->times[i - all->begin], 1);
        gn_add_to(&all->numbers, 1); /* one word for all threads: an addition that is no atomic one gets lost */
    }
}

/* `own`: nobody else has a job, so that it is cut as gn_parallel_parts says. */
static void check_cover(int64_t begin, int64_t count, int64_t grain, int own) {
    cover *all = calloc(1, sizeof *all);
    all->begin = begin;
    all->grain = gn_min(grain, count);
    gn_parallel_for(begin, begin + count, grain, visit, all);
    for (int64_t i = 0; i < MOST; i++) {
        expect(all->times[i] == (i < count), "how often a number comes");
    }
    expect(all->numbers == gn_max(0, count), "how many numbers come");
    expect(all->small == 0, "the least size of a part");
    expect(!own || all->parts == (count > 0 ? gn_parallel_parts(count, grain) : 0), "how many parts there are");
    free(all);
}

static void check_covers(int own) {
    static const int64_t begins[] = {0, 5, -7, INT64_C(1) << 40};
    static const int64_t counts[] = {-3, 0, 1, 2, 3, 7, 64, 1001, MOST};
    static const int64_t grains[] = {1, 2, 3, 100, MOST, INT64_MAX};
    for (int b = 0; b < 4; b++) {
        for (int c = 0; c < 9; c++) {
            for (int g = 0; g < 6; g++) {
                check_cover(begins[b], counts[c], grains[g], own);
            }
        }
    }
}

/* Two threads at work on one job at once: each waits for the other. */
typedef struct meeting {
    gn_shared_count come;
    gn_shared_count strange; /* threads that are not of what was chosen */
    pthread_t who[2];
} meeting;

static void meet(int64_t begin, int64_t end, void *context) {
    meeting *here = context;
    here->who[begin] = pthread_self();
#ifdef _OPENMP
    gn_add_to(&here->strange, omp_get_num_threads() != (gn_get_parallel() == GN_PARALLEL_OPENMP ? 2 : 1));
#endif
    gn_add_to(&here->come, end - begin);
    while (here->come < 2) {
        sched_yield();
    }
}

static void check_meeting(void) {
    meeting here;
    memset(&here, 0, sizeof here);
    expect(gn_parallel_parts(2, 1) == 2, "two parts for two threads");
    gn_parallel_for(0, 2, 1, meet, &here);
    expect(!pthread_equal(here.who[0], here.who[1]), "two threads meet");
    expect(here.strange == 0, "whose threads they are");
}

/* Each worker of the library's own pool may use the caller's processors except one, if there are enough. */
#ifdef __linux__
typedef struct usable {
    gn_shared_count come;
    cpu_set_t sets[3];
} usable;

static void note_usable(int64_t begin, int64_t end, void *context) {
    usable *here = context;
    expect(sched_getaffinity(0, sizeof here->sets[begin], &here->sets[begin]) == 0, "a thread's processors");
    gn_add_to(&here->come, end - begin);
    while (here->come < gn_get_num_threads()) {
        sched_yield();
    }
}

static void check_apart(void) {
    const int threads = gn_get_num_threads();
    usable here;
    memset(&here, 0, sizeof here);
    gn_parallel_for(0, threads, 1, note_usable, &here);
    cpu_set_t own;
    sched_getaffinity(0, sizeof own, &own);
    int callers = 0;
    for (int i = 0; i < threads; i++) {
        cpu_set_t both;
        CPU_AND(&both, &own, &here.sets[i]);
        expect(CPU_EQUAL(&both, &here.sets[i]), "only the caller's processors");
        const int left_out = CPU_COUNT(&own) - CPU_COUNT(&here.sets[i]);
        callers += left_out == 0;
        expect(left_out == 0 || left_out == 1, "how many processors a thread leaves out");
    }
    expect(callers == (CPU_COUNT(&own) >= threads ? 1 : threads), "who may use all processors");
}
#else
static void check_apart(void) {
}
#endif

/* A job inside a part of another: on the same thread, in one part. */
typedef struct nest {
    pthread_t thread;
    gn_shared_count inner;
    gn_shared_count elsewhere;
    int32_t expected;
} nest;

static void inner_part(int64_t begin, int64_t end, void *context) {
    nest *of = context;
    gn_add_to(&of->inner, 1);
    gn_add_to(&of->elsewhere, !pthread_equal(of->thread, pthread_self()) || end - begin != 1000);
}

static void outer_part(int64_t begin, int64_t end, void *context) {
    gn_shared_count *wrong = context;
    for (int64_t i = begin; i < end; i++) {
        nest inside;
        memset(&inside, 0, sizeof inside);
        inside.thread = pthread_self();
        gn_add_to(wrong, gn_parallel_parts(1000, 1) != 1);
        gn_parallel_for(1, 1001, 1, inner_part, &inside);
        gn_add_to(wrong, inside.inner != 1 || inside.elsewhere != 0);
    }
}

static void check_nesting(void) {
    gn_shared_count wrong = 0;
    gn_parallel_for(0, 64, 1, outer_part, &wrong);
    expect(wrong == 0, "a job inside a part");
    expect(gn_parallel_parts(1000, 1) == gn_get_num_threads(), "parts of the next job");
}

/* Another thread of the program has a job while one is being done: it works alone. */
static void *do_beside(void *parts) {
    cover *all = calloc(1, sizeof *all);
    gn_parallel_for(0, MOST, 1, visit, all);
    *(int64_t *)parts = all->parts;
    free(all);
    return NULL;
}

static void call_beside(int64_t begin, int64_t end, void *context) {
    for (int64_t i = begin; i < end; i++) {
        pthread_t caller;
        expect(pthread_create(&caller, NULL, do_beside, (int64_t *)context + i) == 0, "a thread");
        pthread_join(caller, NULL);
    }
}

static void check_second_caller(void) {
    int64_t parts[4] = {0};
    gn_parallel_for(0, 4, 1, call_beside, parts);
    expect(parts[0] == 1 && parts[1] == 1 && parts[2] == 1 && parts[3] == 1, "parts of a job beside another");
}

static void *check_beside(void *unused) {
    for (int i = 0; i < 20; i++) {
        check_covers(0);
    }
    return unused;
}

/* Several threads of a program with jobs at once. */
static void check_callers(void) {
    check_second_caller();
    pthread_t callers[3];
    for (int i = 0; i < 3; i++) {
        expect(pthread_create(&callers[i], NULL, check_beside, NULL) == 0, "a thread");
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(callers[i], NULL);
    }
}

/* A child has the library's own pool, of one thread until told, then of new ones; and its child too. */
static void check_child(int generations) {
    fflush(stdout);
    const pid_t child = fork();
    expect(child >= 0, "fork");
    if (child == 0) {
        expect(gn_get_parallel() == GN_PARALLEL_NATIVE, "what runs in a child");
        expect(gn_set_parallel(GN_PARALLEL_OPENMP) == GN_PARALLEL_NATIVE, "what a child may choose");
        expect(gn_get_num_threads() == 1, "the threads of a child");
        gn_set_num_threads(2);
        check_meeting();
        if (generations > 1) {
            check_child(generations - 1);
        }
        _Exit(0);
    }
    int status;
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child");
}

int main(int count, char **words) {
    /* who waits for what never comes looks for it all the time: seconds of the processor, which no other load takes */
    setrlimit(RLIMIT_CPU, &(struct rlimit){20, 20});
    const char *what = count > 1 ? words[1] : "";
    if (count > 2 && gn_set_parallel(atoi(words[2])) != atoi(words[2])) {
        printf("not there\n");
        return 0;
    }
    if (count > 3) {
        gn_set_num_threads(atoi(words[3]));
    }
    if (strcmp(what, "cover") == 0) {
        check_covers(1);
    } else if (strcmp(what, "meet") == 0) {
        check_meeting();
    } else if (strcmp(what, "apart") == 0) {
        check_apart();
    } else if (strcmp(what, "nest") == 0) {
        check_nesting();
    } else if (strcmp(what, "callers") == 0) {
        check_callers();
    } else if (strcmp(what, "fork") == 0) {
        check_meeting(); /* the threads are there now */
        check_child(2);
        check_meeting();
    } else {
        printf("%d %d %d ", gn_has_parallel(GN_PARALLEL_NATIVE), gn_has_parallel(GN_PARALLEL_OPENMP), gn_get_parallel());
        printf("%d\n", gn_get_num_threads());
        return 0;
    }
    printf("right\n");
    return 0;
}
