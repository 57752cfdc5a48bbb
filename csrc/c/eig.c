/* linalg_eig and _linalg_eigvals, in doubles, by LAPACK's steps (Golub and Van Loan, "Matrix Computations", 7.5; gebal,
 * lahqr and trevc): balancing, reduction to Hessenberg form, implicit QR steps with two shifts, which leave an upper
 * triangle or, in a real matrix, blocks of two rows on its diagonal, and substitution. As in the reference
 * (general_eigen.py), which has more comments. */
#include "lapack.h"
#include "matrix.h"
#include "scalar.h"

#define STEPS 300
#define EPSILON 0x1p-52
#define LEAST 1e-290

typedef struct decomposition {
    const gn_call *call;
    void *const *data;
    int32_t with_vectors;
    gn_status status;
} decomposition;

#define GN_TEMPLATE "eig_dtype.h"
#include "each_dtype.h"
