/* _ctc_loss for one dtype. */

#if IS_FLOATING && !IS_HALF

/* Sequences [begin, end), equations 5 to 8: how likely the paths are that reach each state at each time. */
static void NAME(ctc_forward)(int64_t begin, int64_t end, void *context) {
    ctc *work = context;
    const int64_t width = 2 * work->longest + 1;
    double *before = gn_take_items(gn_checked(2, width), sizeof(double));
    if (before == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    double *const rows = before;
    double *reached = before + width;
    for (int64_t number = begin; number < end; number++) {
        const int64_t *states = work->states + number * width;
        const int64_t count = 2 * work->target_lengths[number] + 1;
        const int64_t times = work->input_lengths[number];
        COMPUTE *alpha = (COMPUTE *)work->out_alpha + number * work->times * width;
        for (int64_t i = 0; i < work->times * width; i++) {
            alpha[i] = -INFINITY;
        }
        for (int64_t time = 0; time < times; time++) {
            const COMPUTE *source =
                (const COMPUTE *)work->log_probs + (time * work->batch + number) * work->classes;
            double *other = before;
            before = reached;
            reached = other;
            for (int64_t state = 0; state < count; state++) {
                double sum = state < 2 ? 0 : -INFINITY;
                if (time > 0) {
                    double paths[3] = {before[state], 0, 0};
                    int found = 1;
                    if (state > 0) {
                        paths[0] = before[state - 1];
                        paths[found++] = before[state];
                    }
                    if (skips(states, state)) {
                        paths[found++] = before[state - 2];
                    }
                    sum = log_total(paths, found);
                }
                reached[state] = sum + (double)source[states[state]];
                alpha[time * width + state] = (COMPUTE)reached[state];
            }
        }
        double loss;
        if (times == 0) { /* only the start, which is before all states, is reached */
            loss = count == 1 ? 0 : -INFINITY;
        } else {
            loss = count == 1 ? reached[0] : log_total(reached + count - 2, 2);
        }
        ((COMPUTE *)work->out)[number] = (COMPUTE)-loss;
    }
    gn_give(rows);
}

/* (losses, log_alpha; log_probs, targets); integers: input_lengths, target_lengths, blank, zero_infinity. */
static int32_t NAME(ctc_loss)(const gn_call *call, void *const *data) {
    ctc work;
    int32_t status = make_ctc(&work, call, &call->tensors[2], &call->tensors[3], data[3]);
    gn_flat flat;
    if (status == GN_OK) {
        status = gn_flatten(call, data, CODE, &flat);
    }
    if (status == GN_OK) {
        work.out = flat.at[0];
        work.out_alpha = flat.at[1];
        work.log_probs = flat.at[2];
        const int64_t steps = gn_max(1, work.times * (2 * work.longest + 1) * 32);
        gn_parallel_for(0, work.batch, gn_grain(steps), NAME(ctc_forward), &work);
        status = gn_unflatten(call, data, &flat, work.status);
    }
    gn_give(work.states);
    return status;
}

/* Sequences [begin, end), equations 10 to 16. */
static void NAME(ctc_backward)(int64_t begin, int64_t end, void *context) {
    ctc *work = context;
    const int64_t width = 2 * work->longest + 1;
    const int64_t classes = work->classes;
    double *memory = gn_take_items(gn_checked(2, width) + gn_checked(2, classes), sizeof(double));
    if (memory == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    double *ahead = memory;
    double *after = ahead + width;
    double *largest = after + width; /* of the paths through each class, then their sum in units of it */
    double *sums = largest + classes;
    for (int64_t number = begin; number < end; number++) {
        const int64_t *states = work->states + number * width;
        const int64_t last = 2 * work->target_lengths[number];
        const int64_t times = work->input_lengths[number];
        const COMPUTE *alpha = (const COMPUTE *)work->alpha + number * work->alpha_times * work->alpha_states;
        const double loss = (double)((const COMPUTE *)work->losses)[number];
        const double factor = (double)((const COMPUTE *)work->gradient)[number];
        const int left_out = work->zero_infinity && loss == INFINITY;
        for (int64_t time = work->times - 1; time >= 0; time--) {
            const int64_t row = (time * work->batch + number) * classes;
            const COMPUTE *source = (const COMPUTE *)work->log_probs + row;
            COMPUTE *out = (COMPUTE *)work->out + row;
            if (left_out || time >= times) {
                memset(out, 0, (size_t)classes * sizeof(COMPUTE));
                continue;
            }
            double *other = after;
            after = ahead;
            ahead = other;
            for (int64_t class = 0; class < classes; class++) {
                largest[class] = -INFINITY;
                sums[class] = 0;
            }
            for (int64_t state = 0; state <= last; state++) {
                double total = state >= last - 1 ? 0 : -INFINITY;
                if (time < times - 1) {
                    double paths[3] = {after[state], 0, 0};
                    int found = 1;
                    if (state < last) {
                        paths[found++] = after[state + 1];
                    }
                    if (state + 2 <= last && skips(states, state + 2)) {
                        paths[found++] = after[state + 2];
                    }
                    total = log_total(paths, found);
                }
                const int64_t class = states[state];
                ahead[state] = total + (double)source[class];
                const double through = (double)alpha[time * work->alpha_states + state] + ahead[state];
                if (through > largest[class] || through != through) {
                    largest[class] = through;
                }
            }
            for (int64_t state = 0; state <= last; state++) {
                const int64_t class = states[state];
                if (largest[class] > -INFINITY) {
                    const double through = (double)alpha[time * work->alpha_states + state] + ahead[state];
                    sums[class] += exp(through - largest[class]);
                }
            }
            for (int64_t class = 0; class < classes; class++) {
                const double number_here = (double)source[class];
                const double total = sums[class] > 0 || sums[class] != sums[class]
                                         ? largest[class] + log(sums[class])
                                         : largest[class];
                const double share = exp(total + loss - number_here);
                out[class] = (COMPUTE)((exp(number_here) - share) * factor);
            }
        }
    }
    gn_give(memory);
}

/* Whether the arguments of the gradient, which the meta function does not check, are as large as a loss's. */
static int NAME(ctc_fits)(const ctc *work, const gn_call *call) {
    const gn_tensor *gradient = &call->tensors[1];
    const gn_tensor *losses = &call->tensors[4];
    const gn_tensor *alpha = &call->tensors[5];
    return gradient->ndim == 1 && gradient->sizes[0] >= work->batch && losses->ndim == 1
           && losses->sizes[0] >= work->batch && alpha->ndim == 3 && alpha->sizes[0] >= work->batch
           && alpha->sizes[1] >= work->times && alpha->sizes[2] >= 2 * work->longest + 1;
}

/* (grad_input; grad, log_probs, targets, neg_log_likelihood, log_alpha); integers as above. */
static int32_t NAME(ctc_loss_backward)(const gn_call *call, void *const *data) {
    ctc work;
    int32_t status = make_ctc(&work, call, &call->tensors[2], &call->tensors[3], data[3]);
    gn_flat flat;
    if (status == GN_OK && !NAME(ctc_fits)(&work, call)) {
        status = GN_NOT_IMPLEMENTED;
    }
    if (status == GN_OK) {
        status = gn_flatten(call, data, CODE, &flat);
    }
    if (status == GN_OK) {
        work.out = flat.at[0];
        work.gradient = flat.at[1];
        work.log_probs = flat.at[2];
        work.losses = flat.at[4];
        work.alpha = flat.at[5];
        work.alpha_times = call->tensors[5].sizes[1];
        work.alpha_states = call->tensors[5].sizes[2];
        const int64_t steps = gn_max(1, work.times * (2 * work.longest + 1 + work.classes) * 32);
        gn_parallel_for(0, work.batch, gn_grain(steps), NAME(ctc_backward), &work);
        status = gn_unflatten(call, data, &flat, work.status);
    }
    gn_give(work.states);
    return status;
}

#endif
