/* Max and average pooling over two and three dimensions, also adaptive, and their gradients.
 *
 * One thread per result. A gradient gathers from the windows that contain an element, so that no two threads add to one
 * element. */
#include "kernel.cuh"

#define SPATIAL 3

/* From ([N,] C, *spatial) to the same with a window in place of each position. A missing dimension has size 1. Strides,
 * in elements, are those of the batch, the channels and the three dimensions. */
struct gn_pooling {
    int64_t batch, channels;
    int64_t in[SPATIAL], out[SPATIAL];
    int64_t taps[SPATIAL], stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    int64_t divisor; /* of averages; 0: the size of the window */
    int32_t is_adaptive, counts_padding;
    int32_t is_channels_last; /* adjacent threads have adjacent channels */
    int64_t in_strides[SPATIAL + 2], out_strides[SPATIAL + 2], place_strides[SPATIAL + 2];
};

/* The indices of an element or a window. */
struct gn_spot {
    int64_t image, channel;
    int64_t at[SPATIAL];
};

static inline gn_spot spot_of(const gn_pooling &work, const int64_t *sizes, int64_t number) {
    gn_spot made;
    if (work.is_channels_last) {
        made.channel = gn_split(&number, work.channels);
    }
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        made.at[dim] = sizes[dim] == 1 ? 0 : gn_split(&number, sizes[dim]);
    }
    if (!work.is_channels_last) {
        made.channel = gn_split(&number, work.channels);
    }
    made.image = number;
    return made;
}

static inline int64_t plane_of(const int64_t *strides, const gn_spot &spot) {
    return spot.image * strides[0] + spot.channel * strides[1];
}

static inline int64_t offset_of(const int64_t *strides, const gn_spot &spot) {
    int64_t offset = plane_of(strides, spot);
    for (int dim = 0; dim < SPATIAL; dim++) {
        offset += spot.at[dim] * strides[dim + 2];
    }
    return offset;
}

/* Positions [start, end) in steps of the dilation, and the length that a window has in the divisor of an average. */
struct gn_window {
    int64_t start, end, length;
};

/* floor(i n / m) without overflow of the product: i is at most m, and n may be an expanded size. */
static inline int64_t scaled(int64_t i, int64_t n, int64_t m) {
    return i * (n / m) + i * (n % m) / m;
}

/* ceil(i n / m). */
static inline int64_t scaled_up(int64_t i, int64_t n, int64_t m) {
    return i * (n / m) + (i * (n % m) + m - 1) / m;
}

static inline gn_window window_of(const gn_pooling &work, int dim, int64_t index) {
    const int64_t in = work.in[dim];
    if (work.is_adaptive) { /* from floor(i n / m) to ceil((i + 1) n / m) */
        const int64_t out = work.out[dim];
        const int64_t start = scaled(index, in, out);
        const int64_t end = scaled_up(index + 1, in, out);
        return gn_window{start, end, end - start};
    }
    const int64_t dilation = work.dilation[dim];
    const int64_t begin = index * work.stride[dim] - work.padding[dim];
    const int64_t start = begin < 0 ? begin + ((-begin - 1) / dilation + 1) * dilation : begin;
    const int64_t end = gn_min(begin + (work.taps[dim] - 1) * dilation + 1, in);
    const int64_t padded = gn_min(begin + work.taps[dim], in + work.padding[dim]) - begin;
    return gn_window{start, end, work.counts_padding ? padded : gn_max(end - start, 0)};
}

/* The windows [start, end) that may contain a position. With a dilation, `holds` tells which of them do. */
static inline gn_window windows_at(const gn_pooling &work, int dim, int64_t position) {
    const int64_t out = work.out[dim];
    if (work.is_adaptive) {
        const int64_t in = work.in[dim];
        return gn_window{scaled(position, out, in), scaled_up(position + 1, out, in), 0};
    }
    const int64_t stride = work.stride[dim];
    const int64_t last = position + work.padding[dim];
    const int64_t first = last - (work.taps[dim] - 1) * work.dilation[dim];
    return gn_window{first <= 0 ? 0 : (first - 1) / stride + 1, gn_min(last / stride + 1, out), 0};
}

static inline bool holds(const gn_pooling &work, int dim, int64_t index, int64_t position) {
    if (work.is_adaptive) {
        const gn_window window = window_of(work, dim, index);
        return position >= window.start && position < window.end;
    }
    const int64_t away = position - index * work.stride[dim] + work.padding[dim];
    return away >= 0 && away % work.dilation[dim] == 0 && away / work.dilation[dim] < work.taps[dim];
}

/* Sets *astray if an index given to the gradient of max pooling is in the plane but outside its window, which the
 * caller's indices may be. */
__global__ void find_astray(gn_pooling work, const int64_t *places, int32_t *astray) {
    const int64_t count = work.batch * work.channels * work.out[0] * work.out[1] * work.out[2];
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const gn_spot spot = spot_of(work, work.out, i);
        int64_t rest = places[offset_of(work.place_strides, spot)];
        if (rest < 0 || rest >= work.in[0] * work.in[1] * work.in[2]) {
            continue; /* outside the plane: ignored */
        }
        bool is_held = true;
        for (int dim = SPATIAL - 1; dim >= 0; dim--) {
            const int64_t position = gn_split(&rest, work.in[dim]);
            is_held = is_held && holds(work, dim, spot.at[dim], position);
        }
        if (!is_held) {
            *astray = 1;
        }
    }
}

#define GN_TEMPLATE "../cuda/pooling_dtype.cuh"
#include "../c/each_dtype.h"
