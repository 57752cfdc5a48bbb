/* Random numbers: any element's number is computed by itself (philox.h).  Element i, in row-major order, has the i-th block
 * of four words behind the call's counter.  The functions of libm are Python's. */
#include "direct.h"
#include "philox.h"
#include "threads.h"

/* Two independent standard normal numbers.  Source: Box and Muller (1958). */
static inline void normal_pair(const uint32_t *words, double *pair) {
    const double radius = sqrt(-2.0 * log(1.0 - uniform53(words[0], words[1])));
    const double angle = 2.0 * PI * uniform53(words[2], words[3]);
    pair[0] = radius * cos(angle);
    pair[1] = radius * sin(angle);
}

typedef struct random_job {
    philox stream;
    double a, b;  /* the distribution's parameters */
    int64_t from; /* of integers */
    uint64_t range;
    const gn_tensor *out;
    char *data;
    const char *rates; /* of Poisson's distributions */
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
    }
    if (call->scalar_count > 0) {
        job.a = call->scalars[0].real;
    }
    if (call->scalar_count > 1) {
        job.b = call->scalars[1].real;
    }
    return job;
}

/* Elements to a part: a block takes some forty multiplications, and its transform as much. */
#define RANDOM_GRAIN (GN_GRAIN / 64)

#define GN_TEMPLATE "random_dtype.h"
#include "each_dtype.h"
