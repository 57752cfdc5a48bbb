/* Householder reflections of matrices of one dtype. */

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64 || IS_COMPLEX
#include "matrix_dtype.h"

#if !IS_COMPLEX
/* Reads a matrix as columns (reflections.h). */
static void NAME(read_columns)(const char *from, const gn_tensor *in, double *columns) {
    const int64_t rows = gn_rows_of(in);
    const int64_t step = gn_column_step(rows);
    for (int64_t j = 0; j < gn_columns_of(in); j++) {
        const char *at = from + j * in->strides[in->ndim - 1];
        for (int64_t i = 0; i < rows; i++) {
            columns[j * step + i] = *(const STORAGE *)(at + i * in->strides[in->ndim - 2]);
        }
        for (int64_t i = rows; i < step; i++) {
            columns[j * step + i] = 0;
        }
    }
}

/* The reverse of read_columns. */
static void NAME(write_columns)(char *to, const gn_tensor *out, const double *columns) {
    const int64_t rows = gn_rows_of(out);
    const int64_t step = gn_column_step(rows);
    for (int64_t j = 0; j < gn_columns_of(out); j++) {
        char *at = to + j * out->strides[out->ndim - 1];
        for (int64_t i = 0; i < rows; i++) {
            *(STORAGE *)(at + i * out->strides[out->ndim - 2]) = (STORAGE)columns[j * step + i];
        }
    }
}

static void NAME(geqrf_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *factors = &call->tensors[1];
    const gn_tensor *in = &call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    const int64_t numbers = gn_checked(gn_column_step(rows) + 4, columns) + gn_reflections_scratch(rows, columns);
    double *a = gn_take_items(numbers, sizeof(double));
    double *taus = a + gn_column_step(rows) * columns;
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(read_columns)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix), in, a);
        gn_triangulate(a, rows, columns, taus, taus + columns);
        NAME(write_columns)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out, a);
        char *to = (char *)work->data[1] + gn_matrix_offset(factors, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            *(STORAGE *)(to + k * factors->strides[factors->ndim - 1]) = (STORAGE)taus[k];
        }
    }
    gn_report(&work->status, status);
    gn_give(a);
}

static void NAME(product_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *factors = &call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = factors->sizes[factors->ndim - 1];
    const int64_t step = gn_column_step(rows);
    const int64_t numbers = gn_checked(2 * step + 1, columns) + gn_reflections_scratch(rows, columns);
    double *v = gn_take_items(numbers, sizeof(double));
    double *product = v + step * columns;
    double *taus = product + step * columns;
    int32_t status = v == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(read_columns)((const char *)work->data[1] + gn_matrix_offset(in, 2, in, 2, matrix), in, v);
        const char *from = (const char *)work->data[2] + gn_matrix_offset(factors, 1, in, 2, matrix);
        for (int64_t k = 0; k < count; k++) {
            taus[k] = *(const STORAGE *)(from + k * factors->strides[factors->ndim - 1]);
            memset(v + k * step, 0, (size_t)k * sizeof(double));
            v[k * step + k] = 1;
        }
        gn_multiply_reflections(v, taus, count, 0, rows, product, columns, taus + columns);
        NAME(write_columns)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out, product);
    }
    gn_report(&work->status, status);
    gn_give(v);
}

#else
/* Applies I - factor v v^H to `rows` rows of `width` elements, `step` apart; v is `stride` apart, its first element is
 * 1 whatever stands there. `shares` has room for a row. */
static void NAME(reflect)(COMPUTE *a, int64_t step, int64_t rows, int64_t width, const COMPUTE *v, int64_t stride,
                          COMPUTE factor, COMPUTE *shares) {
    memcpy(shares, a, (size_t)width * sizeof(COMPUTE));
    for (int64_t i = 1; i < rows; i++) {
        NAME(subtract)(shares, a + i * step, -CONJUGATE(v[i * stride]), width);
    }
    NAME(subtract)(a, shares, factor, width);
    for (int64_t i = 1; i < rows; i++) {
        NAME(subtract)(a + i * step, shares, GN_TIMES(factor, v[i * stride]), width);
    }
}

/* Replaces a by R and, below its diagonal, the vectors. */
static void NAME(triangulate)(COMPUTE *a, int64_t rows, int64_t columns, COMPUTE *taus, COMPUTE *shares) {
    for (int64_t k = 0; k < gn_min(rows, columns); k++) {
        COMPUTE *corner = a + k * columns + k;
        double scale = 0; /* so that squares stay in range */
        for (int64_t i = 0; i < rows - k; i++) {
            const COMPUTE x = corner[i * columns];
            scale = fmax(scale, fmax(fabs((double)REAL_OF(x)), fabs((double)IMAGINARY_OF(x))));
        }
        double below = 0;
        for (int64_t i = 1; i < rows - k; i++) {
            const double real = (double)REAL_OF(corner[i * columns]) / scale;
            const double imaginary = (double)IMAGINARY_OF(corner[i * columns]) / scale;
            below += real * real + imaginary * imaginary;
        }
        const double real = (double)REAL_OF(*corner);
        const double imaginary = (double)IMAGINARY_OF(*corner);
        if (scale == 0 || (below == 0 && imaginary == 0)) {
            taus[k] = 0;
            continue;
        }
        const double own = (real / scale) * (real / scale) + (imaginary / scale) * (imaginary / scale);
        const double scaled = -copysign(sqrt(own + below), real), beta = scale * scaled;
        /* Numbers of few digits are divided by `scale` first. */
        const int is_tiny = fabs(beta) < (IS_PRECISE ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON);
        const double by = is_tiny ? scale : 1, end = is_tiny ? scaled : beta;
#if IS_COMPLEX
        const COMPUTE tau = (COMPUTE)gn_complex_of_float64((end - real / by) / end, -imaginary / by / end);
        const gn_complex128 whole = gn_complex_of_float64(real / by - end, imaginary / by);
        for (int64_t i = 1; i < rows - k && is_tiny; i++) {
            const COMPUTE x = corner[i * columns];
            corner[i * columns] =
                (COMPUTE)(gn_complex_of_float64((double)REAL_OF(x) / by, (double)IMAGINARY_OF(x) / by) / whole);
        }
#else
        const COMPUTE tau = (COMPUTE)((end - real / by) / end);
        for (int64_t i = 1; i < rows - k && is_tiny; i++) {
            corner[i * columns] = (COMPUTE)((double)corner[i * columns] / by / (real / by - end));
        }
#endif
        const COMPUTE difference = *corner - (COMPUTE)beta;
        for (int64_t i = 1; i < rows - k && !is_tiny; i++) {
            corner[i * columns] = corner[i * columns] / difference;
        }
        if (k + 1 < columns) {
            NAME(reflect)(corner + 1, columns, rows - k, columns - k - 1, corner, columns, CONJUGATE(tau), shares);
        }
        *corner = (COMPUTE)beta;
        taus[k] = tau;
    }
}

static void NAME(geqrf_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *factors = &call->tensors[1];
    const gn_tensor *in = &call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    COMPUTE *a = gn_take(gn_checked(gn_checked(rows + 2, columns), sizeof(COMPUTE)));
    COMPUTE *taus = a + rows * columns;
    int32_t status = a == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(gather)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                     in->strides[in->ndim - 1], rows, columns, 0, a, columns);
        NAME(triangulate)(a, rows, columns, taus, taus + columns);
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                      out->strides[out->ndim - 1], rows, columns, 0, a, columns);
        NAME(scatter)((char *)work->data[1] + gn_matrix_offset(factors, 1, in, 2, matrix), 0,
                      factors->strides[factors->ndim - 1], 1, count, 0, taus, count);
    }
    gn_report(&work->status, status);
    gn_give(a);
}

static void NAME(product_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *in = &call->tensors[1];
    const gn_tensor *factors = &call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = factors->sizes[factors->ndim - 1];
    COMPUTE *v = gn_take(gn_checked(gn_checked(2 * rows + 2, columns), sizeof(COMPUTE)));
    COMPUTE *a = v + rows * columns;
    COMPUTE *taus = a + rows * columns;
    int32_t status = v == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t matrix = begin; matrix < end && status == GN_OK; matrix++) {
        NAME(gather)((const char *)work->data[1] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                     in->strides[in->ndim - 1], rows, columns, 0, v, columns);
        NAME(gather)((const char *)work->data[2] + gn_matrix_offset(factors, 1, in, 2, matrix), 0,
                     factors->strides[factors->ndim - 1], 1, count, 0, taus, count);
        memset(a, 0, (size_t)(rows * columns) * sizeof(COMPUTE));
        for (int64_t i = 0; i < columns; i++) {
            a[i * columns + i] = 1;
        }
        for (int64_t k = count - 1; k >= 0; k--) {
            const int64_t at = k * columns + k;
            NAME(reflect)(a + at, columns, rows - k, columns - k, v + at, columns, taus[k], taus + columns);
        }
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                      out->strides[out->ndim - 1], rows, columns, 0, a, columns);
    }
    gn_report(&work->status, status);
    gn_give(v);
}

#endif

#if IS_COMPLEX
/* One large matrix. */
static int32_t NAME(geqrf_large)(const reflections *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *factors = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    COMPUTE *a = gn_take_items(gn_checked(rows + 1, columns), sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *taus = a + rows * columns;
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix),
                             in->strides[in->ndim - 2], in->strides[in->ndim - 1], rows, columns, 0, a)) {
        status = NAME(gn_lapack_triangulate)(a, rows, columns, taus);
    }
    if (status == GN_OK) {
        NAME(gn_lapack_write)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix),
                              out->strides[out->ndim - 2], out->strides[out->ndim - 1], rows, columns, 0, a);
        NAME(gn_lapack_write)((char *)work->data[1] + gn_matrix_offset(factors, 1, in, 2, matrix),
                              factors->strides[factors->ndim - 1], 0, count, 1, 0, taus);
    }
    gn_give(a);
    return status;
}
#else
static int32_t NAME(geqrf_large)(const reflections *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *factors = &work->call->tensors[1];
    const gn_tensor *in = &work->call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = gn_min(rows, columns);
    const int64_t step = gn_halves_step(columns);
    COMPUTE *a = gn_take_items(gn_checked(rows + 1, step), sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *taus = a + rows * step;
    NAME(gather)((const char *)work->data[2] + gn_matrix_offset(in, 2, in, 2, matrix), in->strides[in->ndim - 2],
                 in->strides[in->ndim - 1], rows, columns, 0, a, step);
    int32_t status = GN_OK;
    for (int64_t i = 0; i < rows && status == GN_OK; i++) { /* products would spread what is not finite */
        status = NAME(are_finite)(a + i * step, columns) ? GN_OK : GN_NOT_IMPLEMENTED;
    }
    if (status == GN_OK) {
        status = NAME(gn_triangulate_panels)(a, step, rows, columns, taus);
    }
    if (status == GN_OK) {
        NAME(scatter)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix), out->strides[out->ndim - 2],
                      out->strides[out->ndim - 1], rows, columns, 0, a, step);
        NAME(scatter)((char *)work->data[1] + gn_matrix_offset(factors, 1, in, 2, matrix), 0,
                      factors->strides[factors->ndim - 1], 1, count, 0, taus, count);
    }
    gn_give(a);
    return status;
}
#endif

static void NAME(geqrf_large_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(geqrf_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(geqrf_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

static int32_t NAME(product_large)(const reflections *work, int64_t matrix) {
    const gn_tensor *out = &work->call->tensors[0];
    const gn_tensor *in = &work->call->tensors[1];
    const gn_tensor *factors = &work->call->tensors[2];
    const int64_t rows = gn_rows_of(in);
    const int64_t columns = gn_columns_of(in);
    const int64_t count = factors->sizes[factors->ndim - 1];
    COMPUTE *a = gn_take_items(gn_checked(rows + 1, columns), sizeof(COMPUTE));
    if (a == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    COMPUTE *taus = a + rows * columns;
    int32_t status = GN_NOT_IMPLEMENTED;
    if (NAME(gn_lapack_read)((const char *)work->data[1] + gn_matrix_offset(in, 2, in, 2, matrix),
                             in->strides[in->ndim - 2], in->strides[in->ndim - 1], rows, columns, 0, a)
        && NAME(gn_lapack_read)((const char *)work->data[2] + gn_matrix_offset(factors, 1, in, 2, matrix),
                                factors->strides[factors->ndim - 1], 0, count, 1, 0, taus)) {
        status = NAME(gn_lapack_multiply)(a, rows, columns, count, taus);
    }
    if (status == GN_OK) {
        NAME(gn_lapack_write)((char *)work->data[0] + gn_matrix_offset(out, 2, in, 2, matrix),
                              out->strides[out->ndim - 2], out->strides[out->ndim - 1], rows, columns, 0, a);
    }
    gn_give(a);
    return status;
}

static void NAME(product_large_matrices)(int64_t begin, int64_t end, void *context) {
    reflections *work = context;
    for (int64_t matrix = begin; matrix < end; matrix++) {
        const int32_t status = NAME(product_large)(work, matrix);
        if (status == GN_NOT_IMPLEMENTED) {
            NAME(product_matrices)(matrix, matrix + 1, work);
        } else {
            gn_report(&work->status, status);
        }
    }
}

/* (a, tau; self). */
int32_t NAME(kernel_geqrf)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[2];
    reflections work = {call, data, GN_OK};
    const int64_t least = gn_min(gn_rows_of(in), gn_columns_of(in));
    const int64_t steps = gn_checked(gn_checked(gn_rows_of(in), gn_columns_of(in)), 2 * least + 1);
    const int is_large = IS_COMPLEX ? gn_lapack_fits(GN_GEQRF, CODE, gn_rows_of(in), gn_columns_of(in))
                                    : least >= GN_PANELS;
    gn_task *task = is_large ? NAME(geqrf_large_matrices) : NAME(geqrf_matrices);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), task, &work);
    return work.status;
}

/* (result; input, tau). */
int32_t NAME(kernel_householder_product)(const gn_call *call, void *const *data) {
    const gn_tensor *in = &call->tensors[1];
    reflections work = {call, data, GN_OK};
    const int64_t steps = gn_checked(gn_checked(gn_rows_of(in), gn_columns_of(in)), 2 * gn_columns_of(in) + 1);
    gn_task *task = gn_lapack_fits(GN_ORGQR, CODE, gn_rows_of(in), gn_columns_of(in)) ? NAME(product_large_matrices)
                                                                                      : NAME(product_matrices);
    gn_parallel_for(0, gn_matrices(in, 2), gn_grain(steps), task, &work);
    return work.status;
}

#include "matrix_end.h"

#endif
