/* What a file with a lock or with threads does around fork; fork.c calls it. */
#ifndef GN_FORK_H
#define GN_FORK_H

/* Around the fork: nobody is inside the allocator then, so that the child does not wait for a thread that it has not. */
void gn_lock_memory(void);
void gn_unlock_memory(void);

/* In the child: the threads of the calling one did not come along. */
void gn_forget_team(void);

#endif
