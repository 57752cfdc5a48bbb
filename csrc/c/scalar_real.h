/* Functions of one element, for REAL = float and double.  scalar.h includes this file for each, with FUNCTION(sin)
 * the C library's function and NAME(sin) ours. */

/* 1 where x is NaN. */
GN_INLINE int NAME(gn_isnan)(REAL x) {
    return x != x;
}

/* 1 where x is an infinity. */
GN_INLINE int NAME(gn_isinf)(REAL x) {
    return FUNCTION(fabs)(x) == (REAL)INFINITY;
}

GN_INLINE REAL NAME(gn_sign)(REAL x) {
    return (REAL)((x > 0) - (x < 0));
}

/* Python's %: the result has the divisor's sign. */
GN_INLINE REAL NAME(gn_remainder)(REAL a, REAL b) {
    const REAL rest = NAME(gn_fmod)(a, b);
    return rest + ((rest != 0) & ((b < 0) != (rest < 0)) ? b : -(REAL)0); /* -0.0 leaves all as it is */
}

/* Python's //, with PyTorch's results where b is 0 (div_floor_floating in BinaryOps.h). */
GN_INLINE REAL NAME(gn_div_floor)(REAL a, REAL b) {
    if (b == 0) {
        return a / b;
    }
    const REAL rest = NAME(gn_fmod)(a, b);
    REAL quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
        quotient -= 1;
    }
    if (quotient == 0) {
        return FUNCTION(copysign)((REAL)0, a / b);
    }
    const REAL whole = FUNCTION(floor)(quotient);
    return quotient - whole > (REAL)0.5 ? whole + 1 : whole;
}

GN_INLINE REAL NAME(gn_div_trunc)(REAL a, REAL b) {
    return FUNCTION(trunc)(a / b);
}

GN_INLINE int NAME(gn_zero_divisor)(REAL b) {
    (void)b;
    return 0;
}

/* A negative number, or -0.0. */
GN_INLINE int NAME(gn_signbit)(REAL x) {
    return signbit(x) != 0;
}
GN_INLINE int NAME(gn_isposinf)(REAL x) {
    return x == (REAL)INFINITY;
}
GN_INLINE int NAME(gn_isneginf)(REAL x) {
    return x == -(REAL)INFINITY;
}

/* x as an integer, towards zero.  Where none fits, INT64_MIN, which is what x86's conversion gives. */
GN_INLINE int64_t NAME(gn_truncate)(REAL x) {
    return x >= -(REAL)0x1p63 && x < (REAL)0x1p63 ? (int64_t)x : INT64_MIN;
}
