/* Sorting and selecting keys; see order.h.
 *
 * Short lines are sorted by insertion and merging, longer ones by radix sort, least significant digit first. A line
 * longer than the cache is first split into groups by the leading bits of its keys, so that the scattered writes of a
 * group stay in the cache; threads split the groups. */
#include "order.h"

#include "threads.h"

/* Elements that are sorted by insertion before merging. */
#define RUN 12
/* Bits of a digit, for short and for long lines: clearing the counters of a wide digit takes as long as sorting some
 * thousand elements. */
#define NARROW_DIGIT 8
#define WIDE_DIGIT 11
#define WIDE_FROM 4096
#define BINS (1 << WIDE_DIGIT)
/* Bytes of a group: it and its copy fit the L2 cache. */
#define GROUP_BYTES (int64_t)(240 << 10)
/* The most groups of a line, and the most parts of a line that threads process. */
#define MOST_GROUPS 128
#define MOST_PARTS 8

#define ELEMENT gn_packed
#define ORDER(name) name##_packed
#define LESS(a, b) ((a) < (b))
/* How much a key exceeds `low`. */
#define OVER(element, low) (((element) >> 32) - (low))
#define RADIX_FROM 200
#include "order_element.h"
#undef ELEMENT
#undef ORDER
#undef LESS
#undef OVER
#undef RADIX_FROM

#define ELEMENT gn_wide
#define ORDER(name) name##_wide
#define LESS(a, b) (((a).key < (b).key) | (((a).key == (b).key) & ((a).place < (b).place)))
#define OVER(element, low) ((element).key - (low))
#define RADIX_FROM 800
#include "order_element.h"
