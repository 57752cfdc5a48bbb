/* Small products for one dtype: rows of the right factor are read where they lie, as vectors that fit their width; there
 * is no packing and no block that is partly filled.  An element is one chain of multiply-adds, as in gemm_dtype.h, and
 * has the same bits. */

#if IS_PRECISE && GN_HAS_GEMM

/* sum + a b, rounded once if the processor can. */
GN_INLINE COMPUTE NAME(small_sum)(COMPUTE a, COMPUTE b, COMPUTE sum) {
#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__)
    return (COMPUTE)_Generic(a, float : __builtin_fmaf, default : __builtin_fma)(a, b, sum);
#else
    return sum + a * b;
#endif
}

/* One element of c. */
GN_INLINE void NAME(make_small_element)(int64_t k, COMPUTE alpha, const COMPUTE *a, int64_t a_column, const COMPUTE *b,
                                        int64_t b_row, COMPUTE beta, const COMPUTE *from, COMPUTE *c) {
    COMPUTE sum = 0;
    for (int64_t p = 0; p < k; p++) {
        sum = NAME(small_sum)(a[p * a_column], b[p * b_row], sum);
    }
    *c = from == NULL ? alpha * sum : NAME(small_sum)(beta, *from, alpha * sum);
}

/* A few rows of c, as many bytes wide. */
#define SMALL_BLOCK(BYTES)                                                                                            \
    typedef COMPUTE NAME(small_##BYTES) __attribute__((vector_size(BYTES)));                                          \
    typedef COMPUTE NAME(loose_##BYTES) __attribute__((vector_size(BYTES), aligned(sizeof(COMPUTE)), may_alias));     \
    GN_INLINE NAME(small_##BYTES)                                                                                     \
        NAME(small_sum_##BYTES)(COMPUTE a, NAME(small_##BYTES) b, NAME(small_##BYTES) sum) {                          \
        for (int lane = 0; lane < (int)(BYTES / sizeof(COMPUTE)); lane++) {                                           \
            sum[lane] = NAME(small_sum)(a, b[lane], sum[lane]);                                                       \
        }                                                                                                             \
        return sum;                                                                                                   \
    }                                                                                                                 \
    GN_INLINE void NAME(make_small_##BYTES)(const int rows, int64_t k, COMPUTE alpha, const COMPUTE *a, int64_t a_row, \
                                            int64_t a_column, const COMPUTE *b, int64_t b_row, COMPUTE beta,          \
                                            const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {       \
        NAME(small_##BYTES) sums[SMALL_ROWS];                                                                         \
        GN_UNROLL                                                                                                     \
        for (int i = 0; i < rows; i++) {                                                                              \
            sums[i] = (NAME(small_##BYTES)){0};                                                                       \
        }                                                                                                             \
        for (int64_t p = 0; p < k; p++) {                                                                             \
            const NAME(small_##BYTES) right = *(const NAME(loose_##BYTES) *)(b + p * b_row);                          \
            GN_UNROLL                                                                                                 \
            for (int i = 0; i < rows; i++) {                                                                          \
                sums[i] = NAME(small_sum_##BYTES)(a[i * a_row + p * a_column], right, sums[i]);                       \
            }                                                                                                         \
        }                                                                                                             \
        GN_UNROLL                                                                                                     \
        for (int i = 0; i < rows; i++) {                                                                              \
            NAME(small_##BYTES) result = alpha * sums[i];                                                             \
            if (from != NULL) {                                                                                       \
                const NAME(small_##BYTES) added = *(const NAME(loose_##BYTES) *)(from + i * from_row);                \
                result = NAME(small_sum_##BYTES)(beta, added, result);                                                \
            }                                                                                                         \
            *(NAME(loose_##BYTES) *)(c + i * c_row) = result;                                                         \
        }                                                                                                             \
    }
SMALL_BLOCK(16)
#if GN_GEMM_BYTES >= 32
SMALL_BLOCK(32)
#endif
#if GN_GEMM_BYTES >= 64
SMALL_BLOCK(64)
#endif
#undef SMALL_BLOCK

/* Columns of c from `j` on, as long as they fill vectors of so many bytes. */
#define MAKE_SMALL(BYTES)                                                                                             \
    for (; j + (int64_t)(BYTES / sizeof(COMPUTE)) <= n; j += (int64_t)(BYTES / sizeof(COMPUTE))) {                    \
        NAME(make_small_##BYTES)(rows, k, alpha, a, a_row, a_column, b + j, b_row, beta, from == NULL ? NULL : from + j, \
                                 from_row, c + j, c_row);                                                             \
    }
GN_INLINE void NAME(make_small_rows)(const int rows, int64_t n, int64_t k, COMPUTE alpha, const COMPUTE *a,
                                     int64_t a_row, int64_t a_column, const COMPUTE *b, int64_t b_row, COMPUTE beta,
                                     const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {
    int64_t j = 0;
#if GN_GEMM_BYTES >= 64
    MAKE_SMALL(64)
#endif
#if GN_GEMM_BYTES >= 32
    MAKE_SMALL(32)
#endif
    MAKE_SMALL(16)
    for (; j < n; j++) {
        for (int64_t i = 0; i < rows; i++) {
            NAME(make_small_element)(k, alpha, a + i * a_row, a_column, b + j, b_row, beta,
                                     from == NULL ? NULL : from + i * from_row + j, c + i * c_row + j);
        }
    }
}
#undef MAKE_SMALL

/* Is a product of these sizes faster this way? */
GN_INLINE int NAME(is_small)(int64_t m, int64_t n, int64_t k) {
    const int64_t lanes = (int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE));
    return n >= (int64_t)(16 / sizeof(COMPUTE)) && k > 0 && k * n <= SMALL_RIGHT && m * n * k <= LARGEST_SMALL
           && (m * n * k <= LEAST_BLOCKED || n % lanes != 0);
}

/* c = alpha a b + beta from; `from` is NULL if there is nothing to add, and may be c. */
static void NAME(multiply_few)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const COMPUTE *a, int64_t a_row,
                                int64_t a_column, const COMPUTE *b, int64_t b_row, int64_t b_column, COMPUTE beta,
                                const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {
    COMPUTE copied[SMALL_RIGHT];
    if (b_column != 1) {
        for (int64_t p = 0; p < k; p++) {
            for (int64_t j = 0; j < n; j++) {
                copied[p * n + j] = b[p * b_row + j * b_column];
            }
        }
        b = copied;
        b_row = n;
    }
#define ROWS(rows)                                                                                                    \
    for (; m >= rows; m -= rows, a += rows * a_row, c += rows * c_row) {                                              \
        NAME(make_small_rows)(rows, n, k, alpha, a, a_row, a_column, b, b_row, beta, from, from_row, c, c_row);       \
        from = from == NULL ? NULL : from + rows * from_row;                                                          \
    }
    ROWS(8)
    ROWS(4)
    ROWS(2)
    ROWS(1)
#undef ROWS
}

#endif
