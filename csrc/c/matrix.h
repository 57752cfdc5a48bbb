/* Copies of matrices, row-major and contiguous, for kernels that work on one matrix of a batch at a time. */
#ifndef GN_MATRIX_H
#define GN_MATRIX_H

#include "direct.h"
#include "gemm.h"
#include "matmul.h"
#include "threads.h"
#include "transpose.h"
#include "workspace.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

/* Rows or columns that blocked algorithms treat before they update the rest by a matrix product. */
#define GN_PANEL 48

/* Rows and columns from which on matrices are transposed by gn_transpose. */
#define GN_TRANSPOSED 16

/* Systems with more rows are solved by halves. */
#define GN_SMALL 48

/* The number of matrices: the product of all sizes but the last `own`. */
static inline int64_t gn_matrices(const gn_tensor *tensor, int32_t own) {
    int64_t count = 1;
    for (int32_t dim = 0; dim < tensor->ndim - own; dim++) {
        count *= tensor->sizes[dim];
    }
    return count;
}

/* The byte offset of matrix `index` of the batch of `whole`, to which the batch of `tensor` is broadcast; `own` is the
 * number of dimensions of one matrix (1 for vectors, 0 for numbers). */
static inline int64_t gn_matrix_offset(const gn_tensor *tensor, int32_t own, const gn_tensor *whole,
                                       int32_t whole_own, int64_t index) {
    int64_t offset = 0;
    const int32_t missing = (whole->ndim - whole_own) - (tensor->ndim - own);
    for (int32_t dim = whole->ndim - whole_own - 1; dim >= 0 && index > 0; dim--) {
        int64_t place = index;
        if (index < whole->sizes[dim]) { /* avoids division, which takes as long as a small matrix */
            index = 0;
        } else {
            place = index % whole->sizes[dim];
            index /= whole->sizes[dim];
        }
        if (dim >= missing && tensor->sizes[dim - missing] != 1) {
            offset += place * tensor->strides[dim - missing];
        }
    }
    return offset;
}

/* Rows and columns of a matrix. */
static inline int64_t gn_rows_of(const gn_tensor *tensor) {
    return tensor->sizes[tensor->ndim - 2];
}
static inline int64_t gn_columns_of(const gn_tensor *tensor) {
    return tensor->sizes[tensor->ndim - 1];
}

#endif
