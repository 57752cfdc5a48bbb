/* Polynomials of the tables in scalar_special_tables.h, and sums of two numbers; for C and CUDA. */
#ifndef GN_SCALAR_POLYNOMIAL_H
#define GN_SCALAR_POLYNOMIAL_H

#include "scalar.h"
#include "scalar_special_tables.h"

/* Is GN_FMA's product exact, so that it tells what rounding left out? */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define GN_HAS_FMA 1
#else
#define GN_HAS_FMA 0
#endif

#define GN_FAR_SPECIAL 32.0 /* from here on, expansions of the other functions */

/* A polynomial, the constant first. */
GN_INLINE double gn_polynomial(const double *coefficients, int count, double z) {
    double result = coefficients[count - 1];
    for (int k = count - 2; k >= 0; k--) {
        result = GN_FMA(result, z, coefficients[k]);
    }
    return result;
}
/* A polynomial of at least 12 coefficients by parts of 11: compilers do not unroll longer loops. */
GN_INLINE double gn_long_polynomial(const double *coefficients, int count, double z) {
    const double square = z * z;
    const double fourth = square * square;
    const double eleventh = fourth * fourth * (square * z);
    double above = 0;
    if (count > 22) {
        above = gn_polynomial(coefficients + 22, count - 22, z);
        above = GN_FMA(above, eleventh, gn_polynomial(coefficients + 11, 11, z));
    } else {
        above = gn_polynomial(coefficients + 11, count - 11, z);
    }
    return GN_FMA(above, eleventh, gn_polynomial(coefficients, 11, z));
}
/* A polynomial as four of z^4, none of which waits for another, for expressions that wait for little else. */
GN_INLINE double gn_part_of_polynomial(const double *coefficients, int count, int first, double fourth) {
    const int last = (count - 1 - first) / 4;
    double result = coefficients[4 * last + first];
    for (int k = last - 1; k >= 0; k--) {
        result = GN_FMA(result, fourth, coefficients[4 * k + first]);
    }
    return result;
}
GN_INLINE double gn_wide_polynomial(const double *coefficients, int count, double z) {
    const double square = z * z;
    const double fourth = square * square;
    const double even = gn_part_of_polynomial(coefficients, count, 0, fourth);
    const double odd = gn_part_of_polynomial(coefficients, count, 1, fourth);
    const double upper_even = gn_part_of_polynomial(coefficients, count, 2, fourth);
    const double upper_odd = gn_part_of_polynomial(coefficients, count, 3, fourth);
    return GN_FMA(GN_FMA(upper_odd, z, upper_even), square, GN_FMA(odd, z, even));
}
/* The same in single precision, by even and odd powers. */
GN_INLINE float gn_float_part_of_polynomial(const double *coefficients, int count, int first, float square) {
    const int last = (count - 1 - first) / 2;
    float result = (float)coefficients[2 * last + first];
    for (int k = last - 1; k >= 0; k--) {
        result = GN_FMA(result, square, (float)coefficients[2 * k + first]);
    }
    return result;
}
GN_INLINE float gn_float_polynomial(const double *coefficients, int count, float z) {
    const float square = z * z;
    const float even = gn_float_part_of_polynomial(coefficients, count, 0, square);
    return GN_FMA(gn_float_part_of_polynomial(coefficients, count, 1, square), z, even);
}
/* Functions that are tabulated in four pieces of each binade from 2^first on, and in pieces of length 1. */
GN_INLINE double gn_of_octave(const double *table, int count, int first, double x) {
    const uint64_t bits = gn_bits64(x);
    const int64_t piece = (int64_t)(bits >> 50) - 4 * (1023 + first);
    const double mantissa = gn_from_bits64((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
    return gn_polynomial(table + piece * count, count, mantissa * 8 - (double)(2 * (int64_t)(bits >> 50 & 3) + 9));
}
GN_INLINE double gn_of_unit(const double *table, int count, int first, double x) {
    const double whole = floor(x);
    return gn_polynomial(table + ((int64_t)whole - first) * count, count, 2 * (x - whole) - 1);
}
#define GN_NEAR(table, z) gn_polynomial(gn_table_##table(), GN_COUNT_##table, z)
#define GN_WIDE(table, z) gn_wide_polynomial(gn_table_##table(), GN_COUNT_##table, z)
#define GN_OCTAVE(table, first, x) gn_of_octave(gn_table_##table(), GN_COUNT_##table, first, x)
#define GN_UNIT(table, first, x) gn_of_unit(gn_table_##table(), GN_COUNT_##table, first, x)

/* A sum of two numbers, and what rounding left out. */
typedef struct gn_pair {
    double high, low;
} gn_pair;
GN_INLINE gn_pair gn_pair_of_sum(double a, double b) {
    gn_pair result;
    result.high = a + b;
    const double back = result.high - a;
    result.low = (a - (result.high - back)) + (b - back);
    return result;
}

#endif
