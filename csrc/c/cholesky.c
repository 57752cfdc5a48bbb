/* linalg_cholesky_ex. A matrix is factored as U^H U, row by row of U, which needs rows of the rest only; L is U^H. */
#include "matrix.h"
#include "scalar.h"

typedef struct factored {
    const gn_call *call;
    void *const *data;
    gn_status status;
} factored;

#define GN_TEMPLATE "cholesky_dtype.h"
#include "each_dtype.h"
