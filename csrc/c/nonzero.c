/* _count_nonzero, nonzero_static and _masked_select: elements in row-major order, counted in blocks, which gives the
 * output position of each block's first one. */
#include "half_vectors.h"
#include "index.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Elements in a block. */
#define BLOCK 32768
/* Elements that are tested together: as bytes that are 0 or 1, and 16-bit numbers for their positions. */
#define FEW 2048
/* Sums of bytes that are computed side by side; each is of fewer than 256 bytes. */
#define LANES 64

typedef struct nonzero {
    const gn_call *call;
    void *const *data;
    const gn_tensor *self;
    const char *from;
    int64_t even; /* the stride of all elements in row-major order, or -1 */
    int64_t numel;
    int64_t *counts; /* of each block; then how many come before it */
} nonzero;

/* Prepares the blocks of a tensor; how many.  -1 when memory is exhausted. */
static int64_t make_blocks(nonzero *work) {
    work->numel = gn_numel(work->self);
    work->even = gn_even_stride(work->self);
    const int64_t blocks = (work->numel + BLOCK - 1) / BLOCK;
    work->counts = gn_take_items(blocks, sizeof(int64_t));
    return work->counts == NULL ? -1 : blocks;
}

/* Replaces the counts by prefix sums; returns the total. */
static int64_t sum_before(int64_t *counts, int64_t blocks) {
    int64_t total = 0;
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t here = counts[block];
        counts[block] = total;
        total += here;
    }
    return total;
}

/* How many of up to FEW bytes are not 0. */
static int64_t count_ones(const uint8_t *ones, int64_t count) {
    uint8_t lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = (uint8_t)(lanes[lane] + (ones[i + lane] != 0));
        }
    }
    int64_t sum = 0;
    for (int lane = 0; lane < LANES; lane++) {
        sum += lanes[lane];
    }
    for (; i < count; i++) {
        sum += ones[i] != 0;
    }
    return sum;
}

/* For each byte m: the numbers of its bits that are 1, in order.  They are stored as the bytes of a number, the first
 * one lowest. */
#define BIT(m, b) ((uint64_t)(m) >> (b) & 1)
#define WITH_BIT(m, b, later) (((later) << 8 * BIT(m, b)) + (b) * BIT(m, b))
#define HIGH_BITS(m) WITH_BIT(m, 4, WITH_BIT(m, 5, WITH_BIT(m, 6, WITH_BIT(m, 7, (uint64_t)0))))
#define BITS(m) WITH_BIT(m, 0, WITH_BIT(m, 1, WITH_BIT(m, 2, WITH_BIT(m, 3, HIGH_BITS(m)))))
#define NTH(m, n) (uint16_t)(BITS(m) >> 8 * (n) & 255)
#define ROW(m) {NTH(m, 0), NTH(m, 1), NTH(m, 2), NTH(m, 3), NTH(m, 4), NTH(m, 5), NTH(m, 6), NTH(m, 7)}
#define ROWS_4(m) ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define ROWS_16(m) ROWS_4(m), ROWS_4((m) + 4), ROWS_4((m) + 8), ROWS_4((m) + 12)
#define ROWS_64(m) ROWS_16(m), ROWS_16((m) + 16), ROWS_16((m) + 32), ROWS_16((m) + 48)
static const uint16_t bits_of[256][8] = {ROWS_64(0), ROWS_64(64), ROWS_64(128), ROWS_64(192)};
#undef ROWS_64
#undef ROWS_16
#undef ROWS_4
#undef ROW
#undef NTH
#undef BITS
#undef HIGH_BITS
#undef WITH_BIT
#undef BIT

/* Multiplying by this gathers eight bytes that are 0 or 1 as bits of the highest byte, the first byte as the lowest
 * bit; no carry reaches it. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TO_BITS 0x8040201008040201U
#else
#define TO_BITS 0x0102040810204080U
#endif

/* Writes i for each byte i that is 1; how many.  Eight are written at a time, and unwanted ones are overwritten:
 * branches on random bytes would be mispredicted. */
static int64_t find_ones(const uint8_t *ones, int64_t count, uint16_t *places) {
    int64_t found = 0;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, ones + i, sizeof word);
        if (word == 0) {
            continue;
        }
        const uint16_t *bits = bits_of[word * TO_BITS >> 56];
        uint16_t *to = places + found;
        GN_VECTOR
        for (int k = 0; k < 8; k++) {
            to[k] = (uint16_t)(i + bits[k]);
        }
        found += (int64_t)(word * 0x0101010101010101U >> 56); /* the sum of its bytes */
    }
    for (; i < count; i++) {
        places[found] = (uint16_t)i;
        found += ones[i];
    }
    return found;
}

/* Writes the indices, dimension by dimension, of the elements at + places[k], in row-major order, to rows of `out`, the
 * first of which is at `to`.  Places are in [0, FEW), and are overwritten. */
static void write_indices(const gn_tensor *self, const gn_tensor *out, char *to, int64_t at, uint16_t *places,
                          int64_t count) {
    const int64_t row = out->strides[0];
    int64_t rest = at;
    for (int32_t dim = self->ndim - 1; dim > 0; dim--) {
        const int64_t size = self->sizes[dim];
        const int64_t first = rest % size;
        char *column = to + dim * out->strides[1];
        rest /= size;
        if (size >= FEW) { /* at most one more line begins */
            for (int64_t k = 0; k < count; k++) {
                const int64_t line = first + places[k] >= size;
                *(int64_t *)(column + k * row) = first + places[k] - line * size;
                places[k] = (uint16_t)line;
            }
        } else { /* the exact quotient for such small numbers */
            const uint64_t inverse = ((uint64_t)1 << 32) / (uint64_t)size + 1;
            for (int64_t k = 0; k < count; k++) {
                const int64_t line = (int64_t)((uint64_t)(first + places[k]) * inverse >> 32);
                *(int64_t *)(column + k * row) = first + places[k] - line * size;
                places[k] = (uint16_t)line;
            }
        }
    }
    if (self->ndim == 0) {
        return;
    }
    if (row == (int64_t)sizeof(int64_t)) {
        for (int64_t k = 0; k < count; k++) {
            ((int64_t *)to)[k] = rest + places[k];
        }
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        *(int64_t *)(to + k * row) = rest + places[k];
    }
}

#define GN_TEMPLATE "nonzero_dtype.h"
#include "each_dtype.h"

/* The elements of a tensor, and of the mask that selects them. */
typedef struct choosing {
    gn_dims dims; /* self, and the mask as other */
    const char *self;
    const uint8_t *mask;
    char *out;
    int64_t out_step;
    int64_t *counts;
    int64_t blocks;
    int64_t total;
    /* Writes the selected of `count` elements to `out`, which has room for `room`; returns how many. */
    int64_t (*choose)(char *out, int64_t out_step, int64_t room, const char *self, int64_t self_step,
                      const uint8_t *mask, int64_t mask_step, int64_t count);
} choosing;

/* A part of the last dimension: elements of block `block` from the position `at` on.  How many. */
static int64_t next_part(const choosing *work, int64_t block, int64_t at, int64_t *self, int64_t *mask) {
    const gn_dims *dims = &work->dims;
    const int64_t end = gn_min(dims->numel, (block + 1) * BLOCK);
    const int64_t length = dims->ndim == 0 ? 1 : dims->sizes[dims->ndim - 1];
    int64_t rest = at;
    *self = 0;
    *mask = 0;
    for (int32_t dim = dims->ndim - 1; dim >= 0; dim--) {
        const int64_t place = rest % dims->sizes[dim];
        rest /= dims->sizes[dim];
        *self += place * dims->self[dim];
        *mask += place * dims->other[dim];
    }
    return gn_min(end - at, length - at % length);
}

static int64_t last_step(const gn_dims *dims, const int64_t *strides) {
    return dims->ndim == 0 ? 0 : strides[dims->ndim - 1];
}

/* Counts the selected elements of blocks [begin, end). */
static void count_chosen(int64_t begin, int64_t end, void *context) {
    const choosing *work = context;
    const int64_t step = last_step(&work->dims, work->dims.other);
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->dims.numel, (block + 1) * BLOCK);
        int64_t total = 0;
        int64_t self;
        int64_t mask;
        for (int64_t at = block * BLOCK, part; at < stop; at += part) {
            part = next_part(work, block, at, &self, &mask);
            const uint8_t *from = work->mask + mask;
            if (step == 0) {
                total += *from ? part : 0;
            } else if (step == 1) {
                for (int64_t i = 0; i < part; i += FEW) {
                    total += count_ones(from + i, gn_min(FEW, part - i));
                }
            } else {
                for (int64_t i = 0; i < part; i++) {
                    total += from[i * step] != 0;
                }
            }
        }
        work->counts[block] = total;
    }
}

/* Writes the selected elements of blocks [begin, end). */
static void write_chosen(int64_t begin, int64_t end, void *context) {
    const choosing *work = context;
    const int64_t self_step = last_step(&work->dims, work->dims.self);
    const int64_t mask_step = last_step(&work->dims, work->dims.other);
    for (int64_t block = begin; block < end; block++) {
        const int64_t stop = gn_min(work->dims.numel, (block + 1) * BLOCK);
        const int64_t until = block + 1 < work->blocks ? work->counts[block + 1] : work->total;
        int64_t put = work->counts[block];
        int64_t self;
        int64_t mask;
        for (int64_t at = block * BLOCK, part; at < stop && put < until; at += part) {
            part = next_part(work, block, at, &self, &mask);
            put += work->choose(work->out + put * work->out_step, work->out_step, until - put, work->self + self,
                                self_step, work->mask + mask, mask_step, part);
        }
    }
}

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t first;
    uint64_t second;
} pair;

/* Writes each element, and advances only if it is selected; stops selecting when there is no more room. */
#define CHOOSE(TYPE)                                                                                             \
    static int64_t choose_##TYPE(char *out, int64_t out_step, int64_t room, const char *self, int64_t self_step, \
                                 const uint8_t *mask, int64_t mask_step, int64_t count) {                        \
        int64_t found = 0;                                                                                       \
        int64_t i = 0;                                                                                           \
        if (out_step == (int64_t)sizeof(TYPE) && self_step == (int64_t)sizeof(TYPE) && mask_step == 1) {         \
            TYPE *to = (TYPE *)out;                                                                              \
            const TYPE *from = (const TYPE *)self;                                                               \
            for (; i + 8 <= count && found + 8 <= room; i += 8) {                                                \
                uint64_t word;                                                                                   \
                memcpy(&word, mask + i, sizeof word);                                                            \
                if (word == 0) {                                                                                 \
                    continue;                                                                                    \
                }                                                                                                \
                for (int k = 0; k < 8; k++) {                                                                    \
                    to[found] = from[i + k];                                                                     \
                    found += mask[i + k] != 0;                                                                   \
                }                                                                                                \
            }                                                                                                    \
        }                                                                                                        \
        for (; i < count && found < room; i++) {                                                                 \
            *(TYPE *)(out + found * out_step) = *(const TYPE *)(self + i * self_step);                           \
            found += mask[i * mask_step] != 0;                                                                   \
        }                                                                                                        \
        return found;                                                                                            \
    }
CHOOSE(uint8_t)
CHOOSE(uint16_t)
CHOOSE(uint32_t)
CHOOSE(uint64_t)
CHOOSE(pair)

/* (out; self, mask), which broadcast; integers: how many elements are selected. GN_BAD_VALUE if that is not their
 * number. */
int32_t kernel_masked_select(const gn_call *call, void *const *data) {
    const gn_tensor *self = &call->tensors[1];
    const gn_tensor *mask = &call->tensors[2];
    const int32_t ndim = self->ndim > mask->ndim ? self->ndim : mask->ndim;
    choosing work;
    memset(&work, 0, sizeof work);
    work.dims.numel = 1;
    for (int32_t dim = 0; dim < ndim; dim++) {
        const int32_t own = dim - (ndim - self->ndim);
        const int32_t other = dim - (ndim - mask->ndim);
        const int64_t size = own < 0 ? 1 : self->sizes[own];
        const int64_t mask_size = other < 0 ? 1 : mask->sizes[other];
        gn_append_dim(&work.dims, size == 1 ? mask_size : size, size == 1 ? 0 : self->strides[own],
                      mask_size == 1 ? 0 : mask->strides[other]);
    }
    work.self = data[1];
    work.mask = data[2];
    work.out = data[0];
    work.out_step = call->tensors[0].strides[0];
    work.blocks = (work.dims.numel + BLOCK - 1) / BLOCK;
    work.counts = gn_take_items(work.blocks, sizeof(int64_t));
    if (work.counts == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    switch (gn_itemsize(self->dtype)) {
    case 1: work.choose = choose_uint8_t; break;
    case 2: work.choose = choose_uint16_t; break;
    case 4: work.choose = choose_uint32_t; break;
    case 8: work.choose = choose_uint64_t; break;
    default: work.choose = choose_pair; break;
    }
    gn_parallel_for(0, work.blocks, 1, count_chosen, &work);
    work.total = sum_before(work.counts, work.blocks);
    int32_t status = GN_BAD_VALUE;
    if (work.total == call->integers[0]) {
        gn_parallel_for(0, work.blocks, 1, write_chosen, &work);
        status = GN_OK;
    }
    gn_give(work.counts);
    return status;
}
