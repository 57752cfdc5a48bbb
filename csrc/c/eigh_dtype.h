/* The eigenvalues and eigenvectors of Hermitian matrices of one dtype. */

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

#if IS_COMPLEX
/* Reduces a Hermitian matrix to a real tridiagonal one by reflections I - factor v v^H: v of reflection k replaces what
 * follows the diagonal in row k of `a`.  `w` is scratch of `count` numbers. */
static void NAME(make_tridiagonal)(SCALAR *a, int64_t count, double *diagonal, double *beside, SCALAR *factors,
                                   SCALAR *w) {
    for (int64_t k = 0; k < count; k++) {
        SCALAR *v = a + k * count;
        diagonal[k] = REAL_OF(v[k]);
        beside[k] = 0;
        factors[k] = 0;
        if (k + 1 == count) {
            return;
        }
        double rest = IMAGINARY_OF(v[k + 1]) * IMAGINARY_OF(v[k + 1]);
        for (int64_t i = k + 2; i < count; i++) {
            rest += REAL_OF(v[i]) * REAL_OF(v[i]) + IMAGINARY_OF(v[i]) * IMAGINARY_OF(v[i]);
        }
        const SCALAR first = CONJUGATE(v[k + 1]); /* column k, below the diagonal, is the conjugate of the row */
        if (rest < LEAST * LEAST) {
            beside[k] = REAL_OF(first);
            continue;
        }
        const double beta = -copysign(sqrt(REAL_OF(first) * REAL_OF(first) + rest), REAL_OF(first));
        beside[k] = beta;
        const SCALAR factor = (beta - first) / beta;
        const SCALAR scale = 1 / (first - beta);
        factors[k] = factor;
        v[k + 1] = 1;
        for (int64_t i = k + 2; i < count; i++) {
            v[i] = GN_TIMES(CONJUGATE(v[i]), scale);
        }
        for (int64_t i = k + 1; i < count; i++) {
            w[i] = 0;
        }
        for (int64_t j = k + 1; j < count; j++) { /* w = factor A v */
            const SCALAR *from = a + j * count;
            const SCALAR share = GN_TIMES(factor, v[j]);
            for (int64_t i = k + 1; i < count; i++) {
                w[i] += GN_TIMES(share, CONJUGATE(from[i]));
            }
        }
        SCALAR overlap = 0;
        for (int64_t i = k + 1; i < count; i++) {
            overlap += GN_TIMES(CONJUGATE(w[i]), v[i]);
        }
        const SCALAR half = GN_TIMES(factor, overlap) * -0.5;
        for (int64_t i = k + 1; i < count; i++) {
            w[i] += GN_TIMES(half, v[i]);
        }
        for (int64_t j = k + 1; j < count; j++) { /* A - v w^H - w v^H */
            SCALAR *to = a + j * count;
            for (int64_t i = k + 1; i < count; i++) {
                to[i] -= GN_TIMES(v[j], CONJUGATE(w[i])) + GN_TIMES(w[j], CONJUGATE(v[i]));
            }
        }
    }
}

/* The product of make_tridiagonal's reflections, which are in `a`: its columns become rows of the strips (rotations.h).
 * `sums` is scratch. */
static void NAME(multiply_reflections)(const SCALAR *a, int64_t count, const SCALAR *factors, SCALAR *product,
                                       SCALAR *sums, double *strips) {
    for (int64_t i = 0; i < count * count; i++) {
        product[i] = i % (count + 1) == 0;
    }
    for (int64_t k = count - 2; k >= 0; k--) {
        const SCALAR *v = a + k * count;
        if (factors[k] == 0) {
            continue;
        }
        for (int64_t i = k + 1; i < count; i++) {
            sums[i] = 0;
        }
        for (int64_t j = k + 1; j < count; j++) {
            const SCALAR *row = product + j * count;
            const SCALAR share = CONJUGATE(v[j]);
            for (int64_t i = k + 1; i < count; i++) {
                sums[i] += GN_TIMES(share, row[i]);
            }
        }
        for (int64_t j = k + 1; j < count; j++) {
            SCALAR *row = product + j * count;
            const SCALAR share = GN_TIMES(factors[k], v[j]);
            for (int64_t i = k + 1; i < count; i++) {
                row[i] -= GN_TIMES(share, sums[i]);
            }
        }
    }
    const int64_t parts = (int64_t)(sizeof(SCALAR) / sizeof(double));
    memset(strips, 0, (size_t)(gn_strips(parts * count) * count * GN_STRIP) * sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        double *column = strips + parts * i / GN_STRIP * count * GN_STRIP + parts * i % GN_STRIP;
        for (int64_t j = 0; j < count; j++) {
            *(SCALAR *)(column + j * GN_STRIP) = product[i * count + j];
        }
    }
}

#else
/* The product of tridiagonalize's reflections, which are in `a`: its columns become rows of the strips (rotations.h).
 * `product` is scratch of the size of the strips. */
static void NAME(multiply_reflections)(const double *a, int64_t count, const double *factors, double *product,
                                       double *scratch, double *strips) {
    const int64_t step = gn_column_step(count);
    for (int64_t k = 0; k < count; k++) {
        double *v = strips + k * step;
        memset(v, 0, (size_t)step * sizeof(double));
        memcpy(v + k + 1, a + k * step + k + 1, (size_t)(count - k - 1) * sizeof(double));
    }
    gn_multiply_reflections(strips, factors, count - 1, 1, count, product, count, scratch);
    for (int64_t i = 0; i < step; i += GN_STRIP) {
        for (int64_t j = 0; j < count; j++) {
            memcpy(strips + (i * count + j * GN_STRIP), product + j * step + i, GN_STRIP * sizeof(double));
        }
    }
}
#endif

/* The eigenvalues of a Hermitian matrix, which is overwritten, in no order, and in row k of the strips, unless `vectors`
 * is NULL, the eigenvector k; `vectors` is scratch of the size of `a`.  `scratch`: 3 `count` numbers and then
 * diagonalize_scratch.  Returns 0 if they do not converge. */
static int NAME(decompose)(SCALAR *a, int64_t count, double *values, SCALAR *vectors, double *strips, SCALAR *scratch) {
    const double eps = sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-36 : DBL_EPSILON;
    double *beside = (double *)scratch;
    SCALAR *factors = scratch + count;
    SCALAR *sums = factors + count;
    double *const rest = (double *)(sums + count);
#if IS_COMPLEX
    NAME(make_tridiagonal)(a, count, values, beside, factors, sums);
#else
    tridiagonalize(a, count, values, beside, factors, rest);
#endif
    if (vectors == NULL) {
        for (int64_t i = 0; i < count; i++) {
            beside[i] *= beside[i];
        }
        return tridiagonal_values(values, beside, count, eps);
    }
    NAME(multiply_reflections)(a, count, factors, vectors, IS_COMPLEX ? sums : (SCALAR *)rest, strips);
    const int64_t width = count * (int64_t)(sizeof(SCALAR) / sizeof(double));
    return diagonalize(values, beside, count, strips, width, eps, rest);
}

/* Reads one triangle as a Hermitian matrix, and scales it by a power of two, so that squares stay in range and no digit
 * is lost. GN_BAD_VALUE if it is not finite. */
static int32_t NAME(read_hermitian)(const char *from, int64_t row, int64_t column, int64_t count, SCALAR *a,
                                    int64_t step, int *exponent) {
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j <= i; j++) {
            SCALAR x = *(const STORAGE *)(from + i * row + j * column);
            if (i == j) {
                x = REAL_OF(x);
            }
            if (!isfinite(REAL_OF(x)) || !isfinite(IMAGINARY_OF(x))) {
                return GN_BAD_VALUE;
            }
            largest = fmax(largest, fmax(fabs(REAL_OF(x)), fabs(IMAGINARY_OF(x))));
            a[i * step + j] = x;
            a[j * step + i] = CONJUGATE(x);
        }
    }
    frexp(largest, exponent);
    const double down = ldexp(1.0, -*exponent / 2);
    const double down_rest = ldexp(1.0, -*exponent - -*exponent / 2);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < step; j++) {
            a[i * step + j] = j < count ? a[i * step + j] * down * down_rest : 0;
        }
    }
    return GN_OK;
}

static void NAME(diagonalize_matrices)(int64_t begin, int64_t end, void *context) {
    diagonalization *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int lower = work->call->integers[0] == 'L' || work->call->integers[0] == 'l';
    const int with_vectors = work->call->integers[1] != 0;
    const int64_t count = gn_rows_of(in);
    const int64_t parts = (int64_t)(sizeof(SCALAR) / sizeof(double));
    const int64_t step = IS_COMPLEX ? count : gn_column_step(count);
    const int64_t numbers = gn_checked(gn_checked(3, gn_column_step(parts * count)) + 6 * parts, count)
                            + diagonalize_scratch(count);
    SCALAR *a = numbers < 0 ? NULL : gn_take_items(numbers, sizeof(double));
    SCALAR *vectors = a + step * count;
    SCALAR *scratch = vectors + step * count;
    double *found = (double *)(scratch + 3 * count) + diagonalize_scratch(count);
    int64_t *order = (int64_t *)(found + count);
    double *strips = (double *)(order + count);
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        const int64_t row = in->strides[in->ndim - 2];
        const int64_t column = in->strides[in->ndim - 1];
        int exponent = 0;
        /* The upper triangle is the lower one of the transpose, which is the conjugate. */
        status = NAME(read_hermitian)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix),
                                      lower ? row : column, lower ? column : row, count, a, step, &exponent);
        if (status != GN_OK) {
            break;
        }
        for (int64_t i = 0; i < count * step && IS_COMPLEX; i++) {
            a[i] = lower ? a[i] : CONJUGATE(a[i]);
        }
        if (!NAME(decompose)(a, count, found, with_vectors ? vectors : NULL, strips, scratch)) {
            status = GN_BAD_VALUE;
            break;
        }
        order_ascending(found, order, count);
        char *value_at = (char *)work->data[0] + gn_matrix_offset(values, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(MAGNITUDE *)(value_at + k * values->strides[values->ndim - 1]) =
                (MAGNITUDE)ldexp(found[order[k]], exponent);
        }
        if (with_vectors) {
            char *to = (char *)work->data[1] + gn_matrix_offset(out, 2, in, 2, matrix);
            for (int64_t k = 0; k < count; k++) {
                for (int64_t i = 0; i < count; i++) {
                    *(STORAGE *)(to + i * out->strides[out->ndim - 2] + k * out->strides[out->ndim - 1]) =
                        (STORAGE)*(const SCALAR *)(strips
                                                   + (parts * i / GN_STRIP * count + order[k]) * GN_STRIP
                                                   + parts * i % GN_STRIP);
                }
            }
        }
    }
    gn_report(&work->status, status);
    gn_give(a);
}

#if IS_COMPLEX
/* One large matrix. */
static int32_t NAME(diagonalize_large)(const diagonalization *work, int64_t matrix) {
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int lower = work->call->integers[0] == 'L' || work->call->integers[0] == 'l';
    const int with_vectors = work->call->integers[1] != 0;
    const int64_t count = gn_rows_of(in);
    COMPUTE *a = gn_take_items(gn_checked(count, count + 1), sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    MAGNITUDE *found = (MAGNITUDE *)(a + count * count);
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix),
                             in->strides[in->ndim - 2], in->strides[in->ndim - 1], count, count, 0, a)) {
        status = NAME(gn_lapack_eigh)(a, count, lower, with_vectors, found);
    }
    if (status == GN_OK) {
        char *value_at = (char *)work->data[0] + gn_matrix_offset(values, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(MAGNITUDE *)(value_at + k * values->strides[values->ndim - 1]) = found[k];
        }
    }
    if (status == GN_OK && with_vectors) {
        NAME(gn_lapack_write)((char *)work->data[1] + gn_matrix_offset(out, 2, in, 2, matrix),
                              out->strides[out->ndim - 2], out->strides[out->ndim - 1], count, count, 0, a);
    }
    gn_give(a);
    return status;
}
#else
/* The eigenvalues, ascending, of a tridiagonal matrix; 0 if they do not converge. `scratch`: 3 `count` numbers. */
static int NAME(find_values)(const COMPUTE *diagonal, const COMPUTE *beside, int64_t count, COMPUTE *values,
                             double *scratch) {
    double *found = scratch, *squares = scratch + count;
    int64_t *order = (int64_t *)(scratch + 2 * count);
    double largest = 0;
    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fmax(fabs((double)diagonal[k]), fabs((double)beside[k])));
    }
    int exponent;
    frexp(largest, &exponent);
    for (int64_t k = 0; k < count; k++) {
        const double other = ldexp((double)beside[k], -exponent);
        found[k] = ldexp((double)diagonal[k], -exponent);
        squares[k] = other * other;
    }
    if (!tridiagonal_values(found, squares, count, sizeof(MAGNITUDE) == sizeof(float) ? 0x1p-36 : DBL_EPSILON)) {
        return 0;
    }
    order_ascending(found, order, count);
    for (int64_t k = 0; k < count; k++) {
        values[k] = (COMPUTE)ldexp(found[order[k]], exponent);
    }
    return 1;
}

/* One large matrix. */
static int32_t NAME(diagonalize_large)(const diagonalization *work, int64_t matrix) {
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int lower = work->call->integers[0] == 'L' || work->call->integers[0] == 'l';
    const int with_vectors = work->call->integers[1] != 0;
    const int64_t count = gn_rows_of(in);
    const int64_t step = gn_halves_step(count);
    COMPUTE *lines = gn_take_items(gn_checked(count, (1 + with_vectors) * step + 4), sizeof(COMPUTE));
    COMPUTE *vectors = lines + count * step;
    COMPUTE *diagonal = vectors + with_vectors * count * step;
    COMPUTE *beside = diagonal + count, *taus = beside + count, *found = taus + count;
    double *scratch = gn_take_items(count, 3 * sizeof(double));
    int32_t status = lines == NULL || scratch == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    int exponent = 0;
    if (status == GN_OK) { /* the upper triangle is the lower one of the transpose */
        int finite = 0;
        exponent = NAME(gn_read_lines)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix),
                                       in->strides[in->ndim - (lower ? 2 : 1)], in->strides[in->ndim - (lower ? 1 : 2)],
                                       count, lines, step, &finite);
        status = finite ? NAME(gn_tridiagonalize)(lines, step, count, diagonal, beside, taus) : GN_NOT_IMPLEMENTED;
    }
    if (status == GN_OK && !with_vectors) {
        status = NAME(find_values)(diagonal, beside, count, found, scratch) ? GN_OK : GN_NOT_IMPLEMENTED;
    } else if (status == GN_OK) {
        found = diagonal;
        status = NAME(gn_lapack_tridiagonal)(found, beside, count, vectors, step);
        if (status == GN_OK) {
            status = NAME(gn_turn_back)(lines, step, count, taus, vectors, step);
        }
    }
    if (status == GN_OK) {
        char *value_at = (char *)work->data[0] + gn_matrix_offset(values, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(MAGNITUDE *)(value_at + k * values->strides[values->ndim - 1]) =
                (MAGNITUDE)ldexp((double)found[k], exponent);
        }
    }
    if (status == GN_OK && with_vectors) {
        NAME(gn_write_lines)((char *)work->data[1] + gn_matrix_offset(out, 2, in, 2, matrix),
                             out->strides[out->ndim - 2], out->strides[out->ndim - 1], count, vectors, step);
    }
    gn_give(scratch);
    gn_give(lines);
    return status;
}
#endif

static void NAME(diagonalize_large_matrices)(int64_t begin, int64_t end, void *context) {
    diagonalization *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(diagonalize_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(diagonalize_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (eigenvalues, eigenvectors; A); integers: the first letter of UPLO, compute_v. */
int32_t NAME(kernel_eigh)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[2];
    const int64_t count = gn_rows_of(in);
    diagonalization work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_checked(count, count), gn_checked(32, count));
    gn_task *task = gn_lapack_fits(GN_EIGH, CODE, count, count) ? NAME(diagonalize_large_matrices)
                                                                 : NAME(diagonalize_matrices);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), task, &work);
    return work.status;
}

#undef SCALAR
#undef CONJUGATE
#undef REAL_OF
#undef IMAGINARY_OF

#endif
