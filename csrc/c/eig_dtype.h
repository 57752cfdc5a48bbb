/* The eigenvalues and eigenvectors of general matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#if GN_HAS_COMPLEX

#if IS_COMPLEX
#define SCALAR gn_complex128
#define CONJUGATE(x) conj(x)
#define REAL_OF(x) creal(x)
#define IMAGINARY_OF(x) cimag(x)
#define SIZE_OF(x) cabs(x)
#define SCALED(x, exponent) gn_complex_of_float64(ldexp(creal(x), exponent), ldexp(cimag(x), exponent))
#else
#define SCALAR double
#define CONJUGATE(x) (x)
#define REAL_OF(x) (x)
#define IMAGINARY_OF(x) 0.0
#define SIZE_OF(x) fabs(x)
#define SCALED(x, exponent) ldexp(x, exponent)
#endif
#if CODE == GN_FLOAT32 || CODE == GN_COMPLEX64
#define RESULT gn_complex64
#else
#define RESULT gn_complex128
#endif

/* A matrix and what is known about it: rows of `count`; row k of `basis`, which may be NULL, is basis vector k; `order`
 * and `exponents` tell how it was balanced. */
typedef struct NAME(form) {
    SCALAR *a, *basis, *shares;
    gn_complex128 *y, *vector;
    int64_t *order;
    int *exponents;
    int64_t count;
} NAME(form);

static double NAME(length)(const SCALAR *x, int64_t count, int64_t step) {
    double squares = 0;
    for (int64_t i = 0; i < count; i++) {
        squares += REAL_OF(x[i * step]) * REAL_OF(x[i * step]) + IMAGINARY_OF(x[i * step]) * IMAGINARY_OF(x[i * step]);
    }
    if (squares > 1e-250) {
        return sqrt(squares);
    }
    double largest = 0; /* squares would be subnormal */
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fmax(fabs((double)REAL_OF(x[i * step])), fabs((double)IMAGINARY_OF(x[i * step]))));
    }
    squares = 0;
    for (int64_t i = 0; i < count && largest > 0; i++) {
        const double real = REAL_OF(x[i * step]) / largest, imaginary = IMAGINARY_OF(x[i * step]) / largest;
        squares += real * real + imaginary * imaginary;
    }
    return largest * sqrt(squares);
}

static void NAME(swap)(NAME(form) *form, int64_t i, int64_t k) {
    const int64_t count = form->count;
    for (int64_t j = 0; j < count; j++) {
        const SCALAR x = form->a[i * count + j];
        form->a[i * count + j] = form->a[k * count + j];
        form->a[k * count + j] = x;
    }
    for (int64_t j = 0; j < count; j++) {
        const SCALAR x = form->a[j * count + i];
        form->a[j * count + i] = form->a[j * count + k];
        form->a[j * count + k] = x;
    }
    const int64_t place = form->order[i];
    form->order[i] = form->order[k];
    form->order[k] = place;
}

/* A row (or column) of the range whose other elements are 0; the last (or first) one, or -1. */
static int64_t NAME(isolated)(const NAME(form) *form, int64_t low, int64_t high, int is_row) {
    for (int64_t place = low; place < high; place++) {
        const int64_t i = is_row ? low + high - 1 - place : place;
        int64_t k = low;
        while (k < high && (k == i || form->a[is_row ? i * form->count + k : k * form->count + i] == 0)) {
            k++;
        }
        if (k == high) {
            return i;
        }
    }
    return -1;
}

static void NAME(balance)(NAME(form) *form, int64_t *first, int64_t *end) {
    const int64_t count = form->count;
    int64_t low = 0;
    int64_t high = count;
    for (int64_t i; (i = NAME(isolated)(form, low, high, 1)) >= 0;) {
        NAME(swap)(form, i, --high);
    }
    for (int64_t i; (i = NAME(isolated)(form, low, high, 0)) >= 0;) {
        NAME(swap)(form, i, low++);
    }
    *first = low;
    *end = high;
    for (int turned = 1; turned;) {
        turned = 0;
        for (int64_t i = low; i < high; i++) {
            const double column = NAME(length)(form->a + low * count + i, high - low, count);
            const double row = NAME(length)(form->a + i * count + low, high - low, 1);
            if (column == 0 || row == 0) {
                continue;
            }
            int of_row, of_column;
            frexp(row, &of_row);
            frexp(column, &of_column);
            const int step = (int)floor((of_row - of_column) / 2.0);
            if (ldexp(column, step) + ldexp(row, -step) < 0.95 * (column + row)) {
                turned = 1;
                form->exponents[i] += step;
                for (int64_t j = 0; j < count; j++) {
                    form->a[i * count + j] = SCALED(form->a[i * count + j], -step);
                }
                for (int64_t j = 0; j < count; j++) {
                    form->a[j * count + i] = SCALED(form->a[j * count + i], step);
                }
            }
        }
    }
}

/* Columns and rows that a reflection changes: only those of the block that is treated, if no vectors are wanted. */
typedef struct NAME(window) {
    int64_t begin, finish; /* columns */
    int64_t start, end;    /* rows */
} NAME(window);

/* Makes the column v a reflection's vector, which begins with 1, and returns its factor; 0 if there is nothing to do. */
GN_INLINE SCALAR NAME(reflect)(SCALAR *v, int64_t length) {
    double squares = 0;
    for (int64_t i = 1; i < length; i++) {
        squares += REAL_OF(v[i]) * REAL_OF(v[i]) + IMAGINARY_OF(v[i]) * IMAGINARY_OF(v[i]);
    }
    if (squares == 0 && IMAGINARY_OF(v[0]) == 0) {
        return 0;
    }
    const double whole = squares + REAL_OF(v[0]) * REAL_OF(v[0]) + IMAGINARY_OF(v[0]) * IMAGINARY_OF(v[0]);
    const double size =
        squares > 1e-280 && whole < 1e280 ? sqrt(whole) : hypot((double)SIZE_OF(v[0]), sqrt(squares));
    const double beta = -copysign(size, REAL_OF(v[0]));
    const SCALAR tau = (beta - v[0]) / beta;
    const SCALAR divisor = v[0] - beta;
    v[0] = 1;
    for (int64_t i = 1; i < length; i++) {
        v[i] = v[i] / divisor;
    }
    return tau;
}

/* Adjacent rows, from columns `begin` to `end`, minus the products of what `weights` sum of them with `v`. */
GN_INLINE void NAME(turn_rows)(SCALAR *rows, int64_t step, const SCALAR *weights, const SCALAR *v, const int length,
                               int64_t begin, int64_t end) {
    SCALAR *restrict first = rows, *restrict second = rows + step, *restrict third = rows + (length - 1) * step;
    const SCALAR a = weights[0], b = weights[1], c = weights[length - 1];
    const SCALAR y = v[1], z = v[length - 1];
    for (int64_t j = begin; j < end; j++) {
        SCALAR share = GN_TIMES(a, first[j]) + GN_TIMES(b, second[j]);
        if (length == 3) {
            share += GN_TIMES(c, third[j]);
            third[j] -= GN_TIMES(z, share);
        }
        first[j] -= share;
        second[j] -= GN_TIMES(y, share);
    }
}

/* turn, for two or three rows. */
GN_INLINE void NAME(turn_few)(NAME(form) *form, int64_t first, SCALAR *v, const int length, NAME(window) window) {
    const int64_t count = form->count;
    const SCALAR tau = NAME(reflect)(v, length);
    if (tau == 0) {
        return;
    }
    SCALAR weights[3];
    for (int i = 0; i < length; i++) {
        weights[i] = GN_TIMES(CONJUGATE(tau), CONJUGATE(v[i]));
    }
    /* what precedes `begin` is 0, so that whole vectors can be treated */
    NAME(turn_rows)(form->a + first * count, count, weights, v, length, window.begin / 8 * 8, window.finish);
    for (int64_t r = window.start; r < window.end; r++) {
        SCALAR *row = form->a + r * count + first;
        SCALAR share = row[0] + GN_TIMES(row[1], v[1]);
        if (length == 3) {
            share += GN_TIMES(row[2], v[2]);
        }
        share = GN_TIMES(tau, share);
        row[0] -= share;
        for (int i = 1; i < length; i++) {
            row[i] -= GN_TIMES(share, CONJUGATE(v[i]));
        }
    }
    if (form->basis != NULL) {
        SCALAR flipped[3];
        for (int i = 0; i < length; i++) {
            weights[i] = GN_TIMES(tau, v[i]);
            flipped[i] = CONJUGATE(v[i]);
        }
        NAME(turn_rows)(form->basis + first * count, count, weights, flipped, length, 0, count);
    }
}

/* Replaces A by H^H A H, and the basis by basis H; H reflects the rows from `first`, so that `length` elements of the
 * column v become a multiple of the first unit vector. Rows from `end`, and columns before `begin`, have zeros there. */
static void NAME(turn)(NAME(form) *form, int64_t first, SCALAR *v, int64_t length, NAME(window) window) {
    const int64_t count = form->count, begin = window.begin, finish = window.finish;
    const SCALAR tau = NAME(reflect)(v, length);
    if (tau == 0) {
        return;
    }
    SCALAR *restrict shares = form->shares;
    memset(shares + begin, 0, (size_t)(finish - begin) * sizeof(SCALAR));
    for (int64_t i = 0; i < length; i++) {
        const SCALAR *row = form->a + (first + i) * count;
        const SCALAR factor = GN_TIMES(CONJUGATE(tau), CONJUGATE(v[i]));
        for (int64_t j = begin; j < finish; j++) {
            shares[j] += GN_TIMES(factor, row[j]);
        }
    }
    for (int64_t i = 0; i < length; i++) {
        SCALAR *row = form->a + (first + i) * count;
        const SCALAR factor = v[i];
        for (int64_t j = begin; j < finish; j++) {
            row[j] -= GN_TIMES(factor, shares[j]);
        }
    }
    for (int64_t r = window.start; r < window.end; r++) {
        SCALAR *row = form->a + r * count + first;
        SCALAR share = 0;
        for (int64_t i = 0; i < length; i++) {
            share += GN_TIMES(row[i], v[i]);
        }
        share = GN_TIMES(tau, share);
        for (int64_t i = 0; i < length; i++) {
            row[i] -= GN_TIMES(share, CONJUGATE(v[i]));
        }
    }
    if (form->basis == NULL) {
        return;
    }
    memset(shares, 0, (size_t)count * sizeof(SCALAR));
    for (int64_t i = 0; i < length; i++) {
        const SCALAR *row = form->basis + (first + i) * count;
        const SCALAR factor = GN_TIMES(tau, v[i]);
        for (int64_t j = 0; j < count; j++) {
            shares[j] += GN_TIMES(factor, row[j]);
        }
    }
    for (int64_t i = 0; i < length; i++) {
        SCALAR *row = form->basis + (first + i) * count;
        const SCALAR factor = CONJUGATE(v[i]);
        for (int64_t j = 0; j < count; j++) {
            row[j] -= GN_TIMES(factor, shares[j]);
        }
    }
}

/* Half the difference of the diagonal of the block at p; *square becomes the square of half that of its eigenvalues. */
static SCALAR NAME(roots)(const NAME(form) *form, int64_t p, SCALAR *square) {
    const SCALAR *at = form->a + p * form->count + p;
    const SCALAR half = (at[0] - at[form->count + 1]) / 2;
    *square = GN_TIMES(half, half) + GN_TIMES(at[1], at[form->count]);
    return half;
}

/* Makes the block at p a triangle, unless it is real and its eigenvalues are not. */
static void NAME(split)(NAME(form) *form, int64_t p) {
    SCALAR square;
    const SCALAR half = NAME(roots)(form, p, &square);
#if IS_COMPLEX
    SCALAR root = csqrt(square);
    root = REAL_OF(GN_TIMES(CONJUGATE(half), root)) < 0 ? -root : root;
#else
    if (square < 0) {
        return;
    }
    const SCALAR root = copysign(sqrt(square), half);
#endif
    SCALAR head[2] = {half + root, form->a[(p + 1) * form->count + p]};
    const int whole = form->basis != NULL;
    const NAME(window) window = {p, whole ? form->count : p + 2, whole ? 0 : p, p + 2};
    NAME(turn_few)(form, p, head, 2, window);
    form->a[(p + 1) * form->count + p] = 0;
}

/* One QR step on the rows and columns from `first` to `last`, at least three. */
static void NAME(step)(NAME(form) *form, int64_t first, int64_t last, int is_exceptional) {
    const int64_t count = form->count;
#define H(i, j) form->a[(i) * count + (j)]
    SCALAR a = H(last - 1, last - 1), b = H(last - 1, last), c = H(last, last - 1), d = H(last, last);
    if (is_exceptional) {
        const double size = (double)SIZE_OF(c) + (double)SIZE_OF(H(last - 1, last - 2));
        a = d = d + 0.75 * size;
        b = -0.4375 * size;
        c = size;
    }
    const int64_t p = first;
    const SCALAR above = d - H(p, p), below = a - H(p, p);
    SCALAR head[3] = {(GN_TIMES(above, below) - GN_TIMES(b, c)) / H(p + 1, p) + H(p, p + 1),
                      H(p + 1, p + 1) - H(p, p) - above - below, H(p + 2, p + 1)};
    const double most = fmax(fmax((double)SIZE_OF(head[0]), (double)SIZE_OF(head[1])), (double)SIZE_OF(head[2]));
    for (int i = 0; i < 3; i++) {
        head[i] = head[i] / most; /* their squares stay in range */
    }
    for (int64_t k = first; k < last; k++) {
        const int64_t length = gn_min(3, last + 1 - k);
        for (int64_t i = 0; i < length && k > first; i++) {
            head[i] = H(k + i, k - 1);
        }
        const int whole = form->basis != NULL;
        const NAME(window) window = {k > first ? k - 1 : k, whole ? count : last + 1, whole ? 0 : first,
                                     gn_min(k + 4, last + 1)};
        if (length == 3) {
            NAME(turn_few)(form, k, head, 3, window);
        } else {
            NAME(turn_few)(form, k, head, 2, window);
        }
        for (int64_t i = 1; i < length && k > first; i++) {
            H(k + i, k - 1) = 0;
        }
    }
}

/* Makes a balanced matrix its Schur form; GN_BAD_VALUE if that does not converge. */
static int32_t NAME(triangulate)(NAME(form) *form, int64_t low, int64_t high, SCALAR *head) {
    const int64_t count = form->count;
    for (int64_t k = low; k < high - 2; k++) {
        for (int64_t i = k + 1; i < high; i++) {
            head[i - k - 1] = H(i, k);
        }
        const int whole = form->basis != NULL;
        const NAME(window) window = {k, whole ? count : high, whole ? 0 : low, high};
        NAME(turn)(form, k + 1, head, high - k - 1, window);
        for (int64_t i = k + 2; i < high; i++) {
            H(i, k) = 0;
        }
    }
    const double norm = NAME(length)(form->a, count * count, 1);
    int steps = 0;
    for (int64_t last = count - 1; last > 0;) {
        int64_t first = last;
        for (; first > 0; first--) {
            const double size = (double)SIZE_OF(H(first, first)) + (double)SIZE_OF(H(first - 1, first - 1));
            if ((double)SIZE_OF(H(first, first - 1)) <= fmax(EPSILON * (size > 0 ? size : norm), LEAST)) {
                H(first, first - 1) = 0;
                break;
            }
        }
        if (last - first < 2) {
            if (last > first) {
                NAME(split)(form, first);
            }
            last = first - 1;
            steps = 0;
        } else if (++steps > STEPS) {
            return GN_BAD_VALUE;
        } else {
            NAME(step)(form, first, last, steps % 10 == 0);
        }
    }
    return GN_OK;
}

/* Is p the first row of a block of two? */
static int NAME(is_block)(const NAME(form) *form, int64_t p) {
    return p >= 0 && p + 1 < form->count && form->a[(p + 1) * form->count + p] != 0;
}

/* The eigenvalue at the first row of a block. */
static gn_complex128 NAME(eigenvalue)(const NAME(form) *form, int64_t p) {
    const int64_t count = form->count;
    if (!NAME(is_block)(form, p)) {
        return H(p, p);
    }
    SCALAR square;
    const SCALAR half = NAME(roots)(form, p, &square);
    return gn_complex_of_float64(REAL_OF(H(p + 1, p + 1)) + REAL_OF(half), sqrt(-REAL_OF(square)));
}

/* -sum of H(i, j) y[j] for j from `first` to `last`. */
static gn_complex128 NAME(product)(const NAME(form) *form, int64_t i, int64_t first, int64_t last) {
    gn_complex128 sum = 0;
    for (int64_t j = first; j <= last; j++) {
#if IS_COMPLEX
        sum -= GN_TIMES(form->a[i * form->count + j], form->y[j]);
#else
        sum -= form->a[i * form->count + j] * form->y[j];
#endif
    }
    return sum;
}

/* form->y becomes the eigenvector of the Schur form for the eigenvalue at row p; returns its length. */
static int64_t NAME(null_vector)(NAME(form) *form, int64_t p, gn_complex128 value) {
    const int64_t count = form->count;
    gn_complex128 *y = form->y;
    int64_t last = p;
    y[p] = 1;
    if (NAME(is_block)(form, p)) {
        last = p + 1;
        y[p] = H(p, p + 1);
        y[p + 1] = value - H(p, p);
    }
    const double least = fmax(EPSILON * cabs(value), LEAST);
    for (int64_t i = p - 1; i >= 0; i--) {
        const gn_complex128 right = NAME(product)(form, i, i + 1, last);
        const gn_complex128 here = H(i, i) - value;
        double largest;
        if (NAME(is_block)(form, i - 1)) {
            const gn_complex128 upper = NAME(product)(form, i - 1, i + 1, last);
            const gn_complex128 corner = H(i - 1, i - 1) - value;
            const SCALAR b = H(i - 1, i), c = H(i, i - 1);
            const double bound = least
                                 * fmax(fmax(cabs(corner), cabs(here)), fmax((double)SIZE_OF(b), (double)SIZE_OF(c)));
            gn_complex128 divisor = GN_TIMES(corner, here) - GN_TIMES(b, c);
            divisor = cabs(divisor) > bound ? divisor : bound;
            y[i - 1] = (GN_TIMES(upper, here) - b * right) / divisor;
            y[i] = (GN_TIMES(corner, right) - c * upper) / divisor;
            largest = fmax(cabs(y[i - 1]), cabs(y[i]));
            i--;
        } else {
            y[i] = right / (cabs(here) > least ? here : least);
            largest = cabs(y[i]);
        }
        for (int64_t j = i; j <= last && largest > 1; j++) {
            y[j] = y[j] / largest;
        }
    }
    return last + 1;
}

/* form->vector becomes the eigenvector for form->y, with norm 1 and, unless it is real, a real largest element. */
static void NAME(find_vector)(NAME(form) *form, int64_t length) {
    const int64_t count = form->count;
    gn_complex128 *vector = form->vector, *sums = form->y + count;
    memset(sums, 0, (size_t)count * sizeof(gn_complex128));
    for (int64_t k = 0; k < length; k++) {
        const SCALAR *row = form->basis + k * count;
        const gn_complex128 factor = form->y[k];
        for (int64_t i = 0; i < count; i++) {
#if IS_COMPLEX
            sums[i] += GN_TIMES(factor, row[i]);
#else
            sums[i] += factor * row[i];
#endif
        }
    }
    double largest = -1;
    int64_t place = 0;
    for (int64_t i = 0; i < count; i++) {
        const int exponent = form->exponents[i];
        vector[form->order[i]] =
            gn_complex_of_float64(ldexp(creal(sums[i]), exponent), ldexp(cimag(sums[i]), exponent));
    }
    for (int64_t i = 0; i < count; i++) {
        const double size = cabs(vector[i]);
        if (size > largest) {
            largest = size;
            place = i;
        }
    }
    double squares = 0;
    for (int64_t i = 0; i < count; i++) {
        vector[i] = vector[i] / largest;
        squares += creal(vector[i]) * creal(vector[i]) + cimag(vector[i]) * cimag(vector[i]);
    }
    const double norm = sqrt(squares);
    const gn_complex128 turn = IS_COMPLEX || cimag(vector[place]) != 0 ? conj(vector[place]) : 1;
    for (int64_t i = 0; i < count; i++) {
        const gn_complex128 x = GN_TIMES(turn, vector[i]);
        vector[i] = gn_complex_of_float64(creal(x) / norm, i == place ? 0.0 : cimag(x) / norm);
    }
}

#undef H

/* Reads a matrix, scaled by a power of two so that products stay in range; GN_BAD_VALUE if it is not finite. */
static int32_t NAME(read_finite)(const char *from, const gn_tensor *in, SCALAR *a, int *exponent) {
    const int64_t count = gn_rows_of(in);
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) {
            const SCALAR x =
                *(const STORAGE *)(from + i * in->strides[in->ndim - 2] + j * in->strides[in->ndim - 1]);
            if (!isfinite(REAL_OF(x)) || !isfinite(IMAGINARY_OF(x))) {
                return GN_BAD_VALUE;
            }
            largest = fmax(largest, fmax(fabs(REAL_OF(x)), fabs(IMAGINARY_OF(x))));
            a[i * count + j] = x;
        }
    }
    frexp(largest, exponent);
    for (int64_t i = 0; i < count * count; i++) {
        a[i] = SCALED(a[i], -*exponent);
    }
    return GN_OK;
}

static void NAME(decompose_matrices)(int64_t begin, int64_t end, void *context) {
    decomposition *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[1 + work->with_vectors];
    const int64_t count = gn_rows_of(in);
    const int64_t squares = gn_checked(gn_checked(count, count), (1 + work->with_vectors) * sizeof(SCALAR));
    const int64_t rows = gn_checked(
        count, 2 * sizeof(SCALAR) + 3 * sizeof(gn_complex128) + sizeof(int64_t) + sizeof(int));
    SCALAR *a = gn_take(squares > INT64_MAX - rows ? INT64_MAX : squares + rows);
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    NAME(form) form = {0};
    SCALAR *head = NULL;
    if (a != NULL) {
        form.a = a;
        form.count = count;
        form.basis = work->with_vectors ? a + count * count : NULL;
        form.shares = a + (1 + work->with_vectors) * count * count;
        head = form.shares + count;
        form.y = (gn_complex128 *)(head + count);
        form.vector = form.y + 2 * count;
        form.order = (int64_t *)(form.vector + count);
        form.exponents = (int *)(form.order + count);
    }
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        int exponent = 0;
        status = NAME(read_finite)((const char *)work->data[1 + work->with_vectors]
                                       + gn_matrix_offset(in, 2, in, 2, matrix),
                                   in, a, &exponent);
        if (status != GN_OK) {
            break;
        }
        for (int64_t i = 0; i < count; i++) {
            form.order[i] = i;
            form.exponents[i] = 0;
            for (int64_t j = 0; j < count && work->with_vectors; j++) {
                form.basis[i * count + j] = i == j;
            }
        }
        int64_t low, high;
        NAME(balance)(&form, &low, &high);
        status = NAME(triangulate)(&form, low, high, head);
        char *value_at = (char *)work->data[0] + gn_matrix_offset(values, 1, in, 2, matrix);
        char *to = work->with_vectors ? (char *)work->data[1] + gn_matrix_offset(out, 2, in, 2, matrix) : NULL;
        for (int64_t p = 0; p < count && status == GN_OK; p++) {
            const gn_complex128 value = NAME(eigenvalue)(&form, p);
            const int width = 1 + NAME(is_block)(&form, p);
            if (work->with_vectors) {
                NAME(find_vector)(&form, NAME(null_vector)(&form, p, value));
            }
            for (int k = 0; k < width; k++) { /* the second one has the conjugates */
                const double sign = k == 0 ? 1.0 : -1.0;
                *(RESULT *)(value_at + (p + k) * values->strides[values->ndim - 1]) = (RESULT)gn_complex_of_float64(
                    ldexp(creal(value), exponent), sign * ldexp(cimag(value), exponent));
                for (int64_t i = 0; i < count && work->with_vectors; i++) {
                    const gn_complex128 x = form.vector[i];
                    *(RESULT *)(to + i * out->strides[out->ndim - 2] + (p + k) * out->strides[out->ndim - 1]) =
                        (RESULT)gn_complex_of_float64(creal(x), sign * cimag(x));
                }
            }
            p += width - 1;
        }
    }
    gn_report(&work->status, status);
    gn_give(a);
}

/* One large matrix. */
static int32_t NAME(decompose_large)(const decomposition *work, int64_t matrix) {
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *out = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[1 + work->with_vectors];
    const int64_t count = gn_rows_of(in);
    COMPUTE *a = gn_take_items(gn_checked(count, (1 + work->with_vectors) * count + 2), sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *found = a + count * count;
    COMPUTE *vectors = work->with_vectors ? found + 2 * count : NULL;
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[1 + work->with_vectors] + gn_matrix_offset(in, 2, in, 2, matrix),
                             in->strides[in->ndim - 2], in->strides[in->ndim - 1], count, count, 0, a)) {
        status = NAME(gn_lapack_eig)(a, count, found, vectors);
    }
    char *value_at = (char *)work->data[0] + gn_matrix_offset(values, 1, in, 2, matrix);
    char *to = work->with_vectors ? (char *)work->data[1] + gn_matrix_offset(out, 2, in, 2, matrix) : NULL;
    for (int64_t p = 0; p < count && status == GN_OK; p++) {
#if IS_COMPLEX
        const COMPUTE *vector = work->with_vectors ? vectors + p * count : NULL;
        *(RESULT *)(value_at + p * values->strides[values->ndim - 1]) = found[p];
        for (int64_t i = 0; i < count && work->with_vectors; i++) {
            *(RESULT *)(to + i * out->strides[out->ndim - 2] + p * out->strides[out->ndim - 1]) = vector[i];
        }
#else
        /* a pair of conjugates has its real parts in one column, and the imaginary parts in the next */
        const int width = found[count + p] != 0 ? 2 : 1;
        const COMPUTE *vector = work->with_vectors ? vectors + p * count : NULL;
        for (int k = 0; k < width; k++) {
            const double sign = k == 0 ? 1.0 : -1.0;
            *(RESULT *)(value_at + (p + k) * values->strides[values->ndim - 1]) =
                (RESULT)gn_complex_of_float64((double)found[p], sign * (double)found[count + p]);
            for (int64_t i = 0; i < count && work->with_vectors; i++) {
                const double imaginary = width == 2 ? (double)vector[count + i] : 0;
                *(RESULT *)(to + i * out->strides[out->ndim - 2] + (p + k) * out->strides[out->ndim - 1]) =
                    (RESULT)gn_complex_of_float64((double)vector[i], sign * imaginary);
            }
        }
        p += width - 1;
#endif
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

static int32_t NAME(decompose_batch)(const gn_call *call, void *const *data, int32_t with_vectors) {
    const gn_tensor *in = &call->tensors[1 + with_vectors];
    const int64_t count = gn_rows_of(in);
    decomposition work = {call, data, with_vectors, GN_OK};
    const int64_t steps = gn_checked(gn_checked(count, count), gn_checked(32, count));
    gn_task *task = gn_lapack_fits(GN_GEEV, CODE, count, count) ? NAME(decompose_large_matrices)
                                                                : NAME(decompose_matrices);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), task, &work);
    return work.status;
}

/* (eigenvalues, eigenvectors; self). */
int32_t NAME(kernel_eig)(const gn_call *call, void *const *data) {
    return NAME(decompose_batch)(call, data, 1);
}

/* (output; self). */
int32_t NAME(kernel_eigvals)(const gn_call *call, void *const *data) {
    return NAME(decompose_batch)(call, data, 0);
}

#undef SCALAR
#undef CONJUGATE
#undef REAL_OF
#undef IMAGINARY_OF
#undef SIZE_OF
#undef SCALED
#undef RESULT

#else /* results are complex */

int32_t NAME(kernel_eig)(const gn_call *call, void *const *data) {
    (void)call, (void)data;
    return GN_NOT_IMPLEMENTED;
}

int32_t NAME(kernel_eigvals)(const gn_call *call, void *const *data) {
    (void)call, (void)data;
    return GN_NOT_IMPLEMENTED;
}

#endif
#endif
