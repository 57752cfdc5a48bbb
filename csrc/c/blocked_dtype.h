/* Convolution in blocks of channels, for float32 and float64. */

#if IS_PRECISE && !IS_HALF

/* A block is PARTS vectors. */
#if defined(__GNUC__)
#define PART_BYTES (GN_GEMM_BYTES > 32 ? 32 : GN_GEMM_BYTES)
typedef COMPUTE NAME(lanes) __attribute__((vector_size(PART_BYTES)));
/* The same where it is not aligned, and among other elements. */
typedef COMPUTE NAME(loose_lanes) __attribute__((vector_size(PART_BYTES), aligned(sizeof(COMPUTE)), may_alias));
#define LANES (PART_BYTES / (int)sizeof(COMPUTE))
#define LANE(lanes, number) (lanes)[number]
#else
typedef struct NAME(lanes) {
    COMPUTE lane[1];
} NAME(lanes);
typedef NAME(lanes) NAME(loose_lanes);
#define LANES 1
#define LANE(lanes, number) (lanes).lane[number]
#endif
#define PARTS (BLOCK / LANES)

/* sums + number * factors, rounded once if the processor can. */
GN_INLINE NAME(lanes) NAME(add_lanes)(COMPUTE number, NAME(lanes) factors, NAME(lanes) sums) {
    for (int lane = 0; lane < LANES; lane++) {
        LANE(sums, lane) = GN_FMA(number, LANE(factors, lane), LANE(sums, lane));
    }
    return sums;
}

/* `count` positions beside each other of `pair` + 1 blocks of the output. */
GN_INLINE void NAME(tile)(const blocked_convolution *of, COMPUTE *out, const COMPUTE *in, const COMPUTE *weight,
                          const COMPUTE *bias, const int pair, const int count) {
    const int64_t row = of->padded[1] * BLOCK;
    const int64_t plane = of->padded[0] * row;
    const int64_t step = of->stride[1] * BLOCK;
    const int64_t next = of->in_blocks * of->kernel[0] * of->kernel[1] * BLOCK * BLOCK;
    NAME(lanes) sums[2 * PARTS][TILE];
    const int vectors = (pair + 1) * PARTS;
    GN_UNROLL
    for (int vector = 0; vector < vectors; vector++) {
        NAME(lanes) first;
        memset(&first, 0, sizeof first);
        if (bias != NULL) {
            memcpy(&first, bias + vector * LANES, sizeof first);
        }
        GN_UNROLL
        for (int place = 0; place < count; place++) {
            sums[vector][place] = first;
        }
    }
    for (int64_t each = 0; each < of->in_blocks; each++) {
        const int64_t channels = gn_min(BLOCK, of->channels - each * BLOCK);
        for (int64_t y = 0; y < of->kernel[0]; y++) {
            for (int64_t x = 0; x < of->kernel[1]; x++) {
                const COMPUTE *from = in + each * plane + y * of->dilation[0] * row + x * of->dilation[1] * BLOCK;
                for (int64_t channel = 0; channel < channels; channel++, weight += BLOCK) {
                    NAME(lanes) factors[2 * PARTS];
                    GN_UNROLL
                    for (int vector = 0; vector < vectors; vector++) {
                        const COMPUTE *at = weight + vector / PARTS * next + vector % PARTS * LANES;
                        factors[vector] = *(const NAME(loose_lanes) *)at;
                    }
                    GN_UNROLL
                    for (int place = 0; place < count; place++) {
                        const COMPUTE number = from[place * step + channel];
                        GN_UNROLL
                        for (int vector = 0; vector < vectors; vector++) {
                            sums[vector][place] = NAME(add_lanes)(number, factors[vector], sums[vector][place]);
                        }
                    }
                }
                weight += (BLOCK - channels) * BLOCK;
            }
        }
    }
    GN_UNROLL
    for (int vector = 0; vector < vectors; vector++) {
        COMPUTE *to = out + vector / PARTS * of->out[0] * of->out[1] * BLOCK + vector % PARTS * LANES;
        GN_UNROLL
        for (int place = 0; place < count; place++) {
            memcpy(to + place * BLOCK, &sums[vector][place], sizeof sums[vector][place]);
        }
    }
}

/* One row of one or two blocks of the output, in tiles of about equal sizes. */
GN_INLINE void NAME(blocked_row)(const blocked_convolution *of, int64_t image, int64_t block, int64_t y,
                                 const int pair) {
    const int64_t plane = of->padded[0] * of->padded[1] * BLOCK;
    const COMPUTE *in = (const COMPUTE *)of->source + image * of->in_blocks * plane
                        + y * of->stride[0] * of->padded[1] * BLOCK;
    const COMPUTE *weight = (const COMPUTE *)of->weight
                            + block * of->in_blocks * of->kernel[0] * of->kernel[1] * BLOCK * BLOCK;
    const COMPUTE *bias = of->bias == NULL ? NULL : (const COMPUTE *)of->bias + block * BLOCK;
    COMPUTE *out = (COMPUTE *)of->result
                   + ((image * of->out_blocks + block) * of->out[0] + y) * of->out[1] * BLOCK;
    const int64_t width = of->out[1];
    const int64_t tiles = (width + TILE - 1) / TILE;
    for (int64_t tile = 0, x = 0; tile < tiles; tile++) {
        const int64_t end = width * (tile + 1) / tiles;
        COMPUTE *to = out + x * BLOCK;
        const COMPUTE *from = in + x * of->stride[1] * BLOCK;
        switch (end - x) {
#define CASE(count) \
    case count: \
        NAME(tile)(of, to, from, weight, bias, pair, count); \
        break;
            CASE(1)
            CASE(2)
            CASE(3)
            CASE(4)
            CASE(5)
        default:
            NAME(tile)(of, to, from, weight, bias, pair, TILE);
#undef CASE
        }
        x = end;
    }
}

/* Pairs of blocks of images, [begin, end): their weight stays in a cache, for a kernel of several elements. */
static void NAME(blocked_task)(int64_t begin, int64_t end, void *context) {
    const blocked_convolution *of = context;
    const int64_t pairs = (of->out_blocks + 1) / 2;
    for (int64_t each = begin; each < end; each++) {
        const int64_t image = each / pairs;
        const int64_t block = each % pairs * 2;
        for (int64_t y = 0; y < of->out[0]; y++) {
            if (block + 1 < of->out_blocks) {
                NAME(blocked_row)(of, image, block, y, 1);
            } else {
                NAME(blocked_row)(of, image, block, y, 0);
            }
        }
    }
}

/* Rows of images, [begin, end): the input stays in a cache. */
static void NAME(blocked_rows_task)(int64_t begin, int64_t end, void *context) {
    const blocked_convolution *of = context;
    for (int64_t each = begin; each < end; each++) {
        const int64_t image = each / of->out[0];
        const int64_t y = each % of->out[0];
        int64_t block = 0;
        for (; block + 1 < of->out_blocks; block += 2) {
            NAME(blocked_row)(of, image, block, y, 1);
        }
        if (block < of->out_blocks) {
            NAME(blocked_row)(of, image, block, y, 0);
        }
    }
}

/* Copies planes [begin, end) of the input into padded ones. */
static void NAME(pad_blocks)(const blocked_convolution *of, const COMPUTE *from, COMPUTE *to) {
    const int64_t row = of->in[1] * BLOCK;
    memset(to, 0, (size_t)(of->images * of->in_blocks * of->padded[0] * of->padded[1] * BLOCK) * sizeof(COMPUTE));
    for (int64_t plane = 0; plane < of->images * of->in_blocks; plane++) {
        for (int64_t y = 0; y < of->in[0]; y++) {
            COMPUTE *line = to + ((plane * of->padded[0] + y + of->padding[0]) * of->padded[1] + of->padding[1]) * BLOCK;
            memcpy(line, from + (plane * of->in[0] + y) * row, (size_t)row * sizeof(COMPUTE));
        }
    }
}

/* (output; input, weight, bias or absent), all contiguous. */
int32_t NAME(kernel_blocked_convolution)(const gn_call *call, void *const *data) {
    const gn_tensor *input = &call->tensors[1];
    const gn_tensor *weight = &call->tensors[2];
    const gn_tensor *output = &call->tensors[0];
    const int has_bias = call->tensor_count > 3 && call->tensors[3].dtype != GN_NO_DTYPE;
    for (int i = 0; i < 3 + has_bias; i++) {
        if (!gn_is_contiguous(&call->tensors[i])) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    blocked_convolution of;
    memset(&of, 0, sizeof of);
    const int64_t *cursor = call->integers;
    of.channels = *cursor++;
    gn_read_list(&cursor, of.stride, 2);
    gn_read_list(&cursor, of.padding, 2);
    gn_read_list(&cursor, of.dilation, 2);
    of.images = input->sizes[0];
    of.in_blocks = input->sizes[1];
    of.out_blocks = output->sizes[1];
    for (int i = 0; i < 2; i++) {
        of.in[i] = input->sizes[i + 2];
        of.padded[i] = of.in[i] + 2 * of.padding[i];
        of.out[i] = output->sizes[i + 2];
        of.kernel[i] = weight->sizes[i + 2];
    }
    of.source = data[1];
    of.weight = data[2];
    of.bias = has_bias ? data[3] : NULL;
    of.result = data[0];
    COMPUTE *owned = NULL;
    if (of.padding[0] != 0 || of.padding[1] != 0) {
        const int64_t planes = gn_checked(of.images * of.in_blocks * BLOCK, gn_checked(of.padded[0], of.padded[1]));
        owned = gn_take_items(planes, sizeof(COMPUTE));
        if (owned == NULL) {
            return GN_OUT_OF_MEMORY;
        }
        NAME(pad_blocks)(&of, data[1], owned);
        of.source = owned;
    }
    const int64_t pairs = (of.out_blocks + 1) / 2;
    const int64_t steps = of.channels * of.kernel[0] * of.kernel[1] * of.out[1] * 2 * BLOCK;
    if (of.kernel[0] * of.kernel[1] > 1) {
        gn_parallel_for(0, of.images * pairs, gn_grain(steps * of.out[0]), NAME(blocked_task), &of);
    } else {
        gn_parallel_for(0, of.images * of.out[0], gn_grain(steps * pairs), NAME(blocked_rows_task), &of);
    }
    gn_give(owned);
    return GN_OK;
}

#undef PARTS
#undef LANES
#undef LANE
#undef PART_BYTES
#endif
