/* Sorting keys: shared by sort, topk, medians and similar operators.
 *
 * An element of a line becomes an unsigned key that orders as the element does (NaN last, -0.0 as 0.0), followed by its
 * place in the line: no two are equal, so every sorting algorithm is stable. Keys of up to 32 bits share one uint64_t
 * with the place; longer ones are stored next to it. */
#ifndef GN_ORDER_H
#define GN_ORDER_H

#include "direct.h"
#include "scalar.h"

typedef uint64_t gn_packed;

typedef struct gn_wide {
    uint64_t key;
    int64_t place;
} gn_wide;

/* The longest line whose places fit beside a key. */
#define GN_LONGEST_LINE (int64_t)UINT32_MAX

/* Sorts `count` elements, whose keys differ only in the `bits` low bits. `scratch` has the same length. Uses all
 * threads if that pays off. */
void gn_sort_packed(gn_packed *elements, gn_packed *scratch, int64_t count, int32_t bits);
void gn_sort_wide(gn_wide *elements, gn_wide *scratch, int64_t count, int32_t bits);

/* Moves the element of rank `rank`, counted from 0, to its place, with those before it on its left.  Elements may be
 * equal. */
void gn_select_packed(gn_packed *elements, int64_t count, int64_t rank);
void gn_select_wide(gn_wide *elements, int64_t count, int64_t rank);

#endif
