/* _count_nonzero, nonzero_static and _masked_select: elements in row-major order, counted in blocks, so that each block
 * knows where its first one goes. */
#include "index.h"
#include "scalar.h"
#include "threads.h"

/* Elements in a block. */
#define BLOCK 32768
/* Elements that are looked at together: as bytes that are 0 or 1. */
#define FEW 2048
/* Sums of bytes that are made side by side; each is of less than 256 bytes. */
#define LANES 64

typedef struct nonzero {
    const gn_call *call;
    void *const *data;
    const gn_tensor *self;
    const char *from;
    int64_t numel;
    int64_t *counts; /* of each block; then how many come before it */
} nonzero;

/* Prepares the blocks of a tensor; how many.  -1 when memory is exhausted. */
static int64_t make_blocks(nonzero *work) {
    work->numel = gn_numel(work->self);
    const int64_t blocks = (work->numel + BLOCK - 1) / BLOCK;
    work->counts = gn_take(blocks * (int64_t)sizeof(int64_t));
    return work->counts == NULL ? -1 : blocks;
}

/* Makes counts those of the blocks before; their sum. */
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

/* Writes base + i for each byte i that is 1; how many.  All are written, and what is not wanted is written over: which
 * of the bytes are 1 can not be guessed. */
static int64_t find_ones(const uint8_t *ones, int64_t count, int64_t base, int64_t *places) {
    int64_t found = 0;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word;
        memcpy(&word, ones + i, sizeof word);
        if (word == 0) {
            continue;
        }
        for (int k = 0; k < 8; k++) {
            places[found] = base + i + k;
            found += ones[i + k];
        }
    }
    for (; i < count; i++) {
        places[found] = base + i;
        found += ones[i];
    }
    return found;
}

#define GN_TEMPLATE "nonzero_dtype.h"
#include "each_dtype.h"

/* The elements of a tensor, and of the mask that says which of them are wanted. */
typedef struct choosing {
    gn_dims dims; /* self, and the mask as other */
    const char *self;
    const uint8_t *mask;
    char *out;
    int64_t out_step;
    int64_t *counts;
    int64_t blocks;
    int64_t total;
    /* Writes the chosen of `count` elements to `out`, which has room for `room` of them; how many. */
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

/* Counts the wanted elements of blocks [begin, end). */
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

/* Writes the wanted elements of blocks [begin, end). */
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

/* Elements are written before it is known whether they are wanted; where the room ends, none are wanted any more. */
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

/* (out; self, mask), which broadcast; integers: how many elements are chosen.  GN_BAD_VALUE for another number. */
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
    work.counts = gn_take(work.blocks * (int64_t)sizeof(int64_t));
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
    gn_parallel(work.blocks, 1, count_chosen, &work);
    work.total = sum_before(work.counts, work.blocks);
    int32_t status = GN_BAD_VALUE;
    if (work.total == call->integers[0]) {
        gn_parallel(work.blocks, 1, write_chosen, &work);
        status = GN_OK;
    }
    gn_give(work.counts);
    return status;
}
