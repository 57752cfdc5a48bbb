/* Singular values by the differential quotient-difference algorithm with shifts (Fernando & Parlett, "Accurate singular
 * values and differential qd algorithms", 1994). */
#include "singular_values.h"

/* A squared off-diagonal element is negligible below this fraction of its neighbour. */
#define NEGLIGIBLE (0x1p-46 * 0x1p-46)
/* The most sweeps per value, far more than are needed. */
#define SWEEPS 100

/* Squared elements of a bidiagonal matrix, q of the diagonal and e of the superdiagonal, from `low` to `high`; they
 * represent the squared singular values minus `sum`. */
typedef struct segment {
    int64_t low;
    int64_t high;
    double sum;
    double part_of_sum; /* a squared off-diagonal element is negligible below this fraction of the sum */
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
        const double negligible = fmax(part.part_of_sum * part.sum, NEGLIGIBLE * (part.sum + q[high]));
        if (e[high - 1] <= negligible) {
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
            if (e[i] <= NEGLIGIBLE * q[i] || e[i] <= part.part_of_sum * part.sum) {
                const segment upper = {low, i, part.sum, part.part_of_sum};
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

int gn_bidiagonal_values(double *q, double *e, int64_t count, double precision, double *values, double *scratch) {
    const segment all = {0, count - 1, 0, precision * precision};
    for (int64_t i = 0; i < count; i++) {
        q[i] *= q[i];
        e[i] = i + 1 < count ? e[i] * e[i] : 0;
    }
    if (count > 0 && !find_squares(q, e, scratch, scratch + count, all, values)) {
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
