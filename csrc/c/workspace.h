/* Sizes of workspaces: counts whose products may overflow 64 bits. An expanded tensor can have any number of elements,
 * and arguments can be any numbers. */
#ifndef GN_WORKSPACE_H
#define GN_WORKSPACE_H

#include "kernel.h"

/* The grain (gn_parallel_for) for items of so many elementary steps each; the steps may have overflowed 64 bits. */
static inline int64_t gn_grain(int64_t steps) {
    return steps <= 0 || steps > GN_GRAIN ? 1 : GN_GRAIN / steps;
}

/* A product of counts, both at least 0; on overflow the largest number, which gn_take refuses. */
static inline int64_t gn_checked(int64_t a, int64_t b) {
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

/* gn_take for so many items of a size; NULL if the number of bytes overflows 64 bits. */
void *gn_take_items(int64_t count, size_t size);

#endif
