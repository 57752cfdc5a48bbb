/* Indexing: rows of a tensor picked by lists of indices. */
#ifndef GN_INDEX_H
#define GN_INDEX_H

#include "direct.h"

/* Prefetches the cache line of an address that will be read. */
#if defined(__GNUC__)
#define GN_PREFETCH(address) __builtin_prefetch(address)
#else
#define GN_PREFETCH(address) ((void)(address))
#endif

/* Dimensions walked together in two tensors, outermost first; strides in bytes. */
typedef struct gn_dims {
    int32_t ndim;
    int64_t numel;
    int64_t sizes[GN_MAX_DIMS];
    int64_t self[GN_MAX_DIMS];
    int64_t other[GN_MAX_DIMS];
} gn_dims;

/* An action on one run of `count` elements; strides in bytes. */
typedef void gn_run_action(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count,
                           const gn_call *call);

/* For each outer place, each of the `count` picks and each inner place, pairs one element of `self`, at the sum of its
 * three offsets, with one of `other`. */
typedef struct gn_indexing {
    const gn_call *call; /* for the action */
    char *self;
    char *other;
    gn_dims outer;
    gn_dims inner;
    int64_t count;
    int64_t *self_picks;  /* byte offsets */
    int64_t *other_picks; /* byte offsets */
} gn_indexing;

void gn_append_dim(gn_dims *dims, int64_t size, int64_t self, int64_t other);

/* Memory for `count` picks in both lists, which the caller frees with gn_give(self_picks). */
int32_t gn_make_picks(gn_indexing *work, int64_t count);

/* Runs `action` on all runs.  Picks of the same element of self run in order, on one thread, unless they are
 * `independent`: self is not written. Cannot fail. */
void gn_index(gn_indexing *work, gn_run_action *action, int independent);

/* The action `other = self` for elements of `size` bytes, and `self = other`. */
gn_run_action *gn_take_action(int64_t size);
gn_run_action *gn_put_action(int64_t size);

/* The stride, in bytes, of a tensor's elements in row-major order; -1 where it is not the same all along. */
int64_t gn_even_stride(const gn_tensor *tensor);

/* other = self at the places that one index tensor for each dimension names; where `start` is given, self = start, and
 * then self at these places = other.  GN_BAD_VALUE, and nothing is written, for an index out of range, and
 * GN_NOT_IMPLEMENTED if gn_index must be used. */
int32_t gn_index_elements(const gn_tensor *self, char *self_data, const gn_tensor *indices, void *const *index_data,
                          int32_t index_count, const gn_tensor *other, char *other_data, const gn_tensor *start,
                          void *start_data);

/* Rows of self (the dimensions after the indexed one), and where they are copied to. */
typedef struct gn_row_taking {
    const char *self;
    char *other;
    gn_dims outer;
    gn_dims inner;
    int64_t itemsize;
    int64_t size;      /* of the dimension indexed */
    int64_t self_step; /* along it */
    int64_t count;     /* indices */
    const gn_tensor *index;
    const char *index_data;
    const gn_tensor *picked; /* the indexed dimensions of `other` */
    int wraps;               /* negative indices count from the end */
} gn_row_taking;

/* other = the rows of self that the index names, each index read once.  GN_BAD_VALUE for one out of range, when parts
 * of `other` may be written already; GN_NOT_IMPLEMENTED, and nothing is written, if gn_index must be used. */
int32_t gn_take_rows(const gn_row_taking *of);

/* Memory for sums: the output itself, or a copy in a wider dtype, which is rounded once at the end. */
typedef struct gn_sums {
    gn_tensor tensor;
    char *data;
    void *owned; /* NULL: the output's memory */
    int64_t strides[GN_MAX_DIMS];
} gn_sums;

/* Uninitialized memory for sums in the dtype `wide`. May return GN_OUT_OF_MEMORY. */
int32_t gn_prepare_sums(gn_sums *sums, const gn_tensor *out, void *out_data, int32_t wide);
/* Initializes the sums with the elements of self. */
void gn_fill_sums(gn_sums *sums, void *out_data, const gn_tensor *self, void *self_data);
/* Rounds the sums to the output unless `status` is an error, and frees memory. */
void gn_finish_sums(gn_sums *sums, const gn_tensor *out, void *out_data, int32_t status);

/* The dtype in which elements of `dtype` are summed. */
static inline int32_t gn_sum_dtype(int32_t dtype) {
    return dtype == GN_FLOAT16 || dtype == GN_BFLOAT16 ? GN_FLOAT32 : dtype;
}

#endif
