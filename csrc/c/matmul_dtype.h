/* Matrix products for one dtype.  Half types multiply and add as floats, and round once. */

#if IS_NUMERIC

#include "matmul_small_dtype.h"

/* Packs a panel for the inner kernel: strips of `width` rows, column by column, with zeros for rows beyond the last.
 * `row` and `column` strides count elements. */
static void NAME(pack)(COMPUTE *to, const STORAGE *from, int64_t rows, int64_t depth, int64_t row, int64_t column,
                       int64_t width) {
    for (int64_t first = 0; first < rows; first += width) {
        const int64_t count = gn_min(width, rows - first);
        for (int64_t p = 0; p < depth; p++) {
            for (int64_t i = 0; i < count; i++) {
                to[p * width + i] = LOAD(from[(first + i) * row + p * column]);
            }
            for (int64_t i = count; i < width; i++) {
                to[p * width + i] = 0;
            }
        }
        to += width * depth;
    }
}

/* alpha * sum; skips a complex 1, whose product with an infinity would be NaN. */
GN_INLINE COMPUTE NAME(times_alpha)(COMPUTE alpha, COMPUTE sum) {
    return IS_COMPLEX && alpha == 1 ? sum : (COMPUTE)GN_TIMES(alpha, sum);
}

/* c (rows x columns, c_row apart) += alpha * a strip of a by a strip of b. */
static void NAME(multiply_strips)(const COMPUTE *a, const COMPUTE *b, int64_t depth, COMPUTE alpha, COMPUTE *c,
                                  int64_t c_row, int64_t rows, int64_t columns) {
    COMPUTE sums[TILE_ROWS][TILE_COLUMNS] = {{0}};
    for (int64_t p = 0; p < depth; p++) {
        for (int i = 0; i < TILE_ROWS; i++) {
            for (int j = 0; j < TILE_COLUMNS; j++) {
                sums[i][j] = (COMPUTE)(sums[i][j] + GN_TIMES(a[p * TILE_ROWS + i], b[p * TILE_COLUMNS + j]));
            }
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            c[i * c_row + j] = (COMPUTE)(c[i * c_row + j] + NAME(times_alpha)(alpha, sums[i][j]));
        }
    }
}

/* c = beta c; 0 clears any values of c. */
static void NAME(scale)(int64_t m, int64_t n, COMPUTE beta, COMPUTE *c, int64_t c_row) {
    if (beta == 1) {
        return;
    }
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            c[i * c_row + j] = beta == 0 ? 0 : (COMPUTE)(GN_TIMES(c[i * c_row + j], beta));
        }
    }
}

/* A product too small to pack: c += alpha a b. */
static void NAME(multiply_small)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const STORAGE *a, int64_t a_row,
                                 int64_t a_column, const STORAGE *b, int64_t b_row, int64_t b_column, COMPUTE *c,
                                 int64_t c_row) {
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            COMPUTE sum = 0;
            for (int64_t p = 0; p < k; p++) {
                const COMPUTE left = LOAD(a[i * a_row + p * a_column]);
                const COMPUTE right = LOAD(b[p * b_row + j * b_column]);
                sum = (COMPUTE)(sum + GN_TIMES(left, right));
            }
            c[i * c_row + j] = (COMPUTE)(c[i * c_row + j] + NAME(times_alpha)(alpha, sum));
        }
    }
}

/* A product by packed panels: c += alpha a b.  GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(multiply_packed)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const STORAGE *a, int64_t a_row,
                                     int64_t a_column, const STORAGE *b, int64_t b_row, int64_t b_column, COMPUTE *c,
                                     int64_t c_row) {
    const int64_t left_size = PANEL_ROWS * PANEL_DEPTH;
    COMPUTE *left = gn_take_items(left_size + PANEL_DEPTH * PANEL_COLUMNS, sizeof(COMPUTE));
    if (left == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *right = left + left_size;
    for (int64_t column = 0; column < n; column += PANEL_COLUMNS) {
        const int64_t columns = gn_min(PANEL_COLUMNS, n - column);
        for (int64_t level = 0; level < k; level += PANEL_DEPTH) {
            const int64_t depth = gn_min(PANEL_DEPTH, k - level);
            NAME(pack)(right, b + level * b_row + column * b_column, columns, depth, b_column, b_row, TILE_COLUMNS);
            for (int64_t row = 0; row < m; row += PANEL_ROWS) {
                const int64_t rows = gn_min(PANEL_ROWS, m - row);
                NAME(pack)(left, a + row * a_row + level * a_column, rows, depth, a_row, a_column, TILE_ROWS);
                for (int64_t j = 0; j < columns; j += TILE_COLUMNS) {
                    for (int64_t i = 0; i < rows; i += TILE_ROWS) {
                        NAME(multiply_strips)(left + i * depth, right + j * depth, depth, alpha,
                                              c + (row + i) * c_row + column + j, c_row, gn_min(TILE_ROWS, rows - i),
                                              gn_min(TILE_COLUMNS, columns - j));
                    }
                }
            }
        }
    }
    gn_give(left);
    return GN_OK;
}

/* A contiguous copy of a matrix, for a BLAS that cannot read its strides.  NULL when memory is exhausted. */
#if !IS_HALF && !IS_INTEGRAL
static STORAGE *NAME(compact)(const STORAGE *from, int64_t rows, int64_t columns, int64_t row, int64_t column) {
    STORAGE *to = gn_take_items(gn_checked(rows, columns), sizeof(STORAGE));
    for (int64_t i = 0; to != NULL && i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            to[i * columns + j] = from[i * row + j * column];
        }
    }
    return to;
}

#if IS_COMPLEX
#define SCALAR(x) &(x)
#else
#define SCALAR(x) (x)
#endif

/* The product by the BLAS: c = alpha a b + beta c, k >= 1.  GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(multiply_blas)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const STORAGE *a, int64_t a_row,
                                   int64_t a_column, const STORAGE *b, int64_t b_row, int64_t b_column, COMPUTE beta,
                                   COMPUTE *c, int64_t c_row) {
    int64_t lda;
    int64_t ldb;
    STORAGE *a_copy = NULL;
    STORAGE *b_copy = NULL;
    int trans_a = blas_layout(m, k, a_row, a_column, &lda);
    int trans_b = blas_layout(k, n, b_row, b_column, &ldb);
    int32_t status = GN_OK;
    if (trans_a == 0) {
        a_copy = NAME(compact)(a, m, k, a_row, a_column);
        status = a_copy == NULL ? GN_OUT_OF_MEMORY : status;
        a = a_copy;
        lda = k;
        trans_a = NO_TRANS;
    }
    if (trans_b == 0) {
        b_copy = NAME(compact)(b, k, n, b_row, b_column);
        status = b_copy == NULL ? GN_OUT_OF_MEMORY : status;
        b = b_copy;
        ldb = n;
        trans_b = NO_TRANS;
    }
    if (status == GN_OK) {
        NAME(blas)(ROW_MAJOR, trans_a, trans_b, (int)m, (int)n, (int)k, SCALAR(alpha), a, (int)lda, b, (int)ldb,
                   SCALAR(beta), c, (int)c_row);
    }
    gn_give(a_copy);
    gn_give(b_copy);
    return status;
}
#undef SCALAR
#endif

#if !IS_COMPLEX
static COMPUTE NAME(sum_lanes)(COMPUTE *lanes) {
    for (int width = VECTOR_LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] = (COMPUTE)(lanes[lane] + lanes[lane + width]);
        }
    }
    return lanes[0];
}

/* c[i] += alpha * the dot product of x and row i of VECTOR_ROWS rows, `step` apart; each computed as in
 * multiply_vector. The loop's sums are in separate arrays that only it indexes, so that they stay in registers. */
static void NAME(multiply_rows)(int64_t k, COMPUTE alpha, const STORAGE *x, const STORAGE *rows, int64_t step,
                                COMPUTE *c, int64_t c_step) {
    COMPUTE sums0[VECTOR_LANES] = {0};
    COMPUTE sums1[VECTOR_LANES] = {0};
    COMPUTE sums2[VECTOR_LANES] = {0};
    COMPUTE sums3[VECTOR_LANES] = {0};
    const STORAGE *row1 = rows + step;
    const STORAGE *row2 = row1 + step;
    const STORAGE *row3 = row2 + step;
    int64_t p = 0;
    for (; p + VECTOR_LANES <= k; p += VECTOR_LANES) {
        for (int lane = 0; lane < VECTOR_LANES; lane++) {
            const COMPUTE factor = LOAD(x[p + lane]);
            sums0[lane] = (COMPUTE)(sums0[lane] + GN_TIMES(factor, LOAD(rows[p + lane])));
            sums1[lane] = (COMPUTE)(sums1[lane] + GN_TIMES(factor, LOAD(row1[p + lane])));
            sums2[lane] = (COMPUTE)(sums2[lane] + GN_TIMES(factor, LOAD(row2[p + lane])));
            sums3[lane] = (COMPUTE)(sums3[lane] + GN_TIMES(factor, LOAD(row3[p + lane])));
        }
    }
    COMPUTE lanes[VECTOR_ROWS][VECTOR_LANES];
    for (int lane = 0; lane < VECTOR_LANES; lane++) {
        lanes[0][lane] = sums0[lane];
        lanes[1][lane] = sums1[lane];
        lanes[2][lane] = sums2[lane];
        lanes[3][lane] = sums3[lane];
    }
    for (int row = 0; row < VECTOR_ROWS; row++) {
        for (int64_t rest = p; rest < k; rest++) {
            const COMPUTE share = (COMPUTE)GN_TIMES(LOAD(x[rest]), LOAD(rows[row * step + rest]));
            lanes[row][rest - p] = (COMPUTE)(lanes[row][rest - p] + share);
        }
        c[row * c_step] = (COMPUTE)(c[row * c_step] + GN_TIMES(alpha, NAME(sum_lanes)(lanes[row])));
    }
}

/* A vector x of k elements times a (k, n) matrix: c += alpha x b.  Each element of the matrix is read once, so
 * nothing is packed. */
static void NAME(multiply_vector)(int64_t n, int64_t k, COMPUTE alpha, const STORAGE *x, int64_t x_step,
                                  const STORAGE *b, int64_t b_row, int64_t b_column, COMPUTE *c, int64_t c_step) {
    if (b_row == 1 && b_column != 1) {
        int64_t j = 0;
        for (; j + VECTOR_ROWS <= n && x_step == 1; j += VECTOR_ROWS) { /* independent sums */
            NAME(multiply_rows)(k, alpha, x, b + j * b_column, b_column, c + j * c_step, c_step);
        }
        for (; j < n; j++) {
            const STORAGE *from = b + j * b_column;
            COMPUTE lanes[VECTOR_LANES] = {0};
            int64_t p = 0;
            if (x_step == 1) {
                for (; p + VECTOR_LANES <= k; p += VECTOR_LANES) {
                    for (int lane = 0; lane < VECTOR_LANES; lane++) {
                        const COMPUTE share = (COMPUTE)GN_TIMES(LOAD(x[p + lane]), LOAD(from[p + lane]));
                        lanes[lane] = (COMPUTE)(lanes[lane] + share);
                    }
                }
            }
            for (; p < k; p++) {
                const COMPUTE share = (COMPUTE)GN_TIMES(LOAD(x[p * x_step]), LOAD(from[p]));
                lanes[p % VECTOR_LANES] = (COMPUTE)(lanes[p % VECTOR_LANES] + share);
            }
            c[j * c_step] = (COMPUTE)(c[j * c_step] + GN_TIMES(alpha, NAME(sum_lanes)(lanes)));
        }
        return;
    }
    for (int64_t first = 0; first < n; first += VECTOR_BLOCK) {
        const int64_t width = gn_min(VECTOR_BLOCK, n - first);
        COMPUTE sums[VECTOR_BLOCK] = {0};
        int64_t p = 0;
        for (; b_column == 1 && p + 4 <= k; p += 4) { /* four rows while the sums are at hand */
            const STORAGE *from = b + p * b_row + first;
            const COMPUTE f0 = LOAD(x[p * x_step]);
            const COMPUTE f1 = LOAD(x[(p + 1) * x_step]);
            const COMPUTE f2 = LOAD(x[(p + 2) * x_step]);
            const COMPUTE f3 = LOAD(x[(p + 3) * x_step]);
            for (int64_t j = 0; j < width; j++) {
                COMPUTE sum = (COMPUTE)(sums[j] + GN_TIMES(f0, LOAD(from[j])));
                sum = (COMPUTE)(sum + GN_TIMES(f1, LOAD(from[b_row + j])));
                sum = (COMPUTE)(sum + GN_TIMES(f2, LOAD(from[2 * b_row + j])));
                sums[j] = (COMPUTE)(sum + GN_TIMES(f3, LOAD(from[3 * b_row + j])));
            }
        }
        for (; p < k; p++) {
            const COMPUTE factor = LOAD(x[p * x_step]);
            const STORAGE *from = b + p * b_row + first * b_column;
            if (b_column == 1) {
                for (int64_t j = 0; j < width; j++) {
                    sums[j] = (COMPUTE)(sums[j] + GN_TIMES(factor, LOAD(from[j])));
                }
            } else {
                for (int64_t j = 0; j < width; j++) {
                    sums[j] = (COMPUTE)(sums[j] + GN_TIMES(factor, LOAD(from[j * b_column])));
                }
            }
        }
        for (int64_t j = 0; j < width; j++) {
            c[(first + j) * c_step] = (COMPUTE)(c[(first + j) * c_step] + GN_TIMES(alpha, sums[j]));
        }
    }
}
#endif

#if GN_HAS_GEMM && (IS_PRECISE || IS_HALF)
#define HAS_BLOCKS 1
#else
#define HAS_BLOCKS 0
#endif

#if HAS_BLOCKS && IS_HALF
/* The packers of factors of a half type: gn_pack_left and gn_pack_right. */
static void NAME(pack_left)(const void *factor, void *to, int64_t first, int64_t count, int64_t level,
                            int64_t depth) {
    const gn_factor *of = factor;
    const int64_t step = GN_GEMM_LEFT_STEP / (int64_t)sizeof(COMPUTE);
    for (int64_t i = 0; i < count; i++) {
        const STORAGE *from = (const STORAGE *)of->data + (first + i) * of->outer + level * of->inner;
        COMPUTE *row = (COMPUTE *)to + i * step;
        if (of->inner == 1) {
            for (int64_t p = 0; p < depth; p++) {
                row[p] = LOAD(from[p]);
            }
        } else {
            for (int64_t p = 0; p < depth; p++) {
                row[p] = LOAD(from[p * of->inner]);
            }
        }
    }
}

static void NAME(pack_right)(const void *factor, void *to, int64_t first, int64_t count, int64_t level,
                             int64_t depth) {
    const gn_factor *of = factor;
    const int64_t width = GN_GEMM_WIDTH / (int64_t)sizeof(COMPUTE);
    const STORAGE *from = (const STORAGE *)of->data + first * of->outer + level * of->inner;
    for (int64_t j = 0; j < count; j += width) {
        COMPUTE *sliver = (COMPUTE *)to + j * depth;
        const int64_t columns = gn_min(width, count - j);
        if (of->inner == 1) { /* converts a piece of the columns to float, and then packs it */
            COMPUTE piece[HALF_PIECE * GN_GEMM_WIDTH / sizeof(COMPUTE)];
            for (int64_t start = 0; start < depth; start += HALF_PIECE) {
                const int64_t length = gn_min(HALF_PIECE, depth - start);
                for (int64_t column = 0; column < columns; column++) {
                    const STORAGE *line = from + (j + column) * of->outer + start;
                    for (int64_t p = 0; p < length; p++) {
                        piece[column * HALF_PIECE + p] = LOAD(line[p]);
                    }
                }
                gn_pack_sliver_float32(sliver + start * width, piece, HALF_PIECE, 1, columns, length);
            }
            continue;
        }
        for (int64_t p = 0; p < depth; p++) {
            const STORAGE *line = from + j * of->outer + p * of->inner;
            COMPUTE *row = sliver + p * width;
            if (of->outer == 1) {
                for (int64_t column = 0; column < columns; column++) {
                    row[column] = LOAD(line[column]);
                }
            } else {
                for (int64_t column = 0; column < columns; column++) {
                    row[column] = LOAD(line[column * of->outer]);
                }
            }
            for (int64_t column = columns; column < width; column++) {
                row[column] = 0;
            }
        }
    }
}
#endif

/* How a product of these sizes is computed. */
static int NAME(find_method)(int64_t m, int64_t n, int64_t k) {
#if IS_PRECISE && GN_HAS_GEMM
    if (NAME(is_small)(m, n, k)) {
        return BY_SMALL;
    }
#endif
    if (m * n * k <= (HAS_BLOCKS ? LEAST_BLOCKED : SMALL_PRODUCT)) {
        return BY_ELEMENTS;
    }
#if !IS_COMPLEX
    if (m == 1 || n == 1) {
        return BY_VECTOR;
    }
#endif
#if !IS_HALF && !IS_INTEGRAL
    if (NAME(blas) != NULL && m <= INT32_MAX && n <= INT32_MAX && k <= INT32_MAX
        && (!HAS_BLOCKS || m * n * k > LARGEST_OWN)) {
        return BY_BLAS;
    }
#endif
    return HAS_BLOCKS ? BY_BLOCKS : BY_STRIPS;
}

/* c = alpha a b + beta from on this thread, strides in elements; `from` may be c, and its rows 0 apart.
 * GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(multiply)(int method, int64_t m, int64_t n, int64_t k, COMPUTE alpha, const STORAGE *a,
                              int64_t a_row, int64_t a_column, const STORAGE *b, int64_t b_row, int64_t b_column,
                              COMPUTE beta, const COMPUTE *from, int64_t from_row, COMPUTE *c, int64_t c_row) {
#if HAS_BLOCKS
    if (method == BY_BLOCKS || method == BY_PAIRS) {
        const COMPUTE *added = beta == 0 ? NULL : from;
        const gn_factor left = {a, a_row, a_column, NULL, NULL};
        const gn_factor right = {b, b_column, b_row, NULL, NULL};
#if CODE == GN_BFLOAT16
        if (method == BY_PAIRS) {
            return gn_gemm_bfloat16(m, n, k, alpha, &left, &right, beta, added, from_row, c, c_row);
        }
#endif
#if IS_HALF
        const gn_factor floats_left = {&left, 0, 0, NAME(pack_left), NULL};
        const gn_factor floats_right = {&right, 0, 0, NULL, NAME(pack_right)};
        return gn_gemm_blocked_float32(m, n, k, alpha, &floats_left, &floats_right, beta, added, from_row, 1, c,
                                       c_row);
#else
        return NAME(gn_gemm_blocked)(m, n, k, alpha, &left, &right, beta, added, from_row, 1, c,
                                       c_row);
#endif
    }
#endif
#if IS_PRECISE && GN_HAS_GEMM
    if (method == BY_SMALL) {
        NAME(multiply_few)(m, n, k, alpha, a, a_row, a_column, b, b_row, b_column, beta, beta == 0 ? NULL : from,
                            from_row, c, c_row);
        return GN_OK;
    }
#endif
    if (beta != 0 && from != c) {
        for (int64_t i = 0; i < m; i++) {
            for (int64_t j = 0; j < n; j++) {
                c[i * c_row + j] = from[i * from_row + j];
            }
        }
    }
#if !IS_HALF && !IS_INTEGRAL
    if (method == BY_BLAS && c_row <= INT32_MAX) {
        return NAME(multiply_blas)(m, n, k, alpha, a, a_row, a_column, b, b_row, b_column, beta, c, c_row);
    }
#endif
    NAME(scale)(m, n, beta, c, c_row);
    if (method == BY_ELEMENTS) {
        NAME(multiply_small)(m, n, k, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row);
        return GN_OK;
    }
#if !IS_COMPLEX
    if (method == BY_VECTOR) {
        if (m == 1) {
            NAME(multiply_vector)(n, k, alpha, a, a_column, b, b_row, b_column, c, 1);
        } else {
            NAME(multiply_vector)(m, k, alpha, b, b_row, a, a_column, a_row, c, c_row);
        }
        return GN_OK;
    }
#endif
    return NAME(multiply_packed)(m, n, k, alpha, a, a_row, a_column, b, b_row, b_column, c, c_row);
}

#if !IS_HALF
int32_t NAME(gn_gemm)(int64_t m, int64_t n, int64_t k, COMPUTE alpha, const STORAGE *a, int64_t a_row,
                      int64_t a_column, const STORAGE *b, int64_t b_row, int64_t b_column, COMPUTE beta, COMPUTE *c,
                      int64_t c_row) {
    return NAME(multiply)(NAME(find_method)(m, n, k), m, n, k, alpha, a, a_row, a_column, b, b_row, b_column, beta, c,
                          c_row, c, c_row);
}
#endif

/* The m by n elements of a product's matrix `batch` from (row, column) on.  GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(make_tile)(const product *work, COMPUTE alpha, COMPUTE beta, int64_t batch, int64_t row,
                               int64_t column, int64_t m, int64_t n) {
    const int64_t size = sizeof(STORAGE);
    const matrix *out = &work->out;
    const matrix *self = &work->self;
    char *to = out->data + batch * out->batch + row * out->row + column * out->column;
    /* If the output is a plain matrix of COMPUTE, the product is computed in place. */
    const int direct = !IS_HALF && (out->column == size || work->n == 1)
                       && (out->row >= work->n * size || work->m == 1);
    COMPUTE *c = (COMPUTE *)to;
    int64_t c_row = work->m == 1 ? work->n : out->row / size;
    if (!direct) {
        c = gn_take_items(gn_checked(m, n), sizeof(COMPUTE));
        c_row = n;
        if (c == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    const COMPUTE *added = c;
    int64_t added_row = c_row;
    if (beta != 0) {
        const char *from = self->data + batch * self->batch + row * self->row + column * self->column;
        if (!IS_HALF && self->column == size) {
            added = (const COMPUTE *)from;
            added_row = self->row / size;
        } else {
            for (int64_t i = 0; i < m; i++) {
                const char *line = from + i * self->row;
                if (self->column == size) {
                    for (int64_t j = 0; j < n; j++) {
                        c[i * c_row + j] = LOAD(((const STORAGE *)line)[j]);
                    }
                } else {
                    for (int64_t j = 0; j < n; j++) {
                        c[i * c_row + j] = LOAD(*(const STORAGE *)(line + j * self->column));
                    }
                }
            }
        }
    }
    const char *a = work->a.data + batch * work->a.batch + row * work->a.row;
    const char *b = work->b.data + batch * work->b.batch + column * work->b.column;
    const int32_t status =
        NAME(multiply)(work->method, m, n, work->k, alpha, (const STORAGE *)a, work->a.row / size,
                       work->a.column / size, (const STORAGE *)b, work->b.row / size, work->b.column / size, beta,
                       added, added_row, c, c_row);
    if (!direct) {
        for (int64_t i = 0; i < m; i++) {
#if IS_HALF
            if (out->column == size) {
                NAME(gn_narrow_row)(c + i * c_row, n, (STORAGE *)(to + i * out->row));
                continue;
            }
#endif
            for (int64_t j = 0; j < n; j++) {
                *(STORAGE *)(to + i * out->row + j * out->column) = STORE(c[i * c_row + j]);
            }
        }
        gn_give(c);
    }
    return status;
}

/* Tiles [begin, end) of a product. */
static void NAME(product_tiles)(int64_t begin, int64_t end, void *context) {
    product *work = context;
    const gn_call *call = work->call;
    const int64_t tiles_n = (work->n + work->tile_n - 1) / work->tile_n;
    const int64_t tiles_m = (work->m + work->tile_m - 1) / work->tile_m;
    const int64_t tiles = tiles_n * tiles_m;
    COMPUTE beta = 0;
    COMPUTE alpha = 1;
    if (call != NULL) {
        beta = NUMBER(0);
        alpha = NUMBER(1);
    }
    for (int64_t task = begin, many; task < end; task += many) {
        const int64_t batch = tiles == 1 ? task : task / tiles; /* many small matrices: a division counts */
        const int64_t tile = task - batch * tiles;
        const int64_t column = tile % tiles_n * work->tile_n;
        const int64_t row = tile / tiles_n * work->tile_m;
        many = 1;
        if (work->method == BY_BLOCKS || work->method == BY_PAIRS) { /* all adjacent tiles of this matrix */
            many = gn_min(end, (batch + 1) * tiles) - task;
        }
        const int64_t n = gn_min(tiles_n > 1 ? many * work->tile_n : work->tile_n, work->n - column);
        const int64_t m = gn_min(tiles_m > 1 ? many * work->tile_m : work->tile_m, work->m - row);
        gn_report(&work->status, NAME(make_tile)(work, alpha, beta, batch, row, column, m, n));
    }
}

#if CODE == GN_BFLOAT16
/* The least exponent of all numbers of a batch of matrices. */
static int32_t least_exponent(const matrix *of, int64_t batch, int64_t rows, int64_t columns) {
    int32_t least = INT32_MAX;
    for (int64_t i = 0; i < batch; i++) {
        const uint16_t *data = (const uint16_t *)(of->data + i * of->batch);
        const int32_t own = gn_least_exponent(data, rows, columns, of->row / 2, of->column / 2);
        least = own < least ? own : least;
    }
    return least;
}

/* Whether products use pairs: decided once for all tiles, so that no result depends on the tiling. */
static int goes_by_pairs(const product *work) {
    return work->method == BY_BLOCKS && gn_has_bfloat16_products() && work->m * work->n * work->k >= LEAST_PAIRED
           && gn_sums_are_normal(least_exponent(&work->a, work->batch, work->m, work->k),
                                 least_exponent(&work->b, work->batch, work->k, work->n));
}
#endif

static int32_t NAME(run)(product *work) {
    work->method = NAME(find_method)(work->m, work->n, work->k);
#if CODE == GN_BFLOAT16
    work->method = goes_by_pairs(work) ? BY_PAIRS : work->method;
#endif
    return run_product(work, NAME(product_tiles), GN_GEMM_WIDTH / (int64_t)sizeof(COMPUTE));
}

#if IS_PRECISE
int32_t NAME(gn_matmul)(int64_t m, int64_t n, int64_t k, STORAGE *a, int64_t a_row, int64_t a_column, STORAGE *b,
                        int64_t b_row, int64_t b_column, int adds, COMPUTE *c, int64_t c_row) {
    const int64_t size = sizeof(STORAGE);
    const gn_scalar factors[2] = {{adds != 0, 0, adds != 0}, {1, 0, 1}};
    gn_call call;
    memset(&call, 0, sizeof call);
    call.scalars = factors;
    const matrix left = {(char *)a, 0, a_row * size, a_column * size};
    const matrix right = {(char *)b, 0, b_row * size, b_column * size};
    const matrix out = {(char *)c, 0, c_row * size, size};
    product work = {&call, 1, m, n, k, out, out, left, right, 0, 0, 0, GN_OK};
    return NAME(run)(&work);
}
#endif

int32_t NAME(kernel_mm)(const gn_call *call, void *const *data) {
    product work = make_product(call, data);
    return NAME(run)(&work);
}

int32_t NAME(kernel_addmm)(const gn_call *call, void *const *data) {
    product work = make_addmm(call, data);
    return NAME(run)(&work);
}

/* The dot product of two rows: partial sums of fixed length, added in order. */
int32_t NAME(kernel_dot)(const gn_call *call, void *const *data) {
    const int64_t count = call->tensors[1].sizes[0];
    const int64_t a_stride = call->tensors[1].strides[0];
    const int64_t b_stride = call->tensors[2].strides[0];
    const char *a = data[1];
    const char *b = data[2];
    COMPUTE total = 0;
    for (int64_t begin = 0; begin < count; begin += DOT_PIECE) {
        const int64_t end = gn_min(begin + DOT_PIECE, count);
        COMPUTE lanes[16] = {0};
        for (int64_t i = begin; i < end; i++) {
            const COMPUTE left = LOAD(*(const STORAGE *)(a + i * a_stride));
            const COMPUTE right = LOAD(*(const STORAGE *)(b + i * b_stride));
            lanes[i % 16] = (COMPUTE)(lanes[i % 16] + GN_TIMES(left, right));
        }
        for (int width = 8; width > 0; width /= 2) {
            for (int lane = 0; lane < width; lane++) {
                lanes[lane] = (COMPUTE)(lanes[lane] + lanes[lane + width]);
            }
        }
        total = (COMPUTE)(total + lanes[0]);
    }
    *(STORAGE *)data[0] = STORE(total);
    return GN_OK;
}

#undef HAS_BLOCKS

#endif
