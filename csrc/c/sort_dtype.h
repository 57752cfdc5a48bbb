/* Sorting lines of one dtype. */

#if IS_ORDERED
#include "order_key.h"

/* Elements of a line; `flip` is KEY_MASK for descending order, else 0. */
static void NAME(load_keys)(ELEMENT *elements, const char *in, int64_t stride, int64_t count, KEY flip) {
    if (stride == (int64_t)sizeof(STORAGE)) {
        for (int64_t i = 0; i < count; i++) {
            elements[i] = NAME(make_element)(NAME(key_of)(((const STORAGE *)in)[i]) ^ flip, i);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            elements[i] = NAME(make_element)(NAME(key_of)(*(const STORAGE *)(in + i * stride)) ^ flip, i);
        }
    }
}

#if CODE == GN_INT64
/* Sorts a line whose keys differ by less than 2^32, as the line of their differences from the least; 0 where they
 * differ by more. */
static int sort_narrow(void *memory, const char *in, int64_t step, int64_t count, KEY flip, char *value_at,
                       int64_t value_step, char *index_at, int64_t index_step) {
    gn_packed *packed = memory;
    KEY low = UINT64_MAX;
    KEY high = 0;
    for (int64_t i = 0; i < count; i++) {
        const KEY key = key_of_int64(*(const int64_t *)(in + i * step)) ^ flip;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    if (high - low > UINT32_MAX) {
        return 0;
    }
    for (int64_t i = 0; i < count; i++) {
        const KEY key = key_of_int64(*(const int64_t *)(in + i * step)) ^ flip;
        packed[i] = (key - low) << 32 | (uint64_t)i;
    }
    int32_t bits = 0;
    while ((high - low) >> bits != 0) {
        bits++;
    }
    gn_sort_packed(packed, packed + count, count, bits);
    for (int64_t i = 0; i < count; i++) {
        *(int64_t *)(value_at + i * value_step) = (int64_t)(((packed[i] >> 32) + low) ^ flip ^ KEY_SIGN);
        *(int64_t *)(index_at + i * index_step) = (int64_t)(packed[i] & UINT32_MAX);
    }
    return 1;
}
#endif

/* Lines [begin, end) of sort.stable (values, indices; self). */
static void NAME(sort_task)(int64_t begin, int64_t end, void *context) {
    sorting *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *indices = &work->call->tensors[1];
    const gn_tensor *self = &work->call->tensors[2];
    const KEY flip = work->descending ? KEY_MASK : 0;
    const int64_t value_step = gn_step(values, work->dim);
    const int64_t index_step = gn_step(indices, work->dim);
    const int64_t step = gn_step(self, work->dim);
    ELEMENT *elements = gn_take(2 * work->length * (int64_t)sizeof(ELEMENT));
    if (elements == NULL) {
        report_memory(work);
        return;
    }
    for (int64_t line = begin; line < end; line++) {
        const char *in = (const char *)work->data[2] + gn_offset(self, line, work->dim);
        char *value_at = (char *)work->data[0] + gn_offset(values, line, work->dim);
        char *index_at = (char *)work->data[1] + gn_offset(indices, line, work->dim);
#if CODE == GN_INT64
        if (sort_narrow(elements, in, step, work->length, flip, value_at, value_step, index_at, index_step)) {
            continue;
        }
#endif
        NAME(load_keys)(elements, in, step, work->length, flip);
        ORDER(gn_sort)(elements, elements + work->length, work->length, KEY_BITS);
        for (int64_t i = 0; i < work->length; i++) {
            const int64_t place = PLACE_OF(elements[i]);
#if IS_FLOATING
            /* A key says what the element was but for the sign of zero and a NaN's bits. */
            const KEY key = KEY_OF(elements[i]) ^ flip;
            if (key == KEY_SIGN || key == KEY_MASK) {
                *(STORAGE *)(value_at + i * value_step) = *(const STORAGE *)(in + place * step);
            } else {
                const KEY bits = key & KEY_SIGN ? key ^ KEY_SIGN : key ^ KEY_MASK;
#if IS_HALF
                *(STORAGE *)(value_at + i * value_step) = (STORAGE)bits;
#else
                memcpy(value_at + i * value_step, &bits, sizeof bits);
#endif
            }
#elif CODE == GN_BOOL || CODE == GN_UINT8
            *(STORAGE *)(value_at + i * value_step) = (STORAGE)(KEY_OF(elements[i]) ^ flip);
#else
            *(STORAGE *)(value_at + i * value_step) = (STORAGE)(KEY_OF(elements[i]) ^ flip ^ KEY_SIGN);
#endif
            *(int64_t *)(index_at + i * index_step) = place;
        }
    }
    gn_give(elements);
}

/* integers: stable, dim, descending. */
int32_t NAME(kernel_sort)(const gn_call *call, void *const *data) {
    return sort_lines(call, data, call->integers[1], call->integers[2] != 0, NAME(sort_task));
}

/* Lines [begin, end) of mode (values, indices; self): of the longest runs of equal elements in order, the first one's
 * last place.  NaN equals nothing. */
static void NAME(mode_task)(int64_t begin, int64_t end, void *context) {
    sorting *work = context;
    const gn_tensor *values = &work->call->tensors[0];
    const gn_tensor *indices = &work->call->tensors[1];
    const gn_tensor *self = &work->call->tensors[2];
    const int64_t step = gn_step(self, work->dim);
    const int64_t skipped = work->call->integers[1] && self->ndim > 0 ? work->dim : -1;
    ELEMENT *elements = gn_take(2 * work->length * (int64_t)sizeof(ELEMENT));
    if (elements == NULL) {
        report_memory(work);
        return;
    }
    for (int64_t line = begin; line < end; line++) {
        const char *in = (const char *)work->data[2] + gn_offset(self, line, work->dim);
        NAME(load_keys)(elements, in, step, work->length, 0);
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

/* Complex numbers have no order; there may be none. */
int32_t NAME(kernel_mode)(const gn_call *call, void *const *data) {
    (void)data;
    return gn_numel(&call->tensors[2]) > 0 ? GN_NOT_IMPLEMENTED : GN_OK;
}

#endif
