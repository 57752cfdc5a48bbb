/* LU factors and triangular systems by halves, of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

#if !IS_COMPLEX
/* Solves for `rows` rows from `first` of `vectors` vectors of X, and the lower triangle t, with rows of LEAF elements; those
 * below its diagonal are negated. */
GN_INLINE void NAME(solve_rows)(const COMPUTE *t, int64_t first, COMPUTE *x, int64_t step, int unitriangular,
                                const int rows, const int vectors) {
    NAME(wide) rest[ROWS][VECTORS];
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            rest[i][v] = *(const NAME(loose_wide) *)(x + (first + i) * step + v * WIDE);
        }
    }
    for (int64_t p = 0; p < first; p++) {
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            const NAME(wide) known = *(const NAME(loose_wide) *)(x + p * step + v * WIDE);
            GN_UNROLL
            for (int i = 0; i < rows; i++) {
                rest[i][v] = NAME(more)(rest[i][v], t[(first + i) * LEAF + p], known);
            }
        }
    }
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        const COMPUTE *line = t + (first + i) * LEAF + first;
        GN_UNROLL
        for (int v = 0; v < vectors; v++) {
            GN_UNROLL
            for (int p = 0; p < i; p++) {
                rest[i][v] = NAME(more)(rest[i][v], line[p], rest[p][v]);
            }
            if (!unitriangular) {
                rest[i][v] = rest[i][v] / line[i];
            }
            *(NAME(loose_wide) *)(x + (first + i) * step + v * WIDE) = rest[i][v];
        }
    }
}

GN_INLINE void NAME(solve_strip)(const COMPUTE *t, int64_t count, COMPUTE *x, int64_t step, int unitriangular,
                                 const int vectors) {
    int64_t first = 0;
    for (; first + ROWS <= count; first += ROWS) {
        NAME(solve_rows)(t, first, x, step, unitriangular, ROWS, vectors);
    }
    for (; first < count; first++) {
        NAME(solve_rows)(t, first, x, step, unitriangular, 1, vectors);
    }
}
#endif

/* At most LEAF rows. */
static void NAME(solve_leaf)(const COMPUTE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,
                             COMPUTE *x, int64_t step, int64_t width, int upper, int unitriangular) {
    COMPUTE lower[LEAF * LEAF];
    if (upper) { /* is a lower one from its end on */
        t += (count - 1) * (t_row + t_column);
        x += (count - 1) * step;
        t_row = -t_row;
        t_column = -t_column;
        step = -step;
    }
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j <= i; j++) {
            const COMPUTE number = t[i * t_row + j * t_column];
            const COMPUTE read = conjugated ? CONJUGATE(number) : number;
            lower[i * LEAF + j] = j < i ? -read : read;
        }
    }
    int64_t column = 0;
#if !IS_COMPLEX
    for (; column + VECTORS * WIDE <= width; column += VECTORS * WIDE) {
        NAME(solve_strip)(lower, count, x + column, step, unitriangular, VECTORS);
    }
    for (; column + WIDE <= width; column += WIDE) {
        NAME(solve_strip)(lower, count, x + column, step, unitriangular, 1);
    }
#endif
    for (int64_t i = 0; i < count && column < width; i++) {
        COMPUTE *row = x + i * step + column;
        for (int64_t p = 0; p < i; p++) {
            NAME(subtract)(row, x + p * step + column, -lower[i * LEAF + p], width - column);
        }
        for (int64_t j = 0; j < width - column && !unitriangular; j++) {
            row[j] = row[j] / lower[i * LEAF + i];
        }
    }
}

/* x -= T known, for a rectangle of T, whose numbers are copied to conjugate them. */
static int32_t NAME(subtract_product)(const COMPUTE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t rows,
                                      int64_t depth, const COMPUTE *known, COMPUTE *x, int64_t step, int64_t width) {
    COMPUTE *owned = NULL;
    if (IS_COMPLEX && conjugated) {
        owned = gn_take_items(gn_checked(rows, depth), sizeof(COMPUTE));
        if (owned == NULL) {
            return GN_OUT_OF_MEMORY;
        }
        for (int64_t i = 0; i < rows; i++) {
            for (int64_t j = 0; j < depth; j++) {
                owned[i * depth + j] = CONJUGATE(t[i * t_row + j * t_column]);
            }
        }
        t = owned;
        t_row = depth;
        t_column = 1;
    }
    const int32_t status = NAME(gn_gemm)(rows, width, depth, -1, t, t_row, t_column, known, step, 1, 1, x, step);
    gn_give(owned);
    return status;
}

int32_t NAME(gn_solve_halves)(const COMPUTE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,
                              COMPUTE *x, int64_t step, int64_t width, int upper, int unitriangular) {
    if (count <= LEAF) {
        NAME(solve_leaf)(t, t_row, t_column, conjugated, count, x, step, width, upper, unitriangular);
        return GN_OK;
    }
    const int64_t half = (count / 2 + LEAF - 1) / LEAF * LEAF;
    const int64_t known = upper ? half : 0, size = upper ? count - half : half, rest = upper ? 0 : half;
    int32_t status = NAME(gn_solve_halves)(t + known * (t_row + t_column), t_row, t_column, conjugated, size,
                                           x + known * step, step, width, upper, unitriangular);
    if (status == GN_OK) {
        status = NAME(subtract_product)(t + rest * t_row + known * t_column, t_row, t_column, conjugated, count - size,
                                        size, x + known * step, x + rest * step, step, width);
    }
    if (status == GN_OK) {
        status = NAME(gn_solve_halves)(t + rest * (t_row + t_column), t_row, t_column, conjugated, count - size,
                                       x + rest * step, step, width, upper, unitriangular);
    }
    return status;
}

/* Columns of X that threads share, in units of a fixed size, which the bits may depend on: X becomes the solution of
 * T X = X, and the product of `left` with it is subtracted from the `rows` rows at `rest`. */
typedef struct NAME(sharing) {
    const COMPUTE *t;
    int64_t t_row, t_column, count, step, width, unit, rows;
    int conjugated, upper, unitriangular;
    COMPUTE *x, *rest;
    const COMPUTE *left;
    gn_status status;
} NAME(sharing);

static void NAME(solve_units)(int64_t begin, int64_t end, void *context) {
    NAME(sharing) *work = context;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t first = unit * work->unit, width = gn_min(work->unit, work->width - first);
        COMPUTE *x = work->x + first;
        int32_t status = NAME(gn_solve_halves)(work->t, work->t_row, work->t_column, work->conjugated, work->count, x,
                                               work->step, width, work->upper, work->unitriangular);
        if (status == GN_OK && work->rows > 0) {
            status = NAME(gn_gemm)(work->rows, width, work->count, -1, work->left, work->step, 1, x, work->step, 1, 1,
                                   work->rest + first, work->step);
        }
        gn_report(&work->status, status);
    }
}

static int32_t NAME(solve_sharing)(NAME(sharing) *work) {
    const int64_t steps = gn_checked(gn_checked(work->count, work->count / 2 + work->rows), work->width);
    work->unit = shared_unit(steps, work->width);
    work->status = GN_OK;
    gn_parallel_for(0, (work->width + work->unit - 1) / work->unit, 1, NAME(solve_units), work);
    return work->status;
}

int32_t NAME(gn_solve_shared)(const COMPUTE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,
                              COMPUTE *x, int64_t step, int64_t width, int upper, int unitriangular) {
    NAME(sharing) work = {.t = t, .t_row = t_row, .t_column = t_column, .count = count, .step = step, .width = width,
                          .conjugated = conjugated, .upper = upper, .unitriangular = unitriangular, .x = x};
    return width > 0 ? NAME(solve_sharing)(&work) : GN_OK;
}

#if !IS_COMPLEX
/* X minus the products of `rows` rows of T with `width` known columns of X. */
GN_INLINE void NAME(subtract_dots)(const COMPUTE *t, int64_t t_row, int64_t depth, const COMPUTE *known, COMPUTE *x,
                                   int64_t step, const int rows, const int width) {
    NAME(wide) sums[ROWS][GN_FEW_COLUMNS];
    memset(sums, 0, sizeof sums);
    int64_t p = 0;
    for (; p + WIDE <= depth; p += WIDE) {
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            const NAME(wide) numbers = *(const NAME(loose_wide) *)(t + i * t_row + p);
            GN_UNROLL
            for (int c = 0; c < width; c++) {
                sums[i][c] += numbers * *(const NAME(loose_wide) *)(known + c * step + p);
            }
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < width; c++) {
            COMPUTE lanes[WIDE], sum = 0;
            memcpy(lanes, &sums[i][c], sizeof lanes);
            for (int lane = 0; lane < WIDE; lane++) {
                sum += lanes[lane];
            }
            for (int64_t rest = p; rest < depth; rest++) {
                sum += t[i * t_row + rest] * known[c * step + rest];
            }
            x[c * step + i] -= sum;
        }
    }
}

/* `rows` numbers of `width` columns of X minus the products of `depth` columns of T, 1 or ROWS, with known numbers. */
GN_INLINE void NAME(subtract_columns)(const COMPUTE *t, int64_t t_column, int64_t rows, const COMPUTE *known,
                                      COMPUTE *x, int64_t step, const int depth, const int width) {
    COMPUTE factors[ROWS][GN_FEW_COLUMNS];
    for (int p = 0; p < depth; p++) {
        for (int c = 0; c < width; c++) {
            factors[p][c] = -known[c * step + p];
        }
    }
    int64_t i = 0;
    for (; i + WIDE <= rows; i += WIDE) {
        NAME(wide) rest[GN_FEW_COLUMNS];
        GN_UNROLL
        for (int c = 0; c < width; c++) {
            rest[c] = *(const NAME(loose_wide) *)(x + c * step + i);
        }
        GN_UNROLL
        for (int p = 0; p < depth; p++) {
            const NAME(wide) numbers = *(const NAME(loose_wide) *)(t + p * t_column + i);
            GN_UNROLL
            for (int c = 0; c < width; c++) {
                rest[c] = NAME(more)(rest[c], factors[p][c], numbers);
            }
        }
        GN_UNROLL
        for (int c = 0; c < width; c++) {
            *(NAME(loose_wide) *)(x + c * step + i) = rest[c];
        }
    }
    for (; i < rows; i++) {
        for (int p = 0; p < depth; p++) {
            for (int c = 0; c < width; c++) {
                x[c * step + i] = GN_FMA(factors[p][c], t[p * t_column + i], x[c * step + i]);
            }
        }
    }
}

GN_INLINE void NAME(solve_width)(const COMPUTE *t, int64_t t_row, int64_t t_column, int64_t count, COMPUTE *x,
                                 int64_t step, const int width, int upper, int unitriangular) {
    for (int64_t done = 0; done < count; done += LEAF) {
        const int64_t size = gn_min(LEAF, count - done);
        const int64_t first = upper ? count - done - size : done;
        const int64_t known = upper ? first + size : 0;
        if (t_column == 1) {
            int64_t i = first;
            for (; i + ROWS <= first + size; i += ROWS) {
                NAME(subtract_dots)(t + i * t_row + known, t_row, done, x + known, x + i, step, ROWS, width);
            }
            for (; i < first + size; i++) {
                NAME(subtract_dots)(t + i * t_row + known, t_row, done, x + known, x + i, step, 1, width);
            }
        }
        COMPUTE rows[LEAF * 2 * WIDE];
        memset(rows, 0, sizeof rows);
        for (int64_t i = 0; i < size; i++) {
            for (int c = 0; c < width; c++) {
                rows[i * 2 * WIDE + c] = x[c * step + first + i];
            }
        }
        NAME(solve_leaf)(t + first * (t_row + t_column), t_row, t_column, 0, size, rows, 2 * WIDE,
                         NAME(widened)(width), upper, unitriangular);
        for (int64_t i = 0; i < size; i++) {
            for (int c = 0; c < width; c++) {
                x[c * step + first + i] = rows[i * 2 * WIDE + c];
            }
        }
        if (t_column != 1) {
            const int64_t after = upper ? 0 : first + size, rest = count - done - size;
            int64_t p = first;
            for (; p + ROWS <= first + size; p += ROWS) {
                NAME(subtract_columns)(t + after + p * t_column, t_column, rest, x + p, x + after, step, ROWS, width);
            }
            for (; p < first + size; p++) {
                NAME(subtract_columns)(t + after + p * t_column, t_column, rest, x + p, x + after, step, 1, width);
            }
        }
    }
}

void NAME(gn_solve_columns)(const COMPUTE *t, int64_t t_row, int64_t t_column, int64_t count, COMPUTE *x,
                            int64_t step, int64_t width, int upper, int unitriangular) {
    for (; width >= 4; width -= 4, x += 4 * step) {
        NAME(solve_width)(t, t_row, t_column, count, x, step, 4, upper, unitriangular);
    }
    for (; width >= 2; width -= 2, x += 2 * step) {
        NAME(solve_width)(t, t_row, t_column, count, x, step, 2, upper, unitriangular);
    }
    if (width > 0) {
        NAME(solve_width)(t, t_row, t_column, count, x, step, 1, upper, unitriangular);
    }
}
#endif

int NAME(gn_is_triangle)(const COMPUTE *x, int64_t step, int64_t count, int upper) {
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE *row = x + i * step;
        int found = 0;
        for (int64_t j = upper ? 0 : i + 1; j < (upper ? i : count); j++) {
            found |= row[j] != 0;
        }
        if (found) {
            return 0;
        }
    }
    return 1;
}

/* The rectangle of a triangle X, of whose columns threads take units: X -= `rectangle` known, then T X = X. */
typedef struct NAME(corner) {
    const COMPUTE *t, *rectangle;
    int64_t t_row, t_column, rows, size, step, unit;
    int conjugated, upper, unitriangular;
    const COMPUTE *known;
    COMPUTE *x;
    gn_status status;
} NAME(corner);

static void NAME(solve_corner_units)(int64_t begin, int64_t end, void *context) {
    NAME(corner) *work = context;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t first = unit * work->unit, width = gn_min(work->unit, work->size - first);
        COMPUTE *x = work->x + first;
        int32_t status = NAME(subtract_product)(work->rectangle, work->t_row, work->t_column, work->conjugated,
                                                work->rows, work->size, work->known + first, x, work->step, width);
        if (status == GN_OK) {
            status = NAME(gn_solve_halves)(work->t, work->t_row, work->t_column, work->conjugated, work->rows, x,
                                           work->step, width, work->upper, work->unitriangular);
        }
        gn_report(&work->status, status);
    }
}

static int32_t NAME(solve_corner)(NAME(corner) *work) {
    work->unit = shared_unit(gn_checked(gn_checked(work->rows, work->rows / 2 + work->size), work->size), work->size);
    work->status = GN_OK;
    gn_parallel_for(0, (work->size + work->unit - 1) / work->unit, 1, NAME(solve_corner_units), work);
    return work->status;
}

int32_t NAME(gn_solve_triangle)(const COMPUTE *t, int64_t t_row, int64_t t_column, int conjugated, int64_t count,
                                COMPUTE *x, int64_t step, int upper, int unitriangular) {
    if (count <= LEAF) {
        NAME(solve_leaf)(t, t_row, t_column, conjugated, count, x, step, count, upper, unitriangular);
        return GN_OK;
    }
    const int64_t half = (count / 2 + LEAF - 1) / LEAF * LEAF;
    const int64_t known = upper ? half : 0, size = upper ? count - half : half, rest = upper ? 0 : half;
    COMPUTE *corner = x + rest * step + known;
    t += rest * (t_row + t_column);
    const COMPUTE *t_known = t + (known - rest) * (t_row + t_column);
    int32_t status = NAME(gn_solve_triangle)(t_known, t_row, t_column, conjugated, size, x + known * (step + 1), step,
                                             upper, unitriangular);
    NAME(corner) rectangle = {.t = t, .rectangle = t + (known - rest) * t_column, .t_row = t_row, .t_column = t_column,
                              .rows = count - size, .size = size, .step = step, .conjugated = conjugated,
                              .upper = upper, .unitriangular = unitriangular, .known = x + known * (step + 1),
                              .x = corner};
    if (status == GN_OK) {
        status = NAME(solve_corner)(&rectangle);
    }
    if (status == GN_OK) {
        status = NAME(gn_solve_triangle)(t, t_row, t_column, conjugated, count - size, x + rest * (step + 1), step,
                                         upper, unitriangular);
    }
    return status;
}

static inline MAGNITUDE NAME(size_of)(COMPUTE x) { /* LAPACK's, without a square root */
#if IS_COMPLEX
    return (MAGNITUDE)fabs((double)REAL_OF(x)) + (MAGNITUDE)fabs((double)IMAGINARY_OF(x));
#else
    return x < 0 ? -x : x;
#endif
}

/* The first of the numbers that are largest; 0 if all are 0 or NaN. */
static int64_t NAME(find_largest)(const COMPUTE *numbers, int64_t count) {
    MAGNITUDE largest = 0;
    int64_t i = 0;
#if IS_PRECISE && GN_HAS_GEMM
    typedef __typeof__((NAME(wide)){0} > (NAME(wide)){0}) mask;
    const mask sign = (mask) - (NAME(wide)){0};
    NAME(wide) most = {0};
    for (; i + WIDE <= count; i += WIDE) {
        const NAME(wide) size = (NAME(wide))((mask) * (const NAME(loose_wide) *)(numbers + i) & ~sign);
        const mask more = size > most;
        most = (NAME(wide))(((mask)size & more) | ((mask)most & ~more));
    }
    for (int lane = 0; lane < WIDE; lane++) {
        largest = most[lane] > largest ? most[lane] : largest;
    }
#endif
    for (; i < count; i++) {
        const MAGNITUDE size = NAME(size_of)(numbers[i]);
        largest = size > largest ? size : largest;
    }
    for (i = 0; i < count && largest > 0; i++) {
        if (NAME(size_of)(numbers[i]) == largest) {
            return i;
        }
    }
    return 0;
}

/* row[first, last) -= factor top, of LEAF_COLUMNS columns; what top has before column k is 0. */
GN_INLINE void NAME(subtract_leaf)(COMPUTE *row, const COMPUTE *top, COMPUTE factor) {
#if IS_COMPLEX
    NAME(subtract)(row, top, factor, LEAF_COLUMNS);
#else
    GN_UNROLL
    for (int v = 0; v < LEAF_COLUMNS; v += (int)WIDE) {
        NAME(subtract_wide)(row + v, factor, *(const NAME(loose_wide) *)(top + v));
    }
#endif
}

/* Factors the columns from `first` to `last` of the rows from `first`; swaps whole rows. */
static void NAME(factor_leaf)(COMPUTE *a, int64_t step, int64_t rows, int64_t columns, int64_t first, int64_t last,
                              int32_t *pivots, int32_t *info, COMPUTE *column) {
    int is_read = 0; /* whether the last step has read this column */
    for (int64_t k = first; k < last; k++) {
        for (int64_t i = k; i < rows && !is_read; i++) {
            column[i] = a[i * step + k];
        }
        is_read = 0;
        const int64_t chosen = k + NAME(find_largest)(column + k, rows - k);
        pivots[k] = (int32_t)(chosen + 1);
        COMPUTE *top = a + k * step;
        const COMPUTE pivot = column[chosen];
        if (chosen != k) {
            COMPUTE *restrict other = a + chosen * step;
            COMPUTE *restrict one = top;
            for (int64_t j = 0; j < columns; j++) {
                const COMPUTE x = one[j];
                one[j] = other[j];
                other[j] = x;
            }
            column[chosen] = column[k];
        }
        if (pivot == 0) {
            *info = *info != 0 ? *info : (int32_t)(k + 1);
            continue;
        }
        for (int64_t i = k + 1; i < rows; i++) {
            column[i] = column[i] / pivot;
        }
        if (last - first == LEAF_COLUMNS && NAME(are_finite)(column + k + 1, rows - k - 1)) {
            COMPUTE zeros[LEAF_COLUMNS] = {0};
            for (int64_t j = k + 1; j < last; j++) {
                zeros[j - first] = top[j];
            }
            const int64_t next = gn_min(k + 1, last - 1);
            for (int64_t i = k + 1; i < rows; i++) {
                COMPUTE *row = a + i * step;
                NAME(subtract_leaf)(row + first, zeros, column[i]);
                row[k] = column[i];
                column[i] = row[next];
            }
            is_read = 1;
            continue;
        }
        for (int64_t i = k + 1; i < rows; i++) {
            COMPUTE *row = a + i * step;
            row[k] = column[i];
            NAME(subtract)(row + k + 1, top + k + 1, column[i], last - k - 1);
        }
    }
}

static int32_t NAME(factor_columns)(COMPUTE *a, int64_t step, int64_t rows, int64_t columns, int64_t first,
                                    int64_t last, int32_t *pivots, int32_t *info, COMPUTE *column) {
    if (last - first <= LEAF_COLUMNS) {
        NAME(factor_leaf)(a, step, rows, columns, first, last, pivots, info, column);
        return GN_OK;
    }
    const int64_t half = first + ((last - first) / 2 + LEAF_COLUMNS - 1) / LEAF_COLUMNS * LEAF_COLUMNS;
    int32_t status = NAME(factor_columns)(a, step, rows, columns, first, half, pivots, info, column);
    NAME(sharing) right = {.t = a + first * (step + 1), .t_row = step, .t_column = 1, .count = half - first,
                           .x = a + first * step + half, .step = step, .width = last - half, .unitriangular = 1,
                           .left = a + half * step + first, .rest = a + half * (step + 1), .rows = rows - half};
    if (status == GN_OK) {
        status = NAME(solve_sharing)(&right);
    }
    if (status == GN_OK && half < rows) {
        status = NAME(factor_columns)(a, step, rows, columns, half, last, pivots, info, column);
    }
    return status;
}

int32_t NAME(gn_factor_halves)(COMPUTE *a, int64_t step, int64_t rows, int64_t columns, int32_t *pivots,
                               int32_t *info) {
    const int64_t count = gn_min(rows, columns);
    COMPUTE *column = gn_take_items(rows, sizeof(COMPUTE));
    if (column == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int32_t status = NAME(factor_columns)(a, step, rows, columns, 0, count, pivots, info, column);
    if (status == GN_OK && count < columns) {
        status = NAME(gn_solve_shared)(a, step, 1, 0, count, a + count, step, columns - count, 0, 1);
    }
    gn_give(column);
    return status;
}

#include "matrix_end.h"

#endif
