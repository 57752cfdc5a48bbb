/* _linalg_svd, in doubles. Matrices of a few columns are decomposed by one-sided Jacobi rotations (Demmel & Veselic,
 * "Jacobi's method is more accurate than QR", 1992): pairs of columns are rotated until all are orthogonal; their lengths
 * are then the singular values. Others are made bidiagonal and diagonalized by implicit QR steps (bidiagonal.c).
 * singular_values.c computes values without vectors. */
#include <float.h>

#include "bidiagonal.h"
#include "direct.h"
#include "lapack.h"
#include "rotations.h"
#include "scalar.h"
#include "singular_values.h"
#include "threads.h"
#include "workspace.h"

/* Jacobi converges quadratically; a handful of sweeps is enough. */
#define SWEEPS 60
/* A column shorter than this counts as zero: its products may be subnormal, and so not exact. Beside a largest element of
 * about 1 it does not matter. */
#define LEAST 0x1p-400
/* Columns up to which Jacobi's method is faster. */
#define FEW 4
/* Partial sums of a product, so that its loop vectorises. */
#define LANES 8

/* Matrices (*, rows, columns), which are decomposed directly if `tall`, else as their adjoints. */
typedef struct decomposition {
    const gn_call *call;
    void *const *data;
    int64_t rows;
    int64_t columns;
    int full;
    int with_vectors;
    gn_status status;
} decomposition;

/* The order of `lengths`, descending and stable. */
static void order_descending(const double *lengths, int64_t *order, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int64_t place = i;
        while (place > 0 && lengths[order[place - 1]] < lengths[i]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i;
    }
}

#define GN_TEMPLATE "svd_dtype.h"
#include "each_dtype.h"
