/* Singular values by Householder's reflections, which make a matrix bidiagonal, and the differential quotient-difference
 * algorithm with shifts (Fernando & Parlett, "Accurate singular values and differential qd algorithms", 1994).
 *
 * Reflections are applied lazily: a column and a row reflection are applied in the same sweep over the matrix that
 * multiplies it by the next reflection, so that it is read twice per column and written once. */
#include "singular_values.h"

#if defined(__GNUC__)

/* Independent partial sums of a product; columns that are computed together. */
#define LANES 8
#define TOGETHER 4
/* Fully unrolls a loop, so that arrays that it indexes are in registers. */
#define GN_UNROLL _Pragma("GCC unroll 8")
/* A squared off-diagonal element is negligible below this fraction of its neighbour. */
#define NEGLIGIBLE (0x1p-46 * 0x1p-46)
/* The most sweeps per value, far more than are needed. */
#define SWEEPS 100

int64_t gn_column_step(int64_t rows) {
    return (rows + LANES - 1) / LANES * LANES;
}

int64_t gn_singular_scratch(int64_t rows, int64_t count) {
    return 3 * gn_column_step(rows) + 8 * count;
}

typedef double vector __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

static double sum_lanes(const vector *of) {
    const double *lanes = (const double *)of;
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/* The reflection that zeroes all of x but its first element, which is returned: x - factor (x . v) v with v[0] = 1. x
 * is replaced by v. */
static double reflect(double *x, int64_t count, double *factor) {
    vector lanes = {0};
    int64_t i = 1;
    for (; i + LANES <= count; i += LANES) {
        const vector part = *(const vector *)(x + i);
        lanes += part * part;
    }
    for (int lane = 0; i < count; i++, lane++) {
        lanes[lane] += x[i] * x[i];
    }
    const double rest = sum_lanes(&lanes);
    const double first = x[0];
    x[0] = 1;
    *factor = 0;
    if (rest == 0) {
        return first;
    }
    const double length = -copysign(sqrt(first * first + rest), first);
    *factor = (length - first) / length;
    const double scale = 1 / (first - length);
    for (i = 1; i < count; i++) {
        x[i] *= scale;
    }
    return length;
}

/* The matrix, and the two reflections not yet applied: column j is to be reduced by row[j] * v + share[j] * z. */
typedef struct reduction {
    double *columns;
    int64_t step;
    const double *v;
    const double *z;
    const double *row;
    const double *share;
} reduction;

/* Applies the reflections to `count` columns, from element `begin` on; products[c] is their product with `by`. */
GN_INLINE void update_columns(const reduction *work, int64_t first, const int count, int64_t begin, const double *by,
                              double *products) {
    vector sums[TOGETHER] = {{0}};
    const int64_t step = work->step;
    double *column = work->columns + first * step;
    for (int64_t i = begin; i < step; i += LANES) {
        const vector v = *(const vector *)(work->v + i);
        const vector z = *(const vector *)(work->z + i);
        const vector factor = *(const vector *)(by + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            vector *at = (vector *)(column + c * step + i);
            const vector rest = *at - (work->row[first + c] * v + work->share[first + c] * z);
            *at = rest;
            sums[c] += rest * factor;
        }
    }
    for (int c = 0; c < count; c++) {
        products[c] = sum_lanes(&sums[c]);
    }
}

/* to += factors[c] * column c of `count`. */
GN_INLINE void add_columns(const double *column, int64_t step, const int count, int64_t begin, const double *factors,
                           double *to) {
    for (int64_t i = begin; i < step; i += LANES) {
        vector sum = *(const vector *)(to + i);
        GN_UNROLL
        for (int c = 0; c < count; c++) {
            sum += factors[c] * *(const vector *)(column + c * step + i);
        }
        *(vector *)(to + i) = sum;
    }
}

/* Makes the matrix bidiagonal: its diagonal and superdiagonal. */
static void make_bidiagonal(double *columns, int64_t rows, int64_t count, double *diagonal, double *beside,
                            double *scratch) {
    const int64_t step = gn_column_step(rows);
    double *v = scratch;
    double *next = v + step;
    double *z = next + step;
    double *row = z + step;
    double *share = row + count;
    double *products = share + count;
    memset(scratch, 0, (size_t)(3 * step + 2 * count) * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        const int64_t begin = k / LANES * LANES;
        const reduction work = {columns, step, v, z, row, share};
        double *column = columns + k * step;
        for (int64_t i = begin; i < step; i++) {
            next[i] = i < k ? 0 : column[i] - (row[k] * v[i] + share[k] * z[i]);
        }
        double factor;
        diagonal[k] = reflect(next + k, rows - k, &factor);
        int64_t j = k + 1;
        for (; j + TOGETHER <= count; j += TOGETHER) {
            update_columns(&work, j, TOGETHER, begin, next, products + j);
        }
        for (; j < count; j++) {
            update_columns(&work, j, 1, begin, next, products + j);
        }
        double *other = v;
        v = next;
        next = other;
        if (k + 1 == count) {
            break;
        }
        for (j = k + 1; j < count; j++) {
            row[j] = factor * products[j];
            share[j] = columns[j * step + k] - row[j];
        }
        double row_factor;
        beside[k] = reflect(share + k + 1, count - k - 1, &row_factor);
        memset(z + begin, 0, (size_t)(step - begin) * sizeof(double));
        for (j = k + 1; j + TOGETHER <= count; j += TOGETHER) {
            add_columns(columns + j * step, step, TOGETHER, begin, share + j, z);
        }
        for (; j < count; j++) {
            add_columns(columns + j * step, step, 1, begin, share + j, z);
        }
        double overlap = 0;
        for (j = k + 1; j < count; j++) {
            overlap += share[j] * row[j];
            share[j] *= row_factor;
        }
        for (int64_t i = begin; i < step; i++) {
            z[i] = i <= k ? 0 : z[i] - overlap * v[i];
        }
    }
}

/* Squared elements of a bidiagonal matrix, q of the diagonal and e of the superdiagonal, from `low` to `high`; they
 * represent the squared singular values minus `sum`. */
typedef struct segment {
    int64_t low;
    int64_t high;
    double sum;
} segment;

/* One transform with the shift, to other_q and other_e; returns the last of the numbers that must not be negative, and
 * the least of those before it. */
static double transform(const double *q, const double *e, double *other_q, double *other_e, int64_t low, int64_t high,
                        double shift, double *least) {
    double d = q[low] - shift;
    double before = INFINITY;
    for (int64_t i = low; i < high; i++) {
        before = d < before ? d : before;
        if (before < 0) {
            break;
        }
        const double sum = d + e[i]; /* not 0: the segment splits there */
        const double ratio = q[i + 1] / sum;
        other_q[i] = sum;
        other_e[i] = e[i] * ratio;
        d = d * ratio - shift;
    }
    other_q[high] = d;
    *least = before;
    return d;
}

/* A shift that is most likely less than the least value, and close to it once the last element has almost converged:
 * from the last three rows of the product of the bidiagonal matrix and its adjoint.  `least` is a bound that the last
 * transform found. */
static double find_shift(const double *q, const double *e, int64_t high, double least) {
    const double last = q[high];
    if (last > least) {
        return least / 4;
    }
    const double middle = q[high - 1] + e[high - 1];
    const double beside = sqrt(last * e[high - 1]);
    const double above = sqrt(q[high - 1] * e[high - 2]);
    const double far_gap = 0.75 * (q[high - 2] + e[high - 2]) - middle;
    const double gap = middle - last - (far_gap > above ? above / far_gap * above : beside + above);
    if (gap > beside) {
        return fmax(last - beside / gap * beside, last / 2);
    }
    const double circles = fmin(last - beside, middle - (beside + above));
    return fmax(circles, last / 3);
}

/* The two values of a segment of two. */
static void solve_two(double *q, double *e, int64_t low) {
    const double large = fmax(q[low], q[low + 1]);
    const double small = fmin(q[low], q[low + 1]);
    const double half = 0.5 * ((large - small) + e[low]);
    const double greater = small + (half + sqrt(half * half + small * e[low]));
    q[low] = greater;
    q[low + 1] = greater > 0 ? small * (large / greater) : 0;
}

static void reverse(double *numbers, int64_t low, int64_t high) {
    for (; low < high; low++, high--) {
        const double kept = numbers[low];
        numbers[low] = numbers[high];
        numbers[high] = kept;
    }
}

/* Finds the squares of the values of one segment from its end, and stores them in `squares`. If it splits, the upper
 * part is done first, separately. */
static int find_squares(double *q, double *e, double *other_q, double *other_e, segment part, double *squares) {
    double bound = 0; /* upper bound of the least value, from the last transform */
    int64_t budget = SWEEPS * (part.high - part.low + 1);
    while (part.high > part.low + 1) {
        const int64_t high = part.high;
        const int64_t low = part.low;
        if (e[high - 1] <= NEGLIGIBLE * (part.sum + q[high])) {
            squares[high] = part.sum + q[high];
            part.high--;
            bound = q[part.high];
            continue;
        }
        if (1.5 * q[low] < q[high]) { /* small ones must be last for fast convergence */
            reverse(q, low, high);
            reverse(e, low, high - 1);
        }
        for (int64_t i = high - 2; i >= low; i--) {
            if (e[i] <= NEGLIGIBLE * q[i] || e[i] <= NEGLIGIBLE * part.sum) {
                const segment upper = {low, i, part.sum};
                if (!find_squares(q, e, other_q, other_e, upper, squares)) {
                    return 0;
                }
                part.low = i + 1;
                break;
            }
        }
        if (part.low != low) {
            continue;
        }
        double shift = find_shift(q, e, high, bound);
        for (int tries = 0;; tries++) {
            double least;
            const double last = transform(q, e, other_q, other_e, low, high, shift, &least);
            if (--budget < 0) {
                return 0;
            }
            if (least >= 0 && last >= 0) {
                bound = fmin(least, last);
                break;
            }
            /* Only the last is negative: reducing the shift by that amount almost gives the value itself. */
            shift = tries >= 6 ? 0 : least > 0 && tries < 3 ? fmax(0, (shift + last) * (1 - 0x1p-51)) : shift / 4;
            if (tries > 8) {
                return 0;
            }
        }
        memcpy(q + low, other_q + low, (size_t)(high - low + 1) * sizeof(double));
        memcpy(e + low, other_e + low, (size_t)(high - low) * sizeof(double));
        part.sum += shift;
    }
    if (part.high == part.low + 1) {
        solve_two(q, e, part.low);
    }
    for (int64_t i = part.low; i <= part.high; i++) {
        squares[i] = part.sum + q[i];
    }
    return 1;
}

int gn_singular_values(double *columns, int64_t rows, int64_t count, double *values, double *scratch) {
    double *q = scratch + 3 * gn_column_step(rows) + 3 * count; /* after the memory that make_bidiagonal needs */
    double *e = q + count;
    double *other_q = e + count;
    double *other_e = other_q + count;
    if (count == 0) {
        return 1;
    }
    make_bidiagonal(columns, rows, count, q, e, scratch);
    for (int64_t i = 0; i < count; i++) {
        q[i] *= q[i];
        e[i] = i + 1 < count ? e[i] * e[i] : 0;
    }
    if (!find_squares(q, e, other_q, other_e, (segment){0, count - 1, 0}, values)) {
        return 0;
    }
    for (int64_t i = 0; i < count; i++) { /* they are almost sorted */
        const double value = sqrt(values[i]);
        int64_t place = i;
        for (; place > 0 && values[place - 1] < value; place--) {
            values[place] = values[place - 1];
        }
        values[place] = value;
    }
    return 1;
}

#else /* no vector types */

int64_t gn_column_step(int64_t rows) {
    return rows;
}

int64_t gn_singular_scratch(int64_t rows, int64_t count) {
    (void)rows;
    (void)count;
    return 0;
}

int gn_singular_values(double *columns, int64_t rows, int64_t count, double *values, double *scratch) {
    (void)columns;
    (void)rows;
    (void)count;
    (void)values;
    (void)scratch;
    return 0;
}

#endif
