/* Sorting and selecting keys; see order.h.
 *
 * Short lines are sorted by insertion and merging, long ones by their bytes, the least significant first.  A very long
 * one is cut in parts, which threads sort by themselves and then merge: since no two elements are equal, how it is
 * cut does not show. */
#include "order.h"

#include "threads.h"

/* Elements that are sorted by insertion before they are merged. */
#define RUN 12
/* Elements from which a line is cut in parts. */
#define PARALLEL_FROM 131072
/* The most parts; a power of two. */
#define MOST_PARTS 16
/* Elements that one task of a merge writes. */
#define MERGE_PIECE 65536

#define ELEMENT gn_packed
#define ORDER(name) name##_packed
#define LESS(a, b) ((a) < (b))
#define DIGIT(element, shift) (((element) >> (32 + (shift))) & 255)
#define RADIX_FROM 200
#define MOST_DIGITS 4
#include "order_element.h"
#undef ELEMENT
#undef ORDER
#undef LESS
#undef DIGIT
#undef RADIX_FROM
#undef MOST_DIGITS

#define ELEMENT gn_wide
#define ORDER(name) name##_wide
#define LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define DIGIT(element, shift) (((element).key >> (shift)) & 255)
#define RADIX_FROM 800
#define MOST_DIGITS 8
#include "order_element.h"
