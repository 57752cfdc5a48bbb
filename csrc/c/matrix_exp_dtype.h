/* The exponential of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

/* c = a b, all square and contiguous. */
static int32_t NAME(multiply)(const COMPUTE *a, const COMPUTE *b, COMPUTE *c, int64_t count) {
    if (count > PLAIN) {
        return NAME(gn_gemm)(count, count, count, 1, a, count, 1, b, count, 1, 0, c, count);
    }
    memset(c, 0, (size_t)(count * count) * sizeof(COMPUTE));
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < count; k++) {
            NAME(subtract)(c + i * count, b + k * count, -a[i * count + k], count);
        }
    }
    return GN_OK;
}

/* sum += sum over j < size of powers[j] / (from + j)!, where the power 0 is the identity. */
static void NAME(add_part)(COMPUTE *sum, const COMPUTE *powers, int64_t count, int32_t from, int32_t size) {
    const int64_t numel = count * count;
    for (int32_t j = 0; j < size; j++) {
        const MAGNITUDE factor = (MAGNITUDE)reciprocal_factorial(from + j);
        if (j == 0) {
            for (int64_t i = 0; i < count; i++) {
                sum[i * count + i] += factor;
            }
        } else {
            NAME(subtract)(sum, powers + (j - 1) * numel, -factor, numel);
        }
    }
}

/* `powers` has the matrix and room for POWERS - 1 more; the result is in *result, which is `one` or `other`. */
static int32_t NAME(exponential)(COMPUTE *powers, int64_t count, COMPUTE *one, COMPUTE *other, COMPUTE **result) {
    const int64_t numel = count * count;
    const double *norms = sizeof(MAGNITUDE) == sizeof(float) ? norms_float32 : norms_float64;
    double norm = 0;
    for (int64_t j = 0; j < count; j++) {
        double sum = 0;
        for (int64_t i = 0; i < count; i++) {
            sum += (double)gn_abs(powers[i * count + j]);
        }
        norm = sum <= norm ? norm : sum; /* keeps NaN */
    }
    *result = one;
    if (!isfinite(norm)) {
        for (int64_t i = 0; i < numel; i++) {
            one[i] = (MAGNITUDE)NAN;
        }
        return GN_OK;
    }
    int32_t choice = 0;
    while (choice < DEGREES - 1 && norm > norms[choice]) {
        choice++;
    }
    int squarings = 0;
    if (norm > norms[choice]) {
        frexp(norm / norms[choice], &squarings);
        const MAGNITUDE scale = (MAGNITUDE)ldexp(1.0, -squarings);
        for (int64_t i = 0; i < numel; i++) {
            powers[i] = powers[i] * scale;
        }
    }
    const int32_t size = part_sizes[choice];
    int32_t status = GN_OK;
    for (int32_t power = 1; power < size && status == GN_OK; power++) {
        status = NAME(multiply)(powers, powers + (power - 1) * numel, powers + power * numel, count);
    }
    const COMPUTE *outer = powers + (size - 1) * numel;
    const MAGNITUDE last = (MAGNITUDE)reciprocal_factorial(degrees[choice]);
    for (int64_t i = 0; i < numel; i++) {
        one[i] = outer[i] * last;
    }
    NAME(add_part)(one, powers, count, degrees[choice] - size, size);
    for (int32_t from = degrees[choice] - 2 * size; from >= 0 && status == GN_OK; from -= size) {
        status = NAME(multiply)(one, outer, other, count);
        NAME(add_part)(other, powers, count, from, size);
        COMPUTE *const swapped = one;
        one = other;
        other = swapped;
    }
    for (int step = 0; step < squarings && status == GN_OK; step++) {
        status = NAME(multiply)(one, one, other, count);
        COMPUTE *const swapped = one;
        one = other;
        other = swapped;
    }
    *result = one;
    return status;
}

static void NAME(exponentiate_matrices)(int64_t begin, int64_t end, void *context) {
    exponentials *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const int64_t count = gn_rows_of(in);
    const int64_t numel = gn_checked(count, count);
    COMPUTE *powers = gn_take(gn_checked(gn_checked(POWERS + 2, numel), sizeof(COMPUTE)));
    int32_t status = powers == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        COMPUTE *result = NULL;
        NAME(gather)((const char *)work->data[1] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                     in->strides[in->ndim - 1], count, count, 0, powers, count);
        status = NAME(exponential)(powers, count, powers + POWERS * numel, powers + (POWERS + 1) * numel, &result);
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                      out->strides[out->ndim - 1], count, count, 0, result, count);
    }
    gn_report(&work->status, status);
    gn_give(powers);
}

/* (result; self). */
int32_t NAME(kernel_matrix_exp)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[1];
    exponentials work = {call, data, GN_OK};
    const int64_t count = gn_rows_of(in);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(gn_checked(8, gn_checked(count, gn_checked(count, count)))),
                    NAME(exponentiate_matrices), &work);
    return work.status;
}

#include "matrix_end.h"

#endif
