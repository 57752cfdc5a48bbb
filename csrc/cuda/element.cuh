/* One dtype, GN_CUDA_CODE, for kernels that are not generated from a table. gn_element is its type in memory. */
#pragma once

#include "kernel.cuh"

/* An unsigned integer of BYTES bytes, for the bits of an element. */
template <int BYTES> struct gn_word;
#define GN_WORD(BYTES, TYPE)                       \
    template <> struct gn_word<BYTES> {               \
        static inline uint64_t of(const void *element) {  \
            TYPE bits;                                    \
            memcpy(&bits, element, BYTES);                \
            return bits;                                  \
        }                                                 \
    };
GN_WORD(2, uint16_t)
GN_WORD(4, uint32_t)
GN_WORD(8, uint64_t)
#undef GN_WORD

#define GN_TEMPLATE "../cuda/element_dtype.cuh"
#include "../c/each_dtype.h"
