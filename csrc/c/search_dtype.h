/* Searches in one dtype. */

#if IS_ORDERED

#define BEATS(x, best, least) ((least) ? (x) < (best) : (x) > (best))

/* The extremum of a contiguous line; NaN wins. */
#define EXTREME(id, least)                                                                        \
    static COMPUTE NAME(id)(const STORAGE *in, int64_t count) {                                   \
        int64_t i = 0;                                                                            \
        COMPUTE best = LOAD(in[0]);                                                               \
        if (count >= LANES) {                                                                     \
            COMPUTE lanes[LANES];                                                                 \
            for (int lane = 0; lane < LANES; lane++) {                                            \
                lanes[lane] = LOAD(in[lane]);                                                     \
            }                                                                                     \
            for (i = LANES; i + LANES <= count; i += LANES) {                                     \
                for (int lane = 0; lane < LANES; lane++) {                                        \
                    const COMPUTE x = LOAD(in[i + lane]);                                         \
                    lanes[lane] = BEATS(x, lanes[lane], least) | gn_isnan(x) ? x : lanes[lane];   \
                }                                                                                 \
            }                                                                                     \
            for (int lane = 0; lane < LANES; lane++) {                                            \
                const COMPUTE x = lanes[lane];                                                    \
                best = BEATS(x, best, least) | gn_isnan(x) ? x : best;                            \
            }                                                                                     \
        }                                                                                         \
        for (; i < count; i++) {                                                                  \
            const COMPUTE x = LOAD(in[i]);                                                        \
            best = BEATS(x, best, least) | gn_isnan(x) ? x : best;                                \
        }                                                                                         \
        return best;                                                                              \
    }
EXTREME(line_most, 0)
EXTREME(line_least, 1)
#undef EXTREME

/* The first place of `best` in a contiguous line that has it. */
static int64_t NAME(place_of)(const STORAGE *in, int64_t count, COMPUTE best) {
    int64_t i = 0;
    if (!gn_isnan(best)) {
        for (; i + BLOCK <= count; i += BLOCK) {
            int32_t found = 0;
            for (int k = 0; k < BLOCK; k++) {
                found |= LOAD(in[i + k]) == best;
            }
            if (found) {
                break;
            }
        }
    }
    for (; i < count - 1; i++) {
        const COMPUTE x = LOAD(in[i]);
        if (x == best || (gn_isnan(x) && gn_isnan(best))) {
            break;
        }
    }
    return i;
}

/* The first place of the extremum of elements a stride apart. */
static int64_t NAME(place_in)(const char *in, int64_t stride, int64_t count, int least) {
    if (stride == (int64_t)sizeof(STORAGE)) {
        const STORAGE *elements = (const STORAGE *)in;
        const COMPUTE best = least ? NAME(line_least)(elements, count) : NAME(line_most)(elements, count);
        return NAME(place_of)(elements, count, best);
    }
    COMPUTE best = LOAD(*(const STORAGE *)in);
    int64_t place = 0;
    for (int64_t i = 1; i < count && !gn_isnan(best); i++) {
        const COMPUTE x = LOAD(*(const STORAGE *)(in + i * stride));
        if (BEATS(x, best, least) || gn_isnan(x)) {
            best = x;
            place = i;
        }
    }
    return place;
}

/* Tasks [begin, end); a task is a piece of a line. */
static void NAME(search_pieces)(int64_t begin, int64_t end, void *context) {
    const search *work = context;
    const int64_t stride = gn_step(work->in, work->dim);
    for (int64_t task = begin; task < end; task++) {
        const int64_t line = work->pieces == 1 ? task : task / work->pieces;
        const int64_t first = work->pieces == 1 ? 0 : task % work->pieces * PIECE;
        const char *in = work->from + gn_offset(work->in, line, work->dim);
        const int64_t count = work->pieces == 1 ? work->length : gn_min(PIECE, work->length - first);
        const int64_t place = first + NAME(place_in)(in + first * stride, stride, count, work->least);
        if (work->pieces == 1) {
            report(work, line, in + place * stride, place);
        } else {
            work->places[task] = place;
        }
    }
}

/* A tile of `columns` lines side by side, the first of them `first`. */
static inline void NAME(search_columns)(const search *work, const char *in, int64_t first, int64_t columns,
                                        int least) {
    COMPUTE best[TILE];
    int32_t places[TILE];
    const int64_t stride = work->in->strides[work->dim];
    const int64_t side = work->in->strides[work->in->ndim - 1];
    for (int64_t j = 0; j < columns; j++) {
        best[j] = LOAD(*(const STORAGE *)(in + j * side));
        places[j] = 0;
    }
    for (int64_t i = 1; i < work->length; i++) {
        const char *row = in + i * stride;
        if (side == (int64_t)sizeof(STORAGE)) {
            for (int64_t j = 0; j < columns; j++) {
                const COMPUTE x = LOAD(((const STORAGE *)row)[j]);
                const int wins = BEATS(x, best[j], least) | (gn_isnan(x) & !gn_isnan(best[j]));
                best[j] = wins ? x : best[j];
                places[j] = wins ? (int32_t)i : places[j];
            }
        } else {
            for (int64_t j = 0; j < columns; j++) {
                const COMPUTE x = LOAD(*(const STORAGE *)(row + j * side));
                const int wins = BEATS(x, best[j], least) | (gn_isnan(x) & !gn_isnan(best[j]));
                best[j] = wins ? x : best[j];
                places[j] = wins ? (int32_t)i : places[j];
            }
        }
    }
    for (int64_t j = 0; j < columns; j++) {
        report(work, first + j, in + j * side + places[j] * stride, places[j]);
    }
}

/* Tiles [begin, end) of lines side by side. */
static void NAME(search_tiles)(int64_t begin, int64_t end, void *context) {
    const search *work = context;
    const int32_t last = work->in->ndim - 1;
    const int64_t width = work->in->sizes[last];
    const int64_t tiles = (width + TILE - 1) / TILE;
    const gn_tensor outer = {work->in->dtype, last, work->in->sizes, work->in->strides};
    for (int64_t tile = begin; tile < end; tile++) {
        const int64_t column = tile % tiles * TILE;
        const int64_t row = tile / tiles;
        const char *in = work->from + gn_offset(&outer, row, work->dim) + column * work->in->strides[last];
        const int64_t columns = gn_min(TILE, width - column);
        if (work->least) {
            NAME(search_columns)(work, in, row * width + column, columns, 1);
        } else {
            NAME(search_columns)(work, in, row * width + column, columns, 0);
        }
    }
}

/* Runs all lines of a search that is prepared except for its pieces. */
static int32_t NAME(run_lines)(search *work, int64_t count) {
    const int64_t width = side_by_side(work);
    work->pieces = 1;
    if (width > 1) {
        const int64_t tiles = (width + TILE - 1) / TILE;
        const int64_t size = work->length * gn_min(TILE, width);
        gn_parallel_for(0, count / width * tiles, gn_grain(size), NAME(search_tiles), work);
        return GN_OK;
    }
    if (work->length >= 2 * PIECE) {
        work->pieces = (work->length + PIECE - 1) / PIECE;
        work->places = gn_take_items(gn_checked(count, work->pieces), sizeof(int64_t));
        if (work->places == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    const int64_t size = gn_min(PIECE, work->length);
    gn_parallel_for(0, count * work->pieces, gn_grain(size), NAME(search_pieces), work);
    const int64_t stride = gn_step(work->in, work->dim);
    for (int64_t line = 0; line < count && work->pieces > 1; line++) {
        const char *in = work->from + gn_offset(work->in, line, work->dim);
        const int64_t *places = work->places + line * work->pieces;
        int64_t place = places[0];
        for (int64_t piece = 1; piece < work->pieces; piece++) {
            const COMPUTE x = LOAD(*(const STORAGE *)(in + places[piece] * stride));
            const COMPUTE best = LOAD(*(const STORAGE *)(in + place * stride));
            if (BEATS(x, best, work->least) || (gn_isnan(x) && !gn_isnan(best))) {
                place = places[piece];
            }
        }
        report(work, line, in + place * stride, place);
    }
    gn_give(work->places);
    work->places = NULL;
    return GN_OK;
}

/* Searches tensors[in_at] along `dim` (absent: all of it, as one line). */
static int32_t NAME(run_search)(const gn_call *call, void *const *data, int32_t in_at, int32_t values_at,
                                int32_t indices_at, int64_t dim, int keepdim, int least) {
    const gn_tensor *in = &call->tensors[in_at];
    search work = {call, data, in, data[in_at], values_at, indices_at, least, 0, -1, 0, 1, NULL};
    const int64_t numel = gn_numel(in);
    const gn_tensor *first_output = &call->tensors[values_at >= 0 ? values_at : indices_at];
    void *owned = NULL;
    int64_t count = 1;
    int64_t stride = sizeof(STORAGE);
    const gn_tensor flat = {CODE, 1, &numel, &stride};
    if (dim == GN_NO_INTEGER) {
        work.length = numel;
        work.from = gn_compact(in, data[in_at], CODE, &owned);
        work.in = &flat;
        if (work.from == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    } else {
        work.dim = gn_wrap_dim(dim, in->ndim);
        work.length = gn_length(in, work.dim);
        work.skipped = keepdim && in->ndim > 0 ? work.dim : -1;
        count = work.length == 0 ? gn_numel(first_output) : numel / work.length;
    }
    int32_t status = GN_OK;
    if (count > 0) {
        status = work.length == 0 ? GN_BAD_VALUE : NAME(run_lines)(&work, count);
    }
    gn_give(owned);
    return status;
}

/* (indices; self) and (values, indices; self); integers: dim, keepdim. */
int32_t NAME(kernel_argmax)(const gn_call *call, void *const *data) {
    return NAME(run_search)(call, data, 1, -1, 0, call->integers[0], call->integers[1] != 0, 0);
}

int32_t NAME(kernel_argmin)(const gn_call *call, void *const *data) {
    return NAME(run_search)(call, data, 1, -1, 0, call->integers[0], call->integers[1] != 0, 1);
}

int32_t NAME(kernel_max_dim)(const gn_call *call, void *const *data) {
    return NAME(run_search)(call, data, 2, 0, 1, call->integers[0], call->integers[1] != 0, 0);
}

int32_t NAME(kernel_min_dim)(const gn_call *call, void *const *data) {
    return NAME(run_search)(call, data, 2, 0, 1, call->integers[0], call->integers[1] != 0, 1);
}

/* (min, max; self); integers: dim, keepdim. */
int32_t NAME(kernel_aminmax)(const gn_call *call, void *const *data) {
    const int keepdim = call->integers[1] != 0;
    const int32_t status = NAME(run_search)(call, data, 2, 0, -1, call->integers[0], keepdim, 1);
    return status != GN_OK ? status : NAME(run_search)(call, data, 2, 1, -1, call->integers[0], keepdim, 0);
}

#undef BEATS

#endif
