/* glu, log_sigmoid_forward and frexp for one dtype; half types are converted to float in buffers. */

#if IS_FLOATING
#if IS_HALF
#define LOOP(id) id##_loop_float32
#else
#define LOOP(id) NAME(id##_loop)

/* The first half times the sigmoid of the second. */
static int32_t NAME(glu_loop)(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    const int64_t size = sizeof(STORAGE);
    (void)call;
    if (strides[0] == size && strides[1] == size && strides[2] == size) {
        STORAGE *out = (STORAGE *)data[0];
        const STORAGE *first = (const STORAGE *)data[1];
        const STORAGE *second = (const STORAGE *)data[2];
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            out[i] = first[i] * gn_sigmoid(second[i]);
        }
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const STORAGE gate = gn_sigmoid(*(const STORAGE *)(data[2] + i * strides[2]));
        *(STORAGE *)(data[0] + i * strides[0]) = *(const STORAGE *)(data[1] + i * strides[1]) * gate;
    }
    return GN_OK;
}

/* The logarithm of the sigmoid, and e^-|x|, which its gradient needs. */
static int32_t NAME(log_sigmoid_loop)(int64_t count, char *const *data, const int64_t *strides,
                                      const gn_call *call) {
    const int64_t size = sizeof(STORAGE);
    (void)call;
    if (strides[0] == size && strides[1] == size && strides[2] == size) {
        STORAGE *out = (STORAGE *)data[0];
        STORAGE *decays = (STORAGE *)data[1];
        const STORAGE *in = (const STORAGE *)data[2];
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const STORAGE decayed = gn_exp(-gn_abs(in[i]));
            out[i] = gn_log_sigmoid(in[i], decayed);
            decays[i] = decayed;
        }
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const STORAGE x = *(const STORAGE *)(data[2] + i * strides[2]);
        const STORAGE decayed = gn_exp(-gn_abs(x));
        *(STORAGE *)(data[0] + i * strides[0]) = gn_log_sigmoid(x, decayed);
        *(STORAGE *)(data[1] + i * strides[1]) = decayed;
    }
    return GN_OK;
}

/* Mantissas and exponents. */
static int32_t NAME(frexp_loop)(int64_t count, char *const *data, const int64_t *strides, const gn_call *call) {
    const int64_t size = sizeof(STORAGE);
    (void)call;
    if (strides[0] == size && strides[1] == (int64_t)sizeof(int32_t) && strides[2] == size) {
        STORAGE *mantissas = (STORAGE *)data[0];
        int32_t *exponents = (int32_t *)data[1];
        const STORAGE *in = (const STORAGE *)data[2];
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            int32_t exponent;
            mantissas[i] = (STORAGE)gn_parts((double)in[i], &exponent);
            exponents[i] = exponent;
        }
        return GN_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        const double x = (double)*(const STORAGE *)(data[2] + i * strides[2]);
        *(STORAGE *)(data[0] + i * strides[0]) = (STORAGE)gn_parts(x, (int32_t *)(data[1] + i * strides[1]));
    }
    return GN_OK;
}
#endif

/* (out, self); integers: dim. */
int32_t NAME(kernel_glu)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *self = &call->tensors[1];
    const int64_t dim = gn_wrap_dim(call->integers[0], self->ndim);
    const gn_tensor half = {self->dtype, self->ndim, out->sizes, self->strides};
    const gn_tensor tensors[3] = {*out, half, half};
    void *places[3] = {data[0], data[1], (char *)data[1] + out->sizes[dim] * self->strides[dim]};
    return gn_for_each_direct(call, 1, 3, tensors, places, LOOP(glu));
}

/* (output, buffer; self) */
int32_t NAME(kernel_log_sigmoid)(const gn_call *call, void *const *data) {
    return gn_for_each_direct(call, 2, 3, call->tensors, data, LOOP(log_sigmoid));
}

/* (mantissa, exponent; self) */
int32_t NAME(kernel_frexp)(const gn_call *call, void *const *data) {
    return gn_for_each_direct(call, 2, 3, call->tensors, data, LOOP(frexp));
}

#undef LOOP
#endif
