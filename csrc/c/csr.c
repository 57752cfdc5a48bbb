/* Products of sparse and strided matrices.
 *
 * _csr_mm: each row of the product is a weighted sum of rows of the strided matrix, of which some columns at a time stay
 * in registers. For a single column there are several sums, so that one addition does not wait for the one before.
 *
 * _csr_sampled_mm: some elements of the product of two strided matrices, of which the second one is transposed first: each
 * element is then a product of two rows. */
#include "flat.h"
#include "gemm.h"
#include "threads.h"
#include "workspace.h"

#define COLUMNS (sizeof(COMPUTE) == sizeof(float) ? 64 : 32) /* of a row that are summed together */
#define CHAINS 4   /* sums of a single column */
#define TERMS 16   /* of an element of _csr_sampled_mm, summed side by side */
#define TOGETHER 4 /* elements of _csr_sampled_mm, which do not wait for one another */
/* Rows of the strided matrix are fetched to the cache before they are used. */
#define AHEAD 16       /* elements */
#define BYTES_AHEAD 512 /* of each row, at most */
#define NEAR_BYTES 524288 /* of a strided matrix that is in a cache anyway */

typedef struct csr_product {
    int64_t rows, columns, inner;
    int64_t row_step, column_step; /* of the strided matrix, in bytes */
    int64_t count;                 /* of specified elements */
    int is_far;                    /* is the strided matrix larger than a near cache? */
    const void *crow, *col, *values;
    const char *other;
    void *result;
    gn_status status;
} csr_product;

typedef struct sampled_product {
    int64_t rows, columns, inner, count;
    const void *left, *right; /* compact: (rows, inner) and (columns, inner) */
    const void *crow, *col;
    int is_wide; /* are indices int64? */
    int is_far;  /* is the second matrix larger than a near cache? */
    void *result;
    gn_status status;
} sampled_product;

/* Number `place` of indices; `is_wide`: they are int64, else int32. */
GN_INLINE int64_t index_at(const void *from, int64_t place, const int is_wide) {
    return is_wide ? ((const int64_t *)from)[place] : ((const int32_t *)from)[place];
}

GN_INLINE int is_place(int64_t index, int64_t size) {
    return (uint64_t)index < (uint64_t)size;
}

GN_INLINE void fetch(const void *from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 64) {
        __builtin_prefetch((const char *)from + i);
    }
}

/* Are the columns of elements [first, past) in range? */
static int are_columns(const csr_product *of, int64_t first, int64_t past, int is_wide) {
    for (int64_t k = first; k < past; k++) {
        if (!is_place(index_at(of->col, k, is_wide), of->inner)) {
            return 0;
        }
    }
    return 1;
}

/* Are the columns in range that no row reads: those before the first row, those behind the last one, or all if the
 * product has no columns?  Each element between is in some row, even if the starts of rows are not sorted. */
static int are_unread_columns(const csr_product *of, int is_wide) {
    const int64_t first = index_at(of->crow, 0, is_wide);
    const int64_t past = index_at(of->crow, of->rows, is_wide);
    if (!is_place(first, of->count + 1) || !is_place(past, of->count + 1)) {
        return 0;
    }
    if (of->columns == 0 || first > past) {
        return are_columns(of, 0, of->count, is_wide);
    }
    return are_columns(of, 0, first, is_wide) && are_columns(of, past, of->count, is_wide);
}

/* Is each element in a row, if none begins before the one above?  That is checked where rows are computed. */
static int are_elements_of_rows(const sampled_product *of) {
    return index_at(of->crow, 0, of->is_wide) == 0 && index_at(of->crow, of->rows, of->is_wide) == of->count;
}

#define GN_TEMPLATE "csr_dtype.h"
#include "each_dtype.h"
