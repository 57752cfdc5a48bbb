/* Random numbers of one element, for C and CUDA: Philox 4x32-10, a pure function of a seed and a counter, and what
 * distributions make of its words.
 *
 * Source: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (2011).  The transforms are the reference's
 * (numerics/generator.py), computed in double. */
#ifndef GN_PHILOX_H
#define GN_PHILOX_H

#include "scalar.h"

typedef struct philox {
    uint64_t seed;
    uint64_t low, high; /* of the counter of the first element */
} philox;

/* The words of a block. */
static inline void philox_words(const philox *stream, uint64_t index, uint32_t *words) {
    const uint64_t low = stream->low + index;
    const uint64_t high = stream->high + (low < index);
    uint32_t c0 = (uint32_t)low;
    uint32_t c1 = (uint32_t)(low >> 32);
    uint32_t c2 = (uint32_t)high;
    uint32_t c3 = (uint32_t)(high >> 32);
    uint32_t key0 = (uint32_t)stream->seed;
    uint32_t key1 = (uint32_t)(stream->seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t product0 = (uint64_t)0xD2511F53U * c0;
        const uint64_t product1 = (uint64_t)0xCD9E8D57U * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)product0;
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

/* A word as a number; vectors are converted from signed integers only. */
static inline double unsigned_word(uint32_t word) {
    return (double)(int32_t)(word ^ 0x80000000U) + 0x1p31;
}

/* A number in [0, 1) from 53 random bits: the sum of its halves is exact. */
static inline double uniform53(uint32_t high, uint32_t low) {
    return unsigned_word(high) * 0x1p-32 + (double)(int32_t)(low >> 11) * 0x1p-53;
}

#define PI 3.141592653589793

/* A whole number as an integer, modulo 2^64. */
static inline int64_t wrapped(double number) {
    return number < 0x1p63 ? (int64_t)number : (int64_t)(uint64_t)fmod(number, 0x1p64);
}

/* Trials up to a success of chance p; 2^1023 is as good as for ever. */
static inline double geometric_number(double p, const uint32_t *words) {
    const double trials = ceil(fmin(log1p(-uniform53(words[0], words[1])) / log1p(-p), 0x1p1023));
    return trials < 1.0 ? 1.0 : trials;
}

/* From this rate on numbers are proposed and rejected, below it they are counted up to. */
#define MANY 10

/* The number that u in [0, 1) stands for: the interval is cut into pieces as long as the numbers are likely. */
static inline double poisson_few(double rate, double u) {
    double number = 0;
    double likely = exp(-rate);
    while (u >= likely && (number <= rate || likely > 0x1p-60)) { /* else u is what rounding left over */
        u -= likely;
        number += 1;
        likely *= rate / number;
    }
    return number;
}

/* The logarithm of the chance of a number, by Stirling's series, so that what is large does not have to cancel. */
static inline double poisson_log_likelihood(double number, double rate) {
    if (number < 10) {
        double factorial = 1;
        for (int k = 2; k <= (int)number; k++) {
            factorial *= k;
        }
        return number * log(rate) - rate - log(factorial);
    }
    const double square = number * number;
    const double series =
        (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / number;
    const double away = number - rate;
    return away - number * log1p(away / rate) - 0.5 * log(2.0 * PI * number) - series;
}

/* A number for a rate of MANY at least.  Attempt k at element i has the block 2^96 k behind the element's own, so that
 * neither threads nor how often another element is rejected change it.
 *
 * Source: Hoermann, "The transformed rejection method for generating Poisson random variables" (1993), PTRS. */
static inline double poisson_many(const philox *stream, uint64_t index, double rate) {
    const double width = 0.931 + 2.53 * sqrt(rate);
    const double skew = -0.059 + 0.02483 * width;
    const double scale = 1.1239 + 1.1328 / (width - 3.4);
    const double surely = 0.9277 - 3.6224 / (width - 2.0);
    for (philox attempt = *stream;; attempt.high += (uint64_t)1 << 32) {
        uint32_t words[4];
        philox_words(&attempt, index, words);
        const double u = uniform53(words[0], words[1]) - 0.5;
        const double v = 1.0 - uniform53(words[2], words[3]);
        const double inside = 0.5 - fabs(u);
        if (inside < 0.013 && v > inside) {
            continue;
        }
        const double number = floor((2.0 * skew / inside + width) * u + rate + 0.43);
        if (inside >= 0.07 && v <= surely) {
            return number;
        }
        if (number >= 0 && log(v * scale / (skew / (inside * inside) + width)) <= poisson_log_likelihood(number, rate)) {
            return number;
        }
    }
}

/* The Poisson number of an element. */
static inline double poisson_number(const philox *stream, uint64_t index, double rate) {
    if (rate >= MANY) {
        return isinf(rate) ? rate : poisson_many(stream, index, rate);
    }
    uint32_t words[4];
    philox_words(stream, index, words);
    return poisson_few(rate, uniform53(words[0], words[1]));
}

#endif
