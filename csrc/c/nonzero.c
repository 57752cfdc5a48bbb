/* count_nonzero and nonzero_static: lines along the last dimension, counted in blocks, so that each block knows where
 * its first element goes. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"

/* Elements in a block of lines, about. */
#define BLOCK 32768
/* Elements whose places are found before they are written. */
#define FEW 256

typedef struct nonzero {
    const gn_call *call;
    void *const *data;
    int64_t length; /* of a line */
    int64_t lines;
    int64_t lines_in_block;
    int64_t *counts; /* of each block; then how many come before it */
} nonzero;

/* Prepares the blocks of tensors[1]; how many.  -1 when memory is exhausted. */
static int64_t make_blocks(nonzero *work) {
    const gn_tensor *self = &work->call->tensors[1];
    const int64_t numel = gn_numel(self);
    work->length = gn_length(self, self->ndim - 1);
    work->lines = numel == 0 ? 0 : numel / work->length;
    work->lines_in_block = gn_max(1, BLOCK / gn_max(1, work->length));
    const int64_t blocks = (work->lines + work->lines_in_block - 1) / work->lines_in_block;
    work->counts = gn_take(blocks * (int64_t)sizeof(int64_t));
    return work->counts == NULL ? -1 : blocks;
}

#define GN_TEMPLATE "nonzero_dtype.h"
#include "each_dtype.h"
