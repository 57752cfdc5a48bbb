/* Fourier transforms of long lines, and what all of them need: roots and factors. */
#include "fourier.h"

#include "fourier_vectors.h"
#include "threads.h"
#include "workspace.h"

/* Within an eighth of the circle; the others follow by symmetry. */
gn_point gn_root_of_unity(int64_t k, int64_t count) {
    const int64_t eighth = 8 * k / count;
    const int64_t rest = eighth % 2 == 0 ? 8 * k % count : count - 8 * k % count;
    const double angle = 0.78539816339744830962 * (double)rest / (double)count;
    const double near = rest == 0 ? 1 : cos(angle);
    const double far = rest == 0 ? 0 : sin(angle);
    const double across = eighth % 4 == 0 || eighth % 4 == 3 ? near : far;
    const double up = eighth % 4 == 0 || eighth % 4 == 3 ? far : near;
    return (gn_point){eighth >= 2 && eighth < 6 ? -across : across, eighth >= 4 ? up : -up};
}

int32_t gn_begin_roots(gn_roots *roots, int64_t length) {
    roots->length = length;
    roots->shift = 0;
    while ((int64_t)1 << 2 * roots->shift < length) {
        roots->shift++;
    }
    const int64_t low = (int64_t)1 << roots->shift;
    const int64_t high = (length + low - 1) >> roots->shift;
    roots->low = gn_take_items(low + high, sizeof(gn_point));
    if (roots->low == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    roots->high = roots->low + low;
    for (int64_t i = 0; i < low; i++) {
        roots->low[i] = gn_root_of_unity(i % length, length);
    }
    for (int64_t i = 0; i < high; i++) {
        roots->high[i] = gn_root_of_unity(i << roots->shift, length);
    }
    return GN_OK;
}

void gn_end_roots(gn_roots *roots) {
    gn_give(roots->low);
}

/* The power k. */
static inline gn_point root_at(const gn_roots *roots, int64_t k) {
    const gn_point a = roots->high[k >> roots->shift];
    const gn_point b = roots->low[k & (((int64_t)1 << roots->shift) - 1)];
    const double minus = -b.imag;
    return (gn_point){a.real * b.real + a.imag * minus, a.real * b.imag + a.imag * b.real};
}

int32_t gn_factorize(int64_t length, int32_t *factors) {
    static const int32_t usual[] = {8, 4, 5, 3, 2, 7, 11, 13, 17, 19, 23, 29, 31};
    int32_t count = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        /* 4 times 4 is faster than 8 times 2 */
        while (length % usual[i] == 0 && !(usual[i] == 8 && length % 32 == 16)) {
            factors[count++] = usual[i];
            length /= usual[i];
        }
    }
    return length == 1 ? count : 0;
}

int gn_is_smooth(int64_t length) {
    int32_t factors[GN_MOST_FACTORS];
    return length == 1 || gn_factorize(length, factors) > 0;
}

/* The rows of the matrix closest to a square: the largest divisor of a length that is at most its square root. */
static int64_t rows_of_matrix(int64_t length) {
    int64_t rows = 1;
    int32_t factors[GN_MOST_FACTORS];
    const int32_t count = gn_factorize(length, factors);
    for (int64_t candidate = 2; candidate * candidate <= length && count > 0; candidate++) {
        rows = length % candidate == 0 ? candidate : rows;
    }
    return rows;
}

#define WOVEN 0
#define GN_TEMPLATE "fourier_dtype.h"
#include "each_dtype.h"
