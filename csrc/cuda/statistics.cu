/* Variances, norms and sums of exponentials: reductions whose accumulators have several numbers, in double precision.
 *
 * Elements come some at a time: their mean, or the largest of them, is found first, so that what costs a division or a
 * power is done once for all of them. */
#include "reduction.cuh"

/* The count, the mean and the sum of squared distances from it, of what has been seen: MEAN is double, or of complex
 * numbers, whose distances are in the plane, gn_complex128. */
template <class MEAN> struct moments {
    double count;
    MEAN mean;
    double squares;
};

/* The square of a distance. */
static inline double square_of(double away) {
    return away * away;
}
static inline double square_of(gn_complex128 away) {
    return away.re * away.re + away.im * away.im;
}

/* Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979. */
template <class MEAN> static inline moments<MEAN> both_moments(moments<MEAN> total, moments<MEAN> part) {
    if (part.count == 0) {
        return total;
    }
    if (total.count == 0) {
        return part;
    }
    const double count = total.count + part.count;
    const double share = part.count / count;
    const MEAN away = part.mean - total.mean;
    return moments<MEAN>{count, total.mean + away * share,
                         total.squares + part.squares + square_of(away) * (total.count * share)};
}

/* sum * scale^order is the sum of the powers of sizes, which leave the range of a double in no scale where they are at
 * most 1.  For the orders 0, inf and -inf `sum` is the result itself. */
struct scaled_sum {
    double scale; /* below 0: nothing has been seen; 0: nothing but zeros, infinities and NaN */
    double sum;
};

/* Numbers whose squares, and sums of these, are in the range of a double, and whose small ones do not count. */
#define LEAST_SAFE 1e-140
#define LARGEST_SAFE 1e140

static inline double norm_power(double size, double order) {
    return order == 2 ? size * size : order == 1 ? size : pow(size, order);
}

/* Gives the sum of powers a larger scale; zeros and infinities are the same in any. */
static inline void rescale(scaled_sum *total, double scale, double order) {
    if (scale > total->scale) {
        if (total->scale > 0 && total->sum != 0 && !isinf(total->sum)) {
            total->sum *= norm_power(total->scale / scale, order);
        }
        total->scale = scale;
    }
}

/* The better of two sizes for the orders inf and -inf; NaN if either is. */
static inline double better_size(double a, double b, double order) {
    const bool is_better = order > 0 ? b > a : b < a;
    return is_better || b != b ? b : a;
}

static inline scaled_sum both_norms(scaled_sum total, scaled_sum part, double order) {
    if (part.scale < 0) {
        return total;
    }
    if (total.scale < 0) {
        return part;
    }
    if (isinf(order)) {
        return scaled_sum{1, better_size(total.sum, part.sum, order)};
    }
    if (order != 0) {
        rescale(&total, part.scale, order);
        rescale(&part, total.scale, order);
    }
    total.sum += part.sum;
    return total;
}

/* The norm of some sizes. */
template <int COUNT> static inline scaled_sum norm_of(const double *sizes, double order) {
    if (isinf(order)) {
        double best = sizes[0];
#pragma unroll
        for (int k = 1; k < COUNT; k++) {
            best = better_size(best, sizes[k], order);
        }
        return scaled_sum{1, best};
    }
    double sum = 0;
    if (order == 0) {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            sum += sizes[k] != 0;
        }
        return scaled_sum{1, sum};
    }
    double largest = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        largest = sizes[k] > largest && sizes[k] < (double)INFINITY ? sizes[k] : largest;
    }
    const bool is_simple = order == 1 || order == 2;
    const double scale = is_simple && largest >= LEAST_SAFE && largest <= LARGEST_SAFE ? 1 : largest;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        sum += norm_power(scale > 0 ? sizes[k] / scale : sizes[k], order);
    }
    return scaled_sum{scale, sum};
}

/* Adds sizes to a norm.  IS_NARROW: their squares are in no danger. */
template <bool IS_NARROW, int COUNT>
static inline void fold_sizes(scaled_sum *total, const double *sizes, double order) {
    if (IS_NARROW && order == 2) {
        double sum = total->scale < 0 ? 0 : total->sum;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            sum += sizes[k] * sizes[k];
        }
        *total = scaled_sum{1, sum};
    } else {
        *total = both_norms(*total, norm_of<COUNT>(sizes, order), order);
    }
}

static inline double last_norm(scaled_sum total, double order) {
    const double scale = total.scale > 0 ? total.scale : 1;
    if (isinf(order) || order == 0) {
        return total.sum;
    }
    if (order == 1) {
        return scale * total.sum;
    }
    return scale * (order == 2 ? sqrt(total.sum) : pow(total.sum, 1 / order));
}

/* sum * e^largest is the sum of the exponentials; `largest` is the largest number seen, of complex ones the largest real
 * part, whose power alone may leave the range of a double.  SUM is as MEAN above. */
template <class SUM> struct powers {
    double largest;
    SUM sum;
};

/* What is subtracted before a power is taken: where that is infinite, nothing. */
static inline double powers_shift(double largest) {
    return isinf(largest) ? 0 : largest;
}

/* The same powers over e to another `largest`, which is no less. */
template <class SUM> static inline SUM powers_over(powers<SUM> total, double largest) {
    return total.largest == largest ? total.sum : total.sum * gn_exp(total.largest - powers_shift(largest));
}

template <class SUM> static inline powers<SUM> both_powers(powers<SUM> total, powers<SUM> part) {
    if (total.sum == 0) { /* e to infinity by 0 would be NaN */
        return part;
    }
    if (part.sum == 0) {
        return total;
    }
    const double largest = part.largest > total.largest ? part.largest : total.largest;
    return powers<SUM>{largest, powers_over(total, largest) + powers_over(part, largest)};
}

#define GN_TEMPLATE "../cuda/statistics_dtype.cuh"
#include "../c/each_dtype.h"
