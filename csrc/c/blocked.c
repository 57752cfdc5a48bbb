/* A convolution of an image whose channels lie in blocks of eight: out (N, O / 8, *out, 8), in (N, I / 8, *in, 8) and
 * weight (O / 8, I / 8, *kernel, 8 of I, 8 of O), all contiguous, in two spatial dimensions.
 *
 * Eight channels of an output are one vector. A tile of several positions of two blocks stays in registers while all
 * channels and kernel elements are added to it: each step loads two vectors of the weight, and multiplies them with
 * one input channel of each position. Padding is written out once an image.
 *
 * Source: Georganas et al., "Anatomy of high-performance deep learning convolutions on SIMD architectures" (2018). */
#include "direct.h"
#include "gemm.h"
#include "threads.h"
#include "workspace.h"

#define BLOCK 8
/* Positions of a tile: with two blocks each, twelve vectors. */
#define TILE 6

typedef struct blocked_convolution {
    int64_t images, channels, out_blocks, in_blocks;
    int64_t in[2], padded[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
    const void *source; /* the padded images */
    const void *weight;
    const void *bias; /* NULL: none */
    void *result;
} blocked_convolution;

#define GN_TEMPLATE "blocked_dtype.h"
#include "each_dtype.h"
