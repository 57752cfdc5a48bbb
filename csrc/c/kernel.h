/* What every kernel file includes: the ABI, memory, numbers, and the classes of dtypes.
 *
 * Code that is alike for all dtypes is written once, in a file named *_dtype.h, against the names that
 * each_dtype.h defines (DTYPE, STORAGE, COMPUTE, LOAD, STORE, NAME); each_dtype.h includes it once a dtype. */
#ifndef GN_KERNEL_H
#define GN_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__cplusplus)
#include "../cuda/complex.cuh"
#define GN_HAS_COMPLEX 1
#elif !defined(__STDC_NO_COMPLEX__)
#include <complex.h>
#define GN_HAS_COMPLEX 1
typedef float complex gn_complex64;
typedef double complex gn_complex128;
#else
#define GN_HAS_COMPLEX 0
#endif

#include "../gnomon.h"
#include "half.h"

/* exp, float32 -> exp_float32, after expansion of both. */
#define GN_JOIN_(left, right) left##_##right
#define GN_JOIN(left, right) GN_JOIN_(left, right)

/* Declares that iterations of the loop below are independent although its pointers may be equal (in-place operators):
 * without it, compilers guard the vector code with a test that fails for such calls. */
#if defined(__clang__)
#define GN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define GN_INDEPENDENT _Pragma("GCC ivdep")
#else
#define GN_INDEPENDENT
#endif

/* Functions of one element: a loop vectorises only where they are inlined, and compilers give up on large ones. */
#if defined(__GNUC__)
#define GN_INLINE static inline __attribute__((always_inline))
#else
#define GN_INLINE static inline
#endif

#if defined(__GNUC__)
#define GN_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#else
#define GN_UNLIKELY(condition) (condition)
#endif

/* a b + c.  Where the processor has an instruction for it the product is not rounded, else it is; either way an
 * element's result is the same wherever it stands, as each operation that is fused is written as such. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define GN_FMA(a, b, c) _Generic((a), float: fmaf, double: fma)(a, b, c)
#else
#define GN_FMA(a, b, c) ((a) * (b) + (c))
#endif

/* Addresses in the ABI are doubles; gn_allocate has checked that they fit. */
static inline void *gn_pointer(double address) {
    return (void *)(uintptr_t)address;
}
static inline double gn_address(const void *pointer) {
    return (double)(uintptr_t)pointer;
}

/* Bytes of one element, by dtype code. */
static inline int64_t gn_itemsize(int32_t dtype) {
    static const int8_t sizes[GN_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[dtype];
}

/* Elements of a tensor. */
static inline int64_t gn_numel(const gn_tensor *tensor) {
    int64_t numel = 1;
    for (int32_t dim = 0; dim < tensor->ndim; dim++) {
        numel *= tensor->sizes[dim];
    }
    return numel;
}

/* A dimension as the user gave it, counted from the front; a 0-d tensor counts as one dimension. */
static inline int64_t gn_wrap_dim(int64_t dim, int64_t ndim) {
    return dim < 0 ? dim + (ndim > 0 ? ndim : 1) : dim;
}

static inline int64_t gn_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t gn_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Memory from the allocator, 64-byte aligned, uninitialised; NULL when exhausted. The caller frees it with gn_give.
 * nbytes may be 0; NULL for a negative or too large one. */
void *gn_take(int64_t nbytes);
/* Frees memory of gn_take; does nothing for NULL. */
void gn_give(void *memory);

/* The call's Scalar `index` as each COMPUTE type. */
static inline float gn_number_float32(const gn_call *call, int32_t index) {
    return (float)call->scalars[index].real;
}
static inline double gn_number_float64(const gn_call *call, int32_t index) {
    return call->scalars[index].real;
}
#if GN_HAS_COMPLEX
static inline gn_complex64 gn_number_complex64(const gn_call *call, int32_t index) {
    const float parts[2] = {(float)call->scalars[index].real, (float)call->scalars[index].imag};
    gn_complex64 number;
    memcpy(&number, parts, sizeof number);
    return number;
}
static inline gn_complex128 gn_number_complex128(const gn_call *call, int32_t index) {
    const double parts[2] = {call->scalars[index].real, call->scalars[index].imag};
    gn_complex128 number;
    memcpy(&number, parts, sizeof number);
    return number;
}
#endif

/* A product of numbers of any type.  The complex product is written out in real numbers, with a sum in both parts: a
 * sum next to a difference, as in a complex product, is compiled to fused instructions that round neither product, but
 * only in vector code. */
#if GN_HAS_COMPLEX
/* Each part by itself: a product with I would make NaN of infinities. */
GN_INLINE gn_complex64 gn_complex_of_float32(float re, float im) {
#ifdef CMPLXF
    return CMPLXF(re, im); /* memory access prevents vector code */
#else
    const float parts[2] = {re, im};
    gn_complex64 number;
    memcpy(&number, parts, sizeof number);
    return number;
#endif
}
GN_INLINE gn_complex128 gn_complex_of_float64(double re, double im) {
#ifdef CMPLX
    return CMPLX(re, im);
#else
    const double parts[2] = {re, im};
    gn_complex128 number;
    memcpy(&number, parts, sizeof number);
    return number;
#endif
}
GN_INLINE gn_complex64 gn_multiply_complex64(gn_complex64 a, gn_complex64 b) {
    const float re = crealf(a), im = cimagf(a), right = crealf(b), up = cimagf(b), down = -up;
    return gn_complex_of_float32(re * right + im * down, re * up + im * right);
}
GN_INLINE gn_complex128 gn_multiply_complex128(gn_complex128 a, gn_complex128 b) {
    const double re = creal(a), im = cimag(a), right = creal(b), up = cimag(b), down = -up;
    return gn_complex_of_float64(re * right + im * down, re * up + im * right);
}
#ifdef __cplusplus
GN_INLINE gn_complex64 operator*(gn_complex64 a, gn_complex64 b) {
    return gn_multiply_complex64(a, b);
}
GN_INLINE gn_complex128 operator*(gn_complex128 a, gn_complex128 b) {
    return gn_multiply_complex128(a, b);
}
#define GN_TIMES(a, b) ((a) * (b))
#else
#define GN_TIMES(a, b)                                                                                         \
    _Generic((a) * (b), gn_complex64: gn_multiply_complex64((gn_complex64)(a), (gn_complex64)(b)),             \
             gn_complex128: gn_multiply_complex128((gn_complex128)(a), (gn_complex128)(b)), default: (a) * (b))
#endif
#else
#define GN_TIMES(a, b) ((a) * (b))
#endif

/* Classes of dtypes.  A row of a table names one; WHEN_<class>(code) in a *_dtype.h file is `code` for the
 * dtypes in it, and KERNELS_<class>(id) is the row's list of kernels:
 *   KERNELS_FLOATING(exp) is {NULL, NULL, NULL, NULL, NULL, NULL, exp_float16, exp_bfloat16, exp_float32,
 *   exp_float64, NULL, NULL} */
#if GN_HAS_COMPLEX
#define GN_COMPLEX_KERNELS(id) id##_complex64, id##_complex128
#else
#define GN_COMPLEX_KERNELS(id) NULL, NULL
#endif
#define GN_INTEGER_KERNELS(id) id##_uint8, id##_int8, id##_int16, id##_int32, id##_int64
#define GN_FLOATING_KERNELS(id) id##_float16, id##_bfloat16, id##_float32, id##_float64
#define GN_NO_INTEGER_KERNELS NULL, NULL, NULL, NULL, NULL
#define GN_NO_FLOATING_KERNELS NULL, NULL, NULL, NULL
#define KERNELS_ALL(id) {id##_bool, GN_INTEGER_KERNELS(id), GN_FLOATING_KERNELS(id), GN_COMPLEX_KERNELS(id)}
#define KERNELS_NUMERIC(id) {NULL, GN_INTEGER_KERNELS(id), GN_FLOATING_KERNELS(id), GN_COMPLEX_KERNELS(id)}
#define KERNELS_ORDERED(id) {id##_bool, GN_INTEGER_KERNELS(id), GN_FLOATING_KERNELS(id), NULL, NULL}
#define KERNELS_REAL(id) {NULL, GN_INTEGER_KERNELS(id), GN_FLOATING_KERNELS(id), NULL, NULL}
#define KERNELS_INTEGRAL(id) {id##_bool, GN_INTEGER_KERNELS(id), GN_NO_FLOATING_KERNELS, NULL, NULL}
#define KERNELS_INTEGER(id) {NULL, GN_INTEGER_KERNELS(id), GN_NO_FLOATING_KERNELS, NULL, NULL}
#define KERNELS_FLOATING(id) {NULL, GN_NO_INTEGER_KERNELS, GN_FLOATING_KERNELS(id), NULL, NULL}
#define KERNELS_FRACTIONAL(id) {NULL, GN_NO_INTEGER_KERNELS, GN_FLOATING_KERNELS(id), GN_COMPLEX_KERNELS(id)}
#define KERNELS_PRECISE(id) {NULL, GN_NO_INTEGER_KERNELS, NULL, NULL, id##_float32, id##_float64, NULL, NULL}
#define KERNELS_COMPLEX(id) {NULL, GN_NO_INTEGER_KERNELS, GN_NO_FLOATING_KERNELS, GN_COMPLEX_KERNELS(id)}
/* One kernel for all dtypes. */
#define KERNELS_SAME(id) {id, id, id, id, id, id, id, id, id, id, id, id}

#define GN_KEEP_0(...)
#define GN_KEEP_1(...) __VA_ARGS__
#define WHEN_ALL(...) __VA_ARGS__
#define WHEN_NUMERIC(...) GN_JOIN(GN_KEEP, IS_NUMERIC)(__VA_ARGS__)
#define WHEN_ORDERED(...) GN_JOIN(GN_KEEP, IS_ORDERED)(__VA_ARGS__)
#define WHEN_REAL(...) GN_JOIN(GN_KEEP, IS_REAL)(__VA_ARGS__)
#define WHEN_INTEGRAL(...) GN_JOIN(GN_KEEP, IS_INTEGRAL)(__VA_ARGS__)
#define WHEN_INTEGER(...) GN_JOIN(GN_KEEP, IS_INTEGER)(__VA_ARGS__)
#define WHEN_FLOATING(...) GN_JOIN(GN_KEEP, IS_FLOATING)(__VA_ARGS__)
#define WHEN_FRACTIONAL(...) GN_JOIN(GN_KEEP, IS_FRACTIONAL)(__VA_ARGS__)
#define WHEN_PRECISE(...) GN_JOIN(GN_KEEP, IS_PRECISE)(__VA_ARGS__)
#define WHEN_COMPLEX(...) GN_JOIN(GN_KEEP, IS_COMPLEX)(__VA_ARGS__)

#endif
