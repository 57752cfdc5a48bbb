/* linalg_cross and addr for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE

#if IS_COMPLEX
#define PRECISE gn_complex128
#elif IS_FLOATING
#define PRECISE double
#else
#define PRECISE int64_t
#endif

/* The cross product of vectors of three elements, which are `step` bytes apart; the views have all other dimensions. */
__global__ void cross(gn_view out, gn_view a, gn_view b, int64_t out_step, int64_t a_step, int64_t b_step) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t at[3] = {0, 0, 0};
        gn_add_offsets<uint64_t>(at, (uint64_t)i, out, a, b);
        PRECISE x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (PRECISE)LOAD(*(const STORAGE *)(a.at + at[1] + k * a_step));
            y[k] = (PRECISE)LOAD(*(const STORAGE *)(b.at + at[2] + k * b_step));
        }
        for (int k = 0; k < 3; k++) {
            const PRECISE area = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
            *(STORAGE *)(out.at + at[0] + k * out_step) = STORE((COMPUTE)area);
        }
    }
}

/* beta * self + alpha * a * b, for expanded operands; if beta is 0, self is not read. */
__global__ void addr(gn_view out, gn_view self, gn_view a, gn_view b, gn_numbers numbers) {
    const gn_numbers *const call = &numbers;
#if CODE == GN_BOOL
    const bool beta = call->scalars[0].real != 0 || call->scalars[0].imag != 0;
    const bool alpha = call->scalars[1].real != 0 || call->scalars[1].imag != 0;
#else
    const COMPUTE beta = NUMBER(0);
    const COMPUTE alpha = NUMBER(1);
#endif
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        int64_t at[4] = {0, 0, 0, 0};
        gn_add_offsets<uint64_t>(at, (uint64_t)i, out, self, a, b);
        const COMPUTE addend = LOAD(*(const STORAGE *)(self.at + at[1]));
        const COMPUTE left = LOAD(*(const STORAGE *)(a.at + at[2]));
        const COMPUTE right = LOAD(*(const STORAGE *)(b.at + at[3]));
#if CODE == GN_BOOL
        const STORAGE sum = (STORAGE)((beta && addend) || (alpha && left && right));
#else
        const COMPUTE product = (COMPUTE)((COMPUTE)(alpha * left) * right);
        const STORAGE sum = STORE((COMPUTE)(beta == 0 ? product : (COMPUTE)(beta * addend) + product));
#endif
        *(STORAGE *)(out.at + at[0]) = sum;
    }
}

#undef PRECISE
#endif
