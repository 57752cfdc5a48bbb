/* Ranges of one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE

#include "../c/convert_dtype.h"

/* start + i * step: of an integer dtype in integers that wrap. */
__global__ void fill_arange(gn_view out, gn_scalar start, gn_scalar step) {
    for (int64_t i = gn_thread(); i < out.sizes[0]; i += gn_threads()) {
#if IS_INTEGRAL
        const STORAGE value = FROM_INTEGER((uint64_t)start.integer + (uint64_t)i * (uint64_t)step.integer);
#else
        const STORAGE value = FROM_FLOAT64(__dadd_rn(start.real, __dmul_rn((double)i, step.real)));
#endif
        *(STORAGE *)(out.at + i * out.strides[0]) = value;
    }
}

/* Evenly spaced numbers; with IS_POWER the base to the power of them. */
template <int IS_POWER> __global__ void fill_space(gn_view out, gn_space space) {
    for (int64_t i = gn_thread(); i < space.steps; i += gn_threads()) {
        const bool is_from_start = i < space.steps / 2 || space.steps == 1;
        const double begin = is_from_start ? space.start : space.end;
        /* What is counted from the end is taken away: so zeros keep their signs. */
        const double step = is_from_start ? space.step : -space.step;
        const double count = (double)(is_from_start ? i : space.steps - 1 - i);
        double value = begin;
        if (space.steps > 1) {
            if (IS_POWER) {
                value = __dadd_rn(begin, __dmul_rn(step, count));
            } else {
#if IS_HALF /* whose product is rounded before it is added; any other is not rounded at all */
                value = begin + (double)LOAD(STORE((float)(step * count)));
#else
                value = fma(step, count, begin);
#endif
            }
        }
        *(STORAGE *)(out.at + i * out.strides[0]) = FROM_FLOAT64(IS_POWER ? pow(space.base, value) : value);
    }
}

#undef FROM_INTEGER
#undef FROM_FLOAT32
#undef FROM_FLOAT64
#undef FROM_COMPLEX64
#undef FROM_COMPLEX128
#endif
