/* Functions of one element, for REAL = float and double.  scalar.h includes this file for each, with FUNCTION(sin)
 * the C library's function and NAME(sin) ours. */

/* 1 where x is NaN. */
static inline int NAME(gn_isnan)(REAL x) {
    return x != x;
}

/* 1 where x is an infinity. */
static inline int NAME(gn_isinf)(REAL x) {
    return FUNCTION(fabs)(x) == (REAL)INFINITY;
}

static inline REAL NAME(gn_sigmoid)(REAL x) {
    return 1 / (1 + NAME(gn_exp)(-x));
}

static inline REAL NAME(gn_silu)(REAL x) {
    return x / (1 + NAME(gn_exp)(-x));
}

/* The gradient of silu at x. */
static inline REAL NAME(gn_silu_backward)(REAL gradient, REAL x) {
    const REAL sigmoid = NAME(gn_sigmoid)(x);
    return gradient * sigmoid * (1 + x * (1 - sigmoid));
}

/* `approximate` is 't' for the tanh form. */
static inline REAL NAME(gn_gelu)(REAL x, int64_t approximate) {
    if (approximate == 't') {
        const REAL scale = (REAL)0.79788456080286535588; /* sqrt(2 / pi) */
        return (REAL)0.5 * x * (1 + NAME(gn_tanh)(scale * (x + (REAL)0.044715 * x * x * x)));
    }
    const REAL scale = (REAL)0.70710678118654752440; /* sqrt(1 / 2) */
    return x * (REAL)0.5 * (1 + NAME(gn_erf)(x * scale));
}

/* The gradient of gelu at x. */
static inline REAL NAME(gn_gelu_backward)(REAL gradient, REAL x, int64_t approximate) {
    if (approximate == 't') {
        const REAL scale = (REAL)0.79788456080286535588; /* sqrt(2 / pi) */
        const REAL cubic = (REAL)0.044715;
        const REAL tangent = NAME(gn_tanh)(scale * (x + cubic * x * x * x));
        const REAL left = (REAL)0.5 * (1 + tangent);
        const REAL right = (REAL)0.5 * x * (1 - tangent * tangent) * scale * (1 + 3 * cubic * x * x);
        return gradient * (left + right);
    }
    const REAL half_root = (REAL)0.70710678118654752440; /* sqrt(1 / 2) */
    const REAL density = (REAL)0.39894228040143267794;   /* 1 / sqrt(2 pi) */
    const REAL cumulative = (REAL)0.5 * (1 + NAME(gn_erf)(x * half_root));
    return gradient * (cumulative + x * density * NAME(gn_exp)(x * x * (REAL)-0.5));
}

static inline REAL NAME(gn_sign)(REAL x) {
    return (REAL)((x > 0) - (x < 0));
}

/* Python's %: the result has the divisor's sign. */
static inline REAL NAME(gn_remainder)(REAL a, REAL b) {
    const REAL rest = FUNCTION(fmod)(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

/* Python's //, with PyTorch's results where b is 0 (div_floor_floating in BinaryOps.h). */
static inline REAL NAME(gn_div_floor)(REAL a, REAL b) {
    if (b == 0) {
        return a / b;
    }
    const REAL rest = FUNCTION(fmod)(a, b);
    REAL quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
        quotient -= 1;
    }
    if (quotient == 0) {
        return FUNCTION(copysign)(0, a / b);
    }
    const REAL whole = FUNCTION(floor)(quotient);
    return quotient - whole > (REAL)0.5 ? whole + 1 : whole;
}

static inline REAL NAME(gn_div_trunc)(REAL a, REAL b) {
    return FUNCTION(trunc)(a / b);
}

/* a to the power b.  The exponents that are usual have their own forms, as in PyTorch's pow.Tensor_Scalar. */
static inline REAL NAME(gn_pow_number)(REAL a, REAL b) {
    if (b == 2) {
        return a * a;
    }
    if (b == 3) {
        return a * a * a;
    }
    if (b == (REAL)0.5) {
        return FUNCTION(sqrt)(a);
    }
    if (b == (REAL)-0.5) {
        return 1 / FUNCTION(sqrt)(a);
    }
    if (b == -1) {
        return 1 / a;
    }
    if (b == -2) {
        return 1 / (a * a);
    }
    return FUNCTION(pow)(a, b);
}

static inline int NAME(gn_zero_divisor)(REAL b) {
    (void)b;
    return 0;
}

/* x as an integer, towards zero.  Where none fits, INT64_MIN, which is what x86's conversion gives. */
static inline int64_t NAME(gn_truncate)(REAL x) {
    return x >= -(REAL)0x1p63 && x < (REAL)0x1p63 ? (int64_t)x : INT64_MIN;
}
