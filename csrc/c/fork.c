/* A forked child has the memory of all threads, but only the thread that forked: locks held by other threads stay
 * locked, and work passed to them is never done. The handlers registered here prevent both. Windows has no fork. */
#define _DEFAULT_SOURCE /* pthread_atfork */

#include "fork.h"

#if !defined(_WIN32)
#include <pthread.h>

static void before_fork(void) {
    gn_lock_memory();
}

static void after_fork_in_parent(void) {
    gn_unlock_memory();
}

static void after_fork_in_child(void) {
    gn_unlock_memory();
    gn_forget_team();
}

/* Runs when the library is loaded. */
__attribute__((constructor)) static void prepare_for_fork(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
#endif
