/* float16 and bfloat16 to float and back, in plain integer and float arithmetic that vectorises.
 *
 * Rounding is to nearest, ties to even; subnormals, infinities and NaN are handled. A NaN becomes the quiet NaN of its
 * sign. The code requires IEEE floats in the default rounding mode, without flushing of subnormals. */
#ifndef GN_HALF_H
#define GN_HALF_H

#include <stdint.h>
#include <string.h>

/* The bits of a float. */
static inline uint32_t gn_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The float that has these bits. */
static inline float gn_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A float16 as a float, exactly.
 *
 * The exponent and mantissa, moved to their places in a float, are the right number but for the bias of the exponent:
 * one multiplication by 2^(127 - 15) corrects this, also for subnormals. */
static inline float gn_from_float16(uint16_t half) {
    const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t finite = gn_bits(gn_from_bits(magnitude) * 0x1p112f);
    const uint32_t special = magnitude | 0x7f800000;
    return gn_from_bits((magnitude < 0x0f800000 ? finite : special) | sign);
}

/* A float as the nearest float16.
 *
 * Multiplying up and down makes what is too large infinite.  Then a power of two is added whose last place is
 * the last place of the float16 wanted, so that the float addition itself rounds to nearest even; the
 * exponent below 2^-14 is held fixed, which is what a subnormal is. */
static inline uint16_t gn_to_float16(float value) {
    const uint32_t bits = gn_bits(value);
    const uint32_t sign = (bits >> 16) & 0x8000;
    const uint32_t doubled = bits << 1;
    const float magnitude = (gn_from_bits(bits & 0x7fffffff) * 0x1p112f) * 0x1p-110f;
    uint32_t exponent = doubled & 0xff000000;
    exponent = exponent < 0x71000000 ? 0x71000000 : exponent;
    const uint32_t rounded = gn_bits(gn_from_bits((exponent >> 1) + 0x07800000) + magnitude);
    const uint32_t finite = ((rounded >> 13) & 0x7c00) + (rounded & 0x0fff);
    return (uint16_t)(sign | (doubled > 0xff000000 ? 0x7e00 : finite));
}

/* A bfloat16 as a float, exactly. */
static inline float gn_from_bfloat16(uint16_t half) {
    return gn_from_bits((uint32_t)half << 16);
}

/* A float as the nearest bfloat16. */
static inline uint16_t gn_to_bfloat16(float value) {
    const uint32_t bits = gn_bits(value);
    const uint32_t sign = (bits >> 16) & 0x8000;
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? (sign | 0x7fc0) : rounded);
}

#endif
