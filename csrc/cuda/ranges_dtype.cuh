/* Ranges for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE

#include "../c/convert_dtype.h"

#if IS_REAL
/* start + i * step; for an integer dtype in integers, which wrap. */
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
#endif

/* Number `i` of `steps` evenly spaced ones: the first half is computed from the start, the second half from the end.
 * For exponents (`is_power`), products are rounded before they are added. */
static inline double gn_spaced(const gn_progression &numbers, int64_t i, int64_t steps, bool is_power) {
    const bool is_from_start = i < steps / 2 || steps == 1;
    const double begin = is_from_start ? numbers.start : numbers.end;
    /* Subtracts when counting from the end, which preserves the signs of zeros. */
    const double step = is_from_start ? numbers.step : -numbers.step;
    const double count = (double)(is_from_start ? i : steps - 1 - i);
    if (steps == 1) {
        return begin;
    }
    if (is_power) {
        return __dadd_rn(begin, __dmul_rn(step, count));
    }
#if IS_HALF /* half precision rounds the product before it is added; other dtypes use an FMA */
    return begin + (double)LOAD(STORE((float)(step * count)));
#else
    return fma(step, count, begin);
#endif
}

/* Evenly spaced numbers; with IS_POWER, the base raised to them. */
template <int IS_POWER> __global__ void fill_space(gn_view out, gn_space space) {
    for (int64_t i = gn_thread(); i < space.steps; i += gn_threads()) {
        const double re = gn_spaced(space.re, i, space.steps, IS_POWER);
#if IS_COMPLEX
        const gn_complex128 number = gn_complex128(re, gn_spaced(space.im, i, space.steps, IS_POWER));
        const STORAGE value = FROM_COMPLEX128(IS_POWER ? gn_pow_complex128(space.base, number) : number);
#else
        const STORAGE value = FROM_FLOAT64(IS_POWER ? pow(space.base, re) : re);
#endif
        *(STORAGE *)(out.at + i * out.strides[0]) = value;
    }
}

#undef FROM_INTEGER
#undef FROM_FLOAT32
#undef FROM_FLOAT64
#undef FROM_COMPLEX64
#undef FROM_COMPLEX128
#endif
