/* Fourier transforms of lines whose length is a prime number, beside each other. */
#include "fourier.h"

#include "fourier_vectors.h"
#include "workspace.h"

/* A number whose powers are all others but 0 modulo a prime number. */
static int64_t generator_of(int64_t prime) {
    for (int64_t candidate = 2; candidate < prime; candidate++) {
        int64_t power = candidate, order = 1;
        for (; power != 1; order++) {
            power = power * candidate % prime;
        }
        if (order == prime - 1) {
            return candidate;
        }
    }
    return 1;
}

int gn_is_prime_beside(int64_t length) {
    if (length > GN_LONGEST_PRIME || length < 3 || gn_is_smooth(length) || !gn_is_smooth(length - 1)) {
        return 0;
    }
    for (int64_t divisor = 2; divisor * divisor <= length; divisor++) {
        if (length % divisor == 0) {
            return 0;
        }
    }
    return 1;
}

#define WOVEN 0
#define GN_TEMPLATE "fourier_prime_dtype.h"
#include "each_dtype.h"
