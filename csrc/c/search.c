/* Extrema and their places along one dimension: argmax, argmin, max.dim, min.dim and aminmax.
 *
 * A line's extremum is found first, by a loop that vectorises, and then its first place; adjacent lines are searched
 * together. A long line is split into pieces of a fixed size. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Partial results of a line, so that its loop vectorises; as many as in reduce.c. */
#define LANES 32
/* Elements that are searched together for the place of the extremum. */
#define BLOCK 64
/* Lines that are searched together: their current extrema stay in the L1 cache. */
#define TILE 512
/* Elements in a piece of a long line. */
#define PIECE 32768

typedef struct search {
    const gn_call *call;
    void *const *data;
    const gn_tensor *in;
    const char *from;
    int32_t values_at;  /* index of the output for values; -1: none */
    int32_t indices_at; /* index of the output for places; -1: none */
    int least;
    int64_t dim;
    int64_t skipped;    /* the dimension of size 1 in the outputs, which keep it; -1: they do not */
    int64_t length;
    int64_t pieces;     /* of each line */
    int64_t *places;    /* the pieces' */
} search;

/* The number of adjacent lines: the size of the last dimension, or 1 if that is the searched one. */
static int64_t side_by_side(const search *work) {
    const gn_tensor *in = work->in;
    const int32_t last = in->ndim - 1;
    const int apart = in->ndim > 1 && work->dim != last && work->length < INT32_MAX;
    return apart && llabs(in->strides[last]) < llabs(in->strides[work->dim]) ? in->sizes[last] : 1;
}

/* Writes value and place of line `line` to the outputs. */
static void report(const search *work, int64_t line, const void *value, int64_t place) {
    if (work->values_at >= 0) {
        const gn_tensor *values = &work->call->tensors[work->values_at];
        char *to = (char *)work->data[work->values_at] + gn_offset(values, line, work->skipped);
        memcpy(to, value, (size_t)gn_itemsize(values->dtype));
    }
    if (work->indices_at >= 0) {
        const gn_tensor *indices = &work->call->tensors[work->indices_at];
        *(int64_t *)((char *)work->data[work->indices_at] + gn_offset(indices, line, work->skipped)) = place;
    }
}

#define GN_TEMPLATE "search_dtype.h"
#include "each_dtype.h"
