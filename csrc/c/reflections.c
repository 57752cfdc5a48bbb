/* Householder's reflections of columns of doubles (Golub and Van Loan, "Matrix Computations", 5.1 and 5.2). */
#include "reflections.h"

/* gn_reflect for a column whose numbers may have any exponents. */
static double reflect_any(double *x, int64_t count, double *factor) {
    const double squares = gn_sum_of_squares(x, count);
    if (GN_UNLIKELY(squares < 0x1p-800 || squares > 0x1p800)) {
        double largest = 0;
        for (int64_t i = 0; i < count; i++) {
            largest = fmax(largest, fabs(x[i]));
        }
        if (largest > 0 && !isinf(largest)) {
            int exponent;
            frexp(largest, &exponent);
            for (int64_t i = 0; i < count; i++) {
                x[i] = ldexp(x[i], -exponent);
            }
            return ldexp(gn_reflect(x, count, factor), exponent);
        }
    }
    return gn_reflect(x, count, factor);
}

void gn_triangulate(double *columns, int64_t rows, int64_t count, double *factors, double *scratch) {
    const int64_t step = gn_column_step(rows);
    double *v = scratch;
    double *next = v + step;
    double *row = next + step;
    double *products = row + count;
    int64_t begin = 0;
    memset(scratch, 0, (size_t)(2 * step + count) * sizeof(double));
    for (int64_t k = 0; k < gn_min(rows, count); k++) {
        double *column = columns + k * step;
        begin = gn_max(k - 1, 0) / GN_COLUMN_LANES * GN_COLUMN_LANES; /* v begins in row k - 1 */
        for (int64_t i = begin; i < step; i++) {
            column[i] = GN_FMA(-row[k], v[i], column[i]);
            next[i] = i < k ? 0 : column[i];
        }
        column[k] = reflect_any(next + k, rows - k, &factors[k]);
        memcpy(column + k + 1, next + k + 1, (size_t)(rows - k - 1) * sizeof(double));
        const gn_reduction work = {columns, step, v, NULL, row, NULL};
        gn_update_all(&work, k + 1, count, 0, begin, next, products);
        for (int64_t j = k + 1; j < count; j++) {
            row[j] = factors[k] * products[j];
        }
        double *other = v;
        v = next;
        next = other;
    }
    const gn_reduction work = {columns, step, v, NULL, row, NULL};
    gn_update_all(&work, rows, count, 0, begin, v, products);
}

void gn_multiply_reflections(const double *vectors, const double *factors, int64_t count, int64_t first, int64_t rows,
                             double *product, int64_t wanted, double *scratch) {
    const int64_t step = gn_column_step(rows);
    double *zeros = scratch; /* the reflection before the last one */
    double *row = zeros + step;
    double *products = row + wanted;
    const double *v = zeros;
    memset(scratch, 0, (size_t)(step + wanted) * sizeof(double));
    memset(product, 0, (size_t)(wanted * step) * sizeof(double));
    for (int64_t j = 0; j < wanted; j++) {
        product[j * step + j] = 1;
    }
    int64_t begin = 0;
    for (int64_t k = count - 1; k >= 0; k--) {
        const gn_reduction work = {product, step, v, NULL, row, NULL};
        const int64_t top = k + first;
        begin = top / GN_COLUMN_LANES * GN_COLUMN_LANES;
        gn_update_all(&work, top, wanted, 0, begin, vectors + k * step, products);
        v = vectors + k * step;
        for (int64_t j = top; j < wanted; j++) {
            row[j] = factors[k] * products[j];
        }
    }
    const gn_reduction work = {product, step, v, NULL, row, NULL};
    gn_update_all(&work, 0, wanted, 0, 0, v, products);
}
