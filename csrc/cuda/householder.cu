/* geqrf and linalg_householder_product: reflections I - tau v v^H with 1 as the first element of v, as LAPACK has them
 * (Golub and Van Loan, "Matrix Computations", 5.1 and 5.2). Copies are column-major here: a warp reflects a column, and
 * each of its lanes treats the same rows in all reflections. */
#include "matrix.cuh"

/* The first row from `row` on of the calling lane. */
static inline int64_t first_of_lane(int64_t row) {
    const int64_t lane = gn_member<GN_WARP>();
    return row / GN_WARP * GN_WARP + lane + (row % GN_WARP > lane ? GN_WARP : 0);
}

/* Applies I - factor v v^H to a column from row k; the element k of v is 1 whatever stands there. Called by a warp. */
static inline void reflect(gn_compute *column, const gn_compute *v, int64_t k, int64_t rows, gn_compute factor) {
    gn_compute share = gn_compute(0);
    for (int64_t i = first_of_lane(k); i < rows; i += GN_WARP) {
        share = share + (i == k ? column[i] : gn_conjugate(v[i]) * column[i]);
    }
    share = factor * gn_team_fold<gn_add, GN_WARP>(share, (gn_compute *)NULL);
    for (int64_t i = first_of_lane(k); i < rows; i += GN_WARP) {
        column[i] = column[i] - (i == k ? share : share * v[i]);
    }
}

/* real + i imaginary, of which a real dtype has no second part. */
template <class T> static inline void set_parts(T *to, double real, double) {
    *to = (T)real;
}
template <class T> static inline void set_parts(gn_complex<T> *to, double real, double imaginary) {
    *to = gn_complex<T>((T)real, (T)imaginary);
}

/* Replaces the matrix by R and, below its diagonal, the vectors; writes the factors. */
template <int THREADS>
static inline void triangulate(gn_compute *a, int64_t rows, int64_t columns, const gn_matrices &taus, char *taus_at) {
    __shared__ double shared[THREADS / GN_WARP];
    for (int64_t k = 0; k < gn_min(rows, columns); k++) {
        gn_compute *const v = a + k * rows;
        __syncthreads();
        double scale = 0; /* so that squares stay in range */
        for (int64_t i = k + threadIdx.x; i < rows; i += THREADS) {
            scale = fmax(scale, gn_largest_part(v[i]));
        }
        scale = gn_team_fold<gn_greater, THREADS>(scale, shared);
        scale = scale == 0 ? 1 : scale;
        double below = 0;
        for (int64_t i = k + 1 + threadIdx.x; i < rows; i += THREADS) {
            const double real = (double)gn_real_of(v[i]) / scale;
            const double imaginary = (double)gn_imaginary_of(v[i]) / scale;
            below += real * real + imaginary * imaginary;
        }
        below = gn_team_fold<gn_add, THREADS>(below, shared);
        const gn_compute corner = v[k];
        const double real = (double)gn_real_of(corner);
        const double imaginary = (double)gn_imaginary_of(corner);
        gn_compute beta = corner, tau = gn_compute(0);
        if (!(below == 0 && imaginary == 0)) {
            const double own = (real / scale) * (real / scale) + (imaginary / scale) * (imaginary / scale);
            const double length = -copysign(scale * sqrt(own + below), real);
            set_parts(&beta, length, 0);
            set_parts(&tau, (length - real) / length, -imaginary / length);
            const gn_compute difference = corner - beta;
            for (int64_t i = k + 1 + threadIdx.x; i < rows; i += THREADS) {
                v[i] = v[i] / difference;
            }
            __syncthreads();
            for (int64_t j = k + 1 + threadIdx.x / GN_WARP; j < columns; j += THREADS / GN_WARP) {
                reflect(a + j * rows, v, k, rows, gn_conjugate(tau));
            }
        }
        __syncthreads(); /* all have read the corner */
        if (threadIdx.x == 0) {
            v[k] = beta;
            *(gn_storage *)(taus_at + k * taus.column) = gn_store(tau);
        }
    }
}

/* The steps of `in` and `out` are those of the transposes. */
template <int THREADS>
__global__ void geqrf(gn_batch batch, gn_matrices out, gn_matrices taus, gn_matrices in, int64_t rows, int64_t columns) {
    gn_compute *const a = (gn_compute *)batch.room();
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        gn_gather<THREADS>(in, matrix, columns, rows, false, a);
        triangulate<THREADS>(a, rows, columns, taus, taus.of(matrix));
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, columns, rows, false, a);
        __syncthreads();
    }
}

/* The first columns of the product of `count` reflections, the last one applied first; the steps as above. */
template <int THREADS>
__global__ void householder_product(gn_batch batch, gn_matrices out, gn_matrices in, gn_matrices taus, int64_t rows,
                                    int64_t columns, int64_t count) {
    gn_compute *const v = (gn_compute *)batch.room();
    gn_compute *const a = v + rows * columns;
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        char *const taus_at = taus.of(matrix);
        gn_gather<THREADS>(in, matrix, columns, rows, false, v);
        __syncthreads();
        for (int64_t j = threadIdx.x / GN_WARP; j < columns; j += THREADS / GN_WARP) {
            for (int64_t i = gn_member<GN_WARP>(); i < rows; i += GN_WARP) {
                a[j * rows + i] = gn_compute(i == j ? 1 : 0);
            }
            for (int64_t k = gn_min(j, count - 1); k >= 0; k--) { /* later ones leave the column as it is */
                reflect(a + j * rows, v + k * rows, k, rows, gn_load(*(const gn_storage *)(taus_at + k * taus.column)));
            }
        }
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, columns, rows, false, a);
        __syncthreads();
    }
}
