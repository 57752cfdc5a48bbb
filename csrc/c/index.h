/* Indexing: rows of a tensor picked by lists of indices. */
#ifndef GN_INDEX_H
#define GN_INDEX_H

#include "direct.h"

/* Dimensions walked together in two tensors, outermost first; strides in bytes. */
typedef struct gn_dims {
    int32_t ndim;
    int64_t numel;
    int64_t sizes[GN_MAX_DIMS];
    int64_t self[GN_MAX_DIMS];
    int64_t other[GN_MAX_DIMS];
} gn_dims;

/* What is done with one run of elements: `count` of them, strides in bytes. */
typedef void gn_run_action(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count);

/* For each outer place, each of the `count` picks and each inner place, one element of `self`, at the sum of its
 * three offsets, meets one of `other`. */
typedef struct gn_indexing {
    char *self;
    char *other;
    gn_dims outer;
    gn_dims inner;
    int64_t count;
    int64_t *self_picks;  /* byte offsets */
    int64_t *other_picks; /* byte offsets */
} gn_indexing;

void gn_append_dim(gn_dims *dims, int64_t size, int64_t self, int64_t other);

/* Memory for `count` picks in both lists, which the caller gives back with gn_give(self_picks). */
int32_t gn_make_picks(gn_indexing *work, int64_t count);

/* Runs `action` on all runs, in parallel where `independent`: no two picks name the same element of what is
 * written.  Can not fail. */
void gn_index(gn_indexing *work, gn_run_action *action, int independent);

/* The action `other = self` for elements of `size` bytes, and `self = other`. */
gn_run_action *gn_take_action(int64_t size);
gn_run_action *gn_put_action(int64_t size);

#endif
