/* Distances of vectors (_cdist_forward, _pdist_forward), linalg_cross and addr. */
#include "number.cuh"
#include "places.cuh"

#define VECTOR_THREADS 256
#define TILE 32     /* a block computes a tile of TILE by TILE distances */
#define DEPTH 16    /* elements of the rows in shared memory at once */
#define EACH (TILE * TILE / VECTOR_THREADS) /* distances per thread */

/* How the absolute differences are combined: the number of nonzero ones, the sum, the sum of squares, the maximum, or
 * the sum of powers. */
#define COUNT 0
#define SUM 1
#define SQUARES 2
#define LARGEST 3
#define POWERS 4

/* Matrices of rows of `length` elements; steps in bytes. The views have the batch dimensions. */
struct gn_distances {
    int64_t matrices, rows, columns, length;
    gn_view first, second, out;
    int64_t first_steps[2], second_steps[2], out_steps[2];
    double order;
};

#if !GN_IS_COMPLEX
/* A NaN difference makes the distance NaN, except that the maximum ignores it unless PAIRS. */
template <int KIND, int PAIRS> static inline double with_size(double total, double size, double order) {
    switch (KIND) {
    case COUNT: return total + (size != size ? size : (double)(size != 0));
    case SUM: return total + size;
    case SQUARES: return total + size * size;
    case LARGEST: return size > total || (PAIRS && size != size) ? size : total;
    default: return total + pow(size, order);
    }
}

/* The distance of each row of the first matrix from each row of the second, in double and rounded once. PAIRS: those of
 * one matrix from its later rows, contiguously. A block computes a tile of them, whose rows it loads with coalesced
 * reads. */
template <int KIND, int PAIRS> __global__ void distances(gn_distances work) {
    __shared__ double first[TILE][DEPTH + 1];
    __shared__ double second[TILE][DEPTH + 1];
    const int64_t down = (work.rows + TILE - 1) / TILE;
    const int64_t across = (work.columns + TILE - 1) / TILE;
    const int32_t column = (int32_t)threadIdx.x % TILE;
    const int32_t row = (int32_t)threadIdx.x / TILE;
    for (int64_t task = blockIdx.x; task < work.matrices * down * across; task += gridDim.x) {
        int64_t matrix = task;
        const int64_t left = gn_split(&matrix, across) * TILE;
        const int64_t top = gn_split(&matrix, down) * TILE;
        if (PAIRS && left + TILE <= top) {
            continue;
        }
        const char *from = work.first.at + gn_offset_of(work.first, (uint64_t)matrix);
        const char *other = work.second.at + gn_offset_of(work.second, (uint64_t)matrix);
        double totals[EACH];
        for (int32_t k = 0; k < EACH; k++) {
            totals[k] = 0;
        }
        for (int64_t begin = 0; begin < work.length; begin += DEPTH) {
            const int32_t depth = (int32_t)gn_min(DEPTH, work.length - begin);
            for (int32_t i = (int32_t)threadIdx.x; i < TILE * DEPTH; i += VECTOR_THREADS) {
                const int32_t line = i / DEPTH;
                const int64_t at = begin + i % DEPTH;
                if (i % DEPTH < depth && top + line < work.rows) {
                    const char *place = from + (top + line) * work.first_steps[0] + at * work.first_steps[1];
                    first[line][i % DEPTH] = (double)gn_load(*(const gn_storage *)place);
                }
                if (i % DEPTH < depth && left + line < work.columns) {
                    const char *place = other + (left + line) * work.second_steps[0] + at * work.second_steps[1];
                    second[line][i % DEPTH] = (double)gn_load(*(const gn_storage *)place);
                }
            }
            __syncthreads();
            for (int32_t k = 0; k < EACH; k++) {
                const int32_t line = row + k * (TILE / EACH);
                if (top + line < work.rows && left + column < work.columns) {
                    for (int32_t i = 0; i < depth; i++) {
                        const double size = fabs(first[line][i] - second[column][i]);
                        totals[k] = with_size<KIND, PAIRS>(totals[k], size, work.order);
                    }
                }
            }
            __syncthreads();
        }
        for (int32_t k = 0; k < EACH; k++) {
            const int64_t i = top + row + k * (TILE / EACH);
            const int64_t j = left + column;
            if (i >= work.rows || j >= work.columns || (PAIRS && j <= i)) {
                continue;
            }
            const double total = totals[k];
            const double distance = KIND == SQUARES ? sqrt(total) : KIND == POWERS ? pow(total, 1 / work.order) : total;
            char *to = work.out.at;
            if (PAIRS) {
                to += (i * work.rows - i * (i + 1) / 2 + j - i - 1) * work.out_steps[1];
            } else {
                to += gn_offset_of(work.out, (uint64_t)matrix) + i * work.out_steps[0] + j * work.out_steps[1];
            }
            *(gn_storage *)to = gn_store((gn_compute)distance);
        }
    }
}
#endif

#define GN_TEMPLATE "../cuda/vectors_dtype.cuh"
#include "../c/each_dtype.h"
