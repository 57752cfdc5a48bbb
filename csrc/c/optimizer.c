/* _fused_sgd_, _fused_adam_, _fused_adamw_ and _fused_adagrad_: one step of an optimizer, for all parameters in one
 * call.
 *
 * Formulas: Sutskever and others, "On the importance of initialization and momentum" (2013); Kingma and Ba,
 * arXiv:1412.6980; Loshchilov and Hutter, arXiv:1711.05101; Duchi, Hazan and Singer, "Adaptive subgradient methods"
 * (2011). */
#include "optimizer.h"

#include "direct.h"
#include "threads.h"

/* Elements that are gathered at a time if a parameter's tensors differ in layout. */
#define BUFFER 128

static int32_t fused_sgd(const gn_call *call, void *const *data);
static int32_t fused_adam(const gn_call *call, void *const *data, int decoupled);
static int32_t fused_adagrad(const gn_call *call, void *const *data);

#define GN_TEMPLATE "optimizer_dtype.h"
#include "each_dtype.h"

/* One parameter and its tensors; an absent one is NULL. */
typedef struct step_work {
    const gn_step_options *options;
    gn_step_run *run;
    const gn_tensor *tensors[GN_MOST_PARTS];
    char *parts[GN_MOST_PARTS];
    int64_t itemsize;
} step_work;

static gn_step_run *run_of(int32_t dtype) {
    switch (dtype) {
    case GN_FLOAT16:
        return step_run_float16;
    case GN_BFLOAT16:
        return step_run_bfloat16;
    case GN_FLOAT32:
        return step_run_float32;
    case GN_FLOAT64:
        return step_run_float64;
    default:
        return NULL;
    }
}

static void run_dense(int64_t begin, int64_t end, void *context) {
    const step_work *work = context;
    char *parts[GN_MOST_PARTS];
    for (int k = 0; k < GN_MOST_PARTS; k++) {
        parts[k] = work->parts[k] == NULL ? NULL : work->parts[k] + begin * work->itemsize;
    }
    work->run(end - begin, parts, work->options);
}

static void run_strided(int64_t begin, int64_t end, void *context) {
    const step_work *work = context;
    const size_t size = (size_t)work->itemsize;
    double buffers[GN_MOST_PARTS][BUFFER];
    char *parts[GN_MOST_PARTS];
    for (int64_t first = begin; first < end; first += BUFFER) {
        const int64_t count = gn_min(BUFFER, end - first);
        for (int k = 0; k < GN_MOST_PARTS; k++) {
            parts[k] = work->parts[k] == NULL ? NULL : (char *)buffers[k];
            for (int64_t i = 0; parts[k] != NULL && i < count; i++) {
                memcpy(parts[k] + (size_t)i * size, work->parts[k] + gn_offset(work->tensors[k], first + i, -1), size);
            }
        }
        work->run(count, parts, work->options);
        for (int k = 0; k < GN_MOST_PARTS; k++) {
            /* a gradient is written only if it is scaled */
            for (int64_t i = 0; parts[k] != NULL && (k != 1 || work->options->has_scale) && i < count; i++) {
                memcpy(work->parts[k] + gn_offset(work->tensors[k], first + i, -1), parts[k] + (size_t)i * size, size);
            }
        }
    }
}

/* Whether all elements of a tensor fill one block of memory, in whatever order. */
static int is_dense(const gn_tensor *tensor) {
    int64_t reach = gn_itemsize(tensor->dtype);
    const int64_t end = gn_numel(tensor) * reach;
    while (reach < end) {
        int32_t dim = 0;
        while (dim < tensor->ndim && (tensor->strides[dim] != reach || tensor->sizes[dim] == 1)) {
            dim++;
        }
        if (dim == tensor->ndim) {
            return 0;
        }
        reach *= tensor->sizes[dim];
    }
    return 1;
}

/* Whether two tensors of the same sizes have their elements in the same order of memory. */
static int lie_alike(const gn_tensor *one, const gn_tensor *other) {
    for (int32_t dim = 0; dim < one->ndim; dim++) {
        if (one->sizes[dim] > 1 && one->strides[dim] != other->strides[dim]) {
            return 0;
        }
    }
    return 1;
}

/* One parameter's step.  `places` are the indices of its tensors in the call, -1 for an absent one. */
static void step_one(const gn_call *call, void *const *data, const int64_t *places, const gn_step_options *options) {
    step_work work;
    memset(&work, 0, sizeof work);
    const gn_tensor *param = &call->tensors[places[0]];
    int alike = is_dense(param);
    work.options = options;
    work.run = run_of(param->dtype);
    work.itemsize = gn_itemsize(param->dtype);
    for (int k = 0; k < GN_MOST_PARTS; k++) {
        if (places[k] >= 0) {
            work.tensors[k] = &call->tensors[places[k]];
            work.parts[k] = data[places[k]];
            alike = alike && lie_alike(param, work.tensors[k]);
        }
    }
    gn_parallel_for(0, gn_numel(param), GN_GRAIN, alike ? run_dense : run_strided, &work);
}

/* A tensor's only element. */
static double number_of(const gn_tensor *tensor, const void *data) {
    const double address = gn_address(data);
    return tensor->dtype >= GN_FLOAT16 ? gn_read_real(address, tensor->dtype)
                                       : (double)gn_read_integer(address, tensor->dtype);
}

/* The scale of the gradients, and whether the step is skipped because one of them is not finite: the call's last two
 * tensors. */
static int read_scale(const gn_call *call, void *const *data, gn_step_options *options) {
    const int32_t scale = call->tensor_count - 2;
    const int32_t found = call->tensor_count - 1;
    options->has_scale = call->tensors[scale].dtype != GN_NO_DTYPE;
    options->grad_scale = options->has_scale ? number_of(&call->tensors[scale], data[scale]) : 1;
    return call->tensors[found].dtype != GN_NO_DTYPE && number_of(&call->tensors[found], data[found]) == 1;
}

/* Whether there is a kernel for each of the first `count` tensors, the parameters. */
static int all_floating(const gn_call *call, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (run_of(call->tensors[i].dtype) == NULL) {
            return 0;
        }
    }
    return 1;
}

/* (self, grads, momentum buffers or none; grad_scale, found_inf); integers: nesterov, maximize, is_first_step, then
 * the lengths of the lists; scalars: weight_decay, momentum, lr, dampening. */
static int32_t fused_sgd(const gn_call *call, void *const *data) {
    const int64_t count = call->integers[3];
    const int64_t buffers = call->integers[5];
    gn_step_options options;
    memset(&options, 0, sizeof options);
    options.weight_decay = call->scalars[0].real;
    options.momentum = call->scalars[1].real;
    options.lr = call->scalars[2].real;
    options.dampening = call->scalars[3].real;
    options.nesterov = call->integers[0] != 0;
    options.maximize = call->integers[1] != 0;
    options.is_first = call->integers[2] != 0;
    options.has_momentum = buffers > 0;
    if (!all_floating(call, count)) {
        return GN_NOT_IMPLEMENTED;
    }
    if (read_scale(call, data, &options)) {
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t places[GN_MOST_PARTS] = {i, count + i, buffers > 0 ? 2 * count + i : -1, -1, -1};
        step_one(call, data, places, &options);
    }
    return GN_OK;
}

/* (self, grads, first moments, second moments, largest second moments or none; steps, grad_scale, found_inf);
 * integers: amsgrad, maximize, then the lengths of the lists; scalars: lr, beta1, beta2, weight_decay, eps. */
static int32_t fused_adam(const gn_call *call, void *const *data, int decoupled) {
    const int64_t count = call->integers[2];
    const int64_t largest = call->integers[6];
    const int64_t steps = 4 * count + largest;
    gn_step_options options;
    memset(&options, 0, sizeof options);
    options.rule = GN_ADAM;
    options.decoupled = decoupled;
    options.lr = call->scalars[0].real;
    options.beta1 = call->scalars[1].real;
    options.beta2 = call->scalars[2].real;
    options.weight_decay = call->scalars[3].real;
    options.eps = call->scalars[4].real;
    options.amsgrad = call->integers[0] != 0;
    options.maximize = call->integers[1] != 0;
    if (!all_floating(call, count)) {
        return GN_NOT_IMPLEMENTED;
    }
    if (read_scale(call, data, &options)) {
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t places[GN_MOST_PARTS] = {i, count + i, 2 * count + i, 3 * count + i,
                                               largest > 0 ? 4 * count + i : -1};
        const double step = number_of(&call->tensors[steps + i], data[steps + i]);
        options.step_size = options.lr / (1 - pow(options.beta1, step));
        options.root = sqrt(1 - pow(options.beta2, step));
        step_one(call, data, places, &options);
    }
    return GN_OK;
}

/* (self, grads, sums of squares; steps, grad_scale, found_inf); integers: maximize, then the lengths of the lists;
 * scalars: lr, lr_decay, weight_decay, eps. */
static int32_t fused_adagrad(const gn_call *call, void *const *data) {
    const int64_t count = call->integers[1];
    gn_step_options options;
    memset(&options, 0, sizeof options);
    options.rule = GN_ADAGRAD;
    options.lr = call->scalars[0].real;
    const double lr_decay = call->scalars[1].real;
    options.weight_decay = call->scalars[2].real;
    options.eps = call->scalars[3].real;
    options.maximize = call->integers[0] != 0;
    if (!all_floating(call, count)) {
        return GN_NOT_IMPLEMENTED;
    }
    if (read_scale(call, data, &options)) {
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t places[GN_MOST_PARTS] = {i, count + i, 2 * count + i, -1, -1};
        const double step = number_of(&call->tensors[3 * count + i], data[3 * count + i]);
        options.step_size = options.lr / (1 + (step - 1) * lr_decay);
        step_one(call, data, places, &options);
    }
    return GN_OK;
}
