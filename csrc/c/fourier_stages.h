/* The stages of Fourier transforms of columns, a vector of them at a time.
 *
 * A stage of `factor` reads elements that are `apart`, and writes results `width` apart. Its options are constants
 * where it is inlined; see fourier_dtype.h. */

typedef COMPUTE NAME(wide) VECTOR;
#define WIDE NAME(wide)
typedef struct NAME(point) {
    WIDE real, imag;
} NAME(point);
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
} NAME(stage);

/* a b + c of vectors, written lane by lane: vector types have no such operator. */
GN_INLINE WIDE NAME(multiply_add)(WIDE a, WIDE b, WIDE c) {
#if (defined(__FMA__) || defined(__ARM_FEATURE_FMA)) && defined(COUNT)
    for (size_t lane = 0; lane < COUNT; lane++) {
        c[lane] = GN_FMA(a[lane], b[lane], c[lane]);
    }
    return c;
#else
    return a * b + c;
#endif
}
GN_INLINE POINT NAME(plus)(POINT a, POINT b) {
    return (POINT){a.real + b.real, a.imag + b.imag};
}
GN_INLINE POINT NAME(minus)(POINT a, POINT b) {
    return (POINT){a.real - b.real, a.imag - b.imag};
}
/* a times -i. */
GN_INLINE POINT NAME(turned)(POINT a) {
    return (POINT){a.imag, -a.real};
}
GN_INLINE POINT NAME(scaled)(POINT a, COMPUTE factor) {
    return (POINT){a.real * factor, a.imag * factor};
}
GN_INLINE POINT NAME(times)(POINT a, POINT b) {
    return (POINT){NAME(multiply_add)(a.real, b.real, a.imag * -b.imag),
                   NAME(multiply_add)(a.real, b.imag, a.imag * b.real)};
}
GN_INLINE POINT NAME(times_root)(POINT a, ROOT b) {
    const WIDE none = {0};
    return NAME(times)(a, (POINT){none + b.real, none + b.imag});
}
GN_INLINE POINT NAME(get)(const NAME(stage) *stage, int64_t at, int how) {
    if (how & FROM_PAIRS) {
        const WIDE a = *(const WIDE *)(stage->from + 2 * at), b = *(const WIDE *)(stage->from + 2 * at + SIDE);
        const WIDE first = CHOSEN(a, b, EVEN), second = CHOSEN(a, b, ODD);
        return how & EXCHANGED ? (POINT){second, first} : (POINT){first, second};
    }
    return (POINT){*(const WIDE *)(stage->in.real + at), *(const WIDE *)(stage->in.imag + at)};
}
GN_INLINE void NAME(put)(const NAME(stage) *stage, int64_t at, int k, POINT x, int how) {
    if (!(how & ROOTS_ARE_ONE)) {
        x = k == 0 ? x : NAME(times_root)(x, stage->roots[k]);
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

#define PLUS NAME(plus)
#define MINUS NAME(minus)
#define TURNED NAME(turned)
#define SCALED NAME(scaled)
#define GET(k) NAME(get)(stage, q + (k) * stage->apart, how)
#define PUT(k, value) NAME(put)(stage, q + (k) * stage->width, k, value, how);
#define EACH_VECTOR for (int64_t q = 0; q < stage->width; q += SIDE)

GN_INLINE void NAME(stage_2)(const NAME(stage) *stage, const int how) {
    EACH_VECTOR {
        const POINT a = GET(0), b = GET(1);
        PUT(0, PLUS(a, b))
        PUT(1, MINUS(a, b))
    }
}

GN_INLINE void NAME(stage_3)(const NAME(stage) *stage, const int how) {
    const COMPUTE side = (COMPUTE)0.86602540378443864676;
    EACH_VECTOR {
        const POINT a = GET(0), b = GET(1), c = GET(2);
        const POINT sum = PLUS(b, c);
        const POINT middle = PLUS(a, SCALED(sum, (COMPUTE)-0.5));
        const POINT beside = TURNED(SCALED(MINUS(b, c), side));
        PUT(0, PLUS(a, sum))
        PUT(1, PLUS(middle, beside))
        PUT(2, MINUS(middle, beside))
    }
}

GN_INLINE void NAME(stage_4)(const NAME(stage) *stage, const int how) {
    EACH_VECTOR {
        const POINT a = GET(0), b = GET(1), c = GET(2), d = GET(3);
        const POINT even = PLUS(a, c), odd = PLUS(b, d), left = MINUS(a, c), right = TURNED(MINUS(b, d));
        PUT(0, PLUS(even, odd))
        PUT(1, PLUS(left, right))
        PUT(2, MINUS(even, odd))
        PUT(3, MINUS(left, right))
    }
}

GN_INLINE void NAME(stage_5)(const NAME(stage) *stage, const int how) {
    /* cosines and sines of a fifth of a circle, and of two */
    const COMPUTE near = (COMPUTE)0.30901699437494742410, far = (COMPUTE)-0.80901699437494742410;
    const COMPUTE high = (COMPUTE)0.95105651629515357212, low = (COMPUTE)0.58778525229247312917;
    EACH_VECTOR {
        const POINT a = GET(0), b = GET(1), c = GET(2), d = GET(3), e = GET(4);
        const POINT outer = PLUS(b, e), inner = PLUS(c, d), wide = MINUS(b, e), narrow = MINUS(c, d);
        const POINT first = PLUS(a, PLUS(SCALED(outer, near), SCALED(inner, far)));
        const POINT second = PLUS(a, PLUS(SCALED(outer, far), SCALED(inner, near)));
        const POINT up = TURNED(PLUS(SCALED(wide, high), SCALED(narrow, low)));
        const POINT down = TURNED(MINUS(SCALED(wide, low), SCALED(narrow, high)));
        PUT(0, PLUS(a, PLUS(outer, inner)))
        PUT(1, PLUS(first, up))
        PUT(2, PLUS(second, down))
        PUT(3, MINUS(second, down))
        PUT(4, MINUS(first, up))
    }
}

GN_INLINE void NAME(stage_8)(const NAME(stage) *stage, const int how) {
    const COMPUTE half = (COMPUTE)0.70710678118654752440;
    EACH_VECTOR {
        const POINT a = PLUS(GET(0), GET(4)), b = MINUS(GET(0), GET(4));
        const POINT c = PLUS(GET(2), GET(6)), d = TURNED(MINUS(GET(2), GET(6)));
        const POINT e = PLUS(GET(1), GET(5)), f = MINUS(GET(1), GET(5));
        const POINT g = PLUS(GET(3), GET(7)), h = TURNED(MINUS(GET(3), GET(7)));
        const POINT even = PLUS(a, c), odd = PLUS(e, g);
        const POINT left = MINUS(a, c), right = TURNED(MINUS(e, g));
        PUT(0, PLUS(even, odd))
        PUT(4, MINUS(even, odd))
        PUT(2, PLUS(left, right))
        PUT(6, MINUS(left, right))
        const POINT near = PLUS(b, d), sum = PLUS(f, h);
        const POINT eighth = SCALED(((POINT){sum.real + sum.imag, sum.imag - sum.real}), half);
        PUT(1, PLUS(near, eighth))
        PUT(5, MINUS(near, eighth))
        const POINT far = MINUS(b, d), rest = MINUS(f, h);
        const POINT third = SCALED(((POINT){rest.imag - rest.real, -rest.imag - rest.real}), half);
        PUT(3, PLUS(far, third))
        PUT(7, MINUS(far, third))
    }
}

/* By the definition of the DFT. */
GN_INLINE void NAME(stage_any)(const NAME(stage) *stage, const int32_t factor, const int how) {
    EACH_VECTOR {
        POINT x[LARGEST_PRIME];
        for (int32_t k = 0; k < factor; k++) {
            x[k] = GET(k);
        }
        for (int32_t j = 0; j < factor; j++) {
            POINT sum = x[0];
            int32_t power = 0;
            for (int32_t k = 1; k < factor; k++) {
                power += j;
                power = power >= factor ? power - factor : power;
                sum = PLUS(sum, NAME(times_root)(x[k], stage->unit[power]));
            }
            PUT(j, sum)
        }
    }
}

#define RUN_STAGE(HOW)                                                            \
    static void NAME(run_##HOW)(const NAME(stage) *stage, int32_t factor) {       \
        switch (factor) {                                                         \
        case 2: NAME(stage_2)(stage, HOW); break;                                 \
        case 3: NAME(stage_3)(stage, HOW); break;                                 \
        case 4: NAME(stage_4)(stage, HOW); break;                                 \
        case 5: NAME(stage_5)(stage, HOW); break;                                 \
        case 8: NAME(stage_8)(stage, HOW); break;                                 \
        default: NAME(stage_any)(stage, factor, HOW); break;                      \
        }                                                                         \
    }
RUN_STAGE(PLAIN)
RUN_STAGE(ROOTS_ARE_ONE)
RUN_STAGE(LAST_TIMES_BETWEEN)
RUN_STAGE(FROM_PAIRS)
RUN_STAGE(FIRST_FROM_PAIRS)
RUN_STAGE(FROM_EXCHANGED)
RUN_STAGE(FIRST_FROM_EXCHANGED)
RUN_STAGE(LAST_TO_PAIRS)
RUN_STAGE(LAST_TO_EXCHANGED)
#undef RUN_STAGE

#undef PLUS
#undef MINUS
#undef TURNED
#undef SCALED
#undef GET
#undef PUT
#undef EACH_VECTOR
