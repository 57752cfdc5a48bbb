/* Row-major copies of matrices of one dtype, and what kernels do with their rows. */

#if IS_COMPLEX
#define CONJUGATE(x) ((COMPUTE)conj(x))
#define REAL_OF(x) ((MAGNITUDE)creal(x))
#define IMAGINARY_OF(x) ((MAGNITUDE)cimag(x))
#else
#define CONJUGATE(x) (x)
#define REAL_OF(x) (x)
#define IMAGINARY_OF(x) ((MAGNITUDE)0)
#endif

/* Copies the matrix at `from`, with strides in bytes, to rows `step` elements apart; conjugated on demand. */
static inline void NAME(gather)(const char *from, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                int conjugated, COMPUTE *to, int64_t step) {
    for (int64_t i = 0; i < rows; i++) {
        const char *at = from + i * row;
        for (int64_t j = 0; j < columns; j++) {
            const COMPUTE x = *(const STORAGE *)(at + j * column);
            to[i * step + j] = conjugated ? CONJUGATE(x) : x;
        }
    }
}

/* The reverse of gather. */
static inline void NAME(scatter)(char *to, int64_t row, int64_t column, int64_t rows, int64_t columns, int conjugated,
                                 const COMPUTE *from, int64_t step) {
    for (int64_t i = 0; i < rows; i++) {
        char *at = to + i * row;
        for (int64_t j = 0; j < columns; j++) {
            const COMPUTE x = from[i * step + j];
            *(STORAGE *)(at + j * column) = conjugated ? CONJUGATE(x) : x;
        }
    }
}

/* y -= factor x. */
static inline void NAME(subtract)(COMPUTE *restrict y, const COMPUTE *restrict x, COMPUTE factor, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] -= GN_TIMES(factor, x[i]);
    }
}

/* X, `count` rows of `width` elements, becomes the solution of T X = X, T a triangle of row-major rows `step` apart. */
static inline int32_t NAME(substitute)(const COMPUTE *triangle, int64_t step, int64_t count, COMPUTE *x, int64_t width,
                                       int upper, int unitriangular) {
    for (int64_t done = 0; done < count; done += GN_PANEL) {
        const int64_t size = gn_min(GN_PANEL, count - done);
        const int64_t first = upper ? count - done - size : done;
        const int64_t known = upper ? first + size : 0;
        if (done > 0) {
            const int32_t status = NAME(gn_gemm)(size, width, done, -1, triangle + first * step + known, step, 1,
                                                 x + known * width, width, 1, 1, x + first * width, width);
            if (status != GN_OK) {
                return status;
            }
        }
        for (int64_t k = 0; k < size; k++) {
            const int64_t i = upper ? first + size - 1 - k : first + k;
            COMPUTE *row = x + i * width;
            for (int64_t p = upper ? i + 1 : first; p < (upper ? first + size : i); p++) {
                NAME(subtract)(row, x + p * width, triangle[i * step + p], width);
            }
            if (!unitriangular) {
                const COMPUTE pivot = triangle[i * step + i];
                for (int64_t j = 0; j < width; j++) {
                    row[j] = row[j] / pivot;
                }
            }
        }
    }
    return GN_OK;
}
