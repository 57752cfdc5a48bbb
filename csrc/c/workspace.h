/* Sizes of what a kernel works with: counts whose products 64 bits may not hold.  A tensor that is expanded has any
 * number of elements, and arguments are any numbers. */
#ifndef GN_WORKSPACE_H
#define GN_WORKSPACE_H

#include "kernel.h"

/* How many things of so many elementary steps each are worth a thread (gn_parallel_for); 64 bits may not have held the
 * steps. */
static inline int64_t gn_grain(int64_t steps) {
    return steps <= 0 || steps > GN_GRAIN ? 1 : GN_GRAIN / steps;
}

/* A product of counts, both at least 0; the largest number where 64 bits do not hold it, of which gn_take has none. */
static inline int64_t gn_checked(int64_t a, int64_t b) {
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* gn_take for so many things of a size; NULL where that is more bytes than 64 bits can count. */
void *gn_take_items(int64_t count, size_t size);

#endif
