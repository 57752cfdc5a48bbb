/* Bidiagonal matrices (Golub and Van Loan, "Matrix Computations", 5.4.8 and 8.6; Demmel & Kahan, "Accurate singular
 * values of bidiagonal matrices", 1990).
 *
 * A column and a row reflection are applied in the same sweep over the matrix that multiplies it by the next reflection,
 * so that it is read twice per column and written once. */
#include "bidiagonal.h"

#include <float.h>

#include "reflections.h"
#include "rotations.h"

int64_t gn_bidiagonal_scratch(int64_t rows, int64_t count) {
    return gn_max(gn_column_step(rows) + 3 * count, gn_reflections_scratch(rows, rows));
}

/* to += factors[c] * column c of `count`. */
GN_INLINE void add_columns(const double *column, int64_t step, const int count, int64_t begin, const double *factors,
                           double *to) {
    for (int64_t i = begin; i < step; i += GN_LANES) {
        gn_lanes sum = *(const gn_loose_lanes *)(to + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            sum = gn_add_multiple(factors[c], *(const gn_loose_lanes *)(column + c * step + i), sum);
        }
        *(gn_loose_lanes *)(to + i) = sum;
    }
}

void gn_make_bidiagonal(double *columns, int64_t rows, int64_t count, double *diagonal, double *beside, double *vectors,
                       double *factors, double *scratch) {
    const int64_t step = gn_column_step(rows);
    const int64_t vector_step = gn_column_step(count);
    double *z = scratch;
    double *row = z + step;
    double *share = row + count;
    double *products = share + count;
    const double *v = z; /* there is none yet */
    memset(scratch, 0, (size_t)(step + 2 * count) * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        const int64_t begin = k / GN_COLUMN_LANES * GN_COLUMN_LANES;
        const gn_reduction work = {columns, step, v, z, row, share};
        double *column = columns + k * step;
        memset(column, 0, (size_t)k * sizeof(double));
        for (int64_t i = k; i < step; i++) {
            column[i] -= row[k] * v[i] + share[k] * z[i];
        }
        diagonal[k] = gn_reflect(column + k, rows - k, &factors[k]);
        beside[k] = factors[count + k] = 0;
        gn_update_all(&work, k + 1, count, 1, begin, column, products);
        v = column;
        if (k + 1 == count) {
            break;
        }
        int64_t j;
        for (j = k + 1; j < count; j++) {
            row[j] = factors[k] * products[j];
            share[j] = columns[j * step + k] - row[j];
        }
        beside[k] = gn_reflect(share + k + 1, count - k - 1, &factors[count + k]);
        if (vectors != NULL) {
            double *kept = vectors + k * vector_step;
            for (j = 0; j < vector_step; j++) {
                kept[j] = j <= k || j >= count ? 0 : share[j];
            }
        }
        memset(z + begin, 0, (size_t)(step - begin) * sizeof(double));
        for (j = k + 1; j + GN_TOGETHER <= count; j += GN_TOGETHER) {
            add_columns(columns + j * step, step, GN_TOGETHER, begin, share + j, z);
        }
        for (; j < count; j++) {
            add_columns(columns + j * step, step, 1, begin, share + j, z);
        }
        double overlap = 0;
        for (j = k + 1; j < count; j++) {
            overlap += share[j] * row[j];
            share[j] *= factors[count + k];
        }
        for (int64_t i = begin; i < step; i++) {
            z[i] = i <= k ? 0 : z[i] - overlap * v[i];
        }
    }
}

/* The most steps for a singular value; two are usual. */
#define STEPS 60
/* Rotations that are recorded before they are applied, for each row; there are sequences of at least one. */
#define RECORDED 8

/* Recorded sequences of rotations, those of the right and of the left rows. */
typedef struct record {
    double *right;
    double *left;
    gn_sweep *sweeps;
    int64_t rotations;
    int64_t count;
} record;

int64_t gn_diagonalize_scratch(int64_t count) {
    return 4 * RECORDED * count + RECORDED * (int64_t)(sizeof(gn_sweep) / sizeof(double)) * count;
}

/* The rotation that makes (f, g) a multiple of (1, 0), which is returned. */
static inline double rotate(double f, double g, double *pair) {
    double length = sqrt(f * f + g * g);
    if (length < GN_LEAST) {
        length = hypot(f, g);
        pair[0] = length > 0 ? f / length : 1;
        pair[1] = length > 0 ? g / length : 0;
        return length;
    }
    const double inverse = 1 / length;
    pair[0] = f * inverse;
    pair[1] = g * inverse;
    return length;
}

/* A step with the shift, on the block from `low` to `high`. */
static void shifted_step(double *d, double *e, int64_t low, int64_t high, double shift, double *right, double *left) {
    double f = (fabs(d[low]) - shift) * (copysign(1.0, d[low]) + shift / d[low]);
    double g = e[low];
    for (int64_t i = low; i < high; i++, right += 2, left += 2) {
        const double above = rotate(f, g, right);
        if (i > low) {
            e[i - 1] = above;
        }
        f = right[0] * d[i] + right[1] * e[i];
        const double beside = right[0] * e[i] - right[1] * d[i];
        g = right[1] * d[i + 1];
        const double next = right[0] * d[i + 1];
        d[i] = rotate(f, g, left);
        f = left[0] * beside + left[1] * next;
        d[i + 1] = left[0] * next - left[1] * beside;
        if (i + 1 < high) {
            g = left[1] * e[i + 1];
            e[i + 1] *= left[0];
        }
    }
    e[high - 1] = f;
}

/* A step without shift (Demmel & Kahan), which keeps the digits of small values, and moves a zero to the end. */
static void unshifted_step(double *d, double *e, int64_t low, int64_t high, double *right, double *left) {
    double cosine = 1, left_cosine = 1, left_sine = 0;
    for (int64_t i = low; i < high; i++, right += 2, left += 2) {
        const double length = rotate(d[i] * cosine, e[i], right);
        if (i > low) {
            e[i - 1] = left_sine * length;
        }
        cosine = right[0];
        d[i] = rotate(left_cosine * length, d[i + 1] * right[1], left);
        left_cosine = left[0];
        left_sine = left[1];
    }
    const double last = d[high] * cosine;
    d[high] = last * left_cosine;
    e[high - 1] = last * left_sine;
}

/* The lesser singular value of the triangle ((f, g), (0, h)). */
static double least_of_two(double f, double g, double h) {
    const double sum = hypot(fabs(f) + fabs(h), g); /* of both values, and their difference */
    const double difference = hypot(fabs(f) - fabs(h), g);
    return sum > 0 ? 2 * fabs(f) * (fabs(h) / (sum + difference)) : 0;
}

int gn_diagonalize_bidiagonal(double *diagonal, double *beside, int64_t count, double *left, int64_t left_rows,
                              int64_t left_columns, double *right, int64_t right_columns, double eps, double *scratch) {
    record record = {scratch, scratch + 2 * RECORDED * count, (gn_sweep *)(scratch + 4 * RECORDED * count), 0, 0};
    int steps = 0;
    for (int64_t high = count - 1; high >= 0;) {
        int64_t low = high;
        double least = INFINITY; /* of those that are not last */
        while (low > 0
               && fabs(beside[low - 1]) > GN_LEAST + eps * (fabs(diagonal[low - 1]) + fabs(diagonal[low]))) {
            low--;
            least = fmin(least, fabs(diagonal[low]));
        }
        if (low > 0) {
            beside[low - 1] = 0;
        }
        const int is_done = low == high;
        if (!is_done && ++steps > STEPS) {
            return 0;
        }
        if (record.rotations + (high - low) > RECORDED * count || (is_done && high == 0)) {
            gn_turn_strips(left, left_rows, left_columns, record.sweeps, record.count, record.left);
            gn_turn_strips(right, count, right_columns, record.sweeps, record.count, record.right);
            record.rotations = record.count = 0;
        }
        if (is_done) {
            high--;
            steps = 0;
            continue;
        }
        double *right_pairs = record.right + 2 * record.rotations;
        double *left_pairs = record.left + 2 * record.rotations;
        const double shift = least_of_two(diagonal[high - 1], beside[high - 1], diagonal[high]);
        const double ratio = shift / diagonal[low];
        /* a shift does not get past an element that is nearly zero */
        if (least <= eps * fabs(diagonal[high]) || !(ratio * ratio > eps)) {
            unshifted_step(diagonal, beside, low, high, right_pairs, left_pairs);
        } else {
            shifted_step(diagonal, beside, low, high, shift, right_pairs, left_pairs);
        }
        record.sweeps[record.count++] = (gn_sweep){low, high - low, 1};
        record.rotations += high - low;
    }
    return 1;
}
