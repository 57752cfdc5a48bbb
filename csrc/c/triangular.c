/* linalg_solve_triangular, by substitution. */
#include "halves.h"
#include "matrix.h"
#include "scalar.h"

typedef struct substitution {
    const gn_call *call;
    void *const *data;
    gn_status status;
} substitution;

#define GN_TEMPLATE "triangular_dtype.h"
#include "each_dtype.h"
