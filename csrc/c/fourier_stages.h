/* The stages of Fourier transforms of columns, a vector of them at a time: of numbers whose parts lie apart, or with WOVEN
 * of pairs.
 *
 * A stage of `factor` reads elements that are `apart`, and writes results `width` apart. Its options are constants
 * where it is inlined. fourier_stages_end.h undefines its names. */

typedef COMPUTE NAME(wide) VECTOR;
#define WIDE NAME(wide)
#if WOVEN
typedef WIDE NAME(point); /* real and imaginary parts alternate */
#define POINT_SIZE SIDE
#else
typedef struct NAME(point) {
    WIDE real, imag;
} NAME(point);
#define POINT_SIZE (2 * SIDE)
#endif
#define POINT NAME(point)
/* A root of unity, the same for all columns. */
typedef struct NAME(root) {
    COMPUTE real, imag;
} NAME(root);
#define ROOT NAME(root)

/* Where a stage reads and writes, and the factors that it multiplies by. */
typedef struct NAME(stage) {
    SPLIT in, out, between;
    const COMPUTE *from;
    COMPUTE *to;
    int64_t apart, width;
    COMPUTE scale;
    ROOT roots[LARGEST_PRIME], unit[LARGEST_PRIME];
    SPLIT table; /* BESIDE, result k is multiplied by the root k * power of this */
    int64_t power;
    WIDE turn; /* WOVEN: the signs of -i times a number, or i for transforms back, after exchange of its parts */
} NAME(stage);

/* A number in all places; adding to zeros would not be that, for -0. */
GN_INLINE WIDE NAME(filled)(COMPUTE number) {
    const WIDE none = {0};
    return number - none;
}
/* a b + c, rounded once where processors can; written lane by lane where no function of the compiler is known. */
GN_INLINE WIDE NAME(multiply_add)(WIDE a, WIDE b, WIDE c) {
#if defined(FUSED_float32)
    return (WIDE)NAME(FUSED)(a, b, c);
#elif (defined(__FMA__) || defined(__ARM_FEATURE_FMA)) && defined(COUNT)
    for (size_t lane = 0; lane < COUNT; lane++) {
        c[lane] = GN_FMA(a[lane], b[lane], c[lane]);
    }
    return c;
#else
    return a * b + c;
#endif
}
#if WOVEN
GN_INLINE POINT NAME(plus)(POINT a, POINT b) {
    return a + b;
}
GN_INLINE POINT NAME(minus)(POINT a, POINT b) {
    return a - b;
}
GN_INLINE POINT NAME(swapped)(POINT a) {
    return CHOSEN(a, a, SWAPPED);
}
/* a + -i b, or a + i b for transforms back. */
GN_INLINE POINT NAME(plus_turned)(const NAME(stage) *stage, POINT a, POINT b) {
    return NAME(multiply_add)(NAME(swapped)(b), stage->turn, a);
}
GN_INLINE POINT NAME(minus_turned)(const NAME(stage) *stage, POINT a, POINT b) {
    return NAME(multiply_add)(NAME(swapped)(b), -stage->turn, a);
}
GN_INLINE POINT NAME(scaled)(POINT a, COMPUTE factor) {
    return a * factor;
}
/* a times a number, plus b. */
GN_INLINE POINT NAME(added)(POINT a, COMPUTE factor, POINT b) {
    return NAME(multiply_add)(a, NAME(filled)(factor), b);
}
/* a times roots, given by their real parts, each twice, and their imaginary parts, each twice, negative first. */
GN_INLINE POINT NAME(times)(POINT a, WIDE real, WIDE imag) {
    return NAME(multiply_add)(a, real, NAME(swapped)(a) * imag);
}
GN_INLINE POINT NAME(get)(const NAME(stage) *stage, int64_t at, int how) {
    (void)how;
    return *(const WIDE *)(stage->from + at);
}
GN_INLINE void NAME(put)(const NAME(stage) *stage, int64_t at, int k, POINT x, int how) {
    if (!(how & ROOTS_ARE_ONE) && k > 0) {
        const int64_t power = k * stage->power * SIDE;
        x = NAME(times)(x, *(const WIDE *)(stage->table.real + power), *(const WIDE *)(stage->table.imag + power));
    }
    *(WIDE *)(stage->to + at) = x;
}
#else
GN_INLINE POINT NAME(plus)(POINT a, POINT b) {
    return (POINT){a.real + b.real, a.imag + b.imag};
}
GN_INLINE POINT NAME(minus)(POINT a, POINT b) {
    return (POINT){a.real - b.real, a.imag - b.imag};
}
/* a + -i b. */
GN_INLINE POINT NAME(plus_turned)(const NAME(stage) *stage, POINT a, POINT b) {
    (void)stage;
    return (POINT){a.real + b.imag, a.imag - b.real};
}
GN_INLINE POINT NAME(minus_turned)(const NAME(stage) *stage, POINT a, POINT b) {
    (void)stage;
    return (POINT){a.real - b.imag, a.imag + b.real};
}
GN_INLINE POINT NAME(scaled)(POINT a, COMPUTE factor) {
    return (POINT){a.real * factor, a.imag * factor};
}
/* a times a number, plus b. */
GN_INLINE POINT NAME(added)(POINT a, COMPUTE factor, POINT b) {
    const WIDE all = NAME(filled)(factor);
    return (POINT){NAME(multiply_add)(a.real, all, b.real), NAME(multiply_add)(a.imag, all, b.imag)};
}
GN_INLINE POINT NAME(times)(POINT a, POINT b) {
    return (POINT){NAME(multiply_add)(a.real, b.real, -(a.imag * b.imag)),
                   NAME(multiply_add)(a.real, b.imag, a.imag * b.real)};
}
GN_INLINE POINT NAME(times_root)(POINT a, ROOT b) {
    return NAME(times)(a, (POINT){NAME(filled)(b.real), NAME(filled)(b.imag)});
}
GN_INLINE POINT NAME(get)(const NAME(stage) *stage, int64_t at, int how) {
    if (how & BESIDE) {
        const COMPUTE *place = stage->from + at;
        return (POINT){*(const WIDE *)place, *(const WIDE *)(place + SIDE)};
    }
    if (how & FROM_PAIRS) {
        const WIDE a = *(const WIDE *)(stage->from + 2 * at), b = *(const WIDE *)(stage->from + 2 * at + SIDE);
        const WIDE first = CHOSEN(a, b, EVEN), second = CHOSEN(a, b, ODD);
        return how & EXCHANGED ? (POINT){second, first} : (POINT){first, second};
    }
    return (POINT){*(const WIDE *)(stage->in.real + at), *(const WIDE *)(stage->in.imag + at)};
}
GN_INLINE void NAME(put)(const NAME(stage) *stage, int64_t at, int k, POINT x, int how) {
    if (!(how & ROOTS_ARE_ONE) && k > 0) {
        const int64_t power = k * stage->power;
        x = NAME(times_root)(x, how & BESIDE ? (ROOT){stage->table.real[power], stage->table.imag[power]} : stage->roots[k]);
    }
    if (how & BESIDE) {
        COMPUTE *place = stage->to + at;
        *(WIDE *)place = x.real;
        *(WIDE *)(place + SIDE) = x.imag;
        return;
    }
    if (how & TIMES_BETWEEN) {
        x = NAME(times)(x, (POINT){*(const WIDE *)(stage->between.real + at), *(const WIDE *)(stage->between.imag + at)});
    }
    if (how & TO_PAIRS) {
        const POINT scaled = NAME(scaled)(x, stage->scale);
        const WIDE first = how & EXCHANGED ? scaled.imag : scaled.real;
        const WIDE second = how & EXCHANGED ? scaled.real : scaled.imag;
        *(WIDE *)(stage->to + 2 * at) = CHOSEN(first, second, LOWER);
        *(WIDE *)(stage->to + 2 * at + SIDE) = CHOSEN(first, second, UPPER);
        return;
    }
    *(WIDE *)(stage->out.real + at) = x.real;
    *(WIDE *)(stage->out.imag + at) = x.imag;
}
#endif

#define PLUS NAME(plus)
#define MINUS NAME(minus)
#define PLUS_TURNED(a, b) NAME(plus_turned)(stage, a, b)
#define MINUS_TURNED(a, b) NAME(minus_turned)(stage, a, b)
#define SCALED NAME(scaled)
#define ADDED NAME(added)
#define GET(k) NAME(get)(stage, q + (k) * stage->apart, how)
#define PUT(k, value) NAME(put)(stage, q + (k) * stage->width, k, value, how);

GN_INLINE void NAME(stage_2)(const NAME(stage) *stage, int64_t q, const int how) {
    const POINT a = GET(0), b = GET(1);
    PUT(0, PLUS(a, b))
    PUT(1, MINUS(a, b))
}

GN_INLINE void NAME(stage_3)(const NAME(stage) *stage, int64_t q, const int how) {
    const COMPUTE side = (COMPUTE)0.86602540378443864676;
    const POINT a = GET(0), b = GET(1), c = GET(2);
    const POINT sum = PLUS(b, c), beside = SCALED(MINUS(b, c), side);
    const POINT middle = ADDED(sum, (COMPUTE)-0.5, a);
    PUT(0, PLUS(a, sum))
    PUT(1, PLUS_TURNED(middle, beside))
    PUT(2, MINUS_TURNED(middle, beside))
}

GN_INLINE void NAME(stage_4)(const NAME(stage) *stage, int64_t q, const int how) {
    const POINT a = GET(0), b = GET(1), c = GET(2), d = GET(3);
    const POINT even = PLUS(a, c), odd = PLUS(b, d), left = MINUS(a, c), right = MINUS(b, d);
    PUT(0, PLUS(even, odd))
    PUT(1, PLUS_TURNED(left, right))
    PUT(2, MINUS(even, odd))
    PUT(3, MINUS_TURNED(left, right))
}

GN_INLINE void NAME(stage_5)(const NAME(stage) *stage, int64_t q, const int how) {
    /* cosines and sines of a fifth of a circle, and of two */
    const COMPUTE near = (COMPUTE)0.30901699437494742410, far = (COMPUTE)-0.80901699437494742410;
    const COMPUTE high = (COMPUTE)0.95105651629515357212, low = (COMPUTE)0.58778525229247312917;
    const POINT a = GET(0), b = GET(1), c = GET(2), d = GET(3), e = GET(4);
    const POINT outer = PLUS(b, e), inner = PLUS(c, d), wide = MINUS(b, e), narrow = MINUS(c, d);
    const POINT first = ADDED(inner, far, ADDED(outer, near, a));
    const POINT second = ADDED(inner, near, ADDED(outer, far, a));
    const POINT up = ADDED(narrow, low, SCALED(wide, high));
    const POINT down = ADDED(narrow, -high, SCALED(wide, low));
    PUT(0, PLUS(a, PLUS(outer, inner)))
    PUT(1, PLUS_TURNED(first, up))
    PUT(2, PLUS_TURNED(second, down))
    PUT(3, MINUS_TURNED(second, down))
    PUT(4, MINUS_TURNED(first, up))
}

GN_INLINE void NAME(stage_8)(const NAME(stage) *stage, int64_t q, const int how) {
    const COMPUTE half = (COMPUTE)0.70710678118654752440;
    const POINT x0 = GET(0), x4 = GET(4), x2 = GET(2), x6 = GET(6), x1 = GET(1), x5 = GET(5), x3 = GET(3), x7 = GET(7);
    const POINT a = PLUS(x0, x4), b = MINUS(x0, x4), c = PLUS(x2, x6), d = MINUS(x2, x6);
    const POINT e = PLUS(x1, x5), f = MINUS(x1, x5), g = PLUS(x3, x7), h = MINUS(x3, x7);
    const POINT even = PLUS(a, c), odd = PLUS(e, g), left = MINUS(a, c), right = MINUS(e, g);
    PUT(0, PLUS(even, odd))
    PUT(4, MINUS(even, odd))
    PUT(2, PLUS_TURNED(left, right))
    PUT(6, MINUS_TURNED(left, right))
    const POINT near = PLUS_TURNED(b, d), sum = PLUS_TURNED(f, h), eighth = PLUS_TURNED(sum, sum);
    PUT(1, ADDED(eighth, half, near))
    PUT(5, ADDED(eighth, -half, near))
    const POINT far = MINUS_TURNED(b, d), rest = MINUS_TURNED(f, h), third = MINUS_TURNED(rest, rest);
    PUT(3, ADDED(third, -half, far))
    PUT(7, ADDED(third, half, far))
}

/* By the definition of the DFT: a root and its conjugate multiply the sum and the difference of two elements. */
GN_INLINE void NAME(stage_odd)(const NAME(stage) *stage, int64_t q, const int32_t factor, const int how) {
    POINT sums[LARGEST_PRIME / 2 + 1], differences[LARGEST_PRIME / 2 + 1];
    const POINT first = GET(0);
    POINT whole = first;
    for (int32_t k = 1; k <= factor / 2; k++) {
        const POINT a = GET(k), b = GET(factor - k);
        sums[k] = PLUS(a, b);
        differences[k] = MINUS(b, a);
        whole = PLUS(whole, sums[k]);
    }
    PUT(0, whole)
    for (int32_t j = 1; j <= factor / 2; j++) {
        POINT middle = first, beside = SCALED(first, 0);
        int32_t power = 0;
        for (int32_t k = 1; k <= factor / 2; k++) {
            power += j;
            power = power >= factor ? power - factor : power;
            middle = ADDED(sums[k], stage->unit[power].real, middle);
            beside = ADDED(differences[k], stage->unit[power].imag, beside);
        }
        PUT(j, PLUS_TURNED(middle, beside))
        PUT(factor - j, MINUS_TURNED(middle, beside))
    }
}

/* Transposes a square of vectors: rows of the upper half are interleaved with those of the lower, as often as
 * needed. */
GN_INLINE void NAME(turn_square)(WIDE *square) {
#ifdef COUNT
    GN_UNROLL
    for (size_t turn = 1; turn < COUNT; turn *= 2) {
        WIDE mixed[COUNT];
        GN_UNROLL
        for (size_t i = 0; i < COUNT / 2; i++) {
            mixed[2 * i] = CHOSEN(square[i], square[i + COUNT / 2], LOWER);
            mixed[2 * i + 1] = CHOSEN(square[i], square[i + COUNT / 2], UPPER);
        }
        GN_UNROLL
        for (size_t i = 0; i < COUNT; i++) {
            square[i] = mixed[i];
        }
    }
#else
    (void)square;
#endif
}
