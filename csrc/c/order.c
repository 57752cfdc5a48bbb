/* Sorting and selecting keys; see order.h.
 *
 * Short lines are sorted by insertion and merging, longer ones by their digits, the least significant first.  One that
 * is longer than the cache is first cut into groups by the leading bits of its keys, so that what then goes to places
 * far from each other stays in the cache; threads share the groups. */
#include "order.h"

#include "threads.h"

/* Elements that are sorted by insertion before they are merged. */
#define RUN 12
/* Bits of a digit, where the line is short and where it is not: the counters of a wide one take as long to clear as
 * some thousand elements take to sort. */
#define NARROW_DIGIT 8
#define WIDE_DIGIT 11
#define WIDE_FROM 4096
#define BINS (1 << WIDE_DIGIT)
/* Bytes of a group: it and its copy fit the L2 cache. */
#define GROUP_BYTES (int64_t)(240 << 10)
/* The most groups that a line is cut into, and the most parts of a line that threads cut. */
#define MOST_GROUPS 128
#define MOST_PARTS 8

#define ELEMENT gn_packed
#define ORDER(name) name##_packed
#define LESS(a, b) ((a) < (b))
/* By how much a key is over `low`. */
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
#define LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define OVER(element, low) ((element).key - (low))
#define RADIX_FROM 800
#include "order_element.h"
