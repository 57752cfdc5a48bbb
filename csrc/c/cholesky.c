/* linalg_cholesky_ex. A matrix is factored as U^H U, row by row of U, which needs rows of the rest only; L is U^H. Small
 * real matrices are factored side by side, a step for all of them at a time. */
#include "matrix.h"
#include "scalar.h"

#define SMALL 8     /* rows of a small matrix, at most */
#define TOGETHER 16 /* small matrices that are factored side by side */

typedef struct factored {
    const gn_call *call;
    void *const *data;
    gn_status status;
} factored;

#define GN_TEMPLATE "cholesky_dtype.h"
#include "each_dtype.h"
