/* Selections from lines of one dtype. */

#if IS_ORDERED
#include "order_key.h"

#define BIN_SHIFT (KEY_BITS > BIN_BITS ? KEY_BITS - BIN_BITS : 0)

/* A line, and the elements counted or collected from it. */
typedef struct NAME(line) {
    const STORAGE *in;
    int64_t count;
    KEY flip;
    gn_shared_count *bins;
    KEY low;  /* the keys that are collected, both ends included */
    KEY high;
    ELEMENT *found;
    int64_t room; /* elements that `found` has room for */
    gn_shared_count found_count; /* may be more than those */
    gn_shared_count below;       /* elements with keys below `low` */
} NAME(line);

/* The keys of `count` elements, by a loop that vectorises. */
static inline void NAME(make_keys)(KEY *keys, const STORAGE *in, int64_t count, KEY flip) {
    for (int64_t i = 0; i < count; i++) {
        keys[i] = NAME(key_of)(in[i]) ^ flip;
    }
}

static void NAME(count_bins)(int64_t begin, int64_t end, void *context) {
    const NAME(line) *line = context;
    /* Neighbours, often in the same bin, use separate counters: consecutive additions are then independent. */
    int64_t bins[2][BINS];
    KEY keys[BLOCK];
    memset(bins, 0, sizeof bins);
    const int64_t last = gn_min(end * PIECE, line->count);
    for (int64_t i = begin * PIECE; i < last; i += BLOCK) {
        const int64_t count = gn_min(BLOCK, last - i);
        NAME(make_keys)(keys, line->in + i, count, line->flip);
        for (int64_t j = 0; j < count; j++) {
            bins[j & 1][keys[j] >> BIN_SHIFT]++;
        }
    }
    for (int32_t bin = 0; bin < BINS; bin++) {
        bins[0][bin] += bins[1][bin];
    }
    add_counts(line->bins, bins[0], BINS);
}

/* Collects the elements between two keys, in any order, and counts those below. */
static void NAME(collect)(int64_t begin, int64_t end, void *context) {
    NAME(line) *line = context;
    KEY keys[BLOCK] = {0};
    uint8_t are_between[BLOCK];
    const KEY low = line->low;
    const KEY width = (KEY)(line->high - low);
    int64_t below = 0;
    for (int64_t i = begin * PIECE; i < gn_min(end * PIECE, line->count); i += BLOCK) {
        const int64_t last = gn_min(BLOCK, line->count - i);
        int32_t less = 0;
        NAME(make_keys)(keys, line->in + i, last, line->flip);
        for (int64_t j = 0; j < BLOCK; j++) {
            are_between[j] = (KEY)(keys[j] - low) <= width;
        }
        for (int64_t j = 0; j < last; j++) {
            less += keys[j] < low;
        }
        below += less;
        uint64_t between = bits_of(are_between) & (UINT64_MAX >> (BLOCK - last));
        if (between == 0) {
            continue;
        }
        const int64_t count = __builtin_popcountll(between);
        int64_t at = gn_add_to(&line->found_count, count); /* its own places */
        for (between = at + count <= line->room ? between : 0; between != 0; between &= between - 1) {
            const int64_t j = __builtin_ctzll(between);
            line->found[at++] = NAME(make_element)(keys[j], i + j);
        }
    }
    gn_add_to(&line->below, below);
}

/* The element of rank `rank`, from those between two elements of a sample.  Returns 0 if it is not there, or if too many
 * are, as where many are equal. */
static int32_t NAME(find_by_sample)(NAME(line) *line, int64_t rank, ELEMENT *result) {
    int64_t size = SMALLEST_SAMPLE;
    while (size < LARGEST_SAMPLE && size * size * size / line->count < line->count) {
        size *= 2;
    }
    const int64_t step = line->count / size;
    line->room = 8 * size;
    line->found = gn_take_items(line->room, sizeof(ELEMENT));
    if (line->found == NULL) {
        return 0;
    }
    gn_packed *sample = (gn_packed *)line->found; /* until elements are collected */
    for (int64_t i = 0; i < size; i++) {
        /* Not at equal distances, which may be those of a pattern. */
        const int64_t place = i * step + (int64_t)((uint64_t)((uint32_t)i * UINT32_C(2654435769)) * (uint64_t)step >> 32);
        sample[i] = NAME(key_of)(line->in[place]) ^ line->flip;
    }
    const double part = (double)rank / (double)line->count, mean = part * (double)size;
    const double spread = DEVIATIONS * sqrt(mean * (1 - part)) + 1;
    const int64_t first = (int64_t)(mean - spread), last = (int64_t)(mean + spread) + 1;
    line->low = 0;
    line->high = KEY_MASK;
    int64_t sorted = 0;
    if (first > 0) {
        gn_select_packed(sample, size, first);
        line->low = (KEY)sample[first];
        sorted = first;
    }
    if (last < size) {
        gn_select_packed(sample + sorted, size - sorted, last - sorted);
        line->high = (KEY)sample[last];
    }
    gn_parallel_for(0, (line->count + PIECE - 1) / PIECE, 1, NAME(collect), line);
    const int64_t place = rank - line->below;
    const int32_t is_found = place >= 0 && place < line->found_count && line->found_count <= line->room;
    if (is_found) {
        ORDER(gn_select)(line->found, line->found_count, place);
        *result = line->found[place];
    }
    gn_give(line->found);
    return is_found;
}

/* The element of rank `rank` of a contiguous line.  GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(rank_of)(const STORAGE *in, int64_t count, KEY flip, int64_t rank, ELEMENT *result) {
    NAME(line) line = {in, count, flip, NULL, 0, KEY_MASK, NULL, 0, 0, 0};
    gn_shared_count bins[BINS];
    int64_t wanted = count;
    if (KEY_BITS > SHORT_KEY_BITS && count >= BINS_FROM) {
        if (NAME(find_by_sample)(&line, rank, result)) {
            return GN_OK;
        }
        line.low = 0;
        line.high = KEY_MASK;
    }
    if (count >= BINS_FROM) {
        memset(bins, 0, sizeof bins);
        line.bins = bins;
        gn_parallel_for(0, (count + PIECE - 1) / PIECE, 1, NAME(count_bins), &line);
        int32_t bin = 0;
        while (rank >= bins[bin]) {
            rank -= bins[bin++];
        }
        wanted = bins[bin];
        line.low = (KEY)((KEY)bin << BIN_SHIFT);
        line.high = (KEY)(line.low | (KEY)(((KEY)1 << BIN_SHIFT) - 1));
    }
    line.room = wanted;
    line.found_count = 0;
    line.found = gn_take_items(wanted, sizeof(ELEMENT));
    if (line.found == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    gn_parallel_for(0, (count + PIECE - 1) / PIECE, 1, NAME(collect), &line);
    ORDER(gn_select)(line.found, wanted, rank);
    *result = line.found[rank];
    gn_give(line.found);
    return GN_OK;
}

/* The number of elements that are NaN, and the index of the first (-1: none). */
static int64_t NAME(count_nan)(const STORAGE *in, int64_t count, int64_t *first) {
    int64_t total = 0;
    *first = -1;
#if IS_FLOATING
    for (int64_t i = 0; i < count; i += BLOCK) {
        int32_t found = 0;
        const int64_t last = gn_min(i + BLOCK, count);
        for (int64_t j = i; j < last; j++) {
            found += gn_isnan(LOAD(in[j]));
        }
        for (int64_t j = i; found && *first < 0; j++) {
            *first = gn_isnan(LOAD(in[j])) ? j : -1;
        }
        total += found;
    }
#endif
    return total;
}

/* A bound that at least `k` elements of a line reach, or the worst number: the one of rank k among the best elements of
 * some groups, LANES of them side by side. NaN, the best of all, may be ignored. */
#define FIND_BOUND(id, better, worst)                                                                       \
    static COMPUTE NAME(id)(const STORAGE *in, int64_t count, int64_t k) {                                  \
        COMPUTE bests[LONGEST_LIST];                                                                        \
        for (int64_t i = 0; i < LONGEST_LIST; i++) {                                                        \
            bests[i] = worst;                                                                               \
        }                                                                                                   \
        for (int64_t first = 0; first + LANES * DEPTH <= gn_min(count, BOUND_FROM); first += LANES * DEPTH) {\
            COMPUTE lanes[LANES];                                                                           \
            for (int64_t lane = 0; lane < LANES; lane++) {                                                  \
                lanes[lane] = LOAD(in[first + lane]);                                                       \
            }                                                                                               \
            for (int64_t depth = 1; depth < DEPTH; depth++) {                                               \
                const STORAGE *row = in + first + depth * LANES;                                            \
                for (int64_t lane = 0; lane < LANES; lane++) {                                              \
                    const COMPUTE x = LOAD(row[lane]);                                                      \
                    lanes[lane] = (x better lanes[lane]) | gn_isnan(lanes[lane]) ? x : lanes[lane];         \
                }                                                                                           \
            }                                                                                               \
            for (int lane = 0; lane < LANES; lane++) {                                                      \
                int64_t place = gn_max(k, 1) - 1;                                                           \
                if (!(lanes[lane] better bests[place])) {                                                   \
                    continue;                                                                               \
                }                                                                                           \
                for (; place > 0 && lanes[lane] better bests[place - 1]; place--) {                         \
                    bests[place] = bests[place - 1];                                                        \
                }                                                                                           \
                bests[place] = lanes[lane];                                                                 \
            }                                                                                               \
        }                                                                                                   \
        return bests[gn_max(k, 1) - 1];                                                                     \
    }
FIND_BOUND(find_high, >, LOWEST)
FIND_BOUND(find_low, <, HIGHEST)
#undef FIND_BOUND

/* The `k` least keys of a line, in order, by a list of the best so far.  Elements that are worse than the bound, or
 * than the last of the list, are skipped by comparing values instead of keys. */
#define KEEP_BEST(id, find_bound, worse, worse_or_equal)                                                    \
    static void NAME(id)(const STORAGE *in, int64_t count, KEY flip, int64_t k, ELEMENT *best) {            \
        int64_t held = 0;                                                                                   \
        COMPUTE bound = NAME(find_bound)(in, count, k); /* then the last of the list, once it is full */    \
        for (int64_t i = 0; i < count; i += BLOCK) {                                                        \
            const int64_t last = gn_min(i + BLOCK, count);                                                  \
            if (last - i == BLOCK) {                                                                        \
                int32_t any = 0;                                                                            \
                if (held == k) {                                                                            \
                    for (int64_t j = 0; j < BLOCK; j++) {                                                   \
                        any |= !(LOAD(in[i + j]) worse_or_equal bound);                                     \
                    }                                                                                       \
                } else {                                                                                    \
                    for (int64_t j = 0; j < BLOCK; j++) {                                                   \
                        any |= !(LOAD(in[i + j]) worse bound);                                              \
                    }                                                                                       \
                }                                                                                           \
                if (!any) {                                                                                 \
                    continue;                                                                               \
                }                                                                                           \
            }                                                                                               \
            for (int64_t j = i; j < last; j++) {                                                            \
                const COMPUTE x = LOAD(in[j]);                                                              \
                if (x worse bound || (held == k && x worse_or_equal bound)) {                               \
                    continue;                                                                               \
                }                                                                                           \
                const KEY key = NAME(key_of)(in[j]) ^ flip;                                                 \
                if (held == k && key >= KEY_OF(best[k - 1])) {                                              \
                    continue;                                                                               \
                }                                                                                           \
                int64_t place = held < k ? held++ : k - 1;                                                  \
                while (place > 0 && key < KEY_OF(best[place - 1])) {                                        \
                    best[place] = best[place - 1];                                                          \
                    place--;                                                                                \
                }                                                                                           \
                best[place] = NAME(make_element)(key, j);                                                   \
                bound = held == k ? LOAD(in[PLACE_OF(best[k - 1])]) : bound;                                \
            }                                                                                               \
        }                                                                                                   \
    }
KEEP_BEST(keep_largest, find_high, <, <=)
KEEP_BEST(keep_least, find_low, >, >=)
#undef KEEP_BEST

/* The `k` least keys of a line, in order, into `best`, which has room for k + BLOCK elements. */
static int32_t NAME(find_best)(const STORAGE *in, int64_t count, KEY flip, int64_t k, ELEMENT *best,
                               ELEMENT *scratch) {
    if (k <= LONGEST_LIST) {
        if (flip) {
            NAME(keep_largest)(in, count, flip, k, best);
        } else {
            NAME(keep_least)(in, count, flip, k, best);
        }
        return GN_OK;
    }
    ELEMENT last;
    const int32_t status = NAME(rank_of)(in, count, flip, k - 1, &last);
    if (status != GN_OK) {
        return status;
    }
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) {
        const KEY key = NAME(key_of)(in[i]) ^ flip;
        best[held] = NAME(make_element)(key, i);
        held += key < KEY_OF(last) || (key == KEY_OF(last) && i <= PLACE_OF(last));
    }
    ORDER(gn_sort)(best, scratch, k, KEY_BITS);
    return GN_OK;
}

/* The place of the element that kthvalue or a median selects. */
static int32_t NAME(find_place)(const selection *work, const STORAGE *in, int64_t *place) {
    ELEMENT found;
    int64_t first = -1;
    int64_t rank = work->k - 1;
    if (work->wanted != KTH) {
        const int64_t ordered = work->length - NAME(count_nan)(in, work->length, &first);
        if (work->wanted == MEDIAN && first >= 0) {
            *place = first;
            return GN_OK;
        }
        rank = gn_max(ordered - 1, 0) / 2;
    }
    const int32_t status = NAME(rank_of)(in, work->length, 0, rank, &found);
    *place = status == GN_OK ? PLACE_OF(found) : 0;
    return status;
}

/* Writes the result of line `line`. */
static int32_t NAME(select_line)(const selection *work, const STORAGE *in, int64_t line, ELEMENT *best) {
    const gn_tensor *values = &work->call->tensors[0];
    if (work->wanted != BEST) {
        int64_t place;
        const int32_t status = NAME(find_place)(work, in, &place);
        if (status == GN_OK) {
            *(STORAGE *)((char *)work->data[0] + gn_offset(values, line, work->skipped)) = in[place];
            if (work->indices_at >= 0) {
                const gn_tensor *indices = &work->call->tensors[work->indices_at];
                *(int64_t *)((char *)work->data[work->indices_at] + gn_offset(indices, line, work->skipped)) = place;
            }
        }
        return status;
    }
    const gn_tensor *indices = &work->call->tensors[1];
    char *value_at = (char *)work->data[0] + gn_offset(values, line, work->dim);
    char *index_at = (char *)work->data[1] + gn_offset(indices, line, work->dim);
    const KEY flip = work->descending ? KEY_MASK : 0;
    const int32_t status = NAME(find_best)(in, work->length, flip, work->k, best, best + work->k + BLOCK);
    for (int64_t i = 0; i < work->k && status == GN_OK; i++) {
        const int64_t place = PLACE_OF(best[i]);
        *(STORAGE *)(value_at + i * gn_step(values, work->dim)) = in[place];
        *(int64_t *)(index_at + i * gn_step(indices, work->dim)) = place;
    }
    return status;
}

/* Lines [begin, end). */
static void NAME(select_task)(int64_t begin, int64_t end, void *context) {
    selection *work = context;
    const gn_tensor *self = &work->call->tensors[work->in_at];
    const int64_t step = gn_step(self, work->dim);
    STORAGE *copy = NULL;
    ELEMENT *best = NULL;
    int32_t status = GN_OK;
    if (step != (int64_t)sizeof(STORAGE) && work->length > 1) {
        copy = gn_take_items(work->length, sizeof(STORAGE));
        status = copy == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    }
    if (work->wanted == BEST) {
        best = gn_take_items(gn_checked(2, work->k) + BLOCK, sizeof(ELEMENT));
        status = best == NULL ? GN_OUT_OF_MEMORY : status;
    }
    for (int64_t line = begin; line < end && status == GN_OK; line++) {
        const char *in = (const char *)work->data[work->in_at] + gn_offset(self, line, work->dim);
        for (int64_t i = 0; i < work->length && copy != NULL; i++) {
            copy[i] = *(const STORAGE *)(in + i * step);
        }
        status = NAME(select_line)(work, copy != NULL ? copy : (const STORAGE *)in, line, best);
    }
    gn_report(&work->status, status);
    gn_give(best);
    gn_give(copy);
}

static int32_t NAME(run_selection)(selection *work, int64_t dim, int keepdim) {
    const gn_tensor *self = &work->call->tensors[work->in_at];
    const int64_t numel = gn_numel(self);
    work->dim = gn_wrap_dim(dim, self->ndim);
    work->length = gn_length(self, work->dim);
    work->skipped = keepdim && self->ndim > 0 ? work->dim : -1;
    if (numel == 0 || (work->wanted == BEST && work->k == 0)) {
        return GN_OK;
    }
    if (work->length > GN_LONGEST_LINE) {
        return GN_NOT_IMPLEMENTED;
    }
    /* A few long lines run one after the other, since each uses all threads. */
    const int64_t lines = numel / work->length;
    if (lines < gn_get_num_threads()) {
        NAME(select_task)(0, lines, work);
    } else {
        gn_parallel_for(0, lines, gn_grain(4 / work->length), NAME(select_task), work);
    }
    return work->status;
}

/* (values, indices; self); integers: k, dim, keepdim. */
int32_t NAME(kernel_kthvalue)(const gn_call *call, void *const *data) {
    selection work = {call, data, 2, 1, KTH, 0, 0, 0, call->integers[0], 0, GN_OK};
    return NAME(run_selection)(&work, call->integers[1], call->integers[2] != 0);
}

/* (values, indices; self); integers: k, dim, largest, sorted. */
int32_t NAME(kernel_topk)(const gn_call *call, void *const *data) {
    /* A 0-d output has an element even for k = 0. */
    const int64_t k = call->tensors[2].ndim == 0 ? 1 : call->integers[0];
    selection work = {call, data, 2, 1, BEST, 0, 0, 0, k, call->integers[2] != 0, GN_OK};
    return NAME(run_selection)(&work, call->integers[1], 0);
}

/* (values, indices; self); integers: dim, keepdim. */
int32_t NAME(kernel_median_dim)(const gn_call *call, void *const *data) {
    selection work = {call, data, 2, 1, MEDIAN, 0, 0, 0, 0, 0, GN_OK};
    return NAME(run_selection)(&work, call->integers[0], call->integers[1] != 0);
}

int32_t NAME(kernel_nanmedian_dim)(const gn_call *call, void *const *data) {
    selection work = {call, data, 2, 1, NANMEDIAN, 0, 0, 0, 0, 0, GN_OK};
    return NAME(run_selection)(&work, call->integers[0], call->integers[1] != 0);
}

/* (value, 0-d; self): of all elements, as one line. */
static int32_t NAME(flat_median)(const gn_call *call, void *const *data, enum wanted wanted) {
    const gn_tensor *self = &call->tensors[1];
    const int64_t numel = gn_numel(self);
    const int64_t stride = sizeof(STORAGE);
    if (numel == 0) {
        /* NaN, converted as by copy_ */
#if IS_FLOATING
        *(STORAGE *)data[0] = STORE((COMPUTE)NAN);
#elif CODE == GN_BOOL
        *(STORAGE *)data[0] = 1;
#else
        *(STORAGE *)data[0] = (STORAGE)(CODE == GN_INT64 ? INT64_MIN : INT32_MIN);
#endif
        return GN_OK;
    }
    void *owned;
    void *from = gn_compact(self, data[1], CODE, &owned);
    if (from == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    const gn_tensor tensors[2] = {call->tensors[0], {CODE, 1, &numel, &stride}};
    void *const places[2] = {data[0], from};
    gn_call flat = *call;
    flat.tensors = tensors;
    selection work = {&flat, places, 1, -1, wanted, 0, 0, 0, 0, 0, GN_OK};
    const int32_t status = NAME(run_selection)(&work, 0, 0);
    gn_give(owned);
    return status;
}

int32_t NAME(kernel_median)(const gn_call *call, void *const *data) {
    return NAME(flat_median)(call, data, MEDIAN);
}

int32_t NAME(kernel_nanmedian)(const gn_call *call, void *const *data) {
    return NAME(flat_median)(call, data, NANMEDIAN);
}

#undef BIN_SHIFT
#include "order_key_end.h"

#elif IS_COMPLEX

/* Complex numbers have no order; an empty tensor has no median. */
int32_t NAME(kernel_median)(const gn_call *call, void *const *data) {
    if (gn_numel(&call->tensors[1]) > 0) {
        return GN_NOT_IMPLEMENTED;
    }
    *(STORAGE *)data[0] = (STORAGE)NAN;
    return GN_OK;
}

int32_t NAME(kernel_nanmedian)(const gn_call *call, void *const *data) {
    return NAME(kernel_median)(call, data);
}

#endif
