/* Indexing that computes, for one dtype. */

#if CODE == GN_BOOL
#define SUM_OF(a, b) ((COMPUTE)((a) | (b)))
#else
#define SUM_OF(a, b) ((COMPUTE)((a) + (b)))
#endif

/* A gn_run_action: self += other, where self is of the dtype for sums. */
static void NAME(add_action)(char *self, int64_t self_stride, char *other, int64_t other_stride, int64_t count,
                             const gn_call *call) {
    (void)call;
    if (self_stride == (int64_t)sizeof(COMPUTE) && other_stride == (int64_t)sizeof(STORAGE)) {
        COMPUTE *to = (COMPUTE *)self;
        const STORAGE *from = (const STORAGE *)other;
        GN_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            to[i] = SUM_OF(to[i], LOAD(from[i]));
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        COMPUTE *to = (COMPUTE *)(self + i * self_stride);
        *to = SUM_OF(*to, LOAD(*(const STORAGE *)(other + i * other_stride)));
    }
}

int32_t NAME(kernel_index_put)(const gn_call *call, void *const *data) {
    return index_put(call, data, NAME(add_action), gn_sum_dtype(CODE));
}

#undef SUM_OF
