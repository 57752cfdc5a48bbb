/* Included by all kernel sources: the scalar functions of the C backend, the arguments of a launch, and index
 * arithmetic.
 *
 * A source is compiled for one dtype, whose code is GN_CUDA_CODE: by NVRTC for a device, or by the host's compiler for
 * the emulation. Index arithmetic is in 64 bits, except where the caller has checked that 32 bits suffice. */
#pragma once

#include "../c/pointwise_words.h"
#include "../c/scalar.h"

#define GN_CUDA_OPERANDS 4
#define GN_CUDA_SCALARS 4
#define GN_CUDA_INTEGERS 4

/* The arguments of a call that are not tensors, passed by value. The expressions of pointwise.def and the other tables
 * read its members, which therefore have the names of gn_call's. */
struct gn_numbers {
    struct {
        int32_t dtype;
    } tensors[GN_CUDA_OPERANDS];
    gn_scalar scalars[GN_CUDA_SCALARS];
    int64_t integers[GN_CUDA_INTEGERS];
};

static inline float gn_number_float32(const gn_numbers *call, int32_t index) {
    return (float)call->scalars[index].real;
}
static inline double gn_number_float64(const gn_numbers *call, int32_t index) {
    return call->scalars[index].real;
}
static inline gn_complex64 gn_number_complex64(const gn_numbers *call, int32_t index) {
    return gn_complex_of_float32((float)call->scalars[index].real, (float)call->scalars[index].imag);
}
static inline gn_complex128 gn_number_complex128(const gn_numbers *call, int32_t index) {
    return gn_complex_of_float64(call->scalars[index].real, call->scalars[index].imag);
}

/* The addresses of the operands of a pointwise call, outputs first. */
struct gn_places {
    char *at[GN_CUDA_OPERANDS];
};

/* The common shape of a TensorIterator call, dimension 0 fastest, and the strides of each operand in bytes. */
template <int DIMS> struct gn_shape {
    int32_t ndim;
    int64_t sizes[DIMS];
    int64_t strides[GN_CUDA_OPERANDS][DIMS];
};

/* Advances `places` from the first element of a TensorIterator call to element `index`. */
template <class INDEX, int DIMS>
static inline void gn_move(gn_places *places, const gn_shape<DIMS> &shape, INDEX index, int operands) {
    for (int32_t dim = 0; dim < shape.ndim; dim++) {
        const INDEX size = (INDEX)shape.sizes[dim];
        const INDEX above = index / size;
        const int64_t place = (int64_t)(index - above * size);
        for (int operand = 0; operand < operands; operand++) {
            places->at[operand] += place * shape.strides[operand][dim];
        }
        index = above;
    }
}

/* A whole tensor of at most GN_VIEW_DIMS dimensions. Elements are numbered in row-major order; strides are in bytes.
 * PyTorch's CUDA tensors are limited to 25 dimensions, too. The parameters of a kernel are limited to 4 KiB. */
#define GN_VIEW_DIMS 25
struct gn_view {
    char *at;
    int32_t dtype;
    int32_t ndim;
    int64_t sizes[GN_VIEW_DIMS];
    int64_t strides[GN_VIEW_DIMS];
};

/* The number of elements of a tensor. */
static inline int64_t gn_count(const gn_view &view) {
    int64_t count = 1;
    for (int32_t dim = 0; dim < view.ndim; dim++) {
        count *= view.sizes[dim];
    }
    return count;
}

/* The address of the element with row-major number `number` among the first `ndim` dimensions and index 0 in the
 * others. */
static inline char *gn_place(const gn_view &view, int64_t number, int32_t ndim) {
    char *at = view.at;
    for (int32_t dim = ndim - 1; dim >= 0; dim--) {
        const int64_t above = number / view.sizes[dim];
        at += (number - above * view.sizes[dim]) * view.strides[dim];
        number = above;
    }
    return at;
}
static inline char *gn_place(const gn_view &view, int64_t number) {
    return gn_place(view, number, view.ndim);
}

#define GN_LARGEST_UINT32 0xffffffffL
/* Returns *number % size and replaces *number by the quotient. Divides in 32 bits if both fit, which takes a quarter of
 * the time. */
static inline int64_t gn_split(int64_t *number, int64_t size) {
    if (*number <= GN_LARGEST_UINT32 && size <= GN_LARGEST_UINT32) {
        const uint32_t quotient = (uint32_t)*number / (uint32_t)size;
        const int64_t rest = *number - (int64_t)quotient * size;
        *number = quotient;
        return rest;
    }
    const int64_t quotient = *number / size;
    const int64_t rest = *number - quotient * size;
    *number = quotient;
    return rest;
}

/* The index of a thread in a one-dimensional launch, and the number of threads. */
static inline int64_t gn_thread(void) {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static inline int64_t gn_threads(void) {
    return (int64_t)gridDim.x * blockDim.x;
}

/* An element of 16 bytes that is only copied. */
struct alignas(16) gn_uint128 {
    uint64_t words[2];
};

/* Elements that are read or written with one access. */
template <class T, int LANES> struct alignas(sizeof(T) * LANES) gn_lanes {
    T each[LANES];
};
