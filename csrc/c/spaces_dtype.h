/* linspace and logspace of one dtype. */

typedef struct NAME(space_job) {
    space re;
    space im;
    double base; /* of logspace */
    int is_power;
    const gn_tensor *out;
    char *data;
} NAME(space_job);

#if IS_COMPLEX
#if CODE == GN_COMPLEX64
#define FROM_PARTS(re, im) gn_complex_of_float32((float)(re), (float)(im))
#else
#define FROM_PARTS(re, im) gn_complex_of_float64(re, im)
#endif
#elif IS_FLOATING
#define FROM_PARTS(re, im) STORE((COMPUTE)(re))
#elif CODE == GN_BOOL
#define FROM_PARTS(re, im) ((STORAGE)((re) != 0))
#else
#define FROM_PARTS(re, im) ((STORAGE)gn_truncate_float64(re))
#endif

static void NAME(space_part)(int64_t begin, int64_t end, void *context) {
    const NAME(space_job) *job = context;
    for (int64_t i = begin; i < end; i++) {
        STORAGE *at = (STORAGE *)(job->data + i * job->out->strides[0]);
        const double re = element_of(&job->re, i);
#if IS_COMPLEX
        const double im = element_of(&job->im, i);
        if (job->is_power) {
            const gn_complex128 base = gn_complex_of_float64(job->base, 0);
            *at = (STORAGE)gn_pow_complex128(base, gn_complex_of_float64(re, im));
        } else {
            *at = FROM_PARTS(re, im);
        }
#else
        const double value = job->is_power ? pow(job->base, re) : re;
        *at = FROM_PARTS(value, 0);
#endif
    }
}

static int32_t NAME(fill_space)(const gn_call *call, void *const *data, int is_power) {
    const gn_scalar start = call->scalars[0];
    const gn_scalar end = call->scalars[1];
    const int64_t steps = call->tensors[0].sizes[0];
    /* The step of integers, and of a power's exponents, is not rounded to the dtype. */
    NAME(space_job) job = {make_space(start.real, end.real, steps, is_power ? GN_FLOAT64 : CODE),
                           make_space(start.imag, end.imag, steps, is_power ? GN_FLOAT64 : CODE),
                           is_power ? call->scalars[2].real : 0, is_power, &call->tensors[0], data[0]};
#if IS_INTEGER
    job.re = make_space((double)NUMBER(0), (double)NUMBER(1), steps, GN_FLOAT64);
#endif
    job.re.is_fused = job.im.is_fused = !is_power;
    gn_parallel_for(0, steps, GN_GRAIN / 8, NAME(space_part), &job);
    return GN_OK;
}

/* (out); scalars: start, end. */
int32_t NAME(kernel_linspace)(const gn_call *call, void *const *data) {
    return NAME(fill_space)(call, data, 0);
}
/* (out); scalars: start, end, base. */
int32_t NAME(kernel_logspace)(const gn_call *call, void *const *data) {
    return NAME(fill_space)(call, data, 1);
}

#undef FROM_PARTS
