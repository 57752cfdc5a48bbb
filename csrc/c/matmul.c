/* mm, bmm, addmm and dot: by the kernel of gemm.h, by a BLAS if there is one, else by plain blocked loops.
 *
 * A product is cut into tiles of its output; a task is a tile of one matrix of the batch.  The method, and for a BLAS
 * also the size of tiles, depends on the shapes alone, so that the result does not depend on the number of threads. */
#include "matmul.h"
#include "workspace.h"

#include "gemm.h"
#include "gemm_bfloat16.h"
#include "half_vectors.h"

#include "threads.h"

/* Rows and columns of the output in the inner kernel's registers. */
#define TILE_ROWS 4
#define TILE_COLUMNS 8
/* The packed panels: ROWS x DEPTH of the left operand for the L2 cache, DEPTH x COLUMNS of the right for L3. */
#define PANEL_ROWS 64
#define PANEL_DEPTH 256
#define PANEL_COLUMNS 512
/* Multiplications below which packing, or the checks of a BLAS, cost more than they save. */
#define SMALL_PRODUCT 4096
/* The same for the library's own kernel. */
#define LEAST_BLOCKED 512
/* Rows of a small product that are computed together, the largest number of elements of its right factor, and of
 * multiplications. */
#define SMALL_ROWS 8
#define SMALL_RIGHT 1024
#define LARGEST_SMALL 32768
/* Multiplications of bfloat16 below which the check for subnormal numbers costs more than pairs save. */
#define LEAST_PAIRED 65536
/* Elements along k of a half type's factor that are converted to float at a time. */
#define HALF_PIECE 64
/* Multiplications up to which the library's own kernel is preferred to a BLAS, whose checks and copies cost more. With
 * AVX-512 it is as fast as the best BLAS at every size. With AVX2 it is faster up to here and as fast beyond, but a
 * BLAS may use wider vectors, for which this library was not compiled or chosen. */
#if defined(__AVX512F__)
#define LARGEST_OWN INT64_MAX
#elif defined(__FMA__)
#define LARGEST_OWN ((int64_t)1 << 18)
#else
#define LARGEST_OWN ((int64_t)1 << 13)
#endif
/* The largest side of a task's tile, and the least; a product gets TASKS of them where its sides and its work allow. A
 * BLAS packs its operands for each tile: with tiles of 64 rows, this takes a tenth of the time. */
#define LARGEST_TILE 512
#define LEAST_TILE 128
#define LEAST_WORK ((int64_t)8 << 20)
#define TASKS 8
/* Tiles of a blocked product, if its sides allow; and its multiplications per elementary step of work. */
#define SLICES 16
#define BLOCKED_STEPS 8
/* Partial sums of a vector-matrix product: over adjacent columns, and for one column. */
#define VECTOR_BLOCK 512
#define VECTOR_LANES 16
/* Dot products that are computed together. */
#define VECTOR_ROWS 4
/* Elements in a piece of a dot product. */
#define DOT_PIECE 32768

/* cblas_?gemm; enum arguments are ints. */
typedef void real32_gemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
                         const float *b, int ldb, float beta, float *c, int ldc);
typedef void real64_gemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a,
                         int lda, const double *b, int ldb, double beta, double *c, int ldc);
typedef void complex_gemm(int order, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a,
                          int lda, const void *b, int ldb, const void *beta, void *c, int ldc);

#define ROW_MAJOR 101
#define NO_TRANS 111
#define TRANS 112

static real32_gemm *blas_float32;
static real64_gemm *blas_float64;
static complex_gemm *blas_complex64;
static complex_gemm *blas_complex128;

void gn_set_blas(double sgemm, double dgemm, double cgemm, double zgemm) {
    blas_float32 = (real32_gemm *)(uintptr_t)sgemm;
    blas_float64 = (real64_gemm *)(uintptr_t)dgemm;
    blas_complex64 = (complex_gemm *)(uintptr_t)cgemm;
    blas_complex128 = (complex_gemm *)(uintptr_t)zgemm;
}

int gn_has_blas(void) {
    return blas_float32 != NULL;
}

/* Whether a BLAS can read a matrix with these strides (elements) in place: TRANS or NO_TRANS, and its leading
 * dimension; 0 if it cannot. */
static int blas_layout(int64_t rows, int64_t columns, int64_t row, int64_t column, int64_t *leading) {
    if (column == 1 || columns == 1) {
        *leading = rows == 1 ? gn_max(1, columns) : row;
        if (*leading >= gn_max(1, columns) && *leading <= INT32_MAX) {
            return NO_TRANS;
        }
    }
    if (row == 1 || rows == 1) {
        *leading = columns == 1 ? gn_max(1, rows) : column;
        if (*leading >= gn_max(1, rows) && *leading <= INT32_MAX) {
            return TRANS;
        }
    }
    return 0;
}

/* Sides of the tiles of an (m, n) output. */
static void find_tile(int64_t m, int64_t n, int64_t k, int64_t batch, int64_t *tile_m, int64_t *tile_n) {
    *tile_m = gn_min(m, LARGEST_TILE);
    *tile_n = gn_min(n, LARGEST_TILE);
    while (1) {
        const int64_t tasks = (m + *tile_m - 1) / *tile_m * ((n + *tile_n - 1) / *tile_n) * batch;
        int64_t *longer = *tile_m > *tile_n ? tile_m : tile_n;
        if (tasks >= TASKS || *longer <= LEAST_TILE || *tile_m * *tile_n * k <= LEAST_WORK) {
            return;
        }
        *longer = (*longer / 2 + 15) / 16 * 16;
    }
}

/* A matrix of a batch; strides in bytes. */
typedef struct matrix {
    char *data;
    int64_t batch;
    int64_t row;
    int64_t column;
} matrix;

/* The matrix, or batch of them, of a tensor with two or three dimensions. */
static matrix matrix_of(const gn_tensor *tensor, void *data) {
    const int32_t ndim = tensor->ndim;
    matrix made = {data, ndim == 3 ? tensor->strides[0] : 0, tensor->strides[ndim - 2], tensor->strides[ndim - 1]};
    return made;
}

/* out = alpha a b + beta self for each matrix of a batch. */
typedef struct product {
    const gn_call *call; /* its first two Scalars are beta and alpha; NULL: 0 and 1 */
    int64_t batch, m, n, k;
    matrix out, self, a, b;
    int64_t tile_m, tile_n;
    int method;
    gn_status status;
} product;

/* How a product is computed. */
enum { BY_ELEMENTS, BY_SMALL, BY_VECTOR, BY_BLOCKS, BY_PAIRS, BY_BLAS, BY_STRIPS };

/* Sides of the tiles of a blocked product: it splits columns, or rows if there are few columns. The result does not
 * depend on them, and a task computes adjacent tiles together. */
static void find_slices(product *work, int64_t width) {
    const int64_t parts = (SLICES + work->batch - 1) / work->batch;
    work->tile_m = work->m;
    work->tile_n = work->n;
    if (work->n >= SLICES / 2 * width) {
        work->tile_n = ((work->n + parts - 1) / parts + width - 1) / width * width;
    } else {
        work->tile_m = (work->m + parts - 1) / parts;
    }
}

/* Splits the product's tiles over threads, which run `task`; `width` is the columns of a block. */
static int32_t run_product(product *work, gn_task *task, int64_t width) {
    if (work->batch == 0 || work->m == 0 || work->n == 0) {
        return GN_OK;
    }
    int64_t grain = GN_GRAIN;
    if (work->method == BY_BLOCKS || work->method == BY_PAIRS) {
        find_slices(work, width);
        grain *= BLOCKED_STEPS;
    } else {
        find_tile(work->m, work->n, work->k, work->batch, &work->tile_m, &work->tile_n);
    }
    const int64_t tiles = (work->m + work->tile_m - 1) / work->tile_m * ((work->n + work->tile_n - 1) / work->tile_n);
    const int64_t steps = work->tile_m * work->tile_n * gn_max(1, work->k);
    gn_parallel_for(0, work->batch * tiles, gn_max(1, grain / steps), task, work);
    return work->status;
}

/* mm (out, self, mat2), or bmm with a batch dimension. */
static product make_product(const gn_call *call, void *const *data) {
    const gn_tensor *a = &call->tensors[1];
    const gn_tensor *b = &call->tensors[2];
    product work;
    memset(&work, 0, sizeof work);
    work.batch = a->ndim == 3 ? a->sizes[0] : 1;
    work.m = a->sizes[a->ndim - 2];
    work.k = a->sizes[a->ndim - 1];
    work.n = b->sizes[b->ndim - 1];
    work.out = matrix_of(&call->tensors[0], data[0]);
    work.a = matrix_of(a, data[1]);
    work.b = matrix_of(b, data[2]);
    return work;
}

/* addmm (out, self, mat1, mat2), or baddbmm with a batch dimension. */
static product make_addmm(const gn_call *call, void *const *data) {
    const gn_tensor *a = &call->tensors[2];
    const gn_tensor *b = &call->tensors[3];
    product work;
    memset(&work, 0, sizeof work);
    work.call = call;
    work.batch = a->ndim == 3 ? a->sizes[0] : 1;
    work.m = a->sizes[a->ndim - 2];
    work.k = a->sizes[a->ndim - 1];
    work.n = b->sizes[b->ndim - 1];
    work.out = matrix_of(&call->tensors[0], data[0]);
    work.self = matrix_of(&call->tensors[1], data[1]);
    work.a = matrix_of(a, data[2]);
    work.b = matrix_of(b, data[3]);
    return work;
}

#define GN_TEMPLATE "matmul_dtype.h"
#include "each_dtype.h"
