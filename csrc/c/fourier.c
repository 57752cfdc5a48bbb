/* Fourier transforms of lines. */
#include "fourier.h"

#include "gemm.h"
#include "threads.h"
#include "workspace.h"

/* The largest prime factor that is transformed by the definition of the DFT. */
#define LARGEST_PRIME 31

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

/* Factors of `length`: those with a specialized stage, largest first, and small primes; 0 if another factor is left. */
static int32_t factorize(int64_t length, int32_t *factors) {
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
    return length == 1 || factorize(length, factors) > 0;
}

/* The rows of the matrix closest to a square: the largest divisor of a length that is at most its square root. */
static int64_t rows_of_matrix(int64_t length) {
    int64_t rows = 1;
    int32_t factors[GN_MOST_FACTORS];
    const int32_t count = factorize(length, factors);
    for (int64_t candidate = 2; candidate * candidate <= length && count > 0; candidate++) {
        rows = length % candidate == 0 ? candidate : rows;
    }
    return rows;
}

/* Vectors, if the compiler has vector types and shuffles; else single elements. */
#if GN_HAS_GEMM && (defined(__clang__) || __GNUC__ >= 12)
#define SIDE ((int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE)))
#define VECTOR __attribute__((vector_size(GN_GEMM_BYTES), aligned(sizeof(COMPUTE)), may_alias))
#define LIST_2(X) X(0), X(1)
#define LIST_4(X) LIST_2(X), X(2), X(3)
#define LIST_8(X) LIST_4(X), X(4), X(5), X(6), X(7)
#define LIST_16(X) LIST_8(X), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15)
#if GN_GEMM_BYTES == 64
#define LIST_float32 LIST_16
#define LIST_float64 LIST_8
#elif GN_GEMM_BYTES == 32
#define LIST_float32 LIST_8
#define LIST_float64 LIST_4
#else
#define LIST_float32 LIST_4
#define LIST_float64 LIST_2
#endif
/* Shuffle indices into two vectors: interleave their first halves; their second halves; the first elements of all
 * pairs; the second elements. */
#define COUNT (GN_GEMM_BYTES / sizeof(COMPUTE))
#define LOWER(i) (i) / 2 + (i) % 2 * COUNT
#define UPPER(i) (i) / 2 + (i) % 2 * COUNT + COUNT / 2
#define EVEN(i) 2 * (i)
#define ODD(i) 2 * (i) + 1
#define CHOSEN(a, b, PLACES) __builtin_shufflevector(a, b, NAME(LIST)(PLACES))
#else
#define SIDE ((int64_t)1)
#define VECTOR
#define LOWER a
#define UPPER b
#define EVEN a
#define ODD b
#define CHOSEN(a, b, PLACES) GN_JOIN(CHOSEN, PLACES)(a, b)
#define CHOSEN_a(a, b) (a)
#define CHOSEN_b(a, b) (b)
#endif

/* How a stage reads and writes; constants of its inlined code. */
enum {
    PLAIN = 0,
    ROOTS_ARE_ONE = 1, /* as in the first group, and in all of a last stage */
    FROM_PAIRS = 2,
    EXCHANGED = 4,
    TIMES_BETWEEN = 8,
    TO_PAIRS = 16,
    FIRST_FROM_PAIRS = ROOTS_ARE_ONE | FROM_PAIRS,
    FROM_EXCHANGED = FROM_PAIRS | EXCHANGED,
    FIRST_FROM_EXCHANGED = ROOTS_ARE_ONE | FROM_EXCHANGED,
    LAST_TIMES_BETWEEN = ROOTS_ARE_ONE | TIMES_BETWEEN,
    LAST_TO_PAIRS = ROOTS_ARE_ONE | TO_PAIRS,
    LAST_TO_EXCHANGED = LAST_TO_PAIRS | EXCHANGED
};

#define GN_TEMPLATE "fourier_dtype.h"
#include "each_dtype.h"
