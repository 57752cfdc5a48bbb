/* col2im for one dtype. */

#if (IS_FRACTIONAL && !IS_HALF) || CODE == GN_BOOL

/* Planes [begin, end): each element is the sum of its copies in all windows. */
static void NAME(fold_planes)(int64_t begin, int64_t end, void *context) {
    const folding *work = context;
    const int64_t numel = work->in[0] * work->in[1];
    const int64_t stride = work->stride[1];
    for (int64_t plane = begin; plane < end; plane++) {
        STORAGE *to = (STORAGE *)work->to + plane * numel;
        memset(to, 0, (size_t)numel * sizeof(STORAGE));
        for (int64_t tap = 0; tap < work->kernel[0] * work->kernel[1]; tap++) {
            const int64_t top = tap / work->kernel[1] * work->dilation[0] - work->padding[0];
            const int64_t left = tap % work->kernel[1] * work->dilation[1] - work->padding[1];
            int64_t first[2];
            int64_t past[2];
            inside(work, 0, top, &first[0], &past[0]);
            inside(work, 1, left, &first[1], &past[1]);
            const int64_t row = plane * work->kernel[0] * work->kernel[1] + tap;
            const STORAGE *from = (const STORAGE *)work->from + row * work->blocks[0] * work->blocks[1];
            for (int64_t y = first[0]; y < past[0]; y++) {
                const STORAGE *column = from + y * work->blocks[1];
                const int64_t line = (top + y * work->stride[0]) * work->in[1] + left;
                GN_INDEPENDENT
                for (int64_t x = first[1]; x < past[1]; x++) {
                    to[line + x * stride] = STORE(to[line + x * stride] + column[x]);
                }
            }
        }
    }
}

#endif
