/* Sorting lines of one dtype. */

#if IS_ORDERED
#include "order_key.h"

/* A line that is converted to sortable elements and back. */
typedef struct NAME(line) {
    const char *in;
    int64_t step;
    int64_t count;
    KEY flip; /* KEY_MASK for descending order, else 0 */
    KEY low;  /* what is subtracted from the keys of packed int64 */
    ELEMENT *elements;
    char *value_at;
    int64_t value_step;
    char *index_at;
    int64_t index_step;
} NAME(line);

GN_INLINE void NAME(load_steps)(const NAME(line) *line, int64_t begin, int64_t end, int64_t step) {
    for (int64_t i = begin; i < end; i++) {
        const KEY key = NAME(key_of)(*(const STORAGE *)(line->in + i * step)) ^ line->flip;
        line->elements[i] = NAME(make_element)(key, i);
    }
}

/* Builds elements [begin, end); constant steps give simple loops. */
static void NAME(load_keys)(int64_t begin, int64_t end, void *context) {
    const NAME(line) *line = context;
    if (line->step == (int64_t)sizeof(STORAGE)) {
        NAME(load_steps)(line, begin, end, sizeof(STORAGE));
    } else {
        NAME(load_steps)(line, begin, end, line->step);
    }
}

/* The element of a key, except for the sign of zero and a NaN's bits. */
static inline STORAGE NAME(value_of)(KEY key) {
#if CODE == GN_BOOL || CODE == GN_UINT8
    return (STORAGE)key;
#elif CODE == GN_FLOAT32 || CODE == GN_FLOAT64
    const KEY bits = key ^ (key & KEY_SIGN ? KEY_SIGN : KEY_MASK);
    STORAGE value;
    memcpy(&value, &bits, sizeof value);
    return value;
#elif IS_HALF
    return (STORAGE)(key ^ (key & KEY_SIGN ? KEY_SIGN : KEY_MASK));
#else
    return (STORAGE)(key ^ KEY_SIGN);
#endif
}

GN_INLINE void NAME(write_steps)(const NAME(line) *line, int64_t begin, int64_t end, int64_t value_step,
                                 int64_t index_step) {
    for (int64_t first = begin; first < end; first += BLOCK) {
        const int64_t last = gn_min(first + BLOCK, end);
        int32_t is_lost = 0;
        for (int64_t i = first; i < last; i++) {
            const KEY key = KEY_OF(line->elements[i]) ^ line->flip;
            *(STORAGE *)(line->value_at + i * value_step) = NAME(value_of)(key);
            is_lost |= (key == KEY_SIGN) | (key == KEY_MASK);
        }
        for (int64_t i = first; i < last; i++) {
            *(int64_t *)(line->index_at + i * index_step) = PLACE_OF(line->elements[i]);
        }
        for (int64_t i = first; IS_FLOATING && is_lost && i < last; i++) {
            *(STORAGE *)(line->value_at + i * value_step) =
                *(const STORAGE *)(line->in + PLACE_OF(line->elements[i]) * line->step);
        }
    }
}

/* Writes values and places of the sorted elements [begin, end). */
static void NAME(write_sorted)(int64_t begin, int64_t end, void *context) {
    const NAME(line) *line = context;
    if (line->value_step == (int64_t)sizeof(STORAGE) && line->index_step == (int64_t)sizeof(int64_t)) {
        NAME(write_steps)(line, begin, end, sizeof(STORAGE), sizeof(int64_t));
    } else {
        NAME(write_steps)(line, begin, end, line->value_step, line->index_step);
    }
}

#if CODE == GN_INT64
GN_INLINE void load_narrow_steps(const line_int64 *line, int64_t begin, int64_t end, int64_t step) {
    gn_packed *packed = (gn_packed *)line->elements;
    for (int64_t i = begin; i < end; i++) {
        const KEY key = key_of_int64(*(const int64_t *)(line->in + i * step)) ^ line->flip;
        packed[i] = (key - line->low) << 32 | (uint64_t)i;
    }
}

static void load_narrow(int64_t begin, int64_t end, void *context) {
    const line_int64 *line = context;
    if (line->step == (int64_t)sizeof(int64_t)) {
        load_narrow_steps(line, begin, end, sizeof(int64_t));
    } else {
        load_narrow_steps(line, begin, end, line->step);
    }
}

GN_INLINE void write_narrow_steps(const line_int64 *line, int64_t begin, int64_t end, int64_t value_step,
                                  int64_t index_step) {
    const gn_packed *packed = (const gn_packed *)line->elements;
    for (int64_t i = begin; i < end; i++) {
        const KEY key = ((packed[i] >> 32) + line->low) ^ line->flip;
        *(int64_t *)(line->value_at + i * value_step) = value_of_int64(key);
        *(int64_t *)(line->index_at + i * index_step) = (int64_t)(packed[i] & UINT32_MAX);
    }
}

static void write_narrow(int64_t begin, int64_t end, void *context) {
    const line_int64 *line = context;
    if (line->value_step == (int64_t)sizeof(int64_t) && line->index_step == (int64_t)sizeof(int64_t)) {
        write_narrow_steps(line, begin, end, sizeof(int64_t), sizeof(int64_t));
    } else {
        write_narrow_steps(line, begin, end, line->value_step, line->index_step);
    }
}

/* The least and the greatest key of a line. */
GN_INLINE void find_bounds(const line_int64 *line, int64_t step, KEY *low, KEY *high) {
    int64_t least = INT64_MAX;
    int64_t most = INT64_MIN;
    for (int64_t i = 0; i < line->count; i++) {
        const int64_t x = *(const int64_t *)(line->in + i * step);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    *low = key_of_int64(line->flip ? most : least) ^ line->flip;
    *high = key_of_int64(line->flip ? least : most) ^ line->flip;
}

/* Sorts a line whose keys differ by less than 2^32, as the line of their differences from the least; 0 where they
 * differ by more. */
static int sort_narrow(line_int64 *line) {
    KEY high;
    if (line->step == (int64_t)sizeof(int64_t)) {
        find_bounds(line, sizeof(int64_t), &line->low, &high);
    } else {
        find_bounds(line, line->step, &line->low, &high);
    }
    if (high - line->low > UINT32_MAX) {
        return 0;
    }
    int32_t bits = 0;
    while ((high - line->low) >> bits != 0) {
        bits++;
    }
    gn_packed *packed = (gn_packed *)line->elements;
    gn_parallel_for(0, line->count, GN_GRAIN, load_narrow, line);
    gn_sort_packed(packed, packed + line->count, line->count, bits);
    gn_parallel_for(0, line->count, GN_GRAIN, write_narrow, line);
    return 1;
}

/* If more elements than this share the leading bits of their keys, another method is used. */
#define LONGEST_TIE 32

static void load_prefixes(int64_t begin, int64_t end, void *context) {
    const line_int64 *line = context;
    gn_packed *packed = (gn_packed *)line->elements;
    for (int64_t i = begin; i < end; i++) {
        const KEY key = key_of_int64(*(const int64_t *)(line->in + i * line->step)) ^ line->flip;
        packed[i] = (key >> line->low) << 32 | (uint64_t)i;
    }
}

static void write_places(int64_t begin, int64_t end, void *context) {
    const line_int64 *line = context;
    const gn_packed *packed = (const gn_packed *)line->elements;
    for (int64_t i = begin; i < end; i++) {
        const int64_t place = (int64_t)(packed[i] & UINT32_MAX);
        *(int64_t *)(line->value_at + i * line->value_step) = *(const int64_t *)(line->in + place * line->step);
        *(int64_t *)(line->index_at + i * line->index_step) = place;
    }
}

static KEY key_in(const line_int64 *line, gn_packed element) {
    return key_of_int64(*(const int64_t *)(line->in + (int64_t)(element & UINT32_MAX) * line->step)) ^ line->flip;
}

/* Sorts a line by enough leading bits to distinguish almost all of its keys if they are spread evenly, and then the few
 * ties; returns 0 if there are many. */
static int sort_by_prefix(line_int64 *line) {
    const int64_t count = line->count;
    const int32_t bits = count <= (int64_t)1 << 18 ? 22 : 32;
    gn_packed *packed = (gn_packed *)line->elements;
    line->low = (KEY)(KEY_BITS - bits); /* which are ignored */
    gn_parallel_for(0, count, GN_GRAIN, load_prefixes, line);
    gn_sort_packed(packed, packed + count, count, bits);
    for (int64_t i = 1, first = 0; i < count; i++) {
        if (packed[i] >> 32 != packed[i - 1] >> 32) {
            first = i;
            continue;
        }
        if (i - first >= LONGEST_TIE) {
            return 0;
        }
        const gn_packed moved = packed[i];
        const KEY key = key_in(line, moved);
        int64_t place = i;
        for (; place > first && key < key_in(line, packed[place - 1]); place--) {
            packed[place] = packed[place - 1];
        }
        packed[place] = moved;
    }
    gn_parallel_for(0, count, GN_GRAIN, write_places, line);
    return 1;
}
#undef LONGEST_TIE
#endif

/* Lines [begin, end) of sort.stable (values, indices; self). */
static void NAME(sort_task)(int64_t begin, int64_t end, void *context) {
    sorting *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *indices = &work->call->tensors[1];
    const gn_tensor *self = &work->call->tensors[2];
    NAME(line) line = {NULL, gn_step(self, work->dim), work->length, work->descending ? KEY_MASK : 0, 0,
                       NULL, NULL, gn_step(values, work->dim), NULL, gn_step(indices, work->dim)};
    line.elements = gn_take_items(gn_checked(2, work->length), sizeof(ELEMENT));
    if (line.elements == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        line.in = (const char *)work->data[2] + gn_offset(self, i, work->dim);
        line.value_at = (char *)work->data[0] + gn_offset(values, i, work->dim);
        line.index_at = (char *)work->data[1] + gn_offset(indices, i, work->dim);
#if CODE == GN_INT64
        if (sort_narrow(&line) || sort_by_prefix(&line)) {
            continue;
        }
#endif
        gn_parallel_for(0, line.count, GN_GRAIN, NAME(load_keys), &line);
        ORDER(gn_sort)(line.elements, line.elements + line.count, line.count, KEY_BITS);
        gn_parallel_for(0, line.count, GN_GRAIN, NAME(write_sorted), &line);
    }
    gn_give(line.elements);
}

/* integers: stable, dim, descending. */
int32_t NAME(kernel_sort)(const gn_call *call, void *const *data) {
    return sort_lines(call, data, call->integers[1], call->integers[2] != 0, NAME(sort_task));
}

/* Lines [begin, end) of mode (values, indices; self): the last place of the first of the longest runs of equal sorted
 * elements. NaN equals nothing. */
static void NAME(mode_task)(int64_t begin, int64_t end, void *context) {
    sorting *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *indices = &work->call->tensors[1];
    const gn_tensor *self = &work->call->tensors[2];
    const int64_t step = gn_step(self, work->dim);
    const int64_t skipped = work->call->integers[1] && self->ndim > 0 ? work->dim : -1;
    ELEMENT *elements = gn_take_items(gn_checked(2, work->length), sizeof(ELEMENT));
    if (elements == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    for (int64_t line = begin; line < end; line++) {
        const char *in = (const char *)work->data[2] + gn_offset(self, line, work->dim);
        NAME(line) loaded = {in, step, work->length, 0, 0, elements, NULL, 0, NULL, 0};
        gn_parallel_for(0, work->length, GN_GRAIN, NAME(load_keys), &loaded);
        ORDER(gn_sort)(elements, elements + work->length, work->length, KEY_BITS);
        int64_t best = 0;
        int64_t most = 0;
        int64_t run = 0;
        for (int64_t i = 0; i < work->length; i++) {
            const KEY key = KEY_OF(elements[i]);
            const int unordered = IS_FLOATING && key == KEY_MASK;
            run = i > 0 && !unordered && key == KEY_OF(elements[i - 1]) ? run + 1 : 1;
            if (run > most) {
                most = run;
                best = PLACE_OF(elements[i]);
            }
        }
        *(STORAGE *)((char *)work->data[0] + gn_offset(values, line, skipped)) = *(const STORAGE *)(in + best * step);
        *(int64_t *)((char *)work->data[1] + gn_offset(indices, line, skipped)) = best;
    }
    gn_give(elements);
}

/* integers: dim, keepdim. */
int32_t NAME(kernel_mode)(const gn_call *call, void *const *data) {
    return sort_lines(call, data, call->integers[0], 0, NAME(mode_task));
}

#include "order_key_end.h"

#elif IS_COMPLEX

/* Complex numbers have no order, but the tensor may be empty. */
int32_t NAME(kernel_mode)(const gn_call *call, void *const *data) {
    (void)data;
    return gn_numel(&call->tensors[2]) > 0 ? GN_NOT_IMPLEMENTED : GN_OK;
}

#endif
