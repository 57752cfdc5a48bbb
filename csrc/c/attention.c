/* _scaled_dot_product_flash_attention_for_cpu and its gradient.
 *
 * A task is a block of queries of one head. It loops over blocks of keys and stores the scores of one block. The
 * largest score and the sum of exponentials so far are kept for each query, and the sums are rescaled when a larger
 * score is found (Milakov and Gimelshein, arXiv:1805.02867; Dao and others, arXiv:2205.14135).  A gradient's task is
 * all blocks of one head of the keys, so that each sum has a fixed order. */
#include "direct.h"
#include "matmul.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Queries and keys in a block. */
#define QUERIES 128
#define KEYS 256
/* Partial sums of a line, so that its loop vectorises. */
#define LANES 16

/* Where the heads of a tensor with the dimensions (batch, head, place, width) lie; strides in elements. */
typedef struct heads {
    char *data;
    int64_t batch, head, row, column;
} heads;

typedef struct attention {
    int64_t batches, query_heads, key_heads, queries, keys, width;
    heads query, key, value, mask, out, logsumexp;
    heads grad_out, grad_query, grad_key, grad_value;
    int64_t step; /* elements from a row of scores to the next: no power of two, so that rows do not share cache sets */
    double scale;
    int causal;
    gn_status status;
} attention;

static heads heads_of(const gn_tensor *tensor, void *data) {
    const int64_t size = gn_itemsize(tensor->dtype);
    heads made = {data, tensor->strides[0] / size, tensor->strides[1] / size, tensor->strides[2] / size, 0};
    made.column = tensor->ndim > 3 ? tensor->strides[3] / size : 0;
    return made;
}

/* A mask of two or four dimensions, whose dimensions of size 1 repeat. */
static heads mask_of(const gn_tensor *tensor, void *data) {
    const int64_t size = gn_itemsize(tensor->dtype);
    int64_t strides[4] = {0, 0, 0, 0};
    for (int32_t dim = 0; dim < tensor->ndim; dim++) {
        strides[4 - tensor->ndim + dim] = tensor->sizes[dim] == 1 ? 0 : tensor->strides[dim] / size;
    }
    const heads made = {data, strides[0], strides[1], strides[2], strides[3]};
    return made;
}

static attention sizes_of(const gn_tensor *query, const gn_tensor *key) {
    attention work;
    memset(&work, 0, sizeof work);
    work.batches = query->sizes[0];
    work.query_heads = query->sizes[1];
    work.queries = query->sizes[2];
    work.width = query->sizes[3];
    work.key_heads = key->sizes[1];
    work.keys = key->sizes[2];
    work.step = (gn_min(KEYS, work.keys) + 15) / 16 * 16 + 16;
    return work;
}

/* The factor of the scores: the last Scalar, if it is given. */
static double scale_of(const gn_call *call, int64_t width) {
    const gn_scalar *given = &call->scalars[1];
    return given->integer == GN_NO_INTEGER ? 1 / sqrt((double)width) : given->real;
}

static int64_t blocks_of(const attention *work) {
    return (work->queries + QUERIES - 1) / QUERIES;
}

/* Keys that the queries [first, first + rows) attend to. */
static int64_t keys_seen(const attention *work, int64_t first, int64_t rows) {
    return work->causal ? gn_min(work->keys, first + rows) : work->keys;
}

/* The most tensors that a call of this family has. */
#define MOST_TENSORS 10

/* The tensors of a call as float32 in row-major order, for half types. */
typedef struct wide_call {
    gn_tensor tensors[MOST_TENSORS];
    void *data[MOST_TENSORS];
    void *owned[MOST_TENSORS];
    int64_t strides[MOST_TENSORS][4];
} wide_call;

static void give_wide(const gn_call *call, void *const *data, wide_call *wide, int32_t status) {
    for (int32_t i = 0; i < call->tensor_count; i++) {
        if (status == GN_OK && i < call->output_count && wide->owned[i] != NULL) {
            gn_spread(&call->tensors[i], data[i], GN_FLOAT32, wide->owned[i]);
        }
        gn_give(wide->owned[i]);
    }
}

/* float32 copies of the tensors of a half type; others are used as they are. On GN_OUT_OF_MEMORY there is nothing to
 * free. */
static int32_t take_wide(const gn_call *call, void *const *data, wide_call *wide) {
    memset(wide, 0, sizeof *wide);
    for (int32_t i = 0; i < call->tensor_count; i++) {
        const gn_tensor *tensor = &call->tensors[i];
        wide->tensors[i] = *tensor;
        wide->data[i] = data[i];
        if (tensor->dtype != GN_FLOAT16 && tensor->dtype != GN_BFLOAT16) {
            continue;
        }
        int64_t step = (int64_t)sizeof(float);
        for (int32_t dim = tensor->ndim - 1; dim >= 0; dim--) {
            wide->strides[i][dim] = step;
            step *= tensor->sizes[dim];
        }
        wide->tensors[i].dtype = GN_FLOAT32;
        wide->tensors[i].strides = wide->strides[i];
        if (i < call->output_count) {
            wide->owned[i] = gn_take_items(gn_numel(tensor), sizeof(float));
            wide->data[i] = wide->owned[i];
        } else {
            wide->data[i] = gn_compact(tensor, data[i], GN_FLOAT32, &wide->owned[i]);
        }
        if (wide->data[i] == NULL && gn_numel(tensor) > 0) {
            give_wide(call, data, wide, GN_OUT_OF_MEMORY);
            return GN_OUT_OF_MEMORY;
        }
    }
    return GN_OK;
}

#define GN_TEMPLATE "attention_dtype.h"
#include "each_dtype.h"
