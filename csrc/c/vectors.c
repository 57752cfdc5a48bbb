/* Vectors: their distances (_cdist_forward, _pdist_forward), linalg_cross and addr. */
#include "direct.h"
#include "for_each.h"
#include "matmul.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Partial sums of a distance, so that its loop vectorises. */
#define LANES 16
/* Rows, of either matrix, above which squared distances are |x|^2 + |y|^2 - 2 x y, by a matrix product, as in PyTorch;
 * rows and columns that are computed at a time. */
#define PRODUCT_ROWS 25
#define CHUNK_ROWS 64
#define CHUNK_COLUMNS 512
#define PIECE 32
/* If the square is less than this fraction of |x|^2 + |y|^2, cancellation matters, and the distance is summed from
 * differences. */
#define LEAST_SHARE 0.03125
/* compute_mode: 0 or absent, above so many rows; 1, always; 2, never. */
#define ALWAYS_PRODUCTS 1
#define NEVER_PRODUCTS 2

/* Rows of a matrix, or of matrices, contiguous in memory. */
typedef struct distances {
    const gn_tensor *out;
    char *to;
    const char *first;
    const char *second;
    gn_tensor first_outer;  /* all dimensions but the last two, as the output's */
    gn_tensor second_outer;
    int64_t first_strides[GN_MAX_DIMS];
    int64_t second_strides[GN_MAX_DIMS];
    int64_t rows;           /* of the first matrix */
    int64_t columns;        /* rows of the second */
    int64_t length;         /* of a vector */
    double order;
    void *first_squares;    /* the squared length of each row, in the dtype */
    void *second_squares;
    gn_status status;
} distances;

/* Strides of contiguous elements of `given`, expanded to the outer dimensions of `out`. */
static void expand_outer(const gn_tensor *given, const gn_tensor *out, int64_t *strides, gn_tensor *outer) {
    int64_t stride = gn_itemsize(given->dtype) * given->sizes[given->ndim - 1] * given->sizes[given->ndim - 2];
    for (int32_t dim = out->ndim - 3; dim >= 0; dim--) {
        const int32_t own = dim - (out->ndim - given->ndim);
        const int64_t size = own < 0 ? 1 : given->sizes[own];
        strides[dim] = size == 1 ? 0 : stride;
        stride *= size;
    }
    *outer = (gn_tensor){given->dtype, out->ndim - 2, out->sizes, strides};
}

typedef struct products {
    const gn_call *call;
    void *const *data;
} products;

#define GN_TEMPLATE "vectors_dtype.h"
#include "each_dtype.h"
