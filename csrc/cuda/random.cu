/* Random numbers: any thread can compute the number of any element (philox.h). Element i, in row-major order, uses
 * block i of four words after the call's counter; normal numbers come in pairs, so that two elements share a block.
 * Products and sums are rounded separately, as in the reference. */
#include "kernel.cuh"

#include "../c/rejection.h"

/* The position in the random stream, and the parameters of the distribution. */
struct gn_random {
    philox stream;
    double a, b;
    int64_t least; /* of integers */
    uint64_t range;
};

/* a + b * c without contraction to an FMA: the product is rounded, too. */
static inline double plus_product(double a, double b, double c) {
    return __dadd_rn(a, __dmul_rn(b, c));
}

/* A standard normal number, and the second one of the pair. Source: Box and Muller (1958). */
static inline double normal_radius(const uint32_t *words) {
    return sqrt(-2.0 * log(1.0 - uniform53(words[0], words[1])));
}
static inline double standard_normal(const uint32_t *words) {
    return normal_radius(words) * cos(2.0 * PI * uniform53(words[2], words[3]));
}
static inline double other_standard_normal(const uint32_t *words) {
    return normal_radius(words) * sin(2.0 * PI * uniform53(words[2], words[3]));
}

#define GN_TEMPLATE "../cuda/random_dtype.cuh"
#include "../c/each_dtype.h"

/* Writes to each element the number computed from its block, or for pairs one of the two. */
template <class DISTRIBUTION> __global__ void fill_random(gn_view out, int32_t is_dense, gn_random random) {
    typedef typename DISTRIBUTION::result result;
    const int64_t count = gn_count(out);
    const int64_t each = DISTRIBUTION::elements;
    for (int64_t block = gn_thread(); block < (count + each - 1) / each; block += gn_threads()) {
        uint32_t words[4];
        result made[DISTRIBUTION::elements];
        philox_words(&random.stream, (uint64_t)block, words);
        DISTRIBUTION::make(random, words, made);
        for (int64_t i = block * each; i < gn_min(block * each + each, count); i++) {
            *(is_dense ? (result *)out.at + i : (result *)gn_place(out, i)) = made[i - block * each];
        }
    }
}
