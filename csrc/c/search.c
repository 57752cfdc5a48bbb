/* Extremes and their places along one dimension: argmax, argmin, max.dim, min.dim and aminmax.
 *
 * A line's extreme is found first, by a loop that vectorises, and then the first place where it stands; lines that
 * lie side by side are searched together.  A long line is cut in pieces of a fixed size. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Partial results of a line, so that its loop vectorises; as many as in reduce.c. */
#define LANES 32
/* Elements among which the place of the extreme is looked for at once. */
#define BLOCK 64
/* Lines that are searched together: their best elements stay in the L1 cache. */
#define TILE 512
/* Elements in a piece of a long line. */
#define PIECE 32768

typedef struct search {
    const gn_call *call;
    void *const *data;
    const gn_tensor *in;
    const char *from;
    int32_t values_at;  /* which tensor takes the values; -1: none */
    int32_t indices_at; /* which takes their places; -1: none */
    int least;
    int64_t dim;
    int64_t skipped;    /* the dimension of size 1 in the outputs, which keep it; -1: they do not */
    int64_t length;
    int64_t pieces;     /* of each line */
    int64_t *places;    /* the pieces' */
} search;

/* Lines along the dimension that lie side by side: the size of the last dimension, 1 where it is not so. */
static int64_t side_by_side(const search *work) {
    const gn_tensor *in = work->in;
    const int32_t last = in->ndim - 1;
    const int apart = in->ndim > 1 && work->dim != last && work->length < INT32_MAX;
    return apart && llabs(in->strides[last]) < llabs(in->strides[work->dim]) ? in->sizes[last] : 1;
}

/* Puts value and place of line `line` where the outputs want them. */
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
