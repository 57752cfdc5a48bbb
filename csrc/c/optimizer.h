/* Steps of optimizers: what the code of all dtypes shares. */
#ifndef GN_OPTIMIZER_H
#define GN_OPTIMIZER_H

#include "kernel.h"

/* The tensors of one parameter: itself, its gradient, and the optimizer's state. */
#define GN_MOST_PARTS 5

typedef enum gn_step_rule { GN_SGD, GN_ADAM, GN_ADAGRAD } gn_step_rule;

/* The numbers of a step, which are the same for all elements of one parameter. */
typedef struct gn_step_options {
    double lr, weight_decay;
    double momentum, dampening;               /* SGD */
    double eps, step_size;                    /* Adam and Adagrad */
    double beta1, beta2, root;                /* Adam: root is sqrt(1 - beta2^step) */
    gn_step_rule rule;
    int has_momentum, is_first, nesterov, amsgrad, decoupled, maximize;
    int has_scale;
    double grad_scale;
} gn_step_options;

/* One step of `count` elements that are contiguous in each of the parameter's tensors. */
typedef void gn_step_run(int64_t count, char *const *parts, const gn_step_options *options);

#endif
