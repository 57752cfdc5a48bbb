/* LU factors of small matrices beside each other, of one dtype. */
#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64

#if defined(COUNT) && GN_GEMM_BYTES > 16 /* narrower vectors are not faster than the rows of one matrix */
int64_t NAME(gn_lu_lanes)(void) {
    return SIDE;
}

typedef COMPUTE NAME(lanes) VECTOR;
#define LANES NAME(lanes)
#define MASK NAME(mask)
#if CODE == GN_FLOAT32
typedef int32_t NAME(whole);
#else
typedef int64_t NAME(whole);
#endif
#define WHOLE NAME(whole)
typedef WHOLE MASK VECTOR;

/* Transposes a square of vectors. */
GN_INLINE void NAME(turn)(LANES *square) {
    GN_UNROLL
    for (size_t turn = 1; turn < COUNT; turn *= 2) {
        LANES mixed[COUNT];
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
}

void NAME(gn_load_beside_order)(const gn_beside_order *order, const char *const *from, COMPUTE *a) {
    for (int64_t line = 0; line < order->lines; line++) {
        const int32_t *places = order->places + line * order->length;
        const int64_t start = line * order->step;
        int64_t k = 0;
        for (; order->unit == (int64_t)sizeof(COMPUTE) && k + SIDE <= order->length; k += SIDE) {
            LANES square[COUNT];
            GN_UNROLL
            for (size_t i = 0; i < COUNT; i++) {
                square[i] = *(const LANES *)(from[i] + start + k * (int64_t)sizeof(COMPUTE));
            }
            NAME(turn)(square);
            GN_UNROLL
            for (size_t i = 0; i < COUNT; i++) {
                *(LANES *)(a + places[k + (int64_t)i] * SIDE) = square[i];
            }
        }
        for (; k < order->length; k++) {
            for (int64_t lane = 0; lane < SIDE; lane++) {
                a[places[k] * SIDE + lane] = *(const COMPUTE *)(from[lane] + start + k * order->unit);
            }
        }
    }
}

void NAME(gn_store_beside_order)(const gn_beside_order *order, const COMPUTE *a, int64_t count, char *const *to) {
    for (int64_t line = 0; line < order->lines; line++) {
        const int32_t *places = order->places + line * order->length;
        const int64_t start = line * order->step;
        int64_t k = 0;
        for (; order->unit == (int64_t)sizeof(COMPUTE) && k + SIDE <= order->length; k += SIDE) {
            LANES square[COUNT];
            GN_UNROLL
            for (size_t i = 0; i < COUNT; i++) {
                square[i] = *(const LANES *)(a + places[k + (int64_t)i] * SIDE);
            }
            NAME(turn)(square);
            if (count == SIDE) {
                GN_UNROLL
                for (size_t i = 0; i < COUNT; i++) {
                    *(LANES *)(to[i] + start + k * (int64_t)sizeof(COMPUTE)) = square[i];
                }
            } else {
                LANES turned[COUNT]; /* `square` is in registers, which a loop cannot index */
                memcpy(turned, square, sizeof turned);
                for (int64_t lane = 0; lane < count; lane++) {
                    *(LANES *)(to[lane] + start + k * (int64_t)sizeof(COMPUTE)) = turned[lane];
                }
            }
        }
        for (; k < order->length; k++) {
            for (int64_t lane = 0; lane < count; lane++) {
                *(COMPUTE *)(to[lane] + start + k * order->unit) = a[places[k] * SIDE + lane];
            }
        }
    }
}

GN_INLINE LANES NAME(chosen)(MASK where, LANES a, LANES b) {
    return (LANES)(((MASK)a & where) | ((MASK)b & ~where));
}
GN_INLINE LANES NAME(lane_fma)(LANES a, LANES b, LANES c) {
#ifdef FUSED_float32
    return (LANES)NAME(FUSED)(a, b, c);
#else
    for (size_t lane = 0; lane < COUNT; lane++) {
        c[lane] = GN_FMA(a[lane], b[lane], c[lane]);
    }
    return c;
#endif
}
GN_INLINE LANES *NAME(at)(COMPUTE *column, int64_t row) {
    return (LANES *)(column + row * SIDE);
}

/* Columns [first, first + width) minus the column k times their row k: not in lanes where the pivot is `none`. */
GN_INLINE void NAME(subtract_column)(COMPUTE *a, int64_t pitch, int64_t rows, int64_t k, int64_t first,
                                     const int width, const MASK *none) {
    COMPUTE *factors = a + k * pitch * SIDE, *columns[4];
    LANES tops[4];
    GN_UNROLL
    for (int j = 0; j < width; j++) {
        columns[j] = a + (first + j) * pitch * SIDE;
        tops[j] = -*NAME(at)(columns[j], k);
    }
    for (int64_t i = k + 1; i < rows; i++) {
        const LANES factor = *NAME(at)(factors, i);
        GN_UNROLL
        for (int j = 0; j < width; j++) {
            LANES *to = NAME(at)(columns[j], i);
            const LANES less = NAME(lane_fma)(factor, tops[j], *to);
            *to = none == NULL ? less : NAME(chosen)(*none, *to, less);
        }
    }
}

/* Swaps row k with the row that each lane has chosen. */
static void NAME(swap_chosen)(COMPUTE *a, int64_t pitch, int64_t columns, int64_t k, const WHOLE *chosen) {
    int64_t lanes[GN_BESIDE_LANES], places[GN_BESIDE_LANES], count = 0;
    for (int64_t lane = 0; lane < SIDE; lane++) {
        if (chosen[lane] != k) {
            lanes[count] = k * SIDE + lane;
            places[count++] = chosen[lane] * SIDE + lane;
        }
    }
    for (int64_t j = 0; j < columns && count > 0; j++) {
        COMPUTE *column = a + j * pitch * SIDE;
        for (int64_t each = 0; each < count; each++) {
            const COMPUTE x = column[lanes[each]];
            column[lanes[each]] = column[places[each]];
            column[places[each]] = x;
        }
    }
}

void NAME(gn_factor_beside)(COMPUTE *a, int64_t rows, int64_t columns, int32_t *pivots, int32_t *info) {
    const int64_t pitch = rows | 1, count = gn_min(rows, columns);
    const MASK sign = (MASK) - (LANES){0}; /* the bit of each sign */
    memset(info, 0, (size_t)SIDE * sizeof *info);
    for (int64_t k = 0; k < count; k++) {
        COMPUTE *column = a + k * pitch * SIDE;
        LANES most = (LANES)((MASK)*NAME(at)(column, k) & ~sign);
        MASK found = (MASK){0} + (WHOLE)k;
        for (int64_t i = k + 1; i < rows; i++) {
            const LANES size = (LANES)((MASK)*NAME(at)(column, i) & ~sign);
            const MASK is_more = (MASK)(size > most);
            most = NAME(chosen)(is_more, size, most);
            found = (((MASK){0} + (WHOLE)i) & is_more) | (found & ~is_more);
        }
        WHOLE chosen[COUNT], nones[COUNT];
        memcpy(chosen, &found, sizeof chosen);
        for (int64_t lane = 0; lane < SIDE; lane++) {
            pivots[k * SIDE + lane] = (int32_t)chosen[lane] + 1;
        }
        NAME(swap_chosen)(a, pitch, columns, k, chosen);
        const LANES pivot = *NAME(at)(column, k);
        const MASK none = (MASK)(pivot == 0);
        WHOLE has_none = 0;
        memcpy(nones, &none, sizeof nones);
        for (int64_t lane = 0; lane < SIDE; lane++) {
            has_none |= nones[lane];
        }
        for (int64_t lane = 0; lane < SIDE && has_none; lane++) {
            info[lane] = nones[lane] != 0 && info[lane] == 0 ? (int32_t)k + 1 : info[lane];
        }
        for (int64_t i = k + 1; i < rows; i++) {
            LANES *to = NAME(at)(column, i);
            *to = NAME(chosen)(none, *to, *to / pivot);
        }
        int64_t j = k + 1;
        for (; j + 4 <= columns && !has_none; j += 4) {
            NAME(subtract_column)(a, pitch, rows, k, j, 4, NULL);
        }
        for (; j < columns && !has_none; j++) {
            NAME(subtract_column)(a, pitch, rows, k, j, 1, NULL);
        }
        for (; j < columns; j++) {
            NAME(subtract_column)(a, pitch, rows, k, j, 1, &none);
        }
    }
}
#undef LANES
#undef MASK
#undef WHOLE
#else
int64_t NAME(gn_lu_lanes)(void) {
    return 1;
}
void NAME(gn_load_beside_order)(const gn_beside_order *order, const char *const *from, COMPUTE *a) {
}
void NAME(gn_store_beside_order)(const gn_beside_order *order, const COMPUTE *a, int64_t count, char *const *to) {
}
void NAME(gn_factor_beside)(COMPUTE *a, int64_t rows, int64_t columns, int32_t *pivots, int32_t *info) {
}
#endif
#endif
