/* Floats of 8 bits and complex32, whose codes follow those of gnomon.h (limited.c). */
#ifndef GN_LIMITED_H
#define GN_LIMITED_H

#include <stdint.h>

#define GN_FLOAT8_E4M3FN 15
#define GN_FLOAT8_E5M2 16
#define GN_COMPLEX32 17

/* A float as the nearest float of 8 bits, ties to even; what is too large saturates (e4m3fn) or becomes infinite. */
uint8_t gn_to_float8(float value, int32_t dtype);

#endif
