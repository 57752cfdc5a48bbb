/* linalg_cholesky_ex. A matrix is factored as U^H U, row by row of U, as in C; L is U^H. */
#include "matrix.cuh"

/* Replaces the upper triangle by U. Returns 0, or the number of the row, counted from 1, whose pivot, which it leaves, is
 * not positive. */
template <int THREADS> static inline int64_t factor(gn_compute *a, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        gn_compute *const row = a + k * count;
        __syncthreads();
        const gn_magnitude square = gn_real_of(row[k]);
        __syncthreads(); /* all have read the pivot */
        if (!(square > 0)) {
            if (threadIdx.x == 0) {
                row[k] = gn_compute(square);
            }
            return k + 1;
        }
        const gn_magnitude root = (gn_magnitude)sqrt((double)square);
        for (int64_t j = k + threadIdx.x; j < count; j += THREADS) {
            row[j] = j == k ? gn_compute(root) : row[j] / root;
        }
        __syncthreads();
        const int64_t rest = count - 1 - k;
        for (int64_t index = threadIdx.x; index < rest * rest; index += THREADS) {
            int64_t i = index;
            const int64_t j = gn_split(&i, rest) + k + 1;
            i += k + 1;
            if (j >= i) {
                a[i * count + j] = a[i * count + j] - gn_conjugate(row[i]) * row[j];
            }
        }
    }
    return 0;
}

/* The steps of `in` and `out` are those of the transposes if the lower triangle is wanted, so that it is the upper one,
 * conjugated. A matrix that is not positive-definite is refused. */
template <int THREADS>
__global__ void cholesky(gn_batch batch, gn_matrices out, gn_matrices codes, gn_matrices in, int64_t count, int32_t conjugated) {
    gn_compute *const a = (gn_compute *)batch.room();
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        gn_gather<THREADS>(in, matrix, count, count, conjugated, a);
        const int64_t info = factor<THREADS>(a, count);
        __syncthreads();
        char *const from = in.of(matrix);
        char *const to = out.of(matrix);
        for (int64_t index = threadIdx.x; index < count * count; index += THREADS) {
            int64_t i = index;
            const int64_t j = gn_split(&i, count);
            gn_compute x = j < i ? gn_compute(0) : a[index];
            x = conjugated ? gn_conjugate(x) : x;
            if (info != 0 && j >= i && i >= info - 1 && index != (info - 1) * (count + 1)) {
                x = gn_load(in.element(from, i, j)); /* what follows the pivot is left as it was */
            }
            out.element(to, i, j) = gn_store(x);
        }
        if (threadIdx.x == 0) {
            *(int32_t *)codes.of(matrix) = (int32_t)info;
            if (info != 0) {
                batch.refuse();
            }
        }
        __syncthreads();
    }
}
