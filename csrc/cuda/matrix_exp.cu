/* linalg_matrix_exp, by the algorithm of csrc/c/matrix_exp_dtype.h. */
#include "../c/matrix_exp.h"
#include "matrix.cuh"

/* c = a b, all square; c is neither of the others. */
template <int THREADS>
static inline void multiply(const gn_compute *a, const gn_compute *b, gn_compute *c, int64_t count) {
    __syncthreads();
    for (int64_t index = threadIdx.x; index < count * count; index += THREADS) {
        int64_t i = index;
        const int64_t j = gn_split(&i, count);
        gn_compute sum = gn_compute(0);
        for (int64_t k = 0; k < count; k++) {
            sum = sum + a[i * count + k] * b[k * count + j];
        }
        c[index] = sum;
    }
    __syncthreads();
}

/* sum += sum over j < size of powers[j] / (from + j)!, where the power 0 is the identity. Each thread treats its own
 * elements, which are those of the products. */
template <int THREADS>
static inline void add_part(gn_compute *sum, const gn_compute *powers, int64_t count, int32_t from, int32_t size) {
    const int64_t numel = count * count;
    for (int64_t index = threadIdx.x; index < numel; index += THREADS) {
        gn_compute x = sum[index];
        if (index % (count + 1) == 0) {
            x = x + gn_compute((gn_magnitude)reciprocal_factorial(from));
        }
        for (int32_t j = 1; j < size; j++) {
            x = x + powers[(j - 1) * numel + index] * (gn_magnitude)reciprocal_factorial(from + j);
        }
        sum[index] = x;
    }
}

/* The largest sum of a column's magnitudes; infinity if it is not finite. */
template <int THREADS> static inline double norm_of(const gn_compute *a, int64_t count) {
    __shared__ double shared[THREADS / GN_WARP];
    double norm = 0;
    for (int64_t j = threadIdx.x; j < count; j += THREADS) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) {
            sum += (double)gn_abs(a[i * count + j]);
        }
        norm = gn_is_finite(sum) ? fmax(norm, sum) : (double)INFINITY;
        if (norm == (double)INFINITY) {
            break;
        }
    }
    return gn_team_fold<gn_greater, THREADS>(norm, shared);
}

/* `powers` has the matrix and room for POWERS - 1 more; the result is in `one` or `other`, and is returned. */
template <int THREADS>
static inline gn_compute *exponential(gn_compute *powers, int64_t count, gn_compute *one, gn_compute *other) {
    const int64_t numel = count * count;
    const double *const norms = sizeof(gn_magnitude) == sizeof(float) ? norms_float32 : norms_float64;
    const double norm = norm_of<THREADS>(powers, count);
    if (norm == (double)INFINITY) {
        for (int64_t index = threadIdx.x; index < numel; index += THREADS) {
            one[index] = gn_compute((gn_magnitude)NAN);
        }
        return one;
    }
    int32_t choice = 0;
    while (choice < DEGREES - 1 && norm > norms[choice]) {
        choice++;
    }
    const int32_t degree = degrees[choice], size = part_sizes[choice];
    int squarings = 0;
    if (norm > norms[choice]) {
        frexp(norm / norms[choice], &squarings);
        const gn_magnitude scale = (gn_magnitude)ldexp(1.0, -squarings);
        __syncthreads(); /* all have read the matrix */
        for (int64_t index = threadIdx.x; index < numel; index += THREADS) {
            powers[index] = powers[index] * scale;
        }
    }
    for (int32_t power = 1; power < size; power++) {
        multiply<THREADS>(powers, powers + (power - 1) * numel, powers + power * numel, count);
    }
    const gn_compute *outer = powers + (size - 1) * numel;
    for (int64_t index = threadIdx.x; index < numel; index += THREADS) {
        one[index] = outer[index] * (gn_magnitude)reciprocal_factorial(degree);
    }
    add_part<THREADS>(one, powers, count, degree - size, size);
    const int32_t parts = degree / size - 1;
    for (int32_t step = 0; step < parts + squarings; step++) {
        multiply<THREADS>(one, step < parts ? outer : one, other, count);
        if (step < parts) {
            const int32_t from = degree - (step + 2) * size;
            add_part<THREADS>(other, powers, count, from, size);
        }
        gn_compute *const swapped = one;
        one = other;
        other = swapped;
    }
    return one;
}

template <int THREADS> __global__ void matrix_exp(gn_batch batch, gn_matrices out, gn_matrices in, int64_t count) {
    gn_compute *const powers = (gn_compute *)batch.room();
    gn_compute *const one = powers + POWERS * count * count;
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        gn_gather<THREADS>(in, matrix, count, count, false, powers);
        __syncthreads();
        const gn_compute *const result = exponential<THREADS>(powers, count, one, one + count * count);
        __syncthreads();
        gn_scatter<THREADS>(out, matrix, count, count, false, result);
        __syncthreads();
    }
}
