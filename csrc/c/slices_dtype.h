/* Slices and elements that are added or filled, for one dtype. */

#if CODE == GN_BOOL
#define SUM_OF(a, b) ((COMPUTE)((a) | (b)))
#else
#define SUM_OF(a, b) ((COMPUTE)((a) + (b)))
#endif

/* A gn_run_action: self += alpha * other, where self is of the dtype for sums; scalars: alpha. */
static void NAME(add_scaled)(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count,
                             const gn_call *call) {
#if CODE == GN_BOOL
    const COMPUTE alpha = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
#else
    const COMPUTE alpha = LOAD(STORE(NUMBER(0)));
#endif
    if (self_stride == (int64_t)sizeof(COMPUTE) && other_stride == (int64_t)sizeof(STORAGE)) {
        COMPUTE *to = (COMPUTE *)self;
        const STORAGE *from = (const STORAGE *)other;
        if (alpha == 1) {
            GN_INDEPENDENT
            for (int64_t i = 0; i < count; i++) {
                to[i] = SUM_OF(to[i], LOAD(from[i]));
            }
        } else {
            GN_INDEPENDENT
            for (int64_t i = 0; i < count; i++) {
                to[i] = SUM_OF(to[i], (COMPUTE)GN_TIMES(alpha, LOAD(from[i])));
            }
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        COMPUTE *to = (COMPUTE *)(self + i * self_stride);
        const COMPUTE x = LOAD(*(const STORAGE *)(other + i * other_stride));
        *to = SUM_OF(*to, alpha == 1 ? x : (COMPUTE)GN_TIMES(alpha, x));
    }
}

/* (out; self, index, source); integers: dim; scalars: alpha. */
int32_t NAME(kernel_index_add)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    gn_indexing work;
    gn_sums sums;
    memset(&work, 0, sizeof work);
    if (gn_prepare_sums(&sums, out, data[0], gn_sum_dtype(CODE)) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    work.call = call;
    work.self = sums.data;
    work.other = data[3];
    const int32_t status = pair_slices(&work, &sums.tensor, &call->tensors[3],
                                       gn_wrap_dim(call->integers[0], out->ndim), &call->tensors[2], data[2], 0);
    if (status == GN_OK) {
        gn_fill_sums(&sums, data[0], &call->tensors[1], data[1]);
        gn_index(&work, NAME(add_scaled), 0);
        gn_give(work.self_picks);
    }
    gn_finish_sums(&sums, out, data[0], status);
    return status;
}

/* (out; self, index); integers: dim; scalars: value. */
int32_t NAME(kernel_index_fill)(const gn_call *call, void *const *data) {
#if CODE == GN_BOOL
    STORAGE number = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
#else
    STORAGE number = STORE(NUMBER(0));
#endif
    return fill_slices(call, data, &number);
}

/* Whether this dtype can hold the number; see check_number_fits of the reference, which raises if not. */
static int NAME(number_fits)(const gn_tensor *value, void *value_data) {
    double real;
    int64_t integer;
    const gn_tensor as_real = {GN_FLOAT64, 0, NULL, NULL};
    const gn_tensor as_integer = {GN_INT64, 0, NULL, NULL};
    gn_copy(&as_real, &real, value, value_data);
#if CODE == GN_BOOL || IS_COMPLEX
    (void)as_integer;
    (void)integer;
    return 1;
#elif IS_FLOATING
    (void)as_integer;
    (void)integer;
    return !(isfinite(real) && isinf((double)LOAD(STORE((COMPUTE)real))));
#else
    const int whole = value->dtype <= GN_INT64;
    const int64_t most = HIGHEST;
    const int64_t least = LOWEST < 0 ? (int64_t)LOWEST : whole ? -most : 0;
    if (!whole) {
        return real >= (double)least && (CODE == GN_INT64 ? real < 0x1p63 : real <= (double)most);
    }
    gn_copy(&as_integer, &integer, value, value_data);
    return integer >= least && integer <= most;
#endif
}

/* (out; self, index, value, 0-d of any dtype); integers: dim. */
int32_t NAME(kernel_index_fill_tensor)(const gn_call *call, void *const *data) {
    const gn_tensor *value = &call->tensors[3];
    const gn_tensor number = {CODE, 0, NULL, NULL};
    STORAGE element;
    if (value->dtype != CODE && !NAME(number_fits)(value, data[3])) {
        return GN_BAD_VALUE;
    }
    gn_copy(&number, &element, value, data[3]);
    return fill_slices(call, data, &element);
}

/* (out; self, index, source); integers: accumulate.  Of equal positions the last wins. */
int32_t NAME(kernel_put)(const gn_call *call, void *const *data) {
    const gn_tensor *out = &call->tensors[0];
    const gn_tensor *index = &call->tensors[2];
    const int accumulate = call->integers[0] != 0;
    const int64_t count = gn_numel(index);
    gn_sums sums;
    if (gn_prepare_sums(&sums, out, data[0], accumulate ? gn_sum_dtype(CODE) : CODE) != GN_OK) {
        return GN_OUT_OF_MEMORY;
    }
    int64_t *offsets;
    void *owned = NULL;
    const STORAGE *from = NULL;
    int32_t status = find_positions(&sums.tensor, index, data[2], &offsets);
    if (status == GN_OK) {
        from = gn_compact(&call->tensors[3], data[3], CODE, &owned);
        status = from == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    }
    if (status == GN_OK) {
        gn_fill_sums(&sums, data[0], &call->tensors[1], data[1]);
        for (int64_t i = 0; i < count; i++) {
            if (accumulate) {
                COMPUTE *to = (COMPUTE *)(sums.data + offsets[i]);
                *to = SUM_OF(*to, LOAD(from[i]));
            } else {
                *(STORAGE *)(sums.data + offsets[i]) = from[i];
            }
        }
    }
    gn_finish_sums(&sums, out, data[0], status);
    gn_give(owned);
    gn_give(offsets);
    return status;
}

#undef SUM_OF
