/* Variances, norms and logsumexp: reductions whose accumulators have several numbers, in double precision.
 *
 * Elements are folded in groups: the mean or the largest of a group is computed first, so that there is one division or
 * power per group. */
#include "reduction.cuh"

/* The mean, what it is short of, the count, and the sum of squared distances from the mean. MEAN is double, or
 * gn_complex128 for complex elements, whose distances are in the complex plane. */
template <class MEAN> struct moments {
    MEAN mean, rest;
    double count, squares;
};

/* The inner product of two distances. */
static inline double product_of(double a, double b) {
    return a * b;
}
static inline double product_of(gn_complex128 a, gn_complex128 b) {
    return a.re * b.re + a.im * b.im;
}
static inline bool is_finite(double a) {
    return isfinite(a);
}
static inline bool is_finite(gn_complex128 a) {
    return isfinite(a.re) && isfinite(a.im);
}

/* Adds to a mean and its rest. */
static inline void add_to_mean(double *mean, double *rest, double distance) {
    const double low = *rest + distance;
    const double sum = *mean + low;
    const double kept = sum - *mean;
    *rest = isfinite(sum) ? (*mean - (sum - kept)) + (low - kept) : 0;
    *mean = sum;
}
static inline void add_to_mean(gn_complex128 *mean, gn_complex128 *rest, gn_complex128 distance) {
    add_to_mean(&mean->re, &rest->re, distance.re);
    add_to_mean(&mean->im, &rest->im, distance.im);
}

/* Moves the distances, whose sum this is, from a mean to what it is with its rest. */
template <class MEAN> static inline void correct_moments(moments<MEAN> *part, MEAN sum) {
    const MEAN rest = sum / part->count;
    const double excess = product_of(sum, rest);
    if (is_finite(sum)) {
        part->rest = rest;
        if (isfinite(excess)) {
            part->squares = excess < part->squares ? part->squares - excess : 0;
        }
    }
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
    const MEAN away = (part.mean - total.mean) + (part.rest - total.rest);
    total.squares += part.squares + product_of(away, away) * (total.count * share);
    add_to_mean(&total.mean, &total.rest, away * share);
    total.count = count;
    return total;
}

/* sum * scale^order is the sum of powers of absolute values; divided by the scale these are at most 1, so that their
 * powers do not overflow. For the orders 0, inf and -inf, `sum` is the result itself. */
struct scaled_sum {
    double scale; /* -1: no elements yet; 0: only zeros, infinities and NaN */
    double sum;
};

/* In this range squares and their sums neither overflow nor underflow, and smaller numbers are negligible beside
 * these. */
#define LEAST_SAFE 1e-140
#define LARGEST_SAFE 1e140

static inline double norm_power(double size, double order) {
    return order == 2 ? size * size : order == 1 ? size : pow(size, order);
}

/* Increases the scale; sums that are 0 or infinite do not change. */
static inline void rescale(scaled_sum *total, double scale, double order) {
    if (scale > total->scale) {
        if (total->scale > 0 && total->sum != 0 && !isinf(total->sum)) {
            total->sum *= norm_power(total->scale / scale, order);
        }
        total->scale = scale;
    }
}

/* The larger size for order inf, the smaller for -inf; NaN if either is. */
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

/* The accumulator of a group of sizes. */
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

/* Adds sizes to an accumulator. IS_NARROW: the dtype's squares are in the range of a double, so that no scale is
 * needed. */
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

/* sum * e^largest is the sum of exponentials. `largest` is the largest number so far, for complex ones the largest real
 * part, since only its exponential can overflow. SUM is double or gn_complex128. */
template <class SUM> struct powers {
    double largest;
    SUM sum;
};

/* What is subtracted from exponents: the largest number, or 0 if that is infinite. */
static inline double powers_shift(double largest) {
    return isinf(largest) ? 0 : largest;
}

/* The sum relative to another `largest`, which is not smaller. */
template <class SUM> static inline SUM powers_over(powers<SUM> total, double largest) {
    return total.largest == largest ? total.sum : total.sum * gn_exp(total.largest - powers_shift(largest));
}

template <class SUM> static inline powers<SUM> both_powers(powers<SUM> total, powers<SUM> part) {
    if (total.sum == 0) { /* e^inf * 0 would be NaN */
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
