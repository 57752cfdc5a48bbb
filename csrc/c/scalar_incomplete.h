/* The incomplete gamma functions, and how samples of gamma and beta variables move with their parameters, in double
 * precision; for C and CUDA.  The reference's numerics/incomplete.py explains the formulas.
 *
 * Takahasi and Mori, "Double exponential formulas for numerical integration" (1974). */
#ifndef GN_SCALAR_INCOMPLETE_H
#define GN_SCALAR_INCOMPLETE_H

#if defined(GN_CUDA_CODE)
#define GN_VECTOR /* a thread computes one element */
#else
#include "half_vectors.h"
#endif
#include "scalar_parts.h"
#include "scalar_special.h"

#define GN_STIRLING 8.0 /* from here on, Stirling's series of the gamma function */
#define GN_LONG_SERIES 64.0 /* from this parameter on the series are longer than the quadrature */
#define GN_TINY 1e-17         /* exp(-x) is 1 below */

/* t - log1p(t), without cancellation near 0: with s = t / (2 + t), log1p(t) is 2 (s + s^3 / 3 + s^5 / 5 + ...). */
GN_INLINE double gn_log_rest(double t) {
    const double s = t / (2 + t);
    const double square = s * s;
    double series = 0;
    for (int k = 25; k >= 3; k -= 2) {
        series = GN_FMA(series, square, 1.0 / k);
    }
    const double near = t * s - 2 * s * square * series;
    return fabs(t) < 0.5 ? near : t - gn_log1p_float64(t);
}

/* y + expm1(-y), without cancellation near 0. */
GN_INLINE double gn_exp_rest(double y) {
    double series = 1;
    for (int k = 15; k >= 3; k--) {
        series = 1 - y * series * (1.0 / k);
    }
    return fabs(y) < 0.5 ? y * y * series * 0.5 : y + gn_expm1_float64(-y);
}

/* What is integrated over y from 0 to infinity: a density at a value that y tells, divided by the density at x, times
 * constant + of_log * log(value / x) + of_y * y.  The value is
 *   x + y            above a gamma variable, also one of large a, where terms would cancel,
 *   x * exp(-y)      below one,
 *   1 - (1 - x) * exp(-y), or x * exp(-y)   above or below a beta variable, where the density has the factors
 *                    (1 - ratio * expm1(-y))^power and exp(-rate * y), and the logarithm is that of the first. */
typedef enum gn_integrand_kind { GN_ABOVE_GAMMA, GN_ABOVE_LARGE_GAMMA, GN_BELOW_GAMMA, GN_BETA } gn_integrand_kind;
typedef struct gn_integrand {
    gn_integrand_kind kind;
    double constant, of_log, of_y;
    double a, x;              /* of gamma variables */
    double power, ratio, rate; /* of beta variables */
} gn_integrand;

GN_INLINE double gn_integrand_at(const gn_integrand_kind kind, const gn_integrand *of, double y) {
    const double a = of->a;
    const double x = of->x;
    double logarithm = 0;
    double exponent;
    double factor = 1;
    if (kind == GN_BETA) {
        logarithm = gn_log1p_float64(-of->ratio * gn_expm1_float64(-y));
        exponent = of->power * logarithm - of->rate * y;
    } else if (kind == GN_BELOW_GAMMA) {
        exponent = -(a - x) * y - x * gn_exp_rest(y);
    } else {
        const double away = y / x;
        logarithm = gn_log1p_float64(away);
        exponent = (a < 1 ? a : a - 1) * logarithm - y; /* of a small a the exponent is small, and so is its error */
        factor = a < 1 ? 1 / (1 + away) : 1;
        if (kind == GN_ABOVE_LARGE_GAMMA) {
            exponent = -(a - 1) * gn_log_rest(away) - (x - a + 1) * away;
        }
    }
    return (of->constant + of->of_log * logarithm + of->of_y * y) * factor * gn_exp_float64(exponent);
}

/* exp(w - exp(-w)), and its derivative, for w = -3.75 + k / 8, k = 0, 1 ... */
#define GN_NODES 80
static inline const double *gn_nodes(void) {
    static const double values[GN_NODES] = {
        8.03016401324862e-21, 1.3455576197241875e-18, 1.2534622584305352e-16, 6.955221091142896e-15,
        2.443096499071765e-13, 5.732352600127084e-12, 9.420603004412965e-11, 1.1307054336209732e-09,
        1.0284459328196162e-08, 7.323633304358804e-08, 4.2021726546172e-07, 1.992713687567574e-06,
        7.986676546391966e-06, 2.759440596732622e-05, 8.363436155539919e-05, 0.00022580943545755312,
        0.0005505445514532494, 0.001226710555486702, 0.002524558532037154, 0.004843698375306866,
        0.008735649715417845, 0.014917550863540676, 0.02427564175077468, 0.03785942601774504, 0.05686927781534189,
        0.08264128066039525, 0.11663320475407389, 0.16041494499280975, 0.21566577304540413, 0.2841797117579015,
        0.36787944117144233, 0.46883850793902904, 0.589311258134141, 0.731769812120779, 0.8989474862671122,
        1.0938882727300459, 1.3200022580740631, 1.581127152443726, 1.8815963875316455, 2.226314511025252,
        2.620840854562775, 3.071482684693031, 3.585399268624974, 4.1707185069614905, 4.836668012815505,
        5.593722759141759, 6.453771681742982, 7.430305921714656, 8.538631725249468, 9.79611139780086,
        11.222436140814079, 12.839935090162575, 14.673925434280315, 16.753109125792623, 19.110022423304084,
        21.781545321246078, 24.809478858139393, 28.241199351814878, 32.130399810533255, 36.5379301302495,
        41.532749231693934, 47.19300404056209, 53.60725219722453, 60.87584762995395, 69.11251067283337,
        78.44610729606678, 89.02266528748687, 101.00765893079229, 114.58859792642075, 129.97796106066767,
        147.41652052214997, 167.1771088763566, 189.5688876344358, 214.94218419988033, 243.6939728691645,
        276.2740856387723, 313.19224998908606, 355.0260637539117, 402.4300318454223, 456.1458062173844,
    };
    return values;
}
static inline const double *gn_weights(void) {
    static const double values[GN_NODES] = {
        3.494814264945465e-19, 5.1837234795166e-17, 4.27624314595209e-15, 2.1021657601993341e-13,
        6.5451385660636925e-12, 1.3620009641812469e-10, 1.9863847248824222e-09, 2.1172938800993914e-08,
        1.7116047072707393e-07, 1.084232725659316e-06, 5.539511564132452e-06, 2.34164048186814e-05,
        8.376215382899916e-05, 0.0002586395383775159, 0.0007016133508864927, 0.001698271919740114,
        0.0037187097005064933, 0.0074564607935801224, 0.013838844912496777, 0.024000897072331266,
        0.039226063178480056, 0.0608668423780104, 0.09026367759608722, 0.12867946773548877, 0.17726153989517146,
        0.2370355191712004, 0.3089288503020388, 0.393817312733799, 0.49258610714531303, 0.6061975125293442,
        0.7357588823428847, 0.8825870390076054, 1.0482673274418048, 1.2347073585342745, 1.4441866981597173,
        1.679404472231701, 1.9435271743308635, 2.2402390105799466, 2.573797015086992, 2.949093010145298,
        3.3717243312021696, 3.8480751252120946, 4.385409981629327, 4.991981674972412, 5.677154886563083,
        6.451547927409664, 7.327194700236098, 8.317729413074822, 9.438596887910096, 10.707291695718068,
        12.143629795989595, 13.770056868429512, 15.611998102800564, 17.698254867355345, 20.061454416204537,
        22.73855963224091, 25.771446747581603, 29.207560052498625, 33.10065381312432, 37.51163298675948,
        42.509505872826274, 48.172463591694786, 54.5891032702862, 61.85981406367072, 70.09834769110887,
        79.43359805307492, 90.01161776799066, 101.99790317492572, 115.57998354943308, 130.97035503974118,
        148.4098052242178, 168.17118030276202, 190.56365386020985, 215.9375639873181, 244.68989443721205,
        277.27048557147356, 314.189072267967, 356.0232589006889, 403.4275561628151, 457.1436211170813,
    };
    return values;
}
/* The integral, by the trapezoidal rule after y = scale * exp(w - exp(-w)).  Nodes go side by side.  Steps are 1 / 8, or
 * 1 / 4 for a result in float32. */
#define GN_NODES_BESIDE 16
GN_INLINE double gn_integral_of(const gn_integrand_kind kind, const gn_integrand *of, double scale, int is_wide) {
    const int every = is_wide ? 1 : 2;
    double sums[GN_NODES_BESIDE] = {0};
    for (int64_t first = 0;; first += GN_NODES_BESIDE * every) {
        double nodes[GN_NODES_BESIDE], weights[GN_NODES_BESIDE];
        if (first + GN_NODES_BESIDE * every <= GN_NODES) {
            for (int i = 0; i < GN_NODES_BESIDE; i++) {
                nodes[i] = gn_nodes()[first + i * every];
                weights[i] = gn_weights()[first + i * every];
            }
        } else {
            for (int i = 0; i < GN_NODES_BESIDE; i++) {
                const double w = (double)(first + i * every) * 0.125 - 3.75;
                const double left = gn_exp_float64(-w);
                nodes[i] = gn_exp_float64(w - left);
                weights[i] = nodes[i] * (1 + left);
            }
        }
        GN_VECTOR
        for (int i = 0; i < GN_NODES_BESIDE; i++) {
            weights[i] *= gn_integrand_at(kind, of, scale * nodes[i]);
            sums[i] += weights[i];
        }
        double halves[GN_NODES_BESIDE / 2];
        for (int i = 0; i < GN_NODES_BESIDE / 2; i++) {
            halves[i] = sums[i] + sums[i + GN_NODES_BESIDE / 2];
        }
        const double total =
            ((halves[0] + halves[4]) + (halves[2] + halves[6])) + ((halves[1] + halves[5]) + (halves[3] + halves[7]));
        if (first > 0 && !(weights[GN_NODES_BESIDE - 1] > (is_wide ? 1e-17 : 1e-10) * total)) {
            return total * scale * 0.125 * every;
        }
    }
}
static inline double gn_integral(gn_integrand of, double scale, int is_wide) {
    switch (of.kind) {
    case GN_ABOVE_GAMMA:
        return gn_integral_of(GN_ABOVE_GAMMA, &of, scale, is_wide);
    case GN_ABOVE_LARGE_GAMMA:
        return gn_integral_of(GN_ABOVE_LARGE_GAMMA, &of, scale, is_wide);
    case GN_BELOW_GAMMA:
        return gn_integral_of(GN_BELOW_GAMMA, &of, scale, is_wide);
    default:
        return gn_integral_of(GN_BETA, &of, scale, is_wide);
    }
}

/* log(c) for c = (2 i + 33) / 32, i = 0 to 15, each the sum of two numbers. */
static inline const double *gn_logarithms_of_pieces(void) {
    static const double rows[32] = {
        0.030771658666753687, 1.0431732029005968e-18,
        0.08961215868968714, -5.4268129336647135e-18,
        0.1451820098444979, 8.242418783022475e-18,
        0.19782574332991987, 1.2821194372980142e-17,
        0.24783616390458127, -1.2432209578702523e-17,
        0.2954642128938359, -2.16461086040599e-17,
        0.3409265869705932, 1.7467136443544747e-17,
        0.38441169891033206, -1.612149700764673e-17,
        0.4260843953109001, -2.499176776547466e-17,
        0.46608972992459924, -1.4116523239904406e-17,
        0.5045560107523953, -2.4888518873597905e-17,
        0.5415972824327444, -3.748764246125639e-17,
        0.5773153650348236, -8.903591846974013e-18,
        0.6118015411059929, -3.7397759448726e-17,
        0.6451379613735847, 9.346960920120906e-19,
        0.6773988235918061, -2.0978183882652005e-18,
    };
    return rows;
}

/* t - log(1 + t) for |t| < 1/16, t the sum of two numbers, to 2^-64 of it: t^2 (1/2 - t (1/3 - t (1/4 - ...))), the first
 * terms in sums of two numbers. */
static inline gn_pair gn_exact_log_rest(gn_pair t) {
    double tail = 0;
    for (int k = 19; k >= 6; k--) {
        tail = 1.0 / k - t.high * tail;
    }
    gn_pair sum = {tail, 0};
    for (int k = 5; k >= 2; k--) {
        const gn_pair product = gn_pair_times(t, sum, 1);
        sum = gn_pair_near(gn_pair_plus(gn_pair_ratio(1, k), gn_pair_by(product, -1), 1));
    }
    return gn_pair_times(gn_pair_near(gn_pair_times(t, t, 1)), sum, 1);
}
/* (x - a) / a - log(x / a), which is never negative, to 2^-64 of it. */
static inline gn_pair gn_exact_log_distance(double a, double x) {
    const gn_pair away = gn_pair_of_sum(x, -a);
    gn_pair t = {away.high / a, 0};
    t.low = (fma(-t.high, a, away.high) + away.low) / a;
    if (fabs(t.high) < 0.0625) {
        return gn_exact_log_rest(t);
    }
    /* x / a = 2^power c (1 + near), where c is the middle of a sixteenth of a binade */
    int32_t power;
    gn_pair ratio = {x / a, 0};
    ratio.low = fma(-ratio.high, a, x) / a;
    const double scaled = 2 * gn_parts(ratio.high, &power);
    const int piece = (int)((scaled - 1) * 16);
    const double middle = (2 * piece + 33) / 32.0;
    const gn_pair apart = {scaled - middle, scalbn(ratio.low, 1 - power)};
    gn_pair near = {(apart.high + apart.low) / middle, 0};
    near.low = (fma(-near.high, middle, apart.high) + apart.low) / middle;
    const gn_pair log_two = {0.6931471805599453, 2.3190468138462996e-17};
    const double *logs = gn_logarithms_of_pieces() + 2 * piece;
    const gn_pair log_middle = {-logs[0], -logs[1]};
    gn_pair sum = gn_pair_plus(t, gn_pair_by(near, -1), 1);
    sum = gn_pair_plus(gn_pair_near(sum), gn_pair_times_number(log_two, 1 - power, 1), 1);
    sum = gn_pair_plus(gn_pair_near(sum), log_middle, 1);
    return gn_pair_near(gn_pair_plus(gn_pair_near(sum), gn_exact_log_rest(near), 1));
}

/* x^a exp(-x) / gamma(a + 1).  From 8 on by Stirling's series, with an exponent in a sum of two numbers: it may be 700,
 * and the error of the result is that of the exponent. */
static inline double gn_gamma_density(double a, double x) {
    if (a < GN_STIRLING) {
        if (x > 1000) {
            return 0;
        }
        const double factor = exp(x > 700 ? x * -0.5 : -x); /* e^-x is 0 before the result is */
        return pow(x, a) * factor * (x > 700 ? factor : 1) * GN_UNIT(gamma_reciprocal, 0, a);
    }
    if (x < a * 1e-250) {
        return 0; /* and what rounds x / a may be subnormal */
    }
    const double pi = 3.14159265358979323846;
    /* B(2 k) / (2 k (2 k - 1)) */
    static const double terms[9] = {1.0 / 12,        -1.0 / 360,        1.0 / 1260,   -1.0 / 1680,      1.0 / 1188,
                                    -691.0 / 360360, 1.0 / 156, -3617.0 / 122400, 43867.0 / 244188};
    const double square = a * a;
    double series = 0;
    for (int k = 8; k >= 0; k--) {
        series = terms[k] + series / square;
    }
    const gn_pair rest = {-series / a, 0};
    gn_pair exponent = gn_pair_times_number(gn_exact_log_distance(a, x), -a, 1);
    exponent = gn_pair_near(gn_pair_plus(exponent, rest, 1));
    return exponent.high > -800 ? exp(exponent.high) * (1 + exponent.low) / sqrt(2 * pi) / sqrt(a) : 0;
}

/* The probability of more than x under Gamma(a, 1), for x above a or a below 0.1. */
static inline double gn_gamma_above(double a, double x, int is_wide) {
    const gn_integrand of = {a < GN_LONG_SERIES ? GN_ABOVE_GAMMA : GN_ABOVE_LARGE_GAMMA, 1, 0, 0, a, x, 0, 0, 0};
    return gn_gamma_density(a, x) * (gn_integral(of, x < 1 ? x : 1, is_wide) / x * a);
}

/* 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ..., terms and sums with what rounding leaves out. */
static inline double gn_gamma_series(double a, double x, int is_wide) {
    gn_pair total = {1, 0}, term = {1, 0};
    for (double n = 1; term.high > (is_wide ? 1e-17 : 1e-10) * total.high; n += 1) {
        const gn_pair below = gn_pair_of_sum(a, n);
        gn_pair factor = {x / below.high, 0};
        factor.low = (fma(-factor.high, below.high, x) - factor.high * below.low) / below.high;
        term = gn_pair_times(term, factor, 1);
        const double sum = total.high + term.high;
        total.low += (total.high - sum + term.high) + term.low;
        total.high = sum;
    }
    return total.high + total.low;
}
/* The probability of at most x under Gamma(a, 1), for x up to a + 1. */
static inline double gn_gamma_below(double a, double x, int is_wide) {
    const double density = gn_gamma_density(a, x);
    if (a < GN_LONG_SERIES) {
        return density * gn_gamma_series(a, x, is_wide);
    }
    const gn_integrand of = {GN_BELOW_GAMMA, 1, 0, 0, a, x, 0, 0, 0};
    return density * (a * gn_integral(of, 1 / a, is_wide));
}

static inline double gn_igamma_to(double a, double x, int is_wide) {
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
    return x <= a + 1 ? gn_gamma_below(a, x, is_wide) : 1 - gn_gamma_above(a, x, is_wide);
}

static inline double gn_igammac_to(double a, double x, int is_wide) {
    if (0 < a && a < 0.1 && 0 < x && x < GN_TINY) {
        return gn_igammac_to(a, GN_TINY, is_wide) - gn_gamma_density(a, GN_TINY) * expm1(a * log(x / GN_TINY));
    }
    const int is_small = a > 0 && (a < x || a < 0.1 || (a < 1 && x > 0.1 * a)); /* where it is below 0.8 */
    return is_small && x > 0 && !isinf(x) ? gn_gamma_above(a, x, is_wide) : 1 - gn_igamma_to(a, x, is_wide);
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
        const gn_integrand_kind kind = is_short ? GN_ABOVE_GAMMA : GN_ABOVE_LARGE_GAMMA;
        const double scale = distance > 1e300 ? 0x1p-10 : 1; /* where a sum of terms would overflow before its step */
        const gn_integrand of = {kind, distance * scale, scale, 0, a, x, 0, 0, 0};
        return gn_integral(of, 1, 1) / scale;
    }
    if (!is_short) {
        const gn_integrand of = {GN_BELOW_GAMMA, -distance, 0, 1, a, x, 0, 0, 0};
        return x * gn_integral(of, 1 / a, 1);
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
        return gn_integral(of, 1 / beta, 1);
    }
    if (!is_short) {
        const double ratio = x / (1 - x);
        const gn_integrand of = {GN_BETA, mean - log_x, 0, 1, 0, 0, beta - 1, ratio, alpha};
        return ratio * gn_integral(of, 1 / alpha, 1);
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

static inline double gn_igamma_float64(double a, double x) {
    return gn_igamma_to(a, x, 1);
}
static inline double gn_igammac_float64(double a, double x) {
    return gn_igammac_to(a, x, 1);
}
static inline float gn_igamma_float32(float a, float x) {
    return (float)gn_igamma_to((double)a, (double)x, 0);
}
static inline float gn_igammac_float32(float a, float x) {
    return (float)gn_igammac_to((double)a, (double)x, 0);
}
static inline float gn_standard_gamma_grad_float32(float a, float x) {
    return (float)gn_standard_gamma_grad_float64(a, x);
}
static inline float gn_dirichlet_grad_float32(float x, float alpha, float total) {
    return (float)gn_dirichlet_grad_float64(x, alpha, total);
}

#endif
