/* Offsets of elements in several tensors that are iterated together, and reads of index tensors. */
#pragma once

#include "kernel.cuh"

/* Marks a loop that must not be unrolled: its body is long, and unrolling would multiply the compile time. */
#if defined(__CUDACC__)
#define GN_ROLLED _Pragma("unroll 1")
#else
#define GN_ROLLED
#endif

/* Adds the byte offset of element `number` in each view to `at[0]`, `at[1]`, ... All views have the sizes of the first.
 * For fewer than 2^32 elements NUMBER is uint32_t, which divides faster. */
template <class NUMBER, class... VIEWS>
static inline void gn_add_offsets(int64_t *at, NUMBER number, const gn_view &first, const VIEWS &...others) {
    GN_ROLLED
    for (int32_t dim = first.ndim - 1; dim >= 0; dim--) {
        const NUMBER size = (NUMBER)first.sizes[dim];
        const NUMBER above = dim == 0 ? 0 : number / size;
        const int64_t place = (int64_t)(number - above * size);
        int view = 0;
        at[view++] += place * first.strides[dim];
        ((at[view++] += place * others.strides[dim]), ...);
        number = above;
    }
}

/* The byte offset of element `number`. */
template <class NUMBER> static inline int64_t gn_offset_of(const gn_view &view, NUMBER number) {
    int64_t at = 0;
    gn_add_offsets<NUMBER>(&at, number, view);
    return at;
}

/* Reads an int32 or int64 element. */
static inline int64_t gn_index_in(const char *place, int32_t dtype) {
    return dtype == GN_INT32 ? *(const int32_t *)place : *(const int64_t *)place;
}
