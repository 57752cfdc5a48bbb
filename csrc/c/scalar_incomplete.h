/* The incomplete gamma functions, and how samples of gamma and beta variables move with their parameters, in double
 * precision; for C and CUDA.  The reference's numerics/incomplete.py explains the formulas.
 *
 * Takahasi and Mori, "Double exponential formulas for numerical integration" (1974). */
#ifndef GN_SCALAR_INCOMPLETE_H
#define GN_SCALAR_INCOMPLETE_H

#include "scalar_gamma.h"

#define GN_LONG_SERIES 64.0 /* from this parameter on the series are longer than the quadrature */
#define GN_TINY 1e-17         /* exp(-x) is 1 below */

/* t - log1p(t), without cancellation near 0. */
static inline double gn_log_rest(double t) {
    if (fabs(t) > 0.01) {
        return t - log1p(t);
    }
    double series = 0;
    for (int k = 10; k >= 2; k--) {
        series = 1.0 / k - t * series;
    }
    return t * t * series;
}

/* y + expm1(-y), without cancellation near 0. */
static inline double gn_exp_rest(double y) {
    if (fabs(y) > 0.01) {
        return y + expm1(-y);
    }
    double series = 1;
    for (int k = 8; k >= 3; k--) {
        series = 1 - y * series / k;
    }
    return y * y * series / 2;
}

/* What is integrated over y from 0 to infinity: a density at a value that y tells, divided by the density at x, times
 * constant + of_log * log(value / x) + of_y * y.  The value is
 *   x + y            above a gamma variable,
 *   x * exp(-y)      below one,
 *   1 - (1 - x) * exp(-y), or x * exp(-y)   above or below a beta variable, where the density has the factors
 *                    (1 - ratio * expm1(-y))^power and exp(-rate * y), and the logarithm is that of the first. */
typedef enum gn_integrand_kind { GN_ABOVE_GAMMA, GN_BELOW_GAMMA, GN_BETA } gn_integrand_kind;
typedef struct gn_integrand {
    gn_integrand_kind kind;
    double constant, of_log, of_y;
    double a, x;              /* of gamma variables */
    double power, ratio, rate; /* of beta variables */
} gn_integrand;

static inline double gn_integrand_at(const gn_integrand *of, double y) {
    const double a = of->a;
    const double x = of->x;
    double logarithm = 0;
    double exponent;
    if (of->kind == GN_BETA) {
        logarithm = log1p(-of->ratio * expm1(-y));
        exponent = of->power * logarithm - of->rate * y;
    } else if (of->kind == GN_BELOW_GAMMA) {
        exponent = -(a - x) * y - x * gn_exp_rest(y);
    } else {
        logarithm = log1p(y / x);
        exponent = a < GN_LONG_SERIES ? (a - 1) * logarithm - y
                                      : -(a - 1) * gn_log_rest(y / x) - (x - a + 1) * (y / x);
    }
    return (of->constant + of->of_log * logarithm + of->of_y * y) * exp(exponent);
}

/* The integral, by the trapezoidal rule after y = scale * exp(w - exp(-w)). */
static inline double gn_integral(gn_integrand of, double scale) {
    const double step = 0.125;
    double total = 0;
    for (double w = -3.75;; w += step) {
        const double left = exp(-w);
        const double y = scale * exp(w - left);
        const double term = gn_integrand_at(&of, y) * y * (1 + left);
        total += term;
        if (w > 0 && !(term > 1e-17 * total)) {
            return total * step;
        }
    }
}

/* x^a exp(-x) / gamma(a + 1); by Stirling's series for large a, where large terms would cancel. */
static inline double gn_gamma_density(double a, double x) {
    if (a < 32) {
        return exp(a * log(x) - x - lgamma(a + 1));
    }
    const double pi = 3.14159265358979323846;
    const double square = a * a;
    const double series = (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / a;
    const double away = (x - a) / a;
    const double rest = fabs(away) < 0.5 ? gn_log_rest(away) : away - (log(x) - log(a));
    return exp(-a * rest - series) / sqrt(2 * pi) / sqrt(a);
}

/* The probability of more than x under Gamma(a, 1), for x above a or a below 0.1. */
static inline double gn_gamma_above(double a, double x) {
    const gn_integrand of = {GN_ABOVE_GAMMA, 1, 0, 0, a, x, 0, 0, 0};
    return gn_gamma_density(a, x) * (gn_integral(of, x < 1 ? x : 1) / x * a);
}

/* The probability of at most x under Gamma(a, 1), for x up to a + 1. */
static inline double gn_gamma_below(double a, double x) {
    double total = 1;
    if (a >= GN_LONG_SERIES) {
        const gn_integrand of = {GN_BELOW_GAMMA, 1, 0, 0, a, x, 0, 0, 0};
        total = a * gn_integral(of, 1 / a);
    } else {
        double term = 1;
        for (double n = a + 1; term > 1e-17 * total; n += 1) {
            term *= x / n;
            total += term;
        }
    }
    return gn_gamma_density(a, x) * total;
}

static inline double gn_igamma_float64(double a, double x) {
    if (a < 0 || x < 0 || (a == x && (a == 0 || isinf(a)))) {
        return (double)NAN;
    }
    if (a == 0 && x > 0) {
        return 1;
    }
    if (x == 0 || isinf(a)) {
        return 0;
    }
    if (isinf(x)) {
        return 1;
    }
    if (a != a || x != x) {
        return (double)NAN;
    }
    return x <= a + 1 ? gn_gamma_below(a, x) : 1 - gn_gamma_above(a, x);
}

static inline double gn_igammac_float64(double a, double x) {
    if (0 < a && a < 0.1 && 0 < x && x < GN_TINY) {
        return gn_igammac_float64(a, GN_TINY) - gn_gamma_density(a, GN_TINY) * expm1(a * log(x / GN_TINY));
    }
    const int is_small = a > 0 && (a < x || a < 0.1);
    return is_small && x > 0 && !isinf(x) ? gn_gamma_above(a, x) : 1 - gn_igamma_float64(a, x);
}

/* log(x) - digamma(a) of large a, where they may be nearly equal, by the asymptotic series. */
static inline double gn_log_over_mean(double a, double x) {
    const double square = a * a;
    const double ratio = x > 0.5 * a ? log1p((x - a) / a) : log(x) - log(a);
    return ratio + (0.5 + (1.0 / 12 - (1.0 / 120 - 1.0 / 252 / square) / square) / a) / a;
}

/* The derivative of a sample x of Gamma(a, 1) by a. */
static inline double gn_standard_gamma_grad_float64(double a, double x) {
    if (!(a > 0 && x > 0) || isinf(a) || isinf(x)) {
        return x == 0 && a > 0 ? 0 : (double)NAN;
    }
    const int is_short = a < GN_LONG_SERIES;
    double below_mean = is_short ? gn_digamma_positive(a + 1) - log(x) : 0; /* digamma(n + 1) - log(x) */
    const double distance = is_short ? 1 / a - below_mean : gn_log_over_mean(a, x);
    if (is_short ? below_mean <= 0 : distance >= 0) {
        if (isinf(distance)) { /* of a subnormal a */
            return distance;
        }
        const gn_integrand of = {GN_ABOVE_GAMMA, distance, 1, 0, a, x, 0, 0, 0};
        return gn_integral(of, 1);
    }
    if (!is_short) {
        const gn_integrand of = {GN_BELOW_GAMMA, -distance, 0, 1, a, x, 0, 0, 0};
        return x * gn_integral(of, 1 / a);
    }
    double total = 0;
    double term = x / a;
    for (double n = a + 1;; n += 1) {
        const double added = term * below_mean;
        total += added;
        if (!(added > 1e-17 * total)) {
            return total;
        }
        term *= x / n;
        below_mean += 1 / n;
    }
}

/* The derivative of a sample x of Beta(alpha, total - alpha) by alpha, over 1 - x. */
static inline double gn_dirichlet_grad_float64(double x, double alpha, double total) {
    const double beta = total - alpha;
    if (!(x > 0 && x < 1 && alpha > 0 && beta > 0) || isinf(total)) {
        return x == 0 && alpha > 0 && beta > 0 ? 0 : (double)NAN;
    }
    const double log_x = log(x);
    double next_mean = gn_digamma_positive(alpha + 1);
    double of_total = gn_digamma_positive(total);
    const double mean = next_mean - 1 / alpha - of_total; /* of the logarithm */
    const int is_short = x < 0.9 && alpha < GN_LONG_SERIES;
    if (log_x >= (is_short ? next_mean - of_total : mean)) {
        const gn_integrand of = {GN_BETA, log_x - mean, 1, 0, 0, 0, alpha - 1, (1 - x) / x, beta};
        return gn_integral(of, 1 / beta);
    }
    if (!is_short) {
        const double ratio = x / (1 - x);
        const gn_integrand of = {GN_BETA, mean - log_x, 0, 1, 0, 0, beta - 1, ratio, alpha};
        return ratio * gn_integral(of, 1 / alpha);
    }
    double result = 0;
    double term = x / alpha;
    for (double n = 1;; n += 1) {
        const double added = term * (next_mean - of_total - log_x);
        result += added;
        if (!(added > 1e-17 * result)) {
            return result;
        }
        term *= x * (total + n - 1) / (alpha + n);
        next_mean += 1 / (alpha + n);
        of_total += 1 / (total + n - 1);
    }
}

static inline float gn_igamma_float32(float a, float x) {
    return (float)gn_igamma_float64(a, x);
}
static inline float gn_igammac_float32(float a, float x) {
    return (float)gn_igammac_float64(a, x);
}
static inline float gn_standard_gamma_grad_float32(float a, float x) {
    return (float)gn_standard_gamma_grad_float64(a, x);
}
static inline float gn_dirichlet_grad_float32(float x, float alpha, float total) {
    return (float)gn_dirichlet_grad_float64(x, alpha, total);
}

#endif
