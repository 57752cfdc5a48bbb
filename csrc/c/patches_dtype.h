/* The patches of a convolution's input, for one dtype. */

#if IS_NUMERIC && !IS_HALF

/* One kernel element's row of patches if the output's rows are as long as the input's and all strides are 1: adjacent
 * positions, also across rows, then use adjacent elements, except in the columns outside [begin, end). These are 0, and
 * are set to 0 before a row is added back, which overwrites the row. */
static void NAME(walk_shifted)(const geometry *of, COMPUTE *plane, const int64_t *shift, int64_t begin, int64_t end,
                               int64_t first, int64_t count, COMPUTE *patch, int add_back) {
    const int64_t width = of->out[2];
    const int64_t slab = of->out[1] * width;
    /* clamped to the sizes, so that rows times the shift fit into 64 bits */
    const int64_t down = gn_max(-of->out[1], gn_min(shift[1], of->in[1]));
    const int64_t along = down * width + gn_max(-width, gn_min(shift[2], width));
    for (int64_t done = 0, part; done < count; done += part, patch += part) {
        const int64_t j0 = (first + done) / slab;
        const int64_t from = (first + done) % slab;
        part = gn_min(count - done, slab - from);
        const int64_t until = from + part;
        const int64_t i0 = j0 * of->stride[0] + shift[0];
        const int inside = i0 >= 0 && i0 < of->in[0];
        /* the positions [low, high) whose rows are inside the input, and those inside the range */
        const int64_t high = inside ? gn_max(from, gn_min(until, (of->in[1] - down) * width)) : from;
        const int64_t low = gn_min(high, gn_max(from, -down * width));
        const int64_t meets_low = gn_max(low, -along);
        const int64_t meets_high = gn_max(meets_low, gn_min(high, of->in[1] * width - along));
        const int64_t meets = meets_high - meets_low;
        COMPUTE *line = plane + (meets > 0 ? i0 * of->in[1] * width + along + meets_low : 0);
        if (!add_back) {
            memset(patch, 0, (size_t)(low - from) * sizeof(COMPUTE));
            if (meets > 0) {
                memcpy(patch + (meets_low - from), line, (size_t)meets * sizeof(COMPUTE));
            }
            memset(patch + (high - from), 0, (size_t)(until - high) * sizeof(COMPUTE));
        }
        for (int64_t row = low / width * width; row < high && begin + width > end; row += width) {
            for (int64_t column = gn_max(row, low); column < gn_min(row + begin, high); column++) {
                patch[column - from] = 0;
            }
            for (int64_t column = gn_max(row + end, low); column < gn_min(row + width, high); column++) {
                patch[column - from] = 0;
            }
        }
        if (add_back) {
            GN_INDEPENDENT
            for (int64_t p = 0; p < meets; p++) {
                line[p] = (COMPUTE)(line[p] + patch[meets_low - from + p]);
            }
        }
    }
}

/* Copies the patches of channels [0, channels) at x, for positions [first, first + count), to
 * patches[channel, kernel element][count]; or adds them back to x. */
static void NAME(walk_patches)(const geometry *of, COMPUTE *x, int64_t channels, int64_t first, int64_t count,
                               COMPUTE *patches, int add_back) {
    const int64_t width = of->out[2];
    const int64_t stride = of->stride[2];
    for (int64_t row = 0; row < channels * of->kernel_numel; row++) {
        const int64_t element = row % of->kernel_numel;
        COMPUTE *plane = x + row / of->kernel_numel * of->in_numel;
        const int64_t k2 = element % of->kernel[2] * of->dilation[2] - of->padding[2];
        const int64_t k1 = element / of->kernel[2] % of->kernel[1] * of->dilation[1] - of->padding[1];
        const int64_t k0 = element / of->kernel[2] / of->kernel[1] * of->dilation[0] - of->padding[0];
        /* [begin, end): the columns inside the input. */
        const int64_t room = of->in[2] - 1 - k2;
        const int64_t end = room < 0 ? 0 : gn_min(room / stride + 1, width);
        const int64_t begin = k2 >= 0 ? 0 : gn_min((-k2 - 1) / stride + 1, end);
        COMPUTE *patch = patches + row * count;
        if (stride == 1 && of->stride[1] == 1 && width == of->in[2]) {
            const int64_t shift[SPATIAL] = {k0, k1, k2};
            NAME(walk_shifted)(of, plane, shift, begin, end, first, count, patch, add_back);
            continue;
        }
        int64_t column = first % width;
        int64_t j1 = first / width % of->out[1];
        int64_t j0 = first / width / of->out[1];
        for (int64_t left = count; left > 0;) {
            const int64_t part = gn_min(width - column, left);
            const int64_t i1 = j1 * of->stride[1] + k1;
            const int64_t i0 = j0 * of->stride[0] + k0;
            const int inside = i0 >= 0 && i0 < of->in[0] && i1 >= 0 && i1 < of->in[1];
            /* of these, the columns [low, high) of this part */
            const int64_t high = inside ? gn_min(gn_max(end - column, 0), part) : 0;
            const int64_t low = gn_min(gn_max(begin - column, 0), high);
            const int64_t meets = high - low;
            COMPUTE *line =
                plane + (meets > 0 ? (i0 * of->in[1] + i1) * of->in[2] + k2 + (column + low) * stride : 0);
            COMPUTE *met = patch + low;
            if (add_back) {
                if (stride == 1) {
                    GN_INDEPENDENT
                    for (int64_t j = 0; j < meets; j++) {
                        line[j] = (COMPUTE)(line[j] + met[j]);
                    }
                } else if (stride == 2 && meets > 0) {
                    /* the elements between are rewritten unchanged, so that whole vectors are written */
                    GN_INDEPENDENT
                    for (int64_t j = 0; j < meets - 1; j++) {
                        const COMPUTE sum = (COMPUTE)(line[2 * j] + met[j]);
                        const COMPUTE between = line[2 * j + 1];
                        line[2 * j] = sum;
                        line[2 * j + 1] = between;
                    }
                    line[2 * meets - 2] = (COMPUTE)(line[2 * meets - 2] + met[meets - 1]);
                } else {
                    for (int64_t j = 0; j < meets; j++) {
                        line[j * stride] = (COMPUTE)(line[j * stride] + met[j]);
                    }
                }
            } else {
                for (int64_t j = 0; j < low; j++) {
                    patch[j] = 0;
                }
                if (stride == 1) {
                    memcpy(met, line, (size_t)meets * sizeof(COMPUTE));
                } else if (stride == 2) {
                    for (int64_t j = 0; j < meets; j++) {
                        met[j] = line[2 * j];
                    }
                } else {
                    for (int64_t j = 0; j < meets; j++) {
                        met[j] = line[j * stride];
                    }
                }
                for (int64_t j = high; j < part; j++) {
                    patch[j] = 0;
                }
            }
            patch += part;
            left -= part;
            column = 0;
            if (++j1 == of->out[1]) {
                j1 = 0;
                j0++;
            }
        }
    }
}

#endif
