/* linalg_solve_triangular, by substitution. */
#include "matrix.cuh"

/* A system from the right has the steps of the transposes, so that it is one from the left. */
template <int THREADS>
__global__ void solve_triangular(gn_batch batch, gn_matrices out, gn_matrices in, gn_matrices right, int64_t count, int64_t width,
                                 int32_t upper, int32_t unitriangular) {
    gn_compute *const a = (gn_compute *)batch.room();
    gn_compute *const x = a + count * count;
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        gn_gather<THREADS>(in, matrix, count, count, false, a);
        gn_gather<THREADS>(right, matrix, count, width, false, x);
        gn_substitute<THREADS>(a, count, x, width, upper, unitriangular);
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, count, width, false, x);
        __syncthreads();
    }
}
