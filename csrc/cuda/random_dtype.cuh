/* Distributions for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE

/* The number of elements computed from the words of a block, and their expressions. */
#define DISTRIBUTION_OF(id, count, ...)                                                            \
    struct id##_distribution {                                                                     \
        typedef STORAGE result;                                                                    \
        static const int elements = count;                                                         \
        static inline void make(const gn_random &random, const uint32_t *words, result *made) {    \
            const result all[count] = {__VA_ARGS__};                                               \
            for (int i = 0; i < count; i++) {                                                      \
                made[i] = all[i];                                                                  \
            }                                                                                      \
        }                                                                                          \
    };
#define DISTRIBUTION(id, ...) DISTRIBUTION_OF(id, 1, __VA_ARGS__)

#if IS_HALF
#define MADE(x) STORE((float)(x))
#elif IS_FLOATING
#define MADE(x) ((STORAGE)(x))
#elif IS_COMPLEX
#define MADE(re, im) ((STORAGE)gn_complex128(re, im))
#else
#define MADE(x) STORE((COMPUTE)wrapped(x))
#endif

#if IS_FRACTIONAL
#if CODE == GN_FLOAT32 || CODE == GN_COMPLEX64
#define BITS 24
#elif CODE == GN_FLOAT16
#define BITS 11
#elif CODE == GN_BFLOAT16
#define BITS 8
#endif
/* A number in [0, 1) with as many random bits as the dtype's mantissa has. */
static inline double uniform(const uint32_t *words) {
#if CODE == GN_FLOAT64 || CODE == GN_COMPLEX128
    return uniform53(words[0], words[1]);
#else
    return (double)(words[0] & (((uint32_t)1 << BITS) - 1)) * (1.0 / ((uint32_t)1 << BITS));
#endif
}

/* The same, scaled to [low, high). */
static inline double uniform_between(double low, double high, const uint32_t *words) {
    return plus_product(low, uniform(words), high - low);
}
#endif

#if IS_COMPLEX
DISTRIBUTION(uniform, MADE(uniform_between(random.a, random.b, words),
                           uniform_between(random.a, random.b, words + 2)))
/* The standard deviation of each part, so that the variances add up to the given one. */
static inline double part_of(double deviation) {
    return deviation / sqrt(2.0);
}
DISTRIBUTION(normal, MADE(plus_product(random.a, part_of(random.b), standard_normal(words)),
                          part_of(random.b) * other_standard_normal(words)))
#endif

#if IS_FLOATING
DISTRIBUTION(uniform, MADE(uniform_between(random.a, random.b, words)))
DISTRIBUTION_OF(normal, 2, MADE(plus_product(random.a, random.b, standard_normal(words))),
                MADE(plus_product(random.a, random.b, other_standard_normal(words))))
DISTRIBUTION(exponential, MADE(-log1p(-uniform53(words[0], words[1])) / random.a))
DISTRIBUTION(cauchy, MADE(plus_product(random.a, random.b, tan(PI * (uniform53(words[0], words[1]) - 0.5)))))
DISTRIBUTION_OF(log_normal, 2, MADE(exp(plus_product(random.a, random.b, standard_normal(words)))),
                MADE(exp(plus_product(random.a, random.b, other_standard_normal(words)))))

/* Poisson numbers for the rates in `rates`; *fault becomes 1 if one is negative or NaN. */
__global__ void fill_poisson(gn_view out, gn_view rates, gn_random random, int32_t *fault) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const double rate = (double)LOAD(*(const STORAGE *)gn_place(rates, i));
        if (rate >= 0) {
            *(STORAGE *)gn_place(out, i) = MADE(poisson_number(&random.stream, (uint64_t)i, rate));
        } else {
            *fault = 1;
        }
    }
}
#endif

#if CODE == GN_FLOAT32 || CODE == GN_FLOAT64
/* Gamma numbers for the concentrations, the smallest normal number at least. */
__global__ void fill_standard_gamma(gn_view out, gn_view concentrations, gn_random random) {
    const double least = sizeof(STORAGE) == sizeof(double) ? 0x1p-1022 : 0x1p-126;
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const double concentration = *(const STORAGE *)gn_place(concentrations, i);
        const double number = gamma_number(&random.stream, (uint64_t)i, concentration);
        *(STORAGE *)gn_place(out, i) = (STORAGE)(number < least ? least : number);
    }
}

__global__ void fill_binomial(gn_view out, gn_view counts, gn_view probs, gn_random random) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const double trials = *(const STORAGE *)gn_place(counts, i);
        const double prob = *(const STORAGE *)gn_place(probs, i);
        *(STORAGE *)gn_place(out, i) = (STORAGE)binomial_number(&random.stream, (uint64_t)i, trials, prob);
    }
}
#endif

#if IS_REAL
DISTRIBUTION(geometric, MADE(geometric_number(random.a, words)))
#endif

#if IS_ORDERED
/* An integer in [least, least + range). A range of 0 stands for 2^64 and uses all bits. */
static inline int64_t integer(const gn_random &random, const uint32_t *words) {
    const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
    return (int64_t)((uint64_t)random.least + (random.range ? bits % random.range : bits));
}

DISTRIBUTION(integers, STORE((COMPUTE)integer(random, words)))
DISTRIBUTION(bernoulli, STORE((COMPUTE)(uniform53(words[0], words[1]) < random.a)))
#endif

#undef MADE
#endif
