/* nll_loss for one dtype; input is (batch, classes), or (classes) for one sample. */

#if IS_FLOATING

/* The weight of a class; 1 where none are given. */
static inline COMPUTE NAME(class_weight)(const gn_tensor *weight, const void *data, int64_t class) {
    return weight->dtype == GN_NO_DTYPE ? 1 : LOAD(*(const STORAGE *)((const char *)data + class * weight->strides[0]));
}

/* The class of sample i. */
static inline int64_t NAME(class_of)(const gn_tensor *target, const void *data, int64_t i) {
    const int64_t step = target->ndim == 0 ? 0 : target->strides[0];
    return *(const int64_t *)((const char *)data + i * step);
}

/* (output, total_weight; self, target, weight or absent); integers: reduction, ignore_index.  Sums in double.
 * GN_BAD_VALUE for a target that is not a class. */
int32_t NAME(kernel_nll_loss)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[2];
    const gn_tensor *target = &call->tensors[3];
    const gn_tensor *weight = &call->tensors[4];
    const int64_t reduction = call->integers[0];
    const int64_t ignore_index = call->integers[1];
    if (self->ndim > 2) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t batch = self->ndim == 2 ? self->sizes[0] : 1;
    const int64_t step = self->ndim == 2 ? self->strides[0] : 0;
    const int64_t classes = self->sizes[self->ndim - 1];
    const int64_t class_step = self->strides[self->ndim - 1];
    double sum = 0;
    double total = 0;
    for (int64_t i = 0; i < batch; i++) {
        const int64_t class = NAME(class_of)(target, data[3], i);
        double loss = 0;
        if (class != ignore_index) {
            if (class < 0 || class >= classes) {
                return GN_BAD_VALUE;
            }
            const COMPUTE scale = NAME(class_weight)(weight, data[4], class);
            loss = -(double)scale
                   * (double)LOAD(*(const STORAGE *)((const char *)data[2] + i * step + class * class_step));
            total += scale;
        }
        if (reduction == REDUCTION_NONE) {
            const int64_t out_step = out->ndim == 0 ? 0 : out->strides[0];
            *(STORAGE *)((char *)data[0] + i * out_step) = STORE((COMPUTE)loss);
        }
        sum += loss;
    }
    if (reduction == REDUCTION_NONE) {
        total = self->ndim == 1 ? total : 0;
    } else {
        *(STORAGE *)data[0] = STORE((COMPUTE)(reduction == REDUCTION_MEAN ? sum / total : sum));
    }
    *(STORAGE *)data[1] = STORE((COMPUTE)total);
    return GN_OK;
}

/* Samples [begin, end) of the gradient: zero except for the class of each. */
static void NAME(nll_gradient_rows)(int64_t begin, int64_t end, void *context) {
    const nll_gradient *work = context;
    const gn_call *call = work->call;
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *gradient = &call->tensors[1];
    const gn_tensor *weight = &call->tensors[4];
    const int64_t reduction = call->integers[0];
    const int64_t step = out->ndim == 2 ? out->strides[0] : 0;
    const int64_t class_step = out->strides[out->ndim - 1];
    const int64_t gradient_step = reduction == REDUCTION_NONE && gradient->ndim > 0 ? gradient->strides[0] : 0;
    const COMPUTE total = LOAD(*(const STORAGE *)work->data[5]);
    for (int64_t i = begin; i < end; i++) {
        char *row = (char *)work->data[0] + i * step;
        if (class_step == (int64_t)sizeof(STORAGE)) {
            memset(row, 0, (size_t)work->classes * sizeof(STORAGE));
        } else {
            for (int64_t class = 0; class < work->classes; class++) {
                *(STORAGE *)(row + class * class_step) = 0;
            }
        }
        const int64_t class = NAME(class_of)(&call->tensors[3], work->data[3], i);
        if (class == call->integers[1]) {
            continue;
        }
        const COMPUTE incoming = LOAD(*(const STORAGE *)((const char *)work->data[1] + i * gradient_step));
        const COMPUTE scaled = -NAME(class_weight)(weight, work->data[4], class) * incoming;
        *(STORAGE *)(row + class * class_step) = STORE(reduction == REDUCTION_MEAN ? scaled / total : scaled);
    }
}

/* (grad_input; grad_output, self, target, weight or absent, total_weight); integers: reduction, ignore_index.
 * GN_BAD_VALUE for a target that is not a class. */
int32_t NAME(kernel_nll_loss_backward)(const gn_call *call, void *const *data) {
    const gn_tensor *self = &call->tensors[2];
    if (self->ndim > 2) {
        return GN_NOT_IMPLEMENTED;
    }
    const int64_t batch = self->ndim == 2 ? self->sizes[0] : 1;
    const int64_t classes = self->sizes[self->ndim - 1];
    for (int64_t i = 0; i < batch; i++) {
        const int64_t class = NAME(class_of)(&call->tensors[3], data[3], i);
        if (class != call->integers[1] && (class < 0 || class >= classes)) {
            return GN_BAD_VALUE;
        }
    }
    nll_gradient work = {call, data, classes};
    gn_parallel_for(0, batch, gn_grain(classes), NAME(nll_gradient_rows), &work);
    return GN_OK;
}

#endif
