/* Handlers around fork of the files with locks or threads; fork.c calls them. */
#ifndef GN_FORK_H
#define GN_FORK_H

/* Hold the allocator's lock during fork, so that no thread that the child lacks holds it there. */
void gn_lock_memory(void);
void gn_unlock_memory(void);

/* In the child: forgets the worker threads, which do not exist there. */
void gn_forget_team(void);

#endif
