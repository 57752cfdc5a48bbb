/* linalg_ldl_factor_ex and linalg_ldl_solve: the LDL factorization of symmetric and Hermitian matrices with diagonal
 * pivoting (Bunch and Kaufman, 1977; LAPACK's sytf2, hetf2 and sytrs, lower), in doubles, as in the reference. */
#include "halves.h"
#include "matrix.h"
#include "scalar.h"

/* (1 + sqrt(17)) / 8 bounds the growth of elements best. */
#define ALPHA 0.6403882032022076
/* Rows from which on real matrices are factored by panels of so many columns; lines that one matrix product changes. */
#define LARGE 96
#define PANEL 32
#define BLOCK 48
/* Multiplications of a product in the time of an elementary step. */
#define GEMM_STEPS 8

typedef struct factored {
    const gn_call *call;
    void *const *data;
    gn_status status;
} factored;

/* An integer element of any dtype. */
static int64_t integer_at(const char *place, int32_t dtype) {
    switch (dtype) {
    case GN_UINT8:
        return *(const uint8_t *)place;
    case GN_INT8:
        return *(const int8_t *)place;
    case GN_INT16:
        return *(const int16_t *)place;
    default:
        return gn_index_at(place, dtype);
    }
}

/* Reads pivots as rows counted from 0; blocks[k] is the number of rows of the block that begins at k. GN_BAD_VALUE for
 * pivots that no factorization has. */
static int32_t read_blocks(const gn_tensor *tensor, const char *from, int64_t *pivots, int64_t *blocks) {
    const int64_t count = tensor->sizes[tensor->ndim - 1];
    for (int64_t k = 0; k < count; k++) {
        pivots[k] = integer_at(from + k * tensor->strides[tensor->ndim - 1], tensor->dtype);
        if (pivots[k] == 0 || pivots[k] > count || pivots[k] < -count) {
            return GN_BAD_VALUE;
        }
    }
    for (int64_t k = 0; k < count; k += blocks[k]) {
        blocks[k] = pivots[k] > 0 ? 1 : 2;
        if (blocks[k] == 2 && (k + 1 == count || pivots[k + 1] > 0)) {
            return GN_BAD_VALUE;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        pivots[k] = (pivots[k] > 0 ? pivots[k] : -pivots[k]) - 1;
    }
    return GN_OK;
}

#define GN_TEMPLATE "ldl_dtype.h"
#include "each_dtype.h"
