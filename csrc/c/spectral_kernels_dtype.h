/* The transforms of each dtype, which are the same. */

#if IS_COMPLEX
int32_t NAME(kernel_fft_c2c)(const gn_call *call, void *const *data) {
    return fft_c2c(call, data);
}
int32_t NAME(kernel_fft_c2r)(const gn_call *call, void *const *data) {
    return fft_c2r(call, data);
}
#elif IS_FLOATING
int32_t NAME(kernel_fft_r2c)(const gn_call *call, void *const *data) {
    return IS_HALF ? GN_NOT_IMPLEMENTED : fft_r2c(call, data);
}
#endif
