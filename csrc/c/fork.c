/* A child of fork has the memory of all threads, but of the threads only the one that forked: what the others had locked
 * stays so, and work handed to them is never done.  The system is told here what to do about it.  Windows has no fork. */
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

/* When the library is opened. */
__attribute__((constructor)) static void prepare_for_fork(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
#endif
