/* _csr_mm: products of matrices of layout sparse_csr and strided ones.
 *
 * Each row of the product is a weighted sum of rows of the strided matrix, of which some columns at a time stay in
 * registers. For a single column there are several sums, so that one addition does not wait for the one before. */
#include "flat.h"
#include "gemm.h"
#include "threads.h"
#include "workspace.h"

#define COLUMNS 32 /* of a row that are summed together */
#define CHAINS 4   /* sums of a single column */

typedef struct csr_product {
    int64_t rows, columns, inner;
    int64_t row_step, column_step; /* of the strided matrix, in bytes */
    int64_t count;                 /* of specified elements */
    const void *crow, *col, *values;
    const char *other;
    void *result;
    gn_status status;
} csr_product;

/* Number `place` of indices; `is_wide`: they are int64, else int32. */
GN_INLINE int64_t index_at(const void *from, int64_t place, const int is_wide) {
    return is_wide ? ((const int64_t *)from)[place] : ((const int32_t *)from)[place];
}

GN_INLINE int is_place(int64_t index, int64_t size) {
    return (uint64_t)index < (uint64_t)size;
}

#define GN_TEMPLATE "csr_dtype.h"
#include "each_dtype.h"
