/* im2col and col2im: copy sliding windows of images to columns, and back. One thread per element of the result. */
#include "element.cuh"

/* Images (.., channels, in) and columns (.., channels times the kernel's taps, blocks). Steps are in elements: image,
 * channel, row, column of an image; image, row, block of the columns. Complex numbers have two `parts`. */
struct gn_folding {
    int64_t images, channels;
    int64_t in[2], blocks[2], kernel[2], dilation[2], padding[2], stride[2];
    int64_t image_steps[4], column_steps[3];
    int64_t parts;
};

/* im2col, for elements of one size regardless of dtype; 0 for padding. */
template <class T> __global__ void unfold(gn_folding work, const T *from, T *out) {
    const int64_t rows = work.channels * work.kernel[0] * work.kernel[1];
    const int64_t blocks = work.blocks[0] * work.blocks[1];
    for (int64_t i = gn_thread(); i < work.images * rows * blocks; i += gn_threads()) {
        int64_t image = i;
        const int64_t block = gn_split(&image, blocks);
        const int64_t row = gn_split(&image, rows);
        int64_t y = block;
        const int64_t x = gn_split(&y, work.blocks[1]);
        int64_t channel = row;
        const int64_t across = gn_split(&channel, work.kernel[1]);
        const int64_t down = gn_split(&channel, work.kernel[0]);
        const int64_t top = y * work.stride[0] - work.padding[0] + down * work.dilation[0];
        const int64_t left = x * work.stride[1] - work.padding[1] + across * work.dilation[1];
        T element = {};
        if (top >= 0 && top < work.in[0] && left >= 0 && left < work.in[1]) {
            const int64_t *steps = work.image_steps;
            element = from[image * steps[0] + channel * steps[1] + top * steps[2] + left * steps[3]];
        }
        out[image * work.column_steps[0] + row * work.column_steps[1] + block * work.column_steps[2]] = element;
    }
}

/* The window along one dimension whose tap `tap` is at `position`; -1 if there is none. */
static inline int64_t window_at(const gn_folding &work, int dim, int64_t position, int64_t tap) {
    const int64_t start = position + work.padding[dim] - tap * work.dilation[dim];
    if (start < 0 || start % work.stride[dim] != 0) {
        return -1;
    }
    const int64_t window = start / work.stride[dim];
    return window < work.blocks[dim] ? window : -1;
}

/* col2im: each element is the sum of its copies in all windows. */
__global__ void fold(gn_folding work, const gn_element *from, gn_element *out) {
    const int64_t count = work.images * work.channels * work.in[0] * work.in[1] * work.parts;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t image = i;
        const int64_t part = gn_split(&image, work.parts);
        const int64_t left = gn_split(&image, work.in[1]);
        const int64_t top = gn_split(&image, work.in[0]);
        const int64_t channel = gn_split(&image, work.channels);
        gn_precise sum = 0;
        for (int64_t down = 0; down < work.kernel[0]; down++) {
            const int64_t y = window_at(work, 0, top, down);
            for (int64_t across = 0; y >= 0 && across < work.kernel[1]; across++) {
                const int64_t x = window_at(work, 1, left, across);
                if (x >= 0) {
                    const int64_t row = (channel * work.kernel[0] + down) * work.kernel[1] + across;
                    const int64_t at = image * work.column_steps[0] + row * work.column_steps[1]
                                       + (y * work.blocks[1] + x) * work.column_steps[2];
                    sum += (gn_precise)gn_load(from[at * work.parts + part]);
                }
            }
        }
        const int64_t *steps = work.image_steps;
        const int64_t at = image * steps[0] + channel * steps[1] + top * steps[2] + left * steps[3];
        out[at * work.parts + part] = gn_rounded(sum);
    }
}
