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
    if (row == (int64_t)sizeof(STORAGE) && gn_min(rows, columns) >= GN_TRANSPOSED && !(IS_COMPLEX && conjugated)) {
        gn_transpose(sizeof(STORAGE), rows, columns, from, column, (char *)to, step * (int64_t)sizeof(STORAGE));
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        const char *at = from + i * row;
        if (column == (int64_t)sizeof(STORAGE) && !(IS_COMPLEX && conjugated)) {
            memcpy(to + i * step, at, (size_t)columns * sizeof(STORAGE));
            continue;
        }
        for (int64_t j = 0; j < columns; j++) {
            const COMPUTE x = *(const STORAGE *)(at + j * column);
            to[i * step + j] = conjugated ? CONJUGATE(x) : x;
        }
    }
}

/* The reverse of gather. */
static inline void NAME(scatter)(char *to, int64_t row, int64_t column, int64_t rows, int64_t columns, int conjugated,
                                 const COMPUTE *from, int64_t step) {
    if (row == (int64_t)sizeof(STORAGE) && gn_min(rows, columns) >= GN_TRANSPOSED && !(IS_COMPLEX && conjugated)) {
        gn_transpose(sizeof(STORAGE), columns, rows, (const char *)from, step * (int64_t)sizeof(STORAGE), to, column);
        return;
    }
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
#if IS_COMPLEX
        y[i] -= GN_TIMES(factor, x[i]);
#else
        y[i] = GN_FMA(-factor, x[i], y[i]);
#endif
    }
}

/* Numbers of a vector, of which narrow systems have as many, or one less, before and after each column. */
#if IS_PRECISE && GN_HAS_GEMM
#define WIDE ((int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE)))
typedef COMPUTE NAME(wide) __attribute__((vector_size(GN_GEMM_BYTES)));
typedef COMPUTE NAME(loose_wide) __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(COMPUTE)), may_alias));

/* sum + factor t.  By intrinsics, as compilers take some vectors apart, of which all lanes are named. */
GN_INLINE NAME(wide) NAME(more)(NAME(wide) sum, COMPUTE factor, NAME(wide) t) {
#if defined(__AVX512F__) && CODE == GN_FLOAT32
    return _mm512_fmadd_ps(_mm512_set1_ps(factor), t, sum);
#elif defined(__AVX512F__)
    return _mm512_fmadd_pd(_mm512_set1_pd(factor), t, sum);
#elif defined(__AVX__) && defined(__FMA__) && CODE == GN_FLOAT32
    return _mm256_fmadd_ps(_mm256_set1_ps(factor), t, sum);
#elif defined(__AVX__) && defined(__FMA__)
    return _mm256_fmadd_pd(_mm256_set1_pd(factor), t, sum);
#else
    for (int lane = 0; lane < WIDE; lane++) {
        sum[lane] = GN_FMA(factor, t[lane], sum[lane]);
    }
    return sum;
#endif
}
/* sum + the products of two vectors. */
GN_INLINE NAME(wide) NAME(more_products)(NAME(wide) sum, NAME(wide) x, NAME(wide) y) {
#if defined(__AVX512F__) && CODE == GN_FLOAT32
    return _mm512_fmadd_ps(x, y, sum);
#elif defined(__AVX512F__)
    return _mm512_fmadd_pd(x, y, sum);
#elif defined(__AVX__) && defined(__FMA__) && CODE == GN_FLOAT32
    return _mm256_fmadd_ps(x, y, sum);
#elif defined(__AVX__) && defined(__FMA__)
    return _mm256_fmadd_pd(x, y, sum);
#else
    return sum + x * y;
#endif
}
#else
#define WIDE ((int64_t)1)
typedef COMPUTE NAME(wide);
typedef COMPUTE NAME(loose_wide);

GN_INLINE NAME(wide) NAME(more)(NAME(wide) sum, COMPUTE factor, NAME(wide) t) {
    return sum + GN_TIMES(factor, t);
}

GN_INLINE NAME(wide) NAME(more_products)(NAME(wide) sum, NAME(wide) x, NAME(wide) y) {
    return sum + GN_TIMES(x, y);
}
#endif

/* x[0 .. WIDE] -= factor t. */
GN_INLINE void NAME(subtract_wide)(COMPUTE *x, COMPUTE factor, NAME(wide) t) {
    *(NAME(loose_wide) *)x = NAME(more)(*(const NAME(loose_wide) *)x, -factor, t);
}

/* The columns of a few right sides for gn_solve_halves: whole vectors. */
static inline int64_t NAME(widened)(int64_t width) {
    return width < 2 * WIDE ? (width + WIDE - 1) / WIDE * WIDE : width;
}

/* gather for gn_solve_halves: zeros follow a few columns. */
static inline void NAME(gather_wide)(const char *from, int64_t row, int64_t column, int64_t rows, int64_t columns,
                                     int conjugated, COMPUTE *to, int64_t step) {
    const int64_t rest = NAME(widened)(columns) - columns;
    for (int64_t i = 0; i < rows && rest > 0; i++) {
        memset(to + i * step + columns, 0, (size_t)rest * sizeof(COMPUTE));
    }
    NAME(gather)(from, row, column, rows, columns, conjugated, to, step);
}

/* Whether no number is infinite or NaN, by the exponents: such a loop vectorizes. */
static inline int NAME(are_finite)(const COMPUTE *at, int64_t count) {
    const int parts = sizeof(COMPUTE) / sizeof(MAGNITUDE);
    const MAGNITUDE *numbers = (const MAGNITUDE *)at;
    uint32_t found = 0;
    for (int64_t i = 0; i < parts * count; i++) {
#if CODE == GN_FLOAT32 || CODE == GN_COMPLEX64
        uint32_t bits;
        const uint32_t exponent = 0x7f800000u;
#else
        uint64_t bits;
        const uint64_t exponent = 0x7ff0000000000000u;
#endif
        memcpy(&bits, numbers + i, sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    return !found;
}

/* The distance of columns of a narrow system. */
static inline int64_t NAME(narrow_step)(int64_t count) {
    return count + 2 * WIDE;
}

/* Solves for `width` columns, of which `count` numbers follow x; t is the first column of the triangle. */
GN_INLINE void NAME(substitute_columns)(const COMPUTE *t, int64_t count, COMPUTE *x, const int width, int upper,
                                        int unitriangular) {
    const int64_t step = NAME(narrow_step)(count);
    for (int64_t k = 0; k < count; k++) {
        const int64_t p = upper ? count - 1 - k : k;
        const COMPUTE *column = t + p * step;
        COMPUTE factors[8];
        GN_UNROLL
        for (int c = 0; c < width; c++) {
            COMPUTE *at = x + c * step + p;
            *at = unitriangular ? *at : *at / column[p];
            factors[c] = *at;
        }
        /* whole vectors, which begin after row p or end before it: others are not to be changed */
        const int64_t first = upper ? p - WIDE : p + 1;
        const int64_t vectors = (count - 1 - k + WIDE - 1) / WIDE;
        for (int64_t number = 0; number < vectors; number++) {
            const int64_t i = upper ? first - number * WIDE : first + number * WIDE;
            const NAME(wide) numbers = *(const NAME(loose_wide) *)(column + i);
            GN_UNROLL
            for (int c = 0; c < width; c++) {
                NAME(subtract_wide)(x + c * step + i, factors[c], numbers);
            }
        }
    }
}

/* Zeroed memory for the columns of a narrow system; WIDE numbers are before them, and as many after each. */
static inline COMPUTE *NAME(take_narrow)(int64_t count, int64_t width) {
    const int64_t numbers = gn_checked(NAME(narrow_step)(count), width);
    COMPUTE *memory = numbers > INT64_MAX - 2 * WIDE ? NULL : gn_take_items(numbers + 2 * WIDE, sizeof(COMPUTE));
    if (memory != NULL) {
        memset(memory, 0, (size_t)(numbers + 2 * WIDE) * sizeof(COMPUTE));
    }
    return memory;
}

/* X, `width` columns, narrow_step apart, becomes the solution of T X = X, for the triangle at `from`, with strides in
 * bytes; `t` has room for `count` columns. */
static inline void NAME(solve_narrow)(const char *from, int64_t row, int64_t column, int conjugated, int64_t count,
                                      COMPUTE *t, COMPUTE *x, int64_t width, int upper, int unitriangular) {
    const int64_t step = NAME(narrow_step)(count);
    /* the other triangle, which is not read, comes with it */
    NAME(gather)(from, column, row, count, count, conjugated, t, step);
    for (; width >= 8; width -= 8, x += 8 * step) {
        NAME(substitute_columns)(t, count, x, 8, upper, unitriangular);
    }
    for (; width >= 4; width -= 4, x += 4 * step) {
        NAME(substitute_columns)(t, count, x, 4, upper, unitriangular);
    }
    for (; width > 0; width--, x += step) {
        NAME(substitute_columns)(t, count, x, 1, upper, unitriangular);
    }
}
