/* The decomposition of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX

#if IS_COMPLEX
#define SCALAR gn_complex128
#define CONJUGATE(x) conj(x)
#define REAL_OF(x) creal(x)
#define IMAGINARY_OF(x) cimag(x)
#else
#define SCALAR double
#define CONJUGATE(x) (x)
#define REAL_OF(x) (x)
#define IMAGINARY_OF(x) 0.0
#endif

/* The sum of conj(a) * b. */
static SCALAR NAME(inner)(const SCALAR *a, const SCALAR *b, int64_t count) {
    SCALAR lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] += GN_TIMES(CONJUGATE(a[i + lane]), b[i + lane]);
        }
    }
    for (; i < count; i++) {
        lanes[i % LANES] += GN_TIMES(CONJUGATE(a[i]), b[i]);
    }
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static double NAME(vector_length)(const SCALAR *a, int64_t count) {
    return sqrt(REAL_OF(NAME(inner)(a, a, count)));
}

/* x, y = cosine * phase * x - sine * y, sine * phase * x + cosine * y. */
static void NAME(turn)(SCALAR *restrict x, SCALAR *restrict y, int64_t count, SCALAR phase, double cosine,
                       double sine) {
    const SCALAR left = phase * cosine;
    const SCALAR right = phase * sine;
    for (int64_t i = 0; i < count; i++) {
        const SCALAR p = x[i];
        const SCALAR q = y[i];
        x[i] = GN_TIMES(left, p) - sine * q;
        y[i] = GN_TIMES(right, p) + cosine * q;
    }
}

/* The length of a column whose square was `square` before a rotation subtracted `less` from it. */
static double NAME(length_after)(const SCALAR *a, int64_t rows, double square, double less) {
    const double rest = square - less;
    return rest > 0.25 * square ? sqrt(rest) : NAME(vector_length)(a, rows); /* else few digits would be right */
}

/* Rotates columns i and j, and their `turns`, so that the columns are orthogonal; returns 0 if they were to `limit`. */
static int NAME(rotate)(SCALAR *columns, SCALAR *turns, int64_t rows, int64_t count, double *lengths, int64_t i,
                        int64_t j, double limit) {
    SCALAR *a = columns + i * rows;
    SCALAR *b = columns + j * rows;
    const SCALAR overlap = NAME(inner)(a, b, rows);
    const double size = (double)gn_abs(overlap);
    const double alpha = lengths[i];
    const double beta = lengths[j];
    if (alpha < LEAST || beta < LEAST || size <= limit * alpha * beta) {
        return 0;
    }
    const double zeta = (beta - alpha) * (beta + alpha) / (2 * size);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + tangent * tangent);
    NAME(turn)(a, b, rows, overlap / size, cosine, cosine * tangent);
    NAME(turn)(turns + i * count, turns + j * count, count, overlap / size, cosine, cosine * tangent);
    lengths[i] = NAME(length_after)(a, rows, alpha * alpha, tangent * size);
    lengths[j] = NAME(length_after)(b, rows, beta * beta, -tangent * size);
    return 1;
}

/* Extends `held` orthonormal columns of `size` elements to `wanted` ones (Gram-Schmidt, twice). */
static void NAME(complete)(SCALAR *columns, int64_t held, int64_t wanted, int64_t size) {
    for (int64_t axis = 0; axis < size && held < wanted; axis++) {
        SCALAR *candidate = columns + held * size;
        memset(candidate, 0, (size_t)size * sizeof(SCALAR));
        candidate[axis] = 1;
        for (int round = 0; round < 2; round++) {
            for (int64_t each = 0; each < held; each++) {
                const SCALAR share = NAME(inner)(columns + each * size, candidate, size);
                for (int64_t i = 0; i < size; i++) {
                    candidate[i] -= GN_TIMES(share, columns[each * size + i]);
                }
            }
        }
        const double length = NAME(vector_length)(candidate, size);
        if (length > 0.5 / sqrt((double)size)) {
            for (int64_t i = 0; i < size; i++) {
                candidate[i] /= length;
            }
            held++;
        }
    }
}

/* The decomposition of a matrix of `count` columns of `rows` elements, count <= rows: `left` and `right` have room for
 * as many columns as rows they have; `columns` and `turns` are scratch. */
static void NAME(decompose)(SCALAR *columns, SCALAR *turns, int64_t rows, int64_t count, SCALAR *left, double *values,
                            SCALAR *right, double *lengths, int64_t *order, int64_t left_wanted) {
    memset(turns, 0, (size_t)(count * count) * sizeof(SCALAR));
    for (int64_t i = 0; i < count; i++) {
        turns[i * count + i] = 1;
    }
    const double eps = sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-36 : DBL_EPSILON;
    const double limit = sqrt((double)rows) * eps;
    int turned = 1;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int64_t i = 0; i < count; i++) { /* their errors add up over a sweep */
            lengths[i] = NAME(vector_length)(columns + i * rows, rows);
        }
        for (int64_t i = 0; i < count; i++) {
            for (int64_t j = i + 1; j < count; j++) {
                turned |= NAME(rotate)(columns, turns, rows, count, lengths, i, j, limit);
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        lengths[i] = NAME(vector_length)(columns + i * rows, rows);
    }
    order_descending(lengths, order, count);
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = order[i];
        values[i] = lengths[from];
        memcpy(right + i * count, turns + from * count, (size_t)count * sizeof(SCALAR));
        if (lengths[from] >= LEAST) {
            for (int64_t k = 0; k < rows; k++) {
                left[held * rows + k] = columns[from * rows + k] / lengths[from];
            }
            held++;
        }
    }
    NAME(complete)(left, held, left_wanted, rows);
}

/* Writes columns as columns of U, or as conjugated rows of Vh. */
static void NAME(write_columns)(const gn_tensor *out, char *to, const SCALAR *columns, int64_t count, int64_t size,
                                int as_rows) {
    const int64_t row = out->strides[out->ndim - 2];
    const int64_t column = out->strides[out->ndim - 1];
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < size; i++) {
            const SCALAR x = columns[j * size + i];
            *(STORAGE *)(to + (as_rows ? j * row + i * column : i * row + j * column)) =
                (STORAGE)(as_rows ? CONJUGATE(x) : x);
        }
    }
}

/* Reads a matrix as columns, `step` apart, with zeros after them, and scales it by a power of two, so that squares stay
 * in range and no digit is lost. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(read_columns)(const decomposition *work, int64_t matrix, SCALAR *columns, int64_t step,
                                  int *exponent) {
    const gn_tensor *in = &work->call->tensors[3];
    const gn_tensor batch = {CODE, in->ndim - 2, in->sizes, in->strides};
    const char *from = (const char *)work->data[3] + gn_offset(&batch, matrix, -1);
    const int tall = work->rows >= work->columns;
    const int64_t rows = tall ? work->rows : work->columns;
    const int64_t count = tall ? work->columns : work->rows;
    const int64_t along = in->strides[tall ? in->ndim - 2 : in->ndim - 1];
    const int64_t across = in->strides[tall ? in->ndim - 1 : in->ndim - 2];
    double largest = 0;
    int is_finite = 1;
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < rows; i++) {
            const SCALAR x = *(const STORAGE *)(from + i * along + j * across);
            const double size = fmax(fabs(REAL_OF(x)), fabs(IMAGINARY_OF(x)));
            is_finite &= isfinite(REAL_OF(x)) && isfinite(IMAGINARY_OF(x));
            largest = size > largest ? size : largest;
            columns[j * step + i] = tall ? x : CONJUGATE(x);
        }
        for (int64_t i = rows; i < step; i++) {
            columns[j * step + i] = 0;
        }
    }
    if (!is_finite) {
        return GN_BAD_VALUE;
    }
    frexp(largest, exponent);
    const double down = ldexp(1.0, -*exponent / 2);
    const double down_rest = ldexp(1.0, -*exponent - -*exponent / 2);
    for (int64_t i = 0; i < count * step; i++) {
        columns[i] = columns[i] * down * down_rest;
    }
    return GN_OK;
}

/* Writes the values, in the given order. */
static void NAME(write_values)(const decomposition *work, int64_t matrix, const double *values, const int64_t *order,
                               int exponent) {
    const gn_tensor *in = &work->call->tensors[3];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor batch = {out->dtype, in->ndim - 2, in->sizes, out->strides};
    char *to = (char *)work->data[1] + gn_offset(&batch, matrix, -1);
    for (int64_t i = 0; i < gn_min(work->rows, work->columns); i++) {
        *(MAGNITUDE *)(to + i * out->strides[in->ndim - 2]) =
            (MAGNITUDE)ldexp(fabs(values[order == NULL ? i : order[i]]), exponent);
    }
}

/* The memory of a matrix of U (`number` 0) or Vh (2). */
static char *NAME(result_at)(const decomposition *work, int number, int64_t matrix) {
    const gn_tensor *in = &work->call->tensors[3];
    const gn_tensor batch = {CODE, in->ndim - 2, in->sizes, work->call->tensors[number].strides};
    return (char *)work->data[number] + gn_offset(&batch, matrix, -1);
}

/* One matrix, by Jacobi rotations. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(decompose_matrix)(const decomposition *work, int64_t matrix, SCALAR *memory) {
    const int tall = work->rows >= work->columns;
    const int64_t rows = tall ? work->rows : work->columns;
    const int64_t count = tall ? work->columns : work->rows;
    SCALAR *columns = memory;
    SCALAR *turns = columns + rows * count;
    SCALAR *left = turns + count * count;
    SCALAR *right = left + rows * rows;
    double *values = (double *)(right + count * count);
    double *lengths = values + count;
    int64_t *order = (int64_t *)(lengths + count);
    int exponent;
    if (NAME(read_columns)(work, matrix, columns, rows, &exponent) != GN_OK) {
        return GN_BAD_VALUE;
    }
    const int64_t wanted = work->with_vectors ? (work->full ? rows : count) : 0;
    NAME(decompose)(columns, turns, rows, count, left, values, right, lengths, order, wanted);
    NAME(write_values)(work, matrix, values, NULL, exponent);
    if (work->with_vectors) {
        const gn_tensor *of_left = &work->call->tensors[tall ? 0 : 2];
        const gn_tensor *of_right = &work->call->tensors[tall ? 2 : 0];
        NAME(write_columns)(of_left, NAME(result_at)(work, tall ? 0 : 2, matrix), left, wanted, rows, !tall);
        NAME(write_columns)(of_right, NAME(result_at)(work, tall ? 2 : 0, matrix), right, count, count, tall);
    }
    return GN_OK;
}

/* Bytes of scratch memory of decompose_matrix. */
static int64_t NAME(decomposition_nbytes)(const decomposition *work) {
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t numbers = gn_checked(rows, count) + gn_checked(2, gn_checked(count, count)) + gn_checked(rows, rows);
    return numbers < 0 ? numbers : gn_checked(numbers, sizeof(SCALAR)) + gn_checked(3 * count, sizeof(double));
}

/* decompose_matrix with its own memory, for a matrix on which singular_values.c fails. */
static int32_t NAME(decompose_once)(const decomposition *work, int64_t matrix) {
    void *memory = gn_take(NAME(decomposition_nbytes)(work));
    const int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : NAME(decompose_matrix)(work, matrix, memory);
    gn_give(memory);
    return status;
}

/* Numbers that are the parts of an element. */
#if IS_COMPLEX
#define PARTS 2
#else
#define PARTS 1
#endif

#if IS_COMPLEX
/* The reflection I - factor v v^H whose adjoint makes x a real multiple of the first unit vector, which is returned. x
 * is replaced by v, whose first element is 1. */
static double NAME(reflect)(SCALAR *x, int64_t count, SCALAR *factor) {
    const SCALAR first = x[0];
    const double rest = REAL_OF(NAME(inner)(x + 1, x + 1, count - 1)) + IMAGINARY_OF(first) * IMAGINARY_OF(first);
    x[0] = 1;
    *factor = 0;
    if (rest < GN_LEAST * GN_LEAST) {
        return REAL_OF(first);
    }
    const double length = -copysign(sqrt(REAL_OF(first) * REAL_OF(first) + rest), REAL_OF(first));
    const SCALAR scale = 1 / (first - length);
    *factor = (length - first) / length;
    for (int64_t i = 1; i < count; i++) {
        x[i] = GN_TIMES(x[i], scale);
    }
    return length;
}

static void NAME(add_multiple)(SCALAR *restrict to, SCALAR factor, const SCALAR *restrict from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] += GN_TIMES(factor, from[i]);
    }
}

/* gn_make_bidiagonal; distances are in elements. */
static void NAME(make_bidiagonal)(SCALAR *columns, int64_t step, int64_t rows, int64_t count, double *diagonal,
                                  double *beside, SCALAR *vectors, int64_t vector_step, SCALAR *factors, SCALAR *z) {
    for (int64_t k = 0; k < count; k++) {
        SCALAR *v = columns + k * step + k;
        diagonal[k] = NAME(reflect)(v, rows - k, &factors[k]);
        for (int64_t j = k + 1; j < count; j++) {
            SCALAR *column = columns + j * step + k;
            const SCALAR overlap = NAME(inner)(v, column, rows - k);
            NAME(add_multiple)(column, -GN_TIMES(CONJUGATE(factors[k]), overlap), v, rows - k);
        }
        beside[k] = 0;
        if (k + 1 == count) {
            break;
        }
        SCALAR *w = vectors + k * vector_step;
        for (int64_t j = k + 1; j < count; j++) {
            w[j] = CONJUGATE(columns[j * step + k]);
        }
        beside[k] = NAME(reflect)(w + k + 1, count - k - 1, &factors[count + k]);
        memset(z, 0, (size_t)rows * sizeof(SCALAR));
        for (int64_t j = k + 1; j < count; j++) {
            NAME(add_multiple)(z, w[j], columns + j * step + k + 1, rows - k - 1);
        }
        for (int64_t j = k + 1; j < count; j++) {
            NAME(add_multiple)(columns + j * step + k + 1, -GN_TIMES(factors[count + k], CONJUGATE(w[j])), z,
                               rows - k - 1);
        }
    }
}

/* gn_multiply_reflections; distances are in elements. */
static void NAME(multiply_reflections)(const SCALAR *vectors, int64_t step, const SCALAR *factors, int64_t count,
                                       int64_t first, int64_t rows, SCALAR *product, int64_t wanted) {
    memset(product, 0, (size_t)(wanted * step) * sizeof(SCALAR));
    for (int64_t j = 0; j < wanted; j++) {
        product[j * step + j] = 1;
    }
    for (int64_t k = count - 1; k >= 0; k--) {
        const int64_t top = k + first;
        const SCALAR *v = vectors + k * step + top;
        for (int64_t j = top; j < wanted; j++) {
            SCALAR *column = product + j * step + top;
            const SCALAR overlap = NAME(inner)(v, column, rows - top);
            NAME(add_multiple)(column, -GN_TIMES(factors[k], overlap), v, rows - top);
        }
    }
}
#endif

/* Writes rows of strips (rotations.h) as columns of U, or as conjugated rows of Vh: the first `ordered` ones in this
 * order, and with the opposite sign those whose value in `signs`, unless that is NULL, is negative. */
static void NAME(write_strips)(const gn_tensor *out, char *to, const double *strips, int64_t count, int64_t size,
                               const int64_t *order, int64_t ordered, const double *signs, int as_rows) {
    const int64_t row = out->strides[out->ndim - (as_rows ? 1 : 2)];
    const int64_t column = out->strides[out->ndim - (as_rows ? 2 : 1)];
    for (int64_t j = 0; j < count; j++) {
        const int64_t from = j < ordered ? order[j] : j;
        const double sign = signs != NULL && signs[from] < 0 ? -1.0 : 1.0;
        for (int64_t i = 0; i < size; i++) {
            const int64_t place = PARTS * i;
            const SCALAR x =
                *(const SCALAR *)(strips + (place / GN_STRIP * count + from) * GN_STRIP + place % GN_STRIP) * sign;
            *(STORAGE *)(to + i * row + j * column) = (STORAGE)(as_rows ? CONJUGATE(x) : x);
        }
    }
}

/* Distributes columns, `step` numbers apart, to strips. */
static void NAME(make_strips)(const double *columns, int64_t count, int64_t step, double *strips) {
    for (int64_t i = 0; i < step; i += GN_STRIP) {
        for (int64_t j = 0; j < count; j++) {
            memcpy(strips + (i * count + j * GN_STRIP), columns + j * step + i, GN_STRIP * sizeof(double));
        }
    }
}

/* Bytes of scratch memory of bidiagonalize_matrix. */
static int64_t NAME(bidiagonalize_nbytes)(const decomposition *work) {
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t wanted = work->full ? rows : count;
    const int64_t numbers = gn_checked(2 * wanted, gn_column_step(PARTS * rows))
                            + gn_checked(2 * count, gn_column_step(PARTS * count));
    const int64_t scratch =
        gn_max(gn_diagonalize_scratch(count), PARTS * (rows + gn_bidiagonal_scratch(rows, count)));
    return numbers < 0 ? numbers : gn_checked(numbers + (4 + PARTS) * count + 3 * rows + scratch, sizeof(double));
}

/* One matrix with vectors, by a bidiagonal one. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(bidiagonalize_matrix)(const decomposition *work, int64_t matrix, double *memory) {
    const int tall = work->rows >= work->columns;
    const int64_t rows = tall ? work->rows : work->columns;
    const int64_t count = tall ? work->columns : work->rows;
    const int64_t wanted = work->full ? rows : count;
    const int64_t step = gn_column_step(PARTS * rows);
    const int64_t right_step = gn_column_step(PARTS * count);
    double *columns = memory; /* later the strips of the product */
    double *product = columns + wanted * step;
    double *vectors = product + wanted * step; /* later the strips of the right product */
    double *right_product = vectors + count * right_step;
    double *values = right_product + count * right_step;
    double *beside = values + count;
    SCALAR *factors = (SCALAR *)(beside + count);
    double *scratch = (double *)(factors + 2 * count);
    const double eps = sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-36 : DBL_EPSILON;
    int exponent;
    if (NAME(read_columns)(work, matrix, (SCALAR *)columns, step / PARTS, &exponent) != GN_OK) {
        return GN_BAD_VALUE;
    }
#if IS_COMPLEX
    NAME(make_bidiagonal)((SCALAR *)columns, step / 2, rows, count, values, beside, (SCALAR *)vectors, right_step / 2,
                          factors, (SCALAR *)scratch);
    NAME(multiply_reflections)((SCALAR *)columns, step / 2, factors, count, 0, rows, (SCALAR *)product, wanted);
    NAME(multiply_reflections)((SCALAR *)vectors, right_step / 2, factors + count, count - 1, 1, count,
                               (SCALAR *)right_product, count);
#else
    gn_make_bidiagonal(columns, rows, count, values, beside, vectors, factors, scratch);
    gn_multiply_reflections(columns, factors, count, 0, rows, product, wanted, scratch);
    gn_multiply_reflections(vectors, factors + count, count - 1, 1, count, right_product, count, scratch);
#endif
    NAME(make_strips)(product, wanted, step, columns);
    NAME(make_strips)(right_product, count, right_step, vectors);
    if (!gn_diagonalize_bidiagonal(values, beside, count, columns, wanted, step, vectors, right_step, eps, scratch)) {
        return NAME(decompose_once)(work, matrix);
    }
    double *sizes = beside;
    int64_t *order = (int64_t *)scratch;
    for (int64_t i = 0; i < count; i++) {
        sizes[i] = fabs(values[i]);
    }
    order_descending(sizes, order, count);
    NAME(write_values)(work, matrix, values, order, exponent);
    const gn_tensor *of_left = &work->call->tensors[tall ? 0 : 2];
    const gn_tensor *of_right = &work->call->tensors[tall ? 2 : 0];
    NAME(write_strips)(of_left, NAME(result_at)(work, tall ? 0 : 2, matrix), columns, wanted, rows, order, count, NULL,
                       !tall);
    NAME(write_strips)(of_right, NAME(result_at)(work, tall ? 2 : 0, matrix), vectors, count, count, order, count,
                       values, tall);
    return GN_OK;
}

/* Bytes of scratch memory of find_values. */
static int64_t NAME(values_nbytes)(const decomposition *work) {
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t numbers = gn_checked(count, gn_column_step(PARTS * rows))
                            + gn_checked(IS_COMPLEX * count, gn_column_step(PARTS * count));
    const int64_t scratch = gn_max(2 * count, gn_max(PARTS * rows, gn_bidiagonal_scratch(rows, count)));
    return numbers < 0 ? numbers : gn_checked(numbers + (3 + 2 * PARTS) * count + scratch, sizeof(double));
}

/* One matrix's values alone. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(find_values)(const decomposition *work, int64_t matrix, double *memory) {
    const int64_t rows = gn_max(work->rows, work->columns);
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t step = gn_column_step(PARTS * rows);
    double *values = memory + count * step;
    double *diagonal = values + count;
    double *beside = diagonal + count;
    SCALAR *factors = (SCALAR *)(beside + count);
    double *scratch = (double *)(factors + 2 * count);
    int exponent;
    if (NAME(read_columns)(work, matrix, (SCALAR *)memory, step / PARTS, &exponent) != GN_OK) {
        return GN_BAD_VALUE;
    }
#if IS_COMPLEX
    const int64_t vector_step = gn_column_step(PARTS * count);
    SCALAR *z = (SCALAR *)scratch;
    SCALAR *vectors = (SCALAR *)(scratch + gn_max(2 * count, PARTS * rows));
    NAME(make_bidiagonal)((SCALAR *)memory, step / PARTS, rows, count, diagonal, beside, vectors, vector_step / PARTS,
                          factors, z);
#else
    gn_make_bidiagonal(memory, rows, count, diagonal, beside, NULL, factors, scratch);
#endif
    const double precision = sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-24 : 0x1p-46;
    if (!gn_bidiagonal_values(diagonal, beside, count, precision, values, scratch)) {
        return NAME(decompose_once)(work, matrix);
    }
    NAME(write_values)(work, matrix, values, NULL, exponent);
    return GN_OK;
}

static void NAME(decompose_matrices)(int64_t begin, int64_t end, void *context) {
    decomposition *work = context;
    const int64_t count = gn_min(work->rows, work->columns);
    const int64_t nbytes = !work->with_vectors ? NAME(values_nbytes)(work)
                           : count > FEW       ? NAME(bidiagonalize_nbytes)(work)
                                               : NAME(decomposition_nbytes)(work);
    void *memory = gn_take(nbytes);
    int32_t status = memory == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        status = !work->with_vectors ? NAME(find_values)(work, matrix, memory)
                 : count > FEW       ? NAME(bidiagonalize_matrix)(work, matrix, memory)
                                     : NAME(decompose_matrix)(work, matrix, memory);
    }
    gn_report(&work->status, status);
    gn_give(memory);
}

/* One large matrix. */
static int32_t NAME(decompose_large)(const decomposition *work, int64_t matrix) {
    const gn_tensor *values = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[3];
    const int64_t rows = work->rows;
    const int64_t columns = work->columns;
    const int64_t count = gn_min(rows, columns);
    const int64_t columns_of_u = !work->with_vectors ? 0 : work->full ? rows : count;
    const int64_t rows_of_vh = !work->with_vectors ? 0 : work->full ? columns : count;
    const int64_t numbers = gn_checked(rows, columns) + gn_checked(rows, columns_of_u)
                            + gn_checked(rows_of_vh, columns) + count;
    COMPUTE *a = gn_take_items(numbers, sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *u = a + rows * columns;
    COMPUTE *vh = u + rows * columns_of_u;
    MAGNITUDE *found = (MAGNITUDE *)(vh + rows_of_vh * columns);
    const gn_tensor batch = {CODE, in->ndim - 2, in->sizes, in->strides};
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[3] + gn_offset(&batch, matrix, -1), in->strides[in->ndim - 2],
                             in->strides[in->ndim - 1], rows, columns, 0, a)) {
        const char job = !work->with_vectors ? 'N' : work->full ? 'A' : 'S';
        status = NAME(gn_lapack_svd)(a, rows, columns, job, found, u, vh);
    }
    if (status == GN_OK) {
        char *to = NAME(result_at)(work, 1, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(MAGNITUDE *)(to + k * values->strides[in->ndim - 2]) = found[k];
        }
    }
    for (int number = 0; number < 3 && status == GN_OK && work->with_vectors; number += 2) {
        const gn_tensor *out = &work->call->tensors[number];
        NAME(gn_lapack_write)(NAME(result_at)(work, number, matrix), out->strides[in->ndim - 2],
                              out->strides[in->ndim - 1], number == 0 ? rows : rows_of_vh,
                              number == 0 ? columns_of_u : columns, 0, number == 0 ? u : vh);
    }
    gn_give(a);
    return status;
}

static void NAME(decompose_large_matrices)(int64_t begin, int64_t end, void *context) {
    decomposition *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(decompose_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(decompose_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (U, S, Vh; A); integers: full_matrices, compute_uv. */
int32_t NAME(kernel_svd)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[3];
    decomposition work = {call, data, in->sizes[in->ndim - 2], in->sizes[in->ndim - 1], call->integers[0] != 0,
                          call->integers[1] != 0, GN_OK};
    int64_t matrices = 1;
    for (int32_t dim = 0; dim < in->ndim - 2; dim++) {
        matrices *= in->sizes[dim];
    }
    const int64_t least = gn_min(work.rows, work.columns);
    const int64_t size = gn_checked(gn_checked(work.rows, work.columns), gn_checked(16, least));
    gn_task *task = gn_lapack_fits(GN_GESDD, CODE, work.rows, work.columns) ? NAME(decompose_large_matrices)
                                                                            : NAME(decompose_matrices);
    gn_parallel_for(0, matrices, gn_grain(size), task, &work);
    return work.status;
}

#undef SCALAR
#undef CONJUGATE
#undef REAL_OF
#undef IMAGINARY_OF
#undef PARTS

#elif IS_HALF

int32_t NAME(kernel_svd)(const gn_call *call, void *const *data) {
    (void)call;
    (void)data;
    return GN_NOT_IMPLEMENTED; /* the meta function refuses it */
}

#endif
