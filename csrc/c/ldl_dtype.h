/* The LDL factorization of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX

#if IS_COMPLEX
#define SCALAR gn_complex128
#define FLIPPED(x) (hermitian ? conj(x) : (x))
#define REAL_OF(x) creal(x)
#define SIZE_OF(x) (fabs(creal(x)) + fabs(cimag(x))) /* LAPACK's, without a square root */
#else
#define SCALAR double
#define FLIPPED(x) (x)
#define REAL_OF(x) (x)
#define SIZE_OF(x) fabs(x)
#endif

/* y -= factor x. */
static void NAME(take_away)(SCALAR *restrict y, const SCALAR *restrict x, SCALAR factor, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y[i] -= GN_TIMES(factor, x[i]);
    }
}

/* The row to swap with; *width is the number of rows of the block at k. -1 for a column of zeros, or with NaN on the
 * diagonal. */
static int64_t NAME(choose)(const SCALAR *a, int64_t count, int64_t k, int64_t *width) {
    const double here = SIZE_OF(a[k * count + k]);
    *width = 1;
    int64_t other = k;
    double largest = 0;
    for (int64_t i = k + 1; i < count; i++) {
        const double size = SIZE_OF(a[i * count + k]);
        if (other == k || size > largest) {
            largest = size;
            other = i;
        }
    }
    if (isnan(here) || (here == 0 && largest == 0)) {
        return -1;
    }
    if (other == k || here >= ALPHA * largest) {
        return k;
    }
    double most = largest;
    for (int64_t j = k + 1; j < count; j++) {
        if (j != other) {
            const double size = SIZE_OF(a[j < other ? other * count + j : j * count + other]);
            most = size > most ? size : most; /* NaN is no largest, unless it is the first */
        }
    }
    if (here >= ALPHA * largest * (largest / most)) {
        return k;
    }
    *width = SIZE_OF(a[other * count + other]) >= ALPHA * most ? 1 : 2;
    return other;
}

static void NAME(swap_numbers)(SCALAR *x, SCALAR *y) {
    const SCALAR z = *x;
    *x = *y;
    *y = z;
}

/* Swaps rows and columns k < other of the lower triangle, from column k on. */
static void NAME(swap_both)(SCALAR *a, int64_t count, int64_t k, int64_t other, int hermitian) {
    (void)hermitian;
    for (int64_t i = other + 1; i < count; i++) {
        NAME(swap_numbers)(a + i * count + k, a + i * count + other);
    }
    for (int64_t i = k + 1; i < other; i++) {
        const SCALAR x = a[i * count + k];
        a[i * count + k] = FLIPPED(a[other * count + i]);
        a[other * count + i] = FLIPPED(x);
    }
    a[other * count + k] = FLIPPED(a[other * count + k]);
    NAME(swap_numbers)(a + k * count + k, a + other * count + other);
}

/* Factors the lower triangle; `room` has place for two columns. */
static void NAME(factor_triangle)(SCALAR *a, int64_t count, int hermitian, int32_t *pivots, int32_t *info,
                                  SCALAR *room) {
    for (int64_t k = 0, width; k < count; k += width) {
        const int64_t chosen = NAME(choose)(a, count, k, &width);
        if (chosen < 0) {
            *info = *info != 0 ? *info : (int32_t)(k + 1);
            pivots[k] = (int32_t)(k + 1);
            continue;
        }
        const int64_t last = k + width - 1;
        const int64_t next = last + 1;
        if (chosen != last) {
            NAME(swap_both)(a, count, last, chosen, hermitian);
            if (width == 2) {
                NAME(swap_numbers)(a + last * count + k, a + chosen * count + k);
            }
        }
        SCALAR *left = room, *right = room + count; /* the flipped new columns */
        const SCALAR p = a[k * count + k];
        if (width == 1) {
            for (int64_t i = next; i < count; i++) {
                left[i] = FLIPPED(a[i * count + k] / p);
            }
        } else {
            const SCALAR corner = a[last * count + k];
            const SCALAR first = a[last * count + last] / corner;
            const SCALAR second = p / FLIPPED(corner);
            const SCALAR scale = GN_TIMES(first, second) - 1;
            for (int64_t i = next; i < count; i++) {
                const SCALAR x = a[i * count + k], y = a[i * count + last];
                const SCALAR of_first = (GN_TIMES(first, x) - y) / FLIPPED(corner) / scale;
                const SCALAR of_second = (GN_TIMES(second, y) - x) / corner / scale;
                left[i] = FLIPPED(of_first);
                right[i] = FLIPPED(of_second);
            }
        }
        for (int64_t i = next; i < count; i++) {
            SCALAR *row = a + i * count;
            NAME(take_away)(row + next, left + next, row[k], i + 1 - next);
            row[k] = FLIPPED(left[i]);
            if (width == 2) {
                NAME(take_away)(row + next, right + next, row[last], i + 1 - next);
                row[last] = FLIPPED(right[i]);
            }
            row[i] = hermitian ? REAL_OF(row[i]) : row[i];
        }
        pivots[k] = (int32_t)(width == 1 ? chosen + 1 : -chosen - 1);
        pivots[last] = pivots[k];
    }
}

#if CODE == GN_FLOAT32
/* y -= the products of `count` lines, `step` apart, with the numbers at factors, factors + step, ..., from `begin` to
 * `end`. */
static void take_away_lines(double *restrict y, const double *restrict lines, const double *restrict factors,
                            int64_t step, int64_t count, int64_t begin, int64_t end) {
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *line = lines + k * step;
        const double a = factors[k * step], b = factors[(k + 1) * step], c = factors[(k + 2) * step];
        const double d = factors[(k + 3) * step];
        for (int64_t i = begin; i < end; i++) {
            const double half = GN_FMA(-b, line[step + i], GN_FMA(-a, line[i], y[i]));
            y[i] = GN_FMA(-d, line[3 * step + i], GN_FMA(-c, line[2 * step + i], half));
        }
    }
    for (; k < count; k++) {
        const double factor = factors[k * step];
        for (int64_t i = begin; i < end; i++) {
            y[i] = GN_FMA(-factor, lines[k * step + i], y[i]);
        }
    }
}

/* The number after `k` of the largest of a column's numbers, the first of several, and its size; k if there is none.
 * NaN is no largest, unless it is the first. */
static int64_t find_largest(const double *column, int64_t k, int64_t count, double *largest) {
    *largest = 0;
    if (k + 1 == count) {
        return k;
    }
    int64_t found = k + 1;
    *largest = fabs(column[found]);
    if (isnan(*largest)) {
        return found;
    }
    const int64_t infinite = (int64_t)gn_bits64((double)INFINITY);
    int64_t most = 0; /* sizes are ordered like their bits */
    for (int64_t i = found; i < count; i++) {
        const int64_t size = (int64_t)gn_bits64(fabs(column[i]));
        most = size <= infinite && size > most ? size : most;
    }
    *largest = gn_from_bits64((uint64_t)most);
    while (fabs(column[found]) != *largest) {
        found++;
    }
    return found;
}

/* The columns of L of a block of two, each twice. */
static void make_pair(double *restrict left, double *restrict right, double *restrict line, double *restrict next_line,
                      const double *restrict w, const double *restrict other, double one, double two, double corner,
                      int64_t begin, int64_t end) {
    const double scale = one * two - 1;
    for (int64_t i = begin; i < end; i++) {
        left[i] = line[i] = (one * w[i] - other[i]) / corner / scale;
        right[i] = next_line[i] = (two * other[i] - w[i]) / corner / scale;
    }
}

/* The columns from `rest` on, less the product of the factors and products of a panel. */
typedef struct panel_update {
    double *lines;
    const double *factors, *products;
    int64_t step, count, rest, depth, blocks;
    gn_status status;
} panel_update;

static void update_block(panel_update *of, int64_t block) {
    const int64_t j = of->rest + block * BLOCK, step = of->step;
    const int32_t status =
        gn_gemm_float64(gn_min(BLOCK, of->count - j), of->count - j, of->depth, -1, of->factors + j, 1, step,
                        of->products + j, step, 1, 1, of->lines + j * (step + 1), step);
    if (status != GN_OK) {
        gn_report(&of->status, status);
    }
}

/* An early block, which has many rows, together with a late one, which has few. */
static void update_blocks(int64_t begin, int64_t end, void *context) {
    panel_update *of = context;
    for (int64_t early = begin; early < end; early++) {
        const int64_t late = of->blocks - 1 - early;
        update_block(of, early);
        if (late != early) {
            update_block(of, late);
        }
    }
}

/* Swaps rows and columns k < other of the columns that no step has changed yet. */
static void swap_lines(double *lines, int64_t step, int64_t count, int64_t k, int64_t other) {
    double *line = lines + k * step, *other_line = lines + other * step;
    for (int64_t i = other + 1; i < count; i++) {
        swap_numbers_float32(line + i, other_line + i);
    }
    for (int64_t i = k + 1; i < other; i++) {
        swap_numbers_float32(line + i, lines + i * step + other);
    }
    swap_numbers_float32(line + k, other_line + other);
}

/* Chooses and makes the columns w and, for a block of two, `other` of step k, of which `made` were made by the panel before.
 * The row to swap with, or -1; see choose. */
static int64_t make_columns(const double *lines, int64_t step, int64_t count, int64_t k, const double *factors,
                            const double *products, int64_t made, double *w, double *other, int64_t *width) {
    *width = 1;
    memcpy(w + k, lines + k * step + k, (size_t)(count - k) * sizeof(double));
    take_away_lines(w, factors, products + k, step, made, k, count);
    double largest;
    const double here = fabs(w[k]);
    const int64_t row = find_largest(w, k, count, &largest);
    if (isnan(here) || (here == 0 && largest == 0)) {
        return -1;
    }
    if (row == k || here >= ALPHA * largest) {
        return k;
    }
    for (int64_t j = k; j < row; j++) {
        other[j] = lines[j * step + row];
    }
    memcpy(other + row, lines + row * step + row, (size_t)(count - row) * sizeof(double));
    take_away_lines(other, factors, products + row, step, made, k, count);
    double most = largest;
    for (int64_t j = k + 1; j < count; j++) {
        const double size = j == row ? 0 : fabs(other[j]);
        most = size > most ? size : most; /* NaN is no largest, unless it is the first */
    }
    if (here >= ALPHA * largest * (largest / most)) {
        return k;
    }
    if (fabs(other[row]) >= ALPHA * most) {
        memcpy(w + k, other + k, (size_t)(count - k) * sizeof(double));
        return row;
    }
    *width = 2;
    return row;
}

/* factor_triangle for a large real matrix, given by the columns of its lower triangle, `step` apart, by panels of columns,
 * after which the rest is changed by a matrix product (LAPACK's lasyf).  GN_OK or GN_OUT_OF_MEMORY. */
static int32_t factor_lines(double *lines, int64_t step, int64_t count, int32_t *pivots, int32_t *info) {
    double *factors = gn_take_items(gn_checked(2 * PANEL + 2, step), sizeof(double)); /* columns of L */
    double *products = factors + (PANEL + 1) * step;                                  /* columns of L D */
    int32_t status = factors == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t first = 0, k = 0; k < count && status == GN_OK; first = k) {
        int64_t width;
        for (; k < count && (k - first < PANEL - 1 || count - first <= PANEL); k += width) {
            const int64_t made = k - first;
            double *w = products + made * step, *other = w + step, *left = factors + made * step;
            double *line = lines + k * step;
            const int64_t chosen = make_columns(lines, step, count, k, factors, products, made, w, other, &width);
            if (chosen < 0) {
                *info = *info != 0 ? *info : (int32_t)(k + 1);
                pivots[k] = (int32_t)(k + 1);
                memcpy(line + k, w + k, (size_t)(count - k) * sizeof(double));
                memset(w, 0, (size_t)count * sizeof(double));
                memset(left, 0, (size_t)count * sizeof(double));
                continue;
            }
            const int64_t last = k + width - 1, next = last + 1;
            if (chosen != last) {
                swap_lines(lines, step, count, last, chosen);
                for (int64_t p = 0; p < made + width; p++) {
                    swap_numbers_float32(products + p * step + last, products + p * step + chosen);
                    if (p < made) {
                        swap_numbers_float32(factors + p * step + last, factors + p * step + chosen);
                    }
                }
            }
            line[k] = w[k];
            if (width == 1) {
                for (int64_t i = next; i < count; i++) {
                    left[i] = line[i] = w[i] / w[k];
                }
            } else {
                double *right = left + step;
                const double corner = w[last], one = other[last] / corner, two = w[k] / corner;
                line[last] = corner;
                line[step + last] = other[last];
                make_pair(left, right, line, line + step, w, other, one, two, corner, next, count);
            }
            pivots[k] = (int32_t)(width == 1 ? chosen + 1 : -chosen - 1);
            pivots[last] = pivots[k];
        }
        const int64_t blocks = (count - k + BLOCK - 1) / BLOCK;
        panel_update update = {lines, factors, products, step, count, k, k - first, blocks, GN_OK};
        gn_parallel_for(0, (blocks + 1) / 2, gn_grain(BLOCK * (count - k) * (k - first) / GEMM_STEPS),
                        update_blocks, &update);
        status = update.status;
    }
    gn_give(factors);
    return status;
}
#endif

#if !IS_COMPLEX
/* One large matrix. */
static int32_t NAME(ldl_factor_large)(const char *from, int64_t row, int64_t column, int64_t count, char *to,
                                      int64_t to_row, int64_t to_column, int32_t *pivots, int32_t *info) {
    const int64_t step = gn_halves_step(count);
    double *lines = gn_take_items(gn_checked(count, step), sizeof(double));
    if (lines == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t first = 0; first < count; first += BLOCK) { /* lines of a cache are read for several columns */
        for (int64_t i = first; i < count; i++) {
            for (int64_t k = first; k < gn_min(first + BLOCK, i + 1); k++) {
                lines[k * step + i] = *(const STORAGE *)(from + i * row + k * column);
            }
        }
    }
    const int32_t status = factor_lines(lines, step, count, pivots, info);
    for (int64_t k = 0; k < count && status == GN_OK; k++) {
        const double *line = lines + k * step;
        char *place = to + k * to_column;
        if (to_row == sizeof(STORAGE)) { /* a loop that vectorises */
            STORAGE *restrict adjacent = (STORAGE *)(void *)place;
            memset(adjacent, 0, (size_t)k * sizeof(STORAGE));
            for (int64_t i = k; i < count; i++) {
                adjacent[i] = (STORAGE)line[i];
            }
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            *(STORAGE *)(void *)(place + i * to_row) = i < k ? 0 : (STORAGE)line[i];
        }
    }
    gn_give(lines);
    return status;
}
#endif

static void NAME(ldl_factor_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *swaps = &call->tensors[1];
    const gn_tensor *codes = &call->tensors[2];
    const gn_tensor *in = &call->tensors[3];
    const int hermitian = call->integers[0] != 0;
    const int64_t count = gn_rows_of(in);
    const int is_large = !IS_COMPLEX && count >= LARGE;
    SCALAR *a = gn_take_items(gn_checked(count, (is_large ? 0 : count) + 3), sizeof(SCALAR));
    SCALAR *room = a + (is_large ? 0 : count * count);
    int32_t *pivots = (int32_t *)(room + 2 * count);
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        const char *from = (const char *)work->data[3] + gn_matrix_offset(in, 2, in, 2, matrix);
        char *to = (char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix);
        int32_t info = 0;
#if !IS_COMPLEX
        if (is_large) {
            status = NAME(ldl_factor_large)(from, in->strides[in->ndim - 2], in->strides[in->ndim - 1], count, to,
                                            out->strides[out->ndim - 2], out->strides[out->ndim - 1], pivots, &info);
        }
#endif
        for (int64_t i = 0; i < count && !is_large; i++) {
            for (int64_t j = 0; j < count; j++) {
                const SCALAR x =
                    *(const STORAGE *)(from + i * in->strides[in->ndim - 2] + j * in->strides[in->ndim - 1]);
                a[i * count + j] = j > i ? 0 : hermitian && i == j ? REAL_OF(x) : x;
            }
        }
        if (!is_large) {
            NAME(factor_triangle)(a, count, hermitian, pivots, &info, room);
        }
        if (info != 0 && call->integers[1] != 0) {
            status = GN_BAD_VALUE;
        }
        for (int64_t i = 0; i < count && !is_large; i++) {
            for (int64_t j = 0; j < count; j++) {
                *(STORAGE *)(to + i * out->strides[out->ndim - 2] + j * out->strides[out->ndim - 1]) =
                    (STORAGE)a[i * count + j];
            }
        }
        if (status == GN_OUT_OF_MEMORY) {
            break;
        }
        to = (char *)work->data[1] + gn_matrix_offset(swaps, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(int32_t *)(to + k * swaps->strides[swaps->ndim - 1]) = pivots[k];
        }
        *(int32_t *)((char *)work->data[2] + gn_matrix_offset(codes, 0, in, 2, matrix)) = info;
    }
    gn_report(&work->status, status);
    gn_give(a);
}

/* (LD, pivots, info; self); integers: hermitian, check_errors. */
int32_t NAME(kernel_ldl_factor)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    const int64_t count = gn_rows_of(in);
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_checked(count, count), count + 1);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), NAME(ldl_factor_matrices), &work);
    return work.status;
}

static void NAME(swap_both_rows)(SCALAR *x, int64_t width, int64_t i, int64_t k) {
    for (int64_t j = 0; j < width && i != k; j++) {
        NAME(swap_numbers)(x + i * width + j, x + k * width + j);
    }
}

/* X, `count` rows of `width` elements, becomes the solution of A X = X. */
static void NAME(solve_factored)(const SCALAR *a, int64_t count, int hermitian, const int64_t *pivots,
                                 const int64_t *blocks, SCALAR *x, int64_t width) {
    (void)hermitian;
    for (int64_t k = 0; k < count; k += blocks[k]) {
        const int64_t last = k + blocks[k] - 1;
        NAME(swap_both_rows)(x, width, last, pivots[last]);
        for (int64_t i = last + 1; i < count; i++) {
            for (int64_t j = k; j <= last; j++) {
                NAME(take_away)(x + i * width, x + j * width, a[i * count + j], width);
            }
        }
        SCALAR *above = x + k * width, *below = x + last * width;
        const SCALAR corner = a[last * count + k], flipped = FLIPPED(corner);
        const SCALAR p = a[k * count + k] / flipped, q = a[last * count + last] / corner;
        const SCALAR scale = GN_TIMES(p, q) - 1;
        for (int64_t j = 0; j < width; j++) {
            if (k == last) {
                above[j] = above[j] / (hermitian ? REAL_OF(corner) : corner);
            } else {
                const SCALAR upper = above[j] / flipped, lower = below[j] / corner;
                above[j] = (GN_TIMES(q, upper) - lower) / scale;
                below[j] = (GN_TIMES(p, lower) - upper) / scale;
            }
        }
    }
    for (int64_t last = count - 1; last >= 0;) {
        /* a block of two has pivots that are marked in `blocks` at its first row, with 2 */
        const int64_t k = last > 0 && blocks[last - 1] == 2 ? last - 1 : last;
        for (int64_t i = last + 1; i < count; i++) {
            for (int64_t j = k; j <= last; j++) {
                NAME(take_away)(x + j * width, x + i * width, FLIPPED(a[i * count + j]), width);
            }
        }
        NAME(swap_both_rows)(x, width, last, pivots[last]);
        last = k - 1;
    }
}

static void NAME(ldl_solve_matrices)(int64_t begin, int64_t end, void *context) {
    factored *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *swaps = &call->tensors[2];
    const gn_tensor *given = &call->tensors[3];
    const int64_t count = gn_rows_of(in);
    const int64_t width = gn_columns_of(out);
    int64_t *pivots = gn_take_items(count, 2 * sizeof(int64_t));
    SCALAR *a = gn_take_items(gn_checked(count, count + width), sizeof(SCALAR));
    SCALAR *x = a + count * count;
    int32_t status = pivots == NULL || a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        memset(pivots, 0, (size_t)(2 * count) * sizeof(int64_t));
        status = read_blocks(swaps, (const char *)work->data[2] + gn_matrix_offset(swaps, 1, out, 2, matrix), pivots,
                             pivots + count);
        if (status != GN_OK) {
            break;
        }
        const char *from = (const char *)work->data[1] + gn_matrix_offset(in, 2, out, 2, matrix);
        const char *right = (const char *)work->data[3] + gn_matrix_offset(given, 2, out, 2, matrix);
        char *to = (char *)work->data[0] + gn_matrix_offset(out, 2, out, 2, matrix);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = 0; j < count; j++) {
                a[i * count + j] =
                    *(const STORAGE *)(from + i * in->strides[in->ndim - 2] + j * in->strides[in->ndim - 1]);
            }
            for (int64_t j = 0; j < width; j++) {
                x[i * width + j] =
                    *(const STORAGE *)(right + i * given->strides[given->ndim - 2] + j * given->strides[given->ndim - 1]);
            }
        }
        NAME(solve_factored)(a, count, call->integers[0] != 0, pivots, pivots + count, x, width);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = 0; j < width; j++) {
                *(STORAGE *)(to + i * out->strides[out->ndim - 2] + j * out->strides[out->ndim - 1]) =
                    (STORAGE)x[i * width + j];
            }
        }
    }
    gn_report(&work->status, status);
    gn_give(a);
    gn_give(pivots);
}

/* (result; LD, pivots, B); integers: hermitian. */
int32_t NAME(kernel_ldl_solve)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    factored work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_rows_of(out), gn_checked(gn_columns_of(out), gn_rows_of(&call->tensors[1])));
    gn_parallel_for(0, gn_matrices(out, 2), gn_grain(steps), NAME(ldl_solve_matrices), &work);
    return work.status;
}

#undef SCALAR
#undef FLIPPED
#undef REAL_OF
#undef SIZE_OF

#endif
