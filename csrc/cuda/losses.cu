/* nll_loss, glu, log_sigmoid with what its gradient needs, and frexp. */
#include "kernel.cuh"

#include "../c/scalar_parts.h"

#define LOSS_THREADS 256

/* The values of PyTorch's enumeration. */
#define REDUCTION_NONE 0
#define REDUCTION_MEAN 1

/* A batch of rows of log-probabilities; a single sample is a batch of one. *fault becomes 1 if a target is out of
 * range. */
struct gn_samples {
    int64_t batch, classes;
    int64_t step, class_step;             /* in bytes, of log-probabilities or their gradient */
    int64_t target_step, weight_step, other_step; /* other: losses, or their gradients */
    const int64_t *targets;
    const char *weights; /* null: all are 1 */
    int64_t ignored;
    int32_t reduction;
    int32_t *fault;
};

/* The sum of losses, and the sum of their weights. */
struct gn_loss {
    double sum, weight;
};

static inline int64_t target_of(const gn_samples &rows, int64_t row) {
    return *(const int64_t *)((const char *)rows.targets + row * rows.target_step);
}

/* The sums over a block's threads, returned in thread 0 and computed in a fixed order. */
static inline gn_loss sum_of_block(gn_loss mine) {
    __shared__ gn_loss shared[LOSS_THREADS];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = LOSS_THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half) {
            shared[threadIdx.x].sum += shared[threadIdx.x + half].sum;
            shared[threadIdx.x].weight += shared[threadIdx.x + half].weight;
        }
        __syncthreads();
    }
    return shared[0];
}

#define GN_TEMPLATE "../cuda/losses_dtype.cuh"
#include "../c/each_dtype.h"
