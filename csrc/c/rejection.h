/* Gamma and binomial numbers of one element, by rejection; for C and CUDA.  Attempt k at element i has the block 2^96 k
 * behind the element's own, so that neither threads nor how often another element is rejected change it. */
#ifndef GN_REJECTION_H
#define GN_REJECTION_H

#include "philox.h"

/* A number of Gamma(concentration, 1). Below 1, one for concentration + 1 is multiplied by a power of a uniform number.
 *
 * Source: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
static inline double gamma_number(const philox *stream, uint64_t index, double concentration) {
    if (!(concentration > 0)) {
        return concentration == 0 ? 0 : (double)NAN;
    }
    if (isinf(concentration)) {
        return concentration;
    }
    const double d = (concentration >= 1 ? concentration : concentration + 1.0) - 1.0 / 3.0;
    const double c = 1.0 / sqrt(9.0 * d);
    for (philox attempt = *stream;; attempt.high += (uint64_t)1 << 32) {
        uint32_t words[4];
        philox_words(&attempt, index, words);
        const double radius = sqrt(-2.0 * log(1.0 - uniform53(words[0], words[1])));
        const double normal = radius * cos(2.0 * PI * uniform53(words[2], words[3]));
        attempt.high += (uint64_t)1 << 32;
        philox_words(&attempt, index, words);
        const double root = 1.0 + c * normal;
        if (root <= 0) {
            continue;
        }
        const double v = root * root * root;
        const double u = 1.0 - uniform53(words[0], words[1]);
        if (log(u) < 0.5 * normal * normal + d * (1.0 - v + log(v))) {
            return concentration >= 1 ? d * v
                                      : d * v * exp(log1p(-uniform53(words[2], words[3])) / concentration);
        }
    }
}

/* The successes that u in [0, 1) stands for: the interval is cut into pieces as long as the numbers are likely. */
static inline double binomial_few(double count, double prob, double u) {
    double number = 0;
    double likely = exp(count * log1p(-prob));
    const double odds = prob / (1.0 - prob);
    while (u >= likely && number + 1.0 <= count) {
        u -= likely;
        likely *= odds * (count - number) / (number + 1.0);
        number += 1.0;
    }
    return number;
}

/* log(number!) less Stirling's approximation with number + 1. */
static inline double stirling_rest(double number) {
    const double above = number + 1.0;
    if (number < 10) {
        return lgamma(above) - ((number + 0.5) * log(above) - above + 0.5 * log(2.0 * PI));
    }
    const double square = above * above;
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / above;
}

/* A number for a mean of MANY at least and prob up to 1/2.
 *
 * Source: Hoermann, "The generation of binomial random variates" (1993). */
static inline double binomial_many(const philox *stream, uint64_t index, double count, double prob) {
    const double deviation = sqrt(count * prob * (1.0 - prob));
    const double width = 1.15 + 2.53 * deviation;
    const double skew = -0.0873 + 0.0248 * width + 0.01 * prob;
    const double scale = (2.83 + 5.1 / width) * deviation;
    const double surely = 0.92 - 4.2 / width;
    const double odds = prob / (1.0 - prob);
    const double mode = floor((count + 1.0) * prob);
    for (philox attempt = *stream;; attempt.high += (uint64_t)1 << 32) {
        uint32_t words[4];
        philox_words(&attempt, index, words);
        const double u = uniform53(words[0], words[1]) - 0.5;
        const double v = 1.0 - uniform53(words[2], words[3]);
        const double inside = 0.5 - fabs(u);
        if (inside == 0) {
            continue;
        }
        const double number = floor((2.0 * skew / inside + width) * u + count * prob + 0.5);
        if (inside >= 0.07 && v <= surely) {
            return number;
        }
        if (!(number >= 0 && number <= count)) {
            continue;
        }
        /* the logarithm of the number's chance, less that of the mode's */
        const double likelihood = (mode + 0.5) * log((mode + 1.0) / (odds * (count - mode + 1.0))) +
                                  (count + 1.0) * log((count - mode + 1.0) / (count - number + 1.0)) +
                                  (number + 0.5) * log(odds * (count - number + 1.0) / (number + 1.0)) +
                                  stirling_rest(mode) + stirling_rest(count - mode) - stirling_rest(number) -
                                  stirling_rest(count - number);
        if (log(v * scale / (skew / (inside * inside) + width)) <= likelihood) {
            return number;
        }
    }
}

static inline double binomial_number(const philox *stream, uint64_t index, double count, double prob) {
    if (count != count || prob != prob) {
        return (double)NAN;
    }
    if (count <= 0 || prob <= 0) {
        return 0;
    }
    if (prob >= 1 || isinf(count)) {
        return count;
    }
    const double less = prob > 0.5 ? 1.0 - prob : prob;
    double number;
    if (count * less >= MANY) {
        number = binomial_many(stream, index, count, less);
    } else {
        uint32_t words[4];
        philox_words(stream, index, words);
        number = binomial_few(count, less, uniform53(words[0], words[1]));
    }
    return prob > 0.5 ? count - number : number;
}

#endif
