/* geqrf and linalg_householder_product: reflections I - tau v v^H with 1 as the first element of v, as LAPACK has them
 * (Golub and Van Loan, "Matrix Computations", 5.1 and 5.2). */
#include <float.h>

#include "halves.h"
#include "lapack.h"
#include "matrix.h"
#include "panels.h"
#include "reflections.h"
#include "scalar.h"

typedef struct reflections {
    const gn_call *call;
    void *const *data;
    gn_status status;
} reflections;

#define GN_TEMPLATE "householder_dtype.h"
#include "each_dtype.h"
