/* _linalg_eigh by Jacobi rotations, in doubles (Golub and Van Loan, "Matrix Computations", 8.5): rows and columns p and
 * q of a Hermitian matrix are rotated so that element (p, q) is 0, until all are; the diagonal then has the eigenvalues.
 * Pairs are in the reference's order, which gives the same signs. */
#include "matrix.h"
#include "scalar.h"

/* Jacobi converges quadratically; a handful of sweeps is enough. */
#define SWEEPS 60

typedef struct diagonalization {
    const gn_call *call;
    void *const *data;
    gn_status status;
} diagonalization;

/* The order of `values`, ascending and stable. */
static void order_ascending(const double *values, int64_t *order, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int64_t place = i;
        while (place > 0 && values[order[place - 1]] > values[i]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i;
    }
}

#define GN_TEMPLATE "eigh_dtype.h"
#include "each_dtype.h"
