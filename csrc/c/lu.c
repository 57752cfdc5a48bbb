/* linalg_lu_factor_ex, lu_unpack and linalg_lu_solve: the LU factorization with partial pivoting (Golub and Van Loan,
 * "Matrix Computations", 3.4), by rows. */
#include "halves.h"
#include "lu_beside.h"
#include "matrix.h"
#include "scalar.h"

/* Rows of a matrix that a thread copies at least. */
#define STRIP_ROWS 64

typedef struct factored {
    const gn_call *call;
    void *const *data;
    gn_status status;
} factored;

#define GN_TEMPLATE "lu_dtype.h"
#include "each_dtype.h"
