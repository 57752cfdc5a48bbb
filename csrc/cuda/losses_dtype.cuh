/* Losses and gated activations for one dtype, GN_CUDA_CODE. */
#if CODE == GN_CUDA_CODE && IS_FLOATING

static inline COMPUTE class_weight(const gn_samples &rows, int64_t number) {
    return rows.weights == nullptr ? (COMPUTE)1 : LOAD(*(const STORAGE *)(rows.weights + number * rows.weight_step));
}

static inline void write_loss(const gn_samples &rows, gn_loss loss, STORAGE *out, STORAGE *total) {
    if (rows.reduction == REDUCTION_NONE) {
        *total = 0;
        return;
    }
    *out = STORE((COMPUTE)(rows.reduction == REDUCTION_MEAN ? loss.sum / loss.weight : loss.sum));
    *total = STORE((COMPUTE)loss.weight);
}

/* The losses of rows, or a block's sum of them: block b has rows [b * length, (b + 1) * length). With one block, its
 * sum is the result; with several, the sums are written to `parts`. */
__global__ void nll_rows(gn_samples rows, const char *from, STORAGE *out, STORAGE *total, int64_t length, gn_loss *parts) {
    gn_loss mine = {0, 0};
    const int64_t begin = blockIdx.x * length;
    const int64_t end = gn_min(begin + length, rows.batch);
    for (int64_t row = begin + threadIdx.x; row < end; row += LOSS_THREADS) {
        const int64_t number = target_of(rows, row);
        double loss = 0;
        if (number != rows.ignored) {
            if (number < 0 || number >= rows.classes) {
                *rows.fault = 1;
                continue;
            }
            const COMPUTE weight = class_weight(rows, number);
            const COMPUTE likely = LOAD(*(const STORAGE *)(from + row * rows.step + number * rows.class_step));
            loss = -(double)weight * (double)likely;
            mine.weight += (double)weight;
        }
        mine.sum += loss;
        if (rows.reduction == REDUCTION_NONE) {
            *(STORAGE *)((char *)out + row * rows.other_step) = STORE((COMPUTE)loss);
        }
    }
    const gn_loss sum = sum_of_block(mine);
    if (threadIdx.x == 0) {
        if (gridDim.x == 1) {
            write_loss(rows, sum, out, total);
        } else {
            parts[blockIdx.x] = sum;
        }
    }
}

/* Adds up the parts, in one block. */
__global__ void nll_total(gn_samples rows, const gn_loss *parts, int64_t count, STORAGE *out, STORAGE *total) {
    gn_loss mine = {0, 0};
    for (int64_t part = threadIdx.x; part < count; part += LOSS_THREADS) {
        mine.sum += parts[part].sum;
        mine.weight += parts[part].weight;
    }
    const gn_loss sum = sum_of_block(mine);
    if (threadIdx.x == 0) {
        write_loss(rows, sum, out, total);
    }
}

/* The gradient: zero except for the class of each row. `incoming` is the gradient of the losses, or of their
 * reduction. */
__global__ void nll_backward(gn_samples rows, char *out, const char *incoming, const STORAGE *total) {
    for (int64_t row = gn_thread(); row < rows.batch; row += gn_threads()) {
        const int64_t number = target_of(rows, row);
        if (number != rows.ignored && (number < 0 || number >= rows.classes)) {
            *rows.fault = 1;
        }
    }
    const int64_t count = rows.batch * rows.classes;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t row = i / rows.classes;
        const int64_t number = i - row * rows.classes;
        STORAGE value = 0;
        if (number == target_of(rows, row) && number != rows.ignored) {
            const COMPUTE scaled =
                -class_weight(rows, number) * LOAD(*(const STORAGE *)(incoming + row * rows.other_step));
            value = STORE(rows.reduction == REDUCTION_MEAN ? scaled / LOAD(*total) : scaled);
        }
        *(STORAGE *)(out + row * rows.step + number * rows.class_step) = value;
    }
}

/* The first half times the sigmoid of the second. Both are views with the sizes of the output. */
__global__ void glu(gn_view out, gn_view first, gn_view second) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const COMPUTE gate = gn_sigmoid(LOAD(*(const STORAGE *)gn_place(second, i)));
        *(STORAGE *)gn_place(out, i) = STORE(LOAD(*(const STORAGE *)gn_place(first, i)) * gate);
    }
}

/* The logarithm of the sigmoid, and the buffer e^-|x|, which its gradient needs. */
__global__ void log_sigmoid(gn_view out, gn_view decays, gn_view from) {
    const int64_t count = gn_count(out);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const COMPUTE x = LOAD(*(const STORAGE *)gn_place(from, i));
        const COMPUTE decayed = gn_exp(-gn_abs(x));
        *(STORAGE *)gn_place(out, i) = STORE(gn_log_sigmoid(x, decayed));
        *(STORAGE *)gn_place(decays, i) = STORE(decayed);
    }
}

/* Mantissas and exponents. */
__global__ void split(gn_view mantissas, gn_view exponents, gn_view from) {
    const int64_t count = gn_count(mantissas);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const double x = (double)LOAD(*(const STORAGE *)gn_place(from, i));
        *(STORAGE *)gn_place(mantissas, i) = STORE((COMPUTE)gn_parts(x, (int32_t *)gn_place(exponents, i)));
    }
}

#endif
