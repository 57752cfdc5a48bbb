/* Activations and their gradients, for REAL = float and double; scalar.h includes this file for each, after
 * scalar_real.h. */

/* 1 / (1 + e^-x), or e^x / (1 + e^x).  Either is m - m q with q = e / (1 + e), where e is the power that is at most 1:
 * what rounding does to the sum matters less to this difference than to a quotient. */
GN_INLINE REAL NAME(gn_sigmoid)(REAL x) {
    const REAL power = NAME(gn_exp_negative)(-FUNCTION(fabs)(x));
    const REAL m = x < 0 ? power : 1;
    return GN_FMA(-m, power / (1 + power), m);
}

/* x / (1 + e^-x).  From 40 on it is x, and below the least exponent 0. */
GN_INLINE REAL NAME(gn_silu)(REAL x) {
    REAL scale;
    const REAL sum = NAME(gn_one_plus_exp)(x, &scale);
    const REAL result = x * scale / sum;
    const REAL high = x > 40 ? x : result;
    return x < LEAST_EXPONENT ? x * 0 : high;
}

/* The gradient of silu at x. */
GN_INLINE REAL NAME(gn_silu_backward)(REAL gradient, REAL x) {
    const REAL sigmoid = NAME(gn_sigmoid)(x);
    return gradient * sigmoid * (1 + x * (1 - sigmoid));
}

/* `approximate` is 't' for the tanh form. */
GN_INLINE REAL NAME(gn_gelu)(REAL x, int64_t approximate) {
    if (approximate == 't') {
        const REAL scale = (REAL)0.79788456080286535588; /* sqrt(2 / pi) */
        return (REAL)0.5 * x * (1 + NAME(gn_tanh)(scale * (x + (REAL)0.044715 * x * x * x)));
    }
    return NAME(gn_normal_product)(x);
}

/* The gradient of gelu at x. */
GN_INLINE REAL NAME(gn_gelu_backward)(REAL gradient, REAL x, int64_t approximate) {
    if (approximate == 't') {
        const REAL scale = (REAL)0.79788456080286535588; /* sqrt(2 / pi) */
        const REAL cubic = (REAL)0.044715;
        const REAL tangent = NAME(gn_tanh)(scale * (x + cubic * x * x * x));
        const REAL left = (REAL)0.5 * (1 + tangent);
        const REAL right = (REAL)0.5 * x * (1 - tangent * tangent) * scale * (1 + 3 * cubic * x * x);
        return gradient * (left + right);
    }
    const REAL density = (REAL)0.39894228040143267794; /* 1 / sqrt(2 pi) */
    return gradient * (NAME(gn_normal)(x) + x * density * NAME(gn_exp)(x * x * (REAL)-0.5));
}

GN_INLINE REAL NAME(gn_elu)(REAL x, REAL alpha, REAL scale, REAL input_scale) {
    const REAL below = NAME(gn_expm1)(x * input_scale) * alpha * scale;
    return x < 0 ? below : x * scale;
}
/* At 0 the slope is that from the left. */
GN_INLINE REAL NAME(gn_elu_backward)(REAL gradient, REAL x, REAL alpha, REAL scale, REAL input_scale,
                                         int64_t is_result) {
    const REAL slope = is_result ? x + alpha * scale : alpha * scale * NAME(gn_exp)(x * input_scale);
    return x <= 0 ? gradient * input_scale * slope : gradient * scale;
}

GN_INLINE REAL NAME(gn_softplus)(REAL x, REAL beta, REAL threshold) {
    const REAL curved = NAME(gn_log1p)(NAME(gn_exp)(x * beta)) / beta;
    return x * beta > threshold ? x : curved;
}
GN_INLINE REAL NAME(gn_softplus_backward)(REAL gradient, REAL x, REAL beta, REAL threshold) {
    const REAL curved = gradient * NAME(gn_sigmoid)(x * beta);
    return x * beta > threshold ? gradient : curved;
}

/* The logarithm of sigmoid, from e^-|x|. */
GN_INLINE REAL NAME(gn_log_sigmoid)(REAL x, REAL decayed) {
    return (x > 0 ? 0 : x) - NAME(gn_log1p)(decayed);
}
GN_INLINE REAL NAME(gn_log_sigmoid_backward)(REAL gradient, REAL x, REAL decayed) {
    const REAL share = decayed / (1 + decayed);
    return gradient * (x < 0 ? 1 - share : share);
}

/* x tanh log (1 + e) with e = e^x, as a quotient. */
GN_INLINE REAL NAME(gn_mish)(REAL x) {
    const REAL e = NAME(gn_exp)(x > 20 ? 20 : x);
    const REAL n = e * (e + 2);
    const REAL curved = x * (n / (n + 2));
    return x > 20 ? x : curved;
}

GN_INLINE REAL NAME(gn_softshrink)(REAL x, REAL lambda) {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * 0;
}
/* `through`, and 0 where x is between -lambda and lambda. */
GN_INLINE REAL NAME(gn_shrink)(REAL through, REAL x, REAL lambda) {
    return (x >= -lambda) & (x <= lambda) ? 0 : through;
}

/* x between 0 and 6. */
GN_INLINE REAL NAME(gn_six)(REAL x) {
    const REAL above = x < 0 ? 0 : x;
    return above > 6 ? 6 : above;
}
/* In double precision what overflows before the division is infinite, as in the reference. */
GN_INLINE REAL NAME(gn_hardswish)(REAL x) {
    const REAL bounded = NAME(gn_six)(x + 3);
    return sizeof x == sizeof(double) ? x * bounded / 6 : x * (bounded / 6);
}
GN_INLINE REAL NAME(gn_hardswish_backward)(REAL gradient, REAL x) {
    const REAL middle = gradient * (x / 3 + (REAL)0.5);
    return x <= -3 ? 0 : x < 3 ? middle : gradient;
}

/* x kept eps away from 0 and 1; a negative or absent (NaN) eps is none. */
GN_INLINE REAL NAME(gn_logit)(REAL x, REAL eps) {
    const REAL kept = x < eps ? eps : x > 1 - eps ? 1 - eps : x;
    const REAL p = eps >= 0 ? kept : x;
    return NAME(gn_log)(p / (1 - p));
}

GN_INLINE REAL NAME(gn_logaddexp)(REAL a, REAL b) {
    const REAL larger = (a >= b) | (a != a) ? a : b;
    const REAL smaller = (a >= b) | (a != a) ? b : a;
    const REAL sum = larger + NAME(gn_log1p)(NAME(gn_exp)(smaller - larger));
    return (a == b) & (FUNCTION(fabs)(a) == (REAL)INFINITY) ? a : sum;
}
GN_INLINE REAL NAME(gn_logaddexp2)(REAL a, REAL b) {
    const REAL larger = (a >= b) | (a != a) ? a : b;
    const REAL sum = larger + NAME(gn_log1p)(NAME(gn_exp2)(-FUNCTION(fabs)(a - b))) * (REAL)1.44269504088896340736;
    return (a == b) & (FUNCTION(fabs)(a) == (REAL)INFINITY) ? a : sum;
}

/* a ln b; 0 where a is 0, whatever the logarithm, but for NaN. */
GN_INLINE REAL NAME(gn_xlogy)(REAL a, REAL b) {
    const REAL product = a * NAME(gn_log)(b);
    return b != b ? b : a == 0 ? 0 : product;
}

/* Losses of a difference. */
GN_INLINE REAL NAME(gn_smooth_l1)(REAL x, REAL beta) {
    const REAL size = FUNCTION(fabs)(x);
    return size < beta ? (REAL)0.5 * size * size / beta : size - (REAL)0.5 * beta;
}
GN_INLINE REAL NAME(gn_huber)(REAL x, REAL delta) {
    const REAL size = FUNCTION(fabs)(x);
    return size <= delta ? (REAL)0.5 * size * size : delta * (size - (REAL)0.5 * delta);
}

/* Logarithms are at least -100. */
GN_INLINE REAL NAME(gn_binary_cross_entropy)(REAL p, REAL target) {
    const REAL right = NAME(gn_log)(p);
    const REAL wrong = NAME(gn_log1p)(-p);
    return (target - 1) * (wrong < -100 ? -100 : wrong) - target * (right < -100 ? -100 : right);
}
GN_INLINE int NAME(gn_no_probability)(REAL x) {
    return !((x >= 0) & (x <= 1));
}

GN_INLINE REAL NAME(gn_frac)(REAL x) {
    return x - FUNCTION(trunc)(x);
}

/* Scaled, rounded, and scaled back. */
GN_INLINE REAL NAME(gn_round_decimals)(REAL x, REAL scale, int64_t decimals) {
    return decimals > 0 ? FUNCTION(rint)(x * scale) / scale : FUNCTION(rint)(x / scale) * scale;
}

/* The angle of a real number. */
GN_INLINE REAL NAME(gn_angle)(REAL x) {
    return x != x ? x : x < 0 ? (REAL)3.14159265358979323846 : 0;
}

/* Numbers that are not finite, replaced. */
GN_INLINE REAL NAME(gn_finite)(REAL x, REAL nan, REAL highest, REAL lowest) {
    const REAL below = x == -(REAL)INFINITY ? lowest : x;
    const REAL between = x == (REAL)INFINITY ? highest : below;
    return x != x ? nan : between;
}
