/* One element of any dtype, for numbers that kernels read like tensors. */
#ifndef GN_ELEMENT_H
#define GN_ELEMENT_H

#include <stdint.h>

typedef union element {
    uint8_t uint8;
    int8_t int8;
    int16_t int16;
    int32_t int32;
    int64_t int64;
    uint16_t half;
    float float32[2];
    double float64[2];
} element;

#endif
