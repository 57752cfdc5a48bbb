/* Steps of optimizers for one dtype: one pass over a parameter.  The flags are constants where these functions are
 * called, so that each loop is plain. */

#if IS_FLOATING

#if CODE == GN_FLOAT64
#define ROOT(x) sqrt(x)
#else
#define ROOT(x) sqrtf(x)
#endif

GN_INLINE void NAME(sgd_loop)(int64_t count, char *const *parts, const gn_step_options *options, int decays,
                              int has_momentum, int is_first, int nesterov) {
    STORAGE *param = (STORAGE *)parts[0];
    const STORAGE *grad = (const STORAGE *)parts[1];
    STORAGE *buffer = (STORAGE *)parts[2];
    const COMPUTE sign = options->maximize ? -1 : 1;
    const COMPUTE decay = (COMPUTE)options->weight_decay;
    const COMPUTE lr = (COMPUTE)options->lr;
    const COMPUTE keep = (COMPUTE)options->momentum;
    const COMPUTE take = (COMPUTE)(1 - options->dampening);
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE x = LOAD(param[i]);
        COMPUTE way = LOAD(grad[i]) * sign;
        if (decays) {
            way += decay * x;
        }
        if (has_momentum) {
            const COMPUTE moved = is_first ? way : keep * LOAD(buffer[i]) + take * way;
            buffer[i] = STORE(moved);
            way = nesterov ? way + keep * moved : moved;
        }
        param[i] = STORE(x - lr * way);
    }
}

GN_INLINE void NAME(sgd_decays)(int64_t count, char *const *parts, const gn_step_options *options, int decays) {
    if (!options->has_momentum) {
        NAME(sgd_loop)(count, parts, options, decays, 0, 0, 0);
    } else if (options->nesterov) {
        if (options->is_first) {
            NAME(sgd_loop)(count, parts, options, decays, 1, 1, 1);
        } else {
            NAME(sgd_loop)(count, parts, options, decays, 1, 0, 1);
        }
    } else if (options->is_first) {
        NAME(sgd_loop)(count, parts, options, decays, 1, 1, 0);
    } else {
        NAME(sgd_loop)(count, parts, options, decays, 1, 0, 0);
    }
}

/* The largest second moment propagates NaN from both operands. */
GN_INLINE void NAME(adam_loop)(int64_t count, char *const *parts, const gn_step_options *options, int decays,
                               int amsgrad) {
    STORAGE *param = (STORAGE *)parts[0];
    const STORAGE *grad = (const STORAGE *)parts[1];
    STORAGE *first = (STORAGE *)parts[2];
    STORAGE *second = (STORAGE *)parts[3];
    STORAGE *largest = (STORAGE *)parts[4];
    const COMPUTE sign = options->maximize ? -1 : 1;
    const COMPUTE decay = (COMPUTE)options->weight_decay;
    const COMPUTE shrink = (COMPUTE)(options->decoupled ? 1 - options->lr * options->weight_decay : 1);
    const COMPUTE take1 = (COMPUTE)(1 - options->beta1);
    const COMPUTE keep2 = (COMPUTE)options->beta2;
    const COMPUTE take2 = (COMPUTE)(1 - options->beta2);
    const COMPUTE step_size = (COMPUTE)options->step_size;
    const COMPUTE root = (COMPUTE)(1 / options->root);
    const COMPUTE eps = (COMPUTE)options->eps;
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE x = LOAD(param[i]) * shrink;
        COMPUTE way = LOAD(grad[i]) * sign;
        if (decays) {
            way += decay * x;
        }
        const COMPUTE old = LOAD(first[i]);
        const COMPUTE mean = old + (way - old) * take1;
        const COMPUTE square = keep2 * LOAD(second[i]) + take2 * way * way;
        COMPUTE moment = square;
        if (amsgrad) {
            const COMPUTE most = LOAD(largest[i]);
            moment = square > most || square != square ? square : most;
            largest[i] = STORE(moment);
        }
        first[i] = STORE(mean);
        second[i] = STORE(square);
        param[i] = STORE(x - step_size * mean / (ROOT(moment) * root + eps));
    }
}

GN_INLINE void NAME(adagrad_loop)(int64_t count, char *const *parts, const gn_step_options *options, int decays) {
    STORAGE *param = (STORAGE *)parts[0];
    const STORAGE *grad = (const STORAGE *)parts[1];
    STORAGE *sum = (STORAGE *)parts[2];
    const COMPUTE sign = options->maximize ? -1 : 1;
    const COMPUTE decay = (COMPUTE)options->weight_decay;
    const COMPUTE step_size = (COMPUTE)options->step_size;
    const COMPUTE eps = (COMPUTE)options->eps;
    GN_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE x = LOAD(param[i]);
        COMPUTE way = LOAD(grad[i]) * sign;
        if (decays) {
            way += decay * x;
        }
        const COMPUTE total = LOAD(sum[i]) + way * way;
        sum[i] = STORE(total);
        param[i] = STORE(x - step_size * way / (ROOT(total) + eps));
    }
}

static void NAME(step_run)(int64_t count, char *const *parts, const gn_step_options *options) {
    const int decays = options->weight_decay != 0;
    if (options->has_scale) {
        STORAGE *grad = (STORAGE *)parts[1];
        const COMPUTE scale = (COMPUTE)options->grad_scale;
        for (int64_t i = 0; i < count; i++) {
            grad[i] = STORE(LOAD(grad[i]) / scale);
        }
    }
    if (options->rule == GN_ADAGRAD) {
        if (decays) {
            NAME(adagrad_loop)(count, parts, options, 1);
        } else {
            NAME(adagrad_loop)(count, parts, options, 0);
        }
    } else if (options->rule == GN_SGD) {
        if (decays) {
            NAME(sgd_decays)(count, parts, options, 1);
        } else {
            NAME(sgd_decays)(count, parts, options, 0);
        }
    } else if (decays && !options->decoupled) {
        if (options->amsgrad) {
            NAME(adam_loop)(count, parts, options, 1, 1);
        } else {
            NAME(adam_loop)(count, parts, options, 1, 0);
        }
    } else if (options->amsgrad) {
        NAME(adam_loop)(count, parts, options, 0, 1);
    } else {
        NAME(adam_loop)(count, parts, options, 0, 0);
    }
}

/* A row is claimed by the first parameter's dtype; parameters may differ in dtype. */
int32_t NAME(kernel_fused_sgd)(const gn_call *call, void *const *data) {
    return fused_sgd(call, data);
}

int32_t NAME(kernel_fused_adagrad)(const gn_call *call, void *const *data) {
    return fused_adagrad(call, data);
}

int32_t NAME(kernel_fused_adam)(const gn_call *call, void *const *data) {
    return fused_adam(call, data, 0);
}

int32_t NAME(kernel_fused_adamw)(const gn_call *call, void *const *data) {
    return fused_adam(call, data, 1);
}

#undef ROOT
#endif
