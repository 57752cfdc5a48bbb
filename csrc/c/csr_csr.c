/* The product of two sparse matrices with compressed rows: each row is a weighted sum of sparse rows.
 *
 * _csr_csr_starts counts the columns of each row of the product, whose set is a set of bits; _csr_csr_mm adds the terms
 * of a row in a dense row, and reads its columns in the order of the bits. Rows are computed in chunks, each with a set
 * and a dense row of its own. */
#include "flat.h"
#include "threads.h"
#include "workspace.h"

#define WORD_BITS 64
#define CHUNK 128 /* rows that share a workspace */

typedef struct csr_matrix {
    int64_t rows, columns, count;
    const int64_t *crow, *col;
    const void *values;
} csr_matrix;

typedef struct csr_csr {
    csr_matrix one, other;
    int64_t words;
    int64_t *counts;       /* of each row */
    const int64_t *starts; /* where each row of the product begins */
    int64_t count;         /* of elements of the product */
    int64_t *col;
    void *values;
    gn_status status;
} csr_csr;

/* Are indices those of a matrix: do rows begin where the one before ends, and are the columns in range? */
static int is_matrix(const csr_matrix *of) {
    if (of->crow[0] != 0 || of->crow[of->rows] != of->count) {
        return 0;
    }
    int64_t outside = 0; /* the sign bit */
    for (int64_t row = 0; row < of->rows; row++) {
        outside |= of->crow[row + 1] - of->crow[row];
    }
    for (int64_t k = 0; k < of->count; k++) {
        outside |= of->col[k] | (of->columns - 1 - of->col[k]);
    }
    return outside >= 0;
}

/* Marks the columns of row `row` of the product. */
static void mark_columns(const csr_csr *of, int64_t row, uint64_t *set) {
    for (int64_t k = of->one.crow[row]; k < of->one.crow[row + 1]; k++) {
        const int64_t inner = of->one.col[k];
        for (int64_t i = of->other.crow[inner]; i < of->other.crow[inner + 1]; i++) {
            const int64_t column = of->other.col[i];
            set[column / WORD_BITS] |= (uint64_t)1 << column % WORD_BITS;
        }
    }
}

/* Counts the columns of chunks [begin, end) of rows. */
static void count_task(int64_t begin, int64_t end, void *context) {
    csr_csr *of = context;
    uint64_t *set = gn_take_items(of->words, sizeof(uint64_t));
    if (set == NULL) {
        gn_report(&of->status, GN_OUT_OF_MEMORY);
        return;
    }
    memset(set, 0, (size_t)of->words * sizeof(uint64_t));
    for (int64_t row = begin * CHUNK; row < gn_min(end * CHUNK, of->one.rows); row++) {
        mark_columns(of, row, set);
        int64_t count = 0;
        for (int64_t word = 0; word < of->words; word++) {
            count += __builtin_popcountll(set[word]);
            set[word] = 0;
        }
        of->counts[row] = count;
    }
    gn_give(set);
}

/* Compact int64 indices of two matrices; tensors: crow, col, other crow, other col. */
static int32_t read_indices(csr_csr *of, const gn_tensor *const *tensors, void *const *data, void **owned) {
    const int64_t **parts[4] = {&of->one.crow, &of->one.col, &of->other.crow, &of->other.col};
    for (int i = 0; i < 4; i++) {
        *parts[i] = gn_compact(tensors[i], data[i], GN_INT64, &owned[i]);
        if (*parts[i] == NULL && tensors[i]->sizes[0] != 0) {
            return GN_OUT_OF_MEMORY;
        }
    }
    of->one.rows = tensors[0]->sizes[0] - 1;
    of->one.count = tensors[1]->sizes[0];
    of->one.columns = tensors[2]->sizes[0] - 1;
    of->other.rows = of->one.columns;
    of->other.count = tensors[3]->sizes[0];
    of->words = (of->other.columns + WORD_BITS - 1) / WORD_BITS;
    return is_matrix(&of->one) && is_matrix(&of->other) ? GN_OK : GN_BAD_VALUE;
}

/* (out; crow, col, other crow, other col); integers: columns. */
int32_t kernel_csr_csr_starts(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    if (!gn_is_contiguous(out)) {
        return GN_NOT_IMPLEMENTED;
    }
    csr_csr of;
    memset(&of, 0, sizeof of);
    void *owned[4] = {NULL, NULL, NULL, NULL};
    const gn_tensor *tensors[4];
    for (int i = 0; i < 4; i++) {
        tensors[i] = &call->tensors[1 + i];
    }
    of.other.columns = call->integers[0];
    int32_t status = read_indices(&of, tensors, data + 1, owned);
    if (status == GN_OK) {
        int64_t *starts = data[0];
        of.counts = starts + 1;
        const int64_t chunks = (of.one.rows + CHUNK - 1) / CHUNK;
        gn_parallel_for(0, chunks, 1, count_task, &of);
        status = of.status;
        starts[0] = 0;
        for (int64_t row = 0; row < of.one.rows; row++) {
            starts[row + 1] += starts[row];
        }
    }
    for (int i = 0; i < 4; i++) {
        gn_give(owned[i]);
    }
    return status;
}

#define GN_TEMPLATE "csr_csr_dtype.h"
#include "each_dtype.h"
