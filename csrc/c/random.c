/* Random numbers: each element's number is computed independently (philox.h). Element i, in row-major order, uses the
 * i-th block of four words after the call's counter; normal numbers come in pairs, and two elements share a block.
 *
 * Numbers of float64 and complex128 use the functions of libm, as Python does. Other dtypes use scalar.h, which
 * vectorizes and is within an ulp of a double: the rounded numbers are the same. */
#include "direct.h"
#include "philox_blocks.h"
#include "rejection.h"
#include "threads.h"

typedef struct random_job {
    philox stream;
    double a, b;  /* the distribution's parameters */
    int64_t from; /* of integers */
    uint64_t range, shares; /* (2^64 - 1) / range */
    const gn_tensor *out;
    char *data;
    const char *rates, *others; /* the parameters of each element */
    int is_contiguous;
} random_job;

/* The call's stream: its integers end in seed, and low and high half of the counter. */
static random_job random_job_of(const gn_call *call, void *const *data) {
    const int64_t *stream = call->integers + call->integer_count - 3;
    random_job job = {.stream = {(uint64_t)stream[0], (uint64_t)stream[1], (uint64_t)stream[2]},
                      .out = call->tensors,
                      .data = data[0],
                      .is_contiguous = gn_is_contiguous(call->tensors)};
    if (call->integer_count == 5) {
        job.from = call->integers[0];
        job.range = (uint64_t)call->integers[1] - (uint64_t)job.from;
        job.shares = job.range ? UINT64_MAX / job.range : 0;
    }
    if (call->scalar_count > 0) {
        job.a = call->scalars[0].real;
    }
    if (call->scalar_count > 1) {
        job.b = call->scalars[1].real;
    }
    return job;
}

/* The upper half of a product. */
static inline uint64_t upper_product(uint64_t a, uint64_t b) {
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* bits % range, or all bits for a range of 0.  With `shares` the quotient is at most 1 too small. */
static inline uint64_t below(uint64_t bits, uint64_t range, uint64_t shares) {
    const uint64_t rest = bits - upper_product(bits, shares) * range;
    return rest >= range && range ? rest - range : rest;
}

/* For a shuffle of `count` elements: the places with which those from `first` on are exchanged, two per block of
 * `blocks`. */
static void find_exchanges(const philox *stream, int64_t first, int64_t count, int64_t blocks, int64_t *others) {
    philox_table words;
    philox_blocks(stream, (uint64_t)first / 2, blocks, words);
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t place = first + 2 * i;
        const uint64_t bits = words[0][i] | (uint64_t)words[1][i] << 32;
        const uint64_t next = words[2][i] | (uint64_t)words[3][i] << 32;
        others[2 * i] = place + (int64_t)upper_product(bits, (uint64_t)(count - place));
        others[2 * i + 1] = place + 1 + (int64_t)upper_product(next, (uint64_t)(count - place - 1));
    }
}

/* Elements per part: a block takes some forty multiplications, and its transform about as many. */
#define RANDOM_GRAIN (GN_GRAIN / 64)

#define GN_TEMPLATE "random_dtype.h"
#include "each_dtype.h"
