/* linalg_matrix_exp: scaling and squaring. */
#include "matrix.h"
#include "matrix_exp.h"
#include "scalar.h"

/* Sides up to which a product by plain loops is faster. */
#define PLAIN 32

typedef struct exponentials {
    const gn_call *call;
    void *const *data;
    gn_status status;
} exponentials;

#define GN_TEMPLATE "matrix_exp_dtype.h"
#include "each_dtype.h"
