/* Kernels in which a block of threads treats one matrix of a batch at a time: where the matrices are, copies of them, and
 * what the threads do together.
 *
 * Copies are row-major and contiguous; small ones are in shared memory. Kernels are templates of THREADS, the size of a
 * block: a warp for small matrices, so that a barrier costs little. */
#pragma once

#include "number.cuh"
#include "places.cuh"
#include "team.cuh"

#if defined(__CUDACC__)
#define GN_DYNAMIC_SHARED(T, name) extern __shared__ T name[]
#endif

/* An operand: the batch dimensions, and the steps from a row to the next and from a column to the next, in bytes. */
struct gn_matrices {
    gn_view batch;
    int64_t row, column;

    inline char *of(int64_t matrix) const {
        return batch.at + gn_offset_of(batch, (uint64_t)matrix);
    }
    inline gn_storage &element(char *from, int64_t i, int64_t j) const {
        return *(gn_storage *)(from + i * row + j * column);
    }
};

/* The matrices of a launch, and the memory for a block's copies: `memory_bytes` of `memory`, or shared memory if that is
 * null. */
struct gn_batch {
    int64_t count;
    char *memory;
    int64_t memory_bytes;
    int32_t *fault; /* null if nobody asks */

    inline void refuse() const {
        if (fault != NULL) {
            *fault = 1;
        }
    }
    inline char *room() const {
        GN_DYNAMIC_SHARED(gn_uint128, shared);
        return memory == NULL ? (char *)shared : memory + blockIdx.x * memory_bytes;
    }
};

/* Parts of real and complex numbers. */
template <class T> static inline T gn_real_of(T x) {
    return x;
}
template <class T> static inline T gn_real_of(gn_complex<T> x) {
    return x.re;
}
template <class T> static inline T gn_imaginary_of(T) {
    return 0;
}
template <class T> static inline T gn_imaginary_of(gn_complex<T> x) {
    return x.im;
}
/* The larger part; a NaN is ignored. */
template <class T> static inline double gn_largest_part(T x) {
    return fmax(fabs((double)gn_real_of(x)), fabs((double)gn_imaginary_of(x)));
}
template <class T> static inline bool gn_parts_are_finite(T x) {
    return gn_is_finite((double)gn_real_of(x)) && gn_is_finite((double)gn_imaginary_of(x));
}
typedef decltype(gn_real_of(gn_compute())) gn_magnitude;

/* The functions below are called by all threads of a block. They end without a barrier. */

/* Copies a matrix, conjugated on demand. */
template <int THREADS>
static inline void gn_gather(const gn_matrices &operand, int64_t matrix, int64_t rows, int64_t columns, bool conjugated,
                             gn_compute *to) {
    char *const from = operand.of(matrix);
    for (int64_t index = threadIdx.x; index < rows * columns; index += THREADS) {
        int64_t i = index;
        const int64_t j = gn_split(&i, columns);
        const gn_compute x = gn_load(operand.element(from, i, j));
        to[index] = conjugated ? gn_conjugate(x) : x;
    }
}

/* The reverse of gn_gather. */
template <int THREADS>
static inline void gn_scatter(const gn_matrices &operand, int64_t matrix, int64_t rows, int64_t columns, bool conjugated,
                              const gn_compute *from) {
    char *const to = operand.of(matrix);
    for (int64_t index = threadIdx.x; index < rows * columns; index += THREADS) {
        int64_t i = index;
        const int64_t j = gn_split(&i, columns);
        const gn_compute x = from[index];
        operand.element(to, i, j) = gn_store(conjugated ? gn_conjugate(x) : x);
    }
}

/* X, `count` rows of `width` elements, is replaced by the solution Y of T Y = X, T a triangle of contiguous rows. Each row
 * that is solved is subtracted from all others at once. */
template <int THREADS>
static inline void gn_substitute(const gn_compute *triangle, int64_t count, gn_compute *x, int64_t width, bool upper,
                                 bool unitriangular) {
    for (int64_t k = 0; k < count; k++) {
        const int64_t solved = upper ? count - 1 - k : k;
        __syncthreads();
        if (!unitriangular) {
            const gn_compute pivot = triangle[solved * count + solved];
            for (int64_t j = threadIdx.x; j < width; j += THREADS) {
                x[solved * width + j] = x[solved * width + j] / pivot;
            }
            __syncthreads();
        }
        const int64_t first = upper ? 0 : solved + 1;
        for (int64_t index = threadIdx.x; index < (count - 1 - k) * width; index += THREADS) {
            int64_t i = index;
            const int64_t j = gn_split(&i, width);
            const gn_compute factor = triangle[(first + i) * count + solved];
            x[(first + i) * width + j] = x[(first + i) * width + j] - factor * x[solved * width + j];
        }
    }
}
