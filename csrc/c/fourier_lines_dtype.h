/* Lines beside each other: from memory to points, and back. Where the elements of a line are adjacent, squares of them
 * are transposed in registers; where those of all lines are, they are vectors as they are. */

/* How elements lie. */
enum NAME(layout) { NAME(ANY), NAME(ALONG), NAME(ACROSS), NAME(NARROW) /* along, of floats for doubles */ };

static enum NAME(layout) NAME(layout_of)(const gn_lines *lines) {
#ifdef COUNT
    const int64_t part = lines->dtype == GN_FLOAT32 || lines->dtype == GN_COMPLEX64 ? 4 : 8;
    const int64_t element = lines->dtype >= GN_COMPLEX64 ? 2 * part : part;
    const int is_along = lines->step == lines->parts * part && (lines->parts == 1 || lines->second == part);
    if (part != (int64_t)sizeof(COMPUTE)) {
        return is_along && part == 4 ? NAME(NARROW) : NAME(ANY);
    }
    if (is_along) {
        return NAME(ALONG);
    }
    for (int64_t k = 1; k < lines->count; k++) {
        if (lines->places[k] != lines->places[0] + k * element) {
            return NAME(ANY);
        }
    }
    return lines->count == SIDE ? NAME(ACROSS) : NAME(ANY);
#else
    (void)lines;
    return NAME(ANY);
#endif
}

#ifdef COUNT
/* A vector of numbers, or of floats that become such, and back. */
typedef float NAME(narrow) __attribute__((vector_size(COUNT * sizeof(float)), aligned(sizeof(float)), may_alias));
GN_INLINE WIDE NAME(widened)(const void *from, const int is_narrow) {
    return is_narrow ? __builtin_convertvector(*(const NAME(narrow) *)from, WIDE) : *(const WIDE *)from;
}
GN_INLINE void NAME(set_narrowed)(void *to, WIDE numbers, const int is_narrow) {
    if (is_narrow) {
        *(NAME(narrow) *)to = __builtin_convertvector(numbers, NAME(narrow));
    } else {
        *(WIDE *)to = numbers;
    }
}

/* Numbers [begin, begin + COUNT) of each line, transposed; the last ones may be missing. */
GN_INLINE void NAME(read_square)(const gn_lines *lines, int64_t begin, int64_t end, WIDE *square, const int is_narrow) {
    const int64_t size = is_narrow ? sizeof(float) : sizeof(COMPUTE);
    if (begin + SIDE <= end) {
        GN_UNROLL
        for (size_t k = 0; k < COUNT; k++) {
            square[k] = NAME(widened)(lines->places[k] + begin * size, is_narrow);
        }
    } else {
        COMPUTE rest[COUNT][COUNT];
        memset(rest, 0, sizeof rest);
        for (size_t k = 0; k < COUNT; k++) {
            memcpy(rest[k], lines->places[k] + begin * size, (size_t)((end - begin) * size));
        }
        GN_UNROLL
        for (size_t k = 0; k < COUNT; k++) {
            square[k] = NAME(widened)(rest[k], is_narrow);
        }
    }
    NAME(turn_square)(square);
}
GN_INLINE void NAME(write_square)(const gn_lines *lines, int64_t begin, int64_t end, WIDE *square, const int is_narrow) {
    const int64_t size = is_narrow ? sizeof(float) : sizeof(COMPUTE);
    NAME(turn_square)(square);
    if (begin + SIDE <= end && lines->count == SIDE) {
        GN_UNROLL
        for (size_t k = 0; k < COUNT; k++) {
            NAME(set_narrowed)(lines->places[k] + begin * size, square[k], is_narrow);
        }
        return;
    }
    COMPUTE rest[COUNT][COUNT];
    GN_UNROLL
    for (size_t k = 0; k < COUNT; k++) {
        NAME(set_narrowed)(rest[k], square[k], is_narrow);
    }
    for (int64_t k = 0; k < lines->count; k++) {
        memcpy(lines->places[k] + begin * size, rest[k], (size_t)(gn_min(SIDE, end - begin) * size));
    }
}

GN_INLINE void NAME(load_along)(const BESIDE_PLAN *plan, const gn_lines *lines, int64_t count, int exchanged,
                                COMPUTE *points, const int is_narrow) {
    WIDE square[COUNT];
    const WIDE none = {0};
    if (lines->parts == 1) {
        for (int64_t i = 0; i < count; i += SIDE) {
            NAME(read_square)(lines, i, count, square, is_narrow);
            for (int64_t k = 0; k < gn_min(SIDE, count - i); k++) {
                NAME(set_point)(points, plan->before[i + k], exchanged ? none : square[k], exchanged ? square[k] : none);
            }
        }
        return;
    }
    COMPUTE *first = points + exchanged * SIDE, *second = points + !exchanged * SIDE;
    for (int64_t i = 0; i < count; i += SIDE / 2) {
        NAME(read_square)(lines, 2 * i, 2 * count, square, is_narrow);
        const int32_t *before = plan->before + i;
        if (i + SIDE / 2 <= count) {
            GN_UNROLL
            for (size_t k = 0; k < COUNT / 2; k++) {
                *(WIDE *)(first + before[k] * POINT_SIZE) = square[2 * k];
                *(WIDE *)(second + before[k] * POINT_SIZE) = square[2 * k + 1];
            }
        } else {
            for (int64_t k = 0; k < count - i; k++) {
                *(WIDE *)(first + before[k] * POINT_SIZE) = square[2 * k];
                *(WIDE *)(second + before[k] * POINT_SIZE) = square[2 * k + 1];
            }
        }
    }
}

static void NAME(load_across)(const BESIDE_PLAN *plan, const gn_lines *lines, int64_t count, int exchanged,
                              COMPUTE *points) {
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE *from = (const COMPUTE *)(lines->places[0] + i * lines->step);
        WIDE first = *(const WIDE *)from, second = {0};
        if (lines->dtype >= GN_COMPLEX64) {
            const WIDE low = first, high = *(const WIDE *)(from + SIDE);
            first = CHOSEN(low, high, EVEN);
            second = CHOSEN(low, high, ODD);
        } else if (lines->parts == 2) {
            second = *(const WIDE *)((const char *)from + lines->second);
        }
        NAME(set_point)(points, plan->before[i], exchanged ? second : first, exchanged ? first : second);
    }
}
#endif

/* A sum of all elements times 0 is 0 if they are finite. */

/* Element `index` after the transform, times `scale`. */
GN_INLINE POINT NAME(result_at)(const BESIDE_PLAN *plan, const COMPUTE *points, int64_t index, int exchanged,
                                COMPUTE scale) {
    const int is_mirrored = plan->half_of > 0 && index > plan->length;
    const COMPUTE *from = points + plan->after[is_mirrored ? plan->half_of - index : index] * POINT_SIZE;
    const WIDE first = *(const WIDE *)(from + exchanged * SIDE), second = *(const WIDE *)(from + !exchanged * SIDE);
    return (POINT){first * scale, second * (is_mirrored ? -scale : scale)};
}

#ifdef COUNT
GN_INLINE WIDE NAME(store_along)(const BESIDE_PLAN *plan, const COMPUTE *points, int64_t count, int exchanged,
                                 COMPUTE scale, const gn_lines *lines, const int is_narrow) {
    WIDE square[COUNT];
    const WIDE none = {0};
    WIDE sum = none, other = none;
    if (lines->parts == 1) {
        for (int64_t i = 0; i < count; i += SIDE) {
            for (int64_t k = 0; k < SIDE; k++) {
                square[k] = NAME(result_at)(plan, points, gn_min(i + k, count - 1), exchanged, scale).real;
                sum = NAME(multiply_add)(square[k], none, sum);
            }
            NAME(write_square)(lines, i, count, square, is_narrow);
        }
        return sum;
    }
    const int64_t inner = plan->half_of > 0 ? gn_min(count, plan->length + 1) : count; /* none beyond is a conjugate */
    const COMPUTE *first = points + exchanged * SIDE, *second = points + !exchanged * SIDE;
    int64_t i = 0;
    for (; i + SIDE / 2 <= inner; i += SIDE / 2) {
        const int32_t *after = plan->after + i;
        GN_UNROLL
        for (size_t k = 0; k < COUNT / 2; k++) {
            square[2 * k] = *(const WIDE *)(first + after[k] * POINT_SIZE) * scale;
            square[2 * k + 1] = *(const WIDE *)(second + after[k] * POINT_SIZE) * scale;
            sum = NAME(multiply_add)(square[2 * k], none, sum);
            other = NAME(multiply_add)(square[2 * k + 1], none, other);
        }
        NAME(write_square)(lines, 2 * i, 2 * count, square, is_narrow);
    }
    for (; i < count; i += SIDE / 2) {
        GN_UNROLL
        for (int64_t k = 0; k < SIDE / 2; k++) {
            const POINT x = NAME(result_at)(plan, points, gn_min(i + k, count - 1), exchanged, scale);
            square[2 * k] = x.real;
            square[2 * k + 1] = x.imag;
            sum = NAME(multiply_add)(x.real, none, sum);
            other = NAME(multiply_add)(x.imag, none, other);
        }
        NAME(write_square)(lines, 2 * i, 2 * count, square, is_narrow);
    }
    return sum + other;
}

static WIDE NAME(store_across)(const BESIDE_PLAN *plan, const COMPUTE *points, int64_t count, int exchanged,
                               COMPUTE scale, const gn_lines *lines) {
    const WIDE none = {0};
    WIDE sum = none;
    for (int64_t i = 0; i < count; i++) {
        COMPUTE *to = (COMPUTE *)(lines->places[0] + i * lines->step);
        const POINT x = NAME(result_at)(plan, points, i, exchanged, scale);
        sum = NAME(multiply_add)(x.real, none, sum);
        sum = lines->parts == 2 ? NAME(multiply_add)(x.imag, none, sum) : sum;
        if (lines->dtype >= GN_COMPLEX64) {
            *(WIDE *)to = CHOSEN(x.real, x.imag, LOWER);
            *(WIDE *)(to + SIDE) = CHOSEN(x.real, x.imag, UPPER);
        } else {
            *(WIDE *)to = x.real;
            if (lines->parts == 2) {
                *(WIDE *)((char *)to + lines->second) = x.imag;
            }
        }
    }
    return sum;
}
#endif

/* Elements wherever they are, of either dtype. */
#define LOAD_EACH(TYPE)                                                                                                \
    for (int64_t k = 0; k < SIDE; k++) {                                                                               \
        const char *from = lines->places[k];                                                                           \
        for (int64_t i = 0; i < count; i++, from += lines->step) {                                                     \
            COMPUTE *to = points + plan->before[i] * POINT_SIZE + k;                                                         \
            to[exchanged * SIDE] = (COMPUTE) * (const TYPE *)from;                                                     \
            to[!exchanged * SIDE] = lines->parts == 2 ? (COMPUTE) * (const TYPE *)(from + lines->second) : 0;          \
        }                                                                                                              \
    }
#define STORE_EACH(TYPE)                                                                                               \
    for (int64_t i = 0; i < count; i++) {                                                                              \
        const POINT x = NAME(result_at)(plan, points, i, exchanged, scale);                                            \
        const WIDE none = {0};                                                                                         \
        sum = NAME(multiply_add)(x.real, none, sum);                                                                   \
        sum = lines->parts == 2 ? NAME(multiply_add)(x.imag, none, sum) : sum;                                         \
        COMPUTE real[SIDE_COUNT], imag[SIDE_COUNT];                                                                    \
        *(WIDE *)real = x.real;                                                                                        \
        *(WIDE *)imag = x.imag;                                                                                        \
        for (int64_t k = 0; k < lines->count; k++) {                                                                   \
            char *to = lines->places[k] + i * lines->step;                                                             \
            *(TYPE *)to = (TYPE)real[k];                                                                               \
            if (lines->parts == 2) {                                                                                   \
                *(TYPE *)(to + lines->second) = (TYPE)imag[k];                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }
#define SIDE_COUNT (GN_GEMM_BYTES / sizeof(COMPUTE))

void NAME(gn_load_beside)(const BESIDE_PLAN *plan, const gn_lines *lines, int64_t count, int exchanged,
                          COMPUTE *points) {
#ifdef COUNT
    switch (NAME(layout_of)(lines)) {
    case NAME(ALONG): NAME(load_along)(plan, lines, count, exchanged, points, 0); return;
    case NAME(NARROW): NAME(load_along)(plan, lines, count, exchanged, points, 1); return;
    case NAME(ACROSS): NAME(load_across)(plan, lines, count, exchanged, points); return;
    default: break;
    }
#endif
    if (lines->dtype == GN_FLOAT32 || lines->dtype == GN_COMPLEX64) {
        LOAD_EACH(float)
    } else {
        LOAD_EACH(double)
    }
}

int NAME(gn_store_beside)(const BESIDE_PLAN *plan, const COMPUTE *points, int64_t count, int exchanged, COMPUTE scale,
                          const gn_lines *lines) {
    WIDE sum = {0};
    switch (NAME(layout_of)(lines)) {
#ifdef COUNT
    case NAME(ALONG): sum = NAME(store_along)(plan, points, count, exchanged, scale, lines, 0); break;
    case NAME(NARROW): sum = NAME(store_along)(plan, points, count, exchanged, scale, lines, 1); break;
    case NAME(ACROSS): sum = NAME(store_across)(plan, points, count, exchanged, scale, lines); break;
#endif
    default:
        if (lines->dtype == GN_FLOAT32 || lines->dtype == GN_COMPLEX64) {
            STORE_EACH(float)
        } else {
            STORE_EACH(double)
        }
    }
    COMPUTE sums[SIDE_COUNT];
    *(WIDE *)sums = sum;
    int is_finite = 1;
    for (int64_t k = 0; k < SIDE; k++) {
        is_finite &= sums[k] == 0;
    }
    return is_finite;
}

#undef LOAD_EACH
#undef STORE_EACH
#undef SIDE_COUNT
