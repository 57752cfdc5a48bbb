/* The incomplete gamma functions, and how samples of gamma and beta variables move with their parameters, in double
 * precision; for C and CUDA.  The reference's numerics/incomplete.py explains the formulas.
 *
 * Takahasi and Mori, "Double exponential formulas for numerical integration" (1974). */
#ifndef GN_SCALAR_INCOMPLETE_H
#define GN_SCALAR_INCOMPLETE_H

#include "scalar_gamma.h"

#define GN_LONG_SERIES 64.0 /* from this parameter on the series are longer than the quadrature */

/* What is integrated over y from 0 to infinity: (constant + of_log * L + of_y * y) * exp(power * L - rate * y), with
 * L = log1p(ratio * y) above a gamma variable, -ratio * expm1(-y) below one, and log1p(-ratio * expm1(-y)) for a beta
 * variable. */
typedef enum gn_integrand_kind { GN_ABOVE_GAMMA, GN_BELOW_GAMMA, GN_BETA } gn_integrand_kind;
typedef struct gn_integrand {
    gn_integrand_kind kind;
    double constant, of_log, of_y, power, ratio, rate;
} gn_integrand;

static inline double gn_integrand_at(const gn_integrand *of, double y) {
    const double moved = of->kind == GN_ABOVE_GAMMA ? of->ratio * y : -of->ratio * expm1(-y);
    const double logarithm = of->kind == GN_BELOW_GAMMA ? moved : log1p(moved);
    return (of->constant + of->of_log * logarithm + of->of_y * y) * exp(of->power * logarithm - of->rate * y);
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
    return exp(-a * (away - log1p(away)) - series) / sqrt(2 * pi * a);
}

/* The probability of more than x under Gamma(a, 1), for x above a. */
static inline double gn_gamma_above(double a, double x) {
    const gn_integrand of = {GN_ABOVE_GAMMA, 1, 0, 0, a - 1, 1 / x, 1};
    return gn_gamma_density(a, x) * (a / x) * gn_integral(of, 1);
}

/* The probability of at most x under Gamma(a, 1), for x up to a + 1. */
static inline double gn_gamma_below(double a, double x) {
    double total = 1;
    if (a >= GN_LONG_SERIES) {
        const gn_integrand of = {GN_BELOW_GAMMA, 1, 0, 0, 1, x, a};
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
    if (!(a >= 0 && x >= 0) || (a == x && (a == 0 || isinf(a)))) {
        return (double)NAN;
    }
    if (x == 0 || isinf(a)) {
        return 0;
    }
    if (a == 0 || isinf(x)) {
        return 1;
    }
    return x <= a + 1 ? gn_gamma_below(a, x) : 1 - gn_gamma_above(a, x);
}

static inline double gn_igammac_float64(double a, double x) {
    return a > 0 && a + 1 < x && !isinf(x) ? gn_gamma_above(a, x) : 1 - gn_igamma_float64(a, x);
}

/* The derivative of a sample x of Gamma(a, 1) by a. */
static inline double gn_standard_gamma_grad_float64(double a, double x) {
    if (!(a > 0 && x > 0) || isinf(a) || isinf(x)) {
        return x == 0 && a > 0 ? 0 : (double)NAN;
    }
    const double log_x = log(x);
    double next_mean = gn_digamma_positive(a + 1);
    const double mean = next_mean - 1 / a; /* of the logarithm */
    if (log_x >= (a < GN_LONG_SERIES ? next_mean : mean)) {
        const gn_integrand of = {GN_ABOVE_GAMMA, log_x - mean, 1, 0, a - 1, 1 / x, 1};
        return gn_integral(of, 1);
    }
    if (a >= GN_LONG_SERIES) {
        const gn_integrand of = {GN_BELOW_GAMMA, mean - log_x, 0, 1, 1, x, a};
        return x * gn_integral(of, 1 / a);
    }
    double total = 0;
    double term = x / a;
    for (double n = a + 1;; n += 1) {
        const double added = term * (next_mean - log_x);
        total += added;
        if (!(added > 1e-17 * total)) {
            return total;
        }
        term *= x / n;
        next_mean += 1 / n;
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
        const gn_integrand of = {GN_BETA, log_x - mean, 1, 0, alpha - 1, (1 - x) / x, beta};
        return gn_integral(of, 1 / beta);
    }
    if (!is_short) {
        const double ratio = x / (1 - x);
        const gn_integrand of = {GN_BETA, mean - log_x, 0, 1, beta - 1, ratio, alpha};
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
