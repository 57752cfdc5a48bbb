/* Calls kernels of the C library by its table, and prints what they compute: tools/cross_compile.py compares the lines
 * of two systems.  A line is an operator's name, its dtype's code, and the results. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csrc/gnomon.h"
#include "csrc/library.h"

#define COUNT 75 /* whole vectors and a tail */
#define SIDE 9   /* of a matrix */

static const char *const UNARY[] = {
    "neg", "abs", "sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "tanh", "sigmoid", "erf",
    "floor", "ceil", "round", "trunc", "sign", "reciprocal", "square", "relu", "silu", "lgamma", "digamma",
};
static const char *const BINARY[] = {
    "mul.Tensor", "div.Tensor", "maximum", "minimum", "atan2", "fmod.Tensor", "remainder.Tensor",
};
static const int32_t DTYPES[] = {GN_INT32, GN_INT64, GN_FLOAT32, GN_FLOAT64};

void *gn_release_gil(void);
void gn_acquire_gil(void *state);
void *gn_release_gil(void) {
    return NULL;
}
void gn_acquire_gil(void *state) {
    (void)state;
}

static int64_t size_of(int32_t dtype) {
    return dtype == GN_INT64 || dtype == GN_FLOAT64 ? 8 : 4;
}

/* Numbers between 1/8 and some; `step` makes another row of them. */
static void fill(void *memory, int32_t dtype, int64_t count, int step) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t whole = 1 + i * step % 23;
        switch (dtype) {
        case GN_INT32: ((int32_t *)memory)[i] = (int32_t)whole; break;
        case GN_INT64: ((int64_t *)memory)[i] = whole; break;
        case GN_FLOAT32: ((float *)memory)[i] = (float)whole / 8; break;
        default: ((double *)memory)[i] = (double)whole / 8;
        }
    }
}

static void show(const char *name, int32_t dtype, const void *memory, int64_t count) {
    printf("%s %d", name, (int)dtype);
    for (int64_t i = 0; i < count; i++) {
        switch (dtype) {
        case GN_INT32: printf(" %ld", (long)((const int32_t *)memory)[i]); break;
        case GN_INT64: printf(" %lld", (long long)((const int64_t *)memory)[i]); break;
        case GN_FLOAT32: printf(" %.9g", (double)((const float *)memory)[i]); break;
        default: printf(" %.17g", ((const double *)memory)[i]);
        }
    }
    printf("\n");
}

/* Runs the kernel of an operator with one output, if it has one for this dtype, on tensors of one form. */
static void run(const char *name, int32_t dtype, int inputs, int32_t ndim, const int64_t *sizes) {
    static double memory[3][COUNT > SIDE * SIDE ? COUNT : SIDE * SIDE];
    const int64_t size = size_of(dtype), strides[2] = {ndim == 2 ? sizes[1] * size : size, size};
    int64_t count = 1;
    gn_tensor tensors[3];
    void *data[3];
    for (int32_t k = 0; k < ndim; k++) {
        count *= sizes[k];
    }
    for (int k = 0; k <= inputs; k++) {
        tensors[k] = (gn_tensor){dtype, ndim, sizes, strides};
        data[k] = memory[k];
        fill(data[k], dtype, count, 4 * k + 3);
    }
    const gn_row *rows = gn_rows();
    for (int32_t k = 0; k < gn_row_count(); k++) {
        gn_kernel *kernel = strcmp(rows[k].name, name) == 0 ? rows[k].kernels[dtype] : NULL;
        if (kernel != NULL) {
            const gn_call call = {
                .kernel = kernel, .work = count, .tensor_count = inputs + 1, .output_count = 1, .tensors = tensors,
            };
            const int32_t status = kernel(&call, (void *const *)data);
            if (status == GN_OK) {
                show(name, dtype, data[0], count);
            } else {
                printf("%s %d status %d\n", name, (int)dtype, (int)status);
            }
        }
    }
}

int main(void) {
    const int64_t row[1] = {COUNT}, matrix[2] = {SIDE, SIDE};
    gn_set_num_threads(2);
    for (size_t d = 0; d < sizeof DTYPES / sizeof DTYPES[0]; d++) {
        for (size_t k = 0; k < sizeof UNARY / sizeof UNARY[0]; k++) {
            run(UNARY[k], DTYPES[d], 1, 1, row);
        }
        for (size_t k = 0; k < sizeof BINARY / sizeof BINARY[0]; k++) {
            run(BINARY[k], DTYPES[d], 2, 1, row);
        }
        run("mm", DTYPES[d], 2, 2, matrix);
    }
    return 0;
}
