/* The recurrent layer for one dtype.  Half types are computed as floats: operands are converted. */

#if IS_PRECISE

#define SLIVER ((int64_t)(GN_GEMM_WIDTH / sizeof(COMPUTE)))

/* Packs a factor (depth, columns) for multiply_packed; strides in elements. */
static int32_t NAME(pack_factor)(layer *work, COMPUTE *from, int64_t depth, int64_t columns, int64_t row,
                                 int64_t column) {
    const int64_t slivers = (columns + SLIVER - 1) / SLIVER;
    COMPUTE *to = gn_take_items(gn_checked(slivers * SLIVER, depth), sizeof(COMPUTE));
    work->packed = to;
    if (to == NULL && slivers * depth > 0) {
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t j = 0; j < columns; j += SLIVER) {
        const int64_t count = gn_min(SLIVER, columns - j);
#if GN_HAS_GEMM
        NAME(gn_pack_sliver)(to + j * depth, from + j * column, column, row, count, depth);
#else
        for (int64_t p = 0; p < depth; p++) {
            for (int64_t i = 0; i < count; i++) {
                to[j * depth + p * SLIVER + i] = from[(j + i) * column + p * row];
            }
        }
#endif
    }
    return GN_OK;
}

/* c = left times the packed factor, for up to SEQUENCES rows; plus c if `adds`. */
static int32_t NAME(multiply_packed)(const layer *work, int64_t rows, const COMPUTE *left, int64_t left_row,
                                     int64_t depth, int64_t columns, int adds, COMPUTE *c, int64_t c_row) {
    const COMPUTE *packed = work->packed;
    int32_t status = GN_OK;
    for (int64_t j = 0; j < columns && status == GN_OK; j += SLIVER) {
        const int64_t count = gn_min(SLIVER, columns - j);
#if GN_HAS_GEMM
        const gn_factor lefts = {left, left_row, 1, NULL, NULL};
        const gn_factor rights = {packed + j * depth, 1, SLIVER, NULL, NULL};
        status = NAME(gn_gemm_blocked)(rows, count, depth, 1, &lefts, &rights, 1, adds ? c + j : NULL, c_row, 1, c + j,
                                       c_row);
#else
        status = NAME(gn_gemm)(rows, count, depth, 1, left, left_row, 1, packed + j * depth, SLIVER, 1, (COMPUTE)adds,
                               c + j, c_row);
#endif
    }
    return status;
}

/* Activations of a row in place, after adding biases, which may be NULL. */
#define ACTIVATE(id, function)                                                                                        \
    static void NAME(id)(int64_t count, COMPUTE *row, const COMPUTE *bias) {                                          \
        if (bias == NULL) {                                                                                           \
            for (int64_t i = 0; i < count; i++) {                                                                     \
                row[i] = function(row[i]);                                                                            \
            }                                                                                                         \
            return;                                                                                                   \
        }                                                                                                             \
        GN_INDEPENDENT                                                                                                \
        for (int64_t i = 0; i < count; i++) {                                                                         \
            row[i] = function(row[i] + bias[i]);                                                                      \
        }                                                                                                             \
    }
ACTIVATE(sigmoids, gn_sigmoid)
ACTIVATE(tanhs, gn_tanh)
#undef ACTIVATE

static void NAME(rectify)(int64_t count, COMPUTE *row, const COMPUTE *bias) {
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE sum = bias == NULL ? row[i] : row[i] + bias[i];
        row[i] = sum <= 0 ? 0 : sum; /* NaN stays */
    }
}

/* The gates, the new cell and the new state of a row; `saved` gets the cell if it has place for it. */
static void NAME(advance_lstm)(const layer *work, COMPUTE *gates, const COMPUTE *bias, COMPUTE *cell,
                               COMPUTE *restrict new) {
    const int64_t hidden = work->hidden;
    NAME(sigmoids)(2 * hidden, gates, bias);
    NAME(tanhs)(hidden, gates + 2 * hidden, bias == NULL ? NULL : bias + 2 * hidden);
    NAME(sigmoids)(hidden, gates + 3 * hidden, bias == NULL ? NULL : bias + 3 * hidden);
    const COMPUTE *forget = gates + hidden;
    const COMPUTE *fresh = forget + hidden;
    const COMPUTE *let_out = fresh + hidden;
    GN_INDEPENDENT
    for (int64_t u = 0; u < hidden; u++) {
        const COMPUTE made = forget[u] * cell[u] + gates[u] * fresh[u];
        cell[u] = made;
        new[u] = let_out[u] * gn_tanh(made);
    }
    if (work->train) {
        memcpy(gates + 4 * hidden, cell, (size_t)hidden * sizeof(COMPUTE));
    }
}

/* The same of a GRU: a row of gates is reset, update, the state's part of the third, and the third, whose values are
 * those of the input's products before. */
static void NAME(advance_gru)(const layer *work, COMPUTE *gates, const COMPUTE *bias, const COMPUTE *fresh_bias,
                              COMPUTE *state, COMPUTE *output) {
    const int64_t hidden = work->hidden;
    NAME(sigmoids)(2 * hidden, gates, bias);
    const COMPUTE *update = gates + hidden;
    const COMPUTE *outer = update + hidden;
    COMPUTE *fresh = gates + 3 * hidden;
    GN_INDEPENDENT
    for (int64_t u = 0; u < hidden; u++) {
        fresh[u] += gates[u] * outer[u];
    }
    NAME(tanhs)(hidden, fresh, fresh_bias);
    GN_INDEPENDENT
    for (int64_t u = 0; u < hidden; u++) {
        const COMPUTE made = (state[u] - fresh[u]) * update[u] + fresh[u];
        state[u] = made;
        output[u] = made;
    }
}

/* Blocks [begin, end) of sequences through all time steps. */
static void NAME(advance_blocks)(int64_t begin, int64_t end, void *context) {
    layer *work = context;
    const int64_t hidden = work->hidden, width = work->width;
    const COMPUTE *bias = work->before;      /* the sums of both biases, or NULL */
    const COMPUTE *last = work->given[B_HH]; /* of a GRU: its last part is that of the state's third product */
    const COMPUTE *fresh_bias = work->given[B_IH];
    COMPUTE *outputs = work->made[OUTPUT];
    const int has_projection = work->given[W_HR] != NULL;
    COMPUTE *news = has_projection ? gn_take_items(SEQUENCES * hidden, sizeof(COMPUTE)) : NULL;
    int32_t status = has_projection && news == NULL && hidden > 0 ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t block = begin; block < end && status == GN_OK; block++) {
        const int64_t from = block * SEQUENCES;
        const int64_t to = gn_min(from + SEQUENCES, work->sequences);
        COMPUTE *states = (COMPUTE *)work->states + from * width;
        COMPUTE *cells = work->mode == LSTM ? (COMPUTE *)work->cells + from * hidden : NULL;
        int64_t row = row_of_first(work);
        for (int64_t index = 0; index < work->steps && status == GN_OK; index++) {
            const step now = step_of(work, index, row, from, to);
            const int64_t first = now.first + from;
            COMPUTE *gates = (COMPUTE *)work->saved + first * work->row;
            COMPUTE *output = outputs + first * width;
            row = row_after(work, index, row);
            if (now.count == 0) {
                continue;
            }
            for (int64_t i = 0; i < now.count && work->mode == GRU; i++) {
                COMPUTE *outer = gates + i * work->row + 2 * hidden;
                if (last != NULL) {
                    memcpy(outer, last + 2 * hidden, (size_t)hidden * sizeof(COMPUTE));
                } else {
                    memset(outer, 0, (size_t)hidden * sizeof(COMPUTE));
                }
            }
            status = NAME(multiply_packed)(work, now.count, states, width, width, work->gates, 1, gates, work->row);
            for (int64_t i = 0; i < now.count; i++) {
                COMPUTE *line = gates + i * work->row;
                if (work->mode == LSTM) {
                    COMPUTE *new = has_projection ? news + i * hidden : output + i * width;
                    NAME(advance_lstm)(work, line, bias, cells + i * hidden, new);
                } else if (work->mode == GRU) {
                    NAME(advance_gru)(work, line, bias, fresh_bias == NULL ? NULL : fresh_bias + 2 * hidden,
                                      states + i * width, output + i * width);
                } else if (work->mode == TANH) {
                    NAME(tanhs)(hidden, line, bias);
                } else {
                    NAME(rectify)(hidden, line, bias);
                }
            }
            if (has_projection && status == GN_OK) {
                status = NAME(gn_gemm)(now.count, width, hidden, 1, news, hidden, 1, work->given[W_HR], 1, hidden, 0,
                                       output, width);
            }
            if (work->mode != GRU) {
                memcpy(states, output, (size_t)(now.count * width) * sizeof(COMPUTE));
            }
        }
    }
    gn_give(news);
    gn_report(&work->status, status);
}

/* The sum of both biases, over the columns that the products of input and state share; NULL if there are none. */
static int32_t NAME(add_biases)(layer *work) {
    const COMPUTE *inner = work->given[B_IH], *outer = work->given[B_HH];
    const int64_t count = work->mode == GRU ? 2 * work->hidden : work->gates;
    if (inner == NULL && outer == NULL) {
        return GN_OK;
    }
    COMPUTE *sums = gn_take_items(count, sizeof(COMPUTE));
    work->before = sums;
    for (int64_t i = 0; sums != NULL && i < count; i++) {
        sums[i] = (inner == NULL ? 0 : inner[i]) + (outer == NULL ? 0 : outer[i]);
    }
    return sums == NULL ? GN_OUT_OF_MEMORY : GN_OK;
}

/* Columns [first, first + count) of the input's products, which go to `place` of a row. */
static int32_t NAME(multiply_input)(layer *work, int64_t first, int64_t count, int64_t place) {
    return NAME(gn_matmul)(work->rows, count, work->features, work->given[INPUT], work->features, 1,
                           (COMPUTE *)work->given[W_IH] + first * work->features, 1, work->features, 0,
                           (COMPUTE *)work->saved + place, work->row);
}

static void NAME(copy_or_clear)(COMPUTE *to, const COMPUTE *from, int64_t count) {
    if (from != NULL) {
        memcpy(to, from, (size_t)count * sizeof(COMPUTE));
    } else if (count > 0) {
        memset(to, 0, (size_t)count * sizeof(COMPUTE));
    }
}

static int32_t NAME(run_forward)(layer *work, void **own) {
    const int64_t hidden = work->hidden;
    int32_t status = GN_OK;
    if (work->mode == LSTM) {
        work->row = work->train ? 5 * hidden : 4 * hidden;
    } else {
        work->row = work->mode == GRU ? 4 * hidden : hidden;
    }
    if (work->mode == RELU || work->mode == TANH) {
        work->saved = work->made[OUTPUT];
    } else if (work->train) {
        work->saved = work->made[WORKSPACE];
    } else {
        work->saved = *own = gn_take_items(gn_checked(work->rows, work->row), sizeof(COMPUTE));
        if (*own == NULL) {
            return GN_OUT_OF_MEMORY;
        }
    }
    status = NAME(add_biases)(work);
    if (status == GN_OK && work->mode == GRU) {
        status = NAME(multiply_input)(work, 0, 2 * hidden, 0);
        if (status == GN_OK) {
            status = NAME(multiply_input)(work, 2 * hidden, hidden, 3 * hidden);
        }
    } else if (status == GN_OK) {
        status = NAME(multiply_input)(work, 0, work->gates, 0);
    }
    if (status == GN_OK) {
        status = NAME(pack_factor)(work, work->given[W_HH], work->width, work->gates, 1, work->width);
    }
    if (status == GN_OK) {
        const int64_t blocks = (work->sequences + SEQUENCES - 1) / SEQUENCES;
        gn_parallel_for(0, blocks, gn_grain(task_steps(work)), NAME(advance_blocks), work);
        status = work->status;
    }
    return status;
}

static int32_t NAME(rnn_forward)(const gn_call *call, void *const *data) {
    layer work = sizes_of(call, call->tensors + MADE);
    operands of;
    int32_t status = take_operands(call, data, CODE, &of);
    if (status != GN_OK) {
        return status;
    }
    work.made = of.data;
    work.given = of.data + MADE;
    work.states = work.made[HY];
    work.cells = work.made[CY];
    NAME(copy_or_clear)(work.states, work.given[HX], work.sequences * work.width);
    NAME(copy_or_clear)(work.cells, work.given[CX], work.mode == LSTM ? work.sequences * work.hidden : 0);
    void *own = NULL;
    if (work.rows > 0 && work.hidden > 0) {
        status = NAME(run_forward)(&work, &own);
    } else if (work.rows > 0) { /* projections of no hidden units */
        NAME(copy_or_clear)(work.made[OUTPUT], NULL, work.rows * work.width);
        NAME(copy_or_clear)(work.states, NULL, work.sequences * work.width);
    }
    gn_give(own);
    gn_give(work.packed);
    gn_give(work.before);
    give_operands(call, data, CODE, &of, status);
    return status;
}

/* (output, hy, cy, workspace; input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx, some of them absent);
 * integers: batch_sizes, mode, reverse, train. */
int32_t NAME(kernel_rnn_layer)(const gn_call *call, void *const *data) {
    return NAME(rnn_forward)(call, data);
}

/* The gradients of a row's preactivations, from that of its state; the gradient of the cell becomes that of the cell
 * before. */
static void NAME(retreat_lstm)(int64_t hidden, const COMPUTE *saved, const COMPUTE *cell_before, const COMPUTE *grad,
                               COMPUTE *grad_cell, COMPUTE *restrict slopes) {
    const COMPUTE *let_in = saved;
    const COMPUTE *forget = saved + hidden;
    const COMPUTE *fresh = saved + 2 * hidden;
    const COMPUTE *let_out = saved + 3 * hidden;
    const COMPUTE *cell = saved + 4 * hidden;
    GN_INDEPENDENT
    for (int64_t u = 0; u < hidden; u++) {
        const COMPUTE bounded = gn_tanh(cell[u]);
        const COMPUTE of_cell = grad_cell[u] + grad[u] * let_out[u] * (1 - bounded * bounded);
        slopes[u] = of_cell * fresh[u] * let_in[u] * (1 - let_in[u]);
        slopes[hidden + u] = of_cell * cell_before[u] * forget[u] * (1 - forget[u]);
        slopes[2 * hidden + u] = of_cell * let_in[u] * (1 - fresh[u] * fresh[u]);
        slopes[3 * hidden + u] = grad[u] * bounded * let_out[u] * (1 - let_out[u]);
        grad_cell[u] = of_cell * forget[u];
    }
}

/* The same of a GRU, whose slopes are those of reset, update, the state's third product and the input's; the gradient
 * of the state becomes the part of that of the state before which does not pass through the products. */
static void NAME(retreat_gru)(int64_t hidden, const COMPUTE *saved, const COMPUTE *before, COMPUTE *grad,
                              COMPUTE *restrict slopes) {
    const COMPUTE *reset = saved;
    const COMPUTE *update = saved + hidden;
    const COMPUTE *outer = saved + 2 * hidden;
    const COMPUTE *fresh = saved + 3 * hidden;
    GN_INDEPENDENT
    for (int64_t u = 0; u < hidden; u++) {
        const COMPUTE for_fresh = grad[u] * (1 - update[u]) * (1 - fresh[u] * fresh[u]);
        slopes[u] = for_fresh * outer[u] * reset[u] * (1 - reset[u]);
        slopes[hidden + u] = grad[u] * (before[u] - fresh[u]) * update[u] * (1 - update[u]);
        slopes[2 * hidden + u] = for_fresh * reset[u];
        slopes[3 * hidden + u] = for_fresh;
        grad[u] *= update[u];
    }
}

/* The same of a plain network. */
static void NAME(retreat_plain)(int64_t mode, int64_t hidden, const COMPUTE *output, const COMPUTE *grad,
                                COMPUTE *restrict slopes) {
    if (mode == TANH) {
        for (int64_t u = 0; u < hidden; u++) {
            slopes[u] = grad[u] * (1 - output[u] * output[u]);
        }
    } else {
        for (int64_t u = 0; u < hidden; u++) {
            slopes[u] = grad[u] * (COMPUTE)(output[u] > 0);
        }
    }
}

/* The state before a row: of the step before, or the first. */
static const COMPUTE *NAME(state_before)(const layer *work, const step *now, int64_t from, int64_t i) {
    if (i < now->count_before) {
        return (const COMPUTE *)work->made[OUTPUT] + (now->first_before + from + i) * work->width;
    }
    return (const COMPUTE *)work->given[HX] + (from + i) * work->width;
}

/* A row of an LSTM with a projection: the gradient and the value of its state before the projection. */
static int32_t NAME(retreat_projection)(const layer *work, int64_t row, int64_t count, COMPUTE *states,
                                        COMPUTE *grads) {
    const int64_t hidden = work->hidden, width = work->width;
    if (work->projected != NULL) {
        memcpy((COMPUTE *)work->projected + row * width, states, (size_t)(count * width) * sizeof(COMPUTE));
        for (int64_t i = 0; i < count; i++) {
            const COMPUTE *saved = (const COMPUTE *)work->saved + (row + i) * 5 * hidden;
            COMPUTE *new = (COMPUTE *)work->news + (row + i) * hidden;
            for (int64_t u = 0; u < hidden; u++) {
                new[u] = saved[3 * hidden + u] * gn_tanh(saved[4 * hidden + u]);
            }
        }
    }
    return NAME(gn_gemm)(count, hidden, width, 1, states, width, 1, work->given[W_HR], hidden, 1, 0, grads, hidden);
}

/* Blocks [begin, end) of sequences back through all time steps. */
static void NAME(retreat_blocks)(int64_t begin, int64_t end, void *context) {
    layer *work = context;
    const int64_t hidden = work->hidden, width = work->width;
    const int64_t columns = work->mode == LSTM ? 5 * hidden : work->mode == GRU ? 4 * hidden : hidden; /* of saved */
    const int has_projection = work->given[W_HR] != NULL;
    COMPUTE *unprojected = has_projection ? gn_take_items(SEQUENCES * hidden, sizeof(COMPUTE)) : NULL;
    int32_t status = has_projection && unprojected == NULL ? GN_OUT_OF_MEMORY : GN_OK;
    for (int64_t block = begin; block < end && status == GN_OK; block++) {
        const int64_t from = block * SEQUENCES;
        const int64_t to = gn_min(from + SEQUENCES, work->sequences);
        COMPUTE *states = (COMPUTE *)work->states + from * width;
        COMPUTE *cells = work->mode == LSTM ? (COMPUTE *)work->cells + from * hidden : NULL;
        int64_t row = row_of_last(work);
        for (int64_t index = work->steps - 1; index >= 0 && status == GN_OK; index--) {
            const step now = step_of(work, index, row, from, to);
            const int64_t first = now.first + from;
            const COMPUTE *saved = (const COMPUTE *)work->saved + first * columns;
            COMPUTE *slopes = (COMPUTE *)work->slopes + first * work->row;
            row = row_before(work, index, row);
            if (now.count == 0) {
                continue;
            }
            if (work->arriving != NULL) {
                const COMPUTE *arriving = (const COMPUTE *)work->arriving + first * width;
                for (int64_t i = 0; i < now.count * width; i++) {
                    states[i] += arriving[i];
                }
            }
            COMPUTE *grads = states;
            if (has_projection) {
                grads = unprojected;
                status = NAME(retreat_projection)(work, first, now.count, states, grads);
            }
            for (int64_t i = 0; i < now.count; i++) {
                const COMPUTE *before = NAME(state_before)(work, &now, from, i);
                COMPUTE *grad = grads + i * hidden;
                COMPUTE *slope = slopes + i * work->row;
                if (work->before != NULL) {
                    memcpy((COMPUTE *)work->before + (first + i) * width, before, (size_t)width * sizeof(COMPUTE));
                }
                if (work->mode == LSTM) {
                    const COMPUTE *cell_before =
                        i < now.count_before
                            ? (const COMPUTE *)work->saved + (now.first_before + from + i) * columns + 4 * hidden
                            : (const COMPUTE *)work->given[CX] + (from + i) * hidden;
                    NAME(retreat_lstm)(hidden, saved + i * columns, cell_before, grad, cells + i * hidden, slope);
                } else if (work->mode == GRU) {
                    NAME(retreat_gru)(hidden, saved + i * columns, before, grad, slope);
                } else {
                    NAME(retreat_plain)(work->mode, hidden, saved + i * columns, grad, slope);
                }
            }
            if (status == GN_OK) {
                status = NAME(multiply_packed)(work, now.count, slopes, work->row, work->gates, width,
                                               work->mode == GRU, states, width);
            }
        }
    }
    gn_give(unprojected);
    gn_report(&work->status, status);
}

/* Column sums of the slopes, as a task for each SUMMED columns; they go to `packed`, which is no longer needed. */
static void NAME(sum_columns)(int64_t begin, int64_t end, void *context) {
    const layer *work = context;
    for (int64_t block = begin; block < end; block++) {
        const int64_t column = block * SUMMED;
        const int64_t count = gn_min(SUMMED, work->row - column);
        double sums[SUMMED] = {0};
        for (int64_t row = 0; row < work->rows; row++) {
            const COMPUTE *line = (const COMPUTE *)work->slopes + row * work->row + column;
            for (int64_t j = 0; j < count; j++) {
                sums[j] += line[j];
            }
        }
        for (int64_t j = 0; j < count; j++) {
            ((COMPUTE *)work->news)[column + j] = (COMPUTE)sums[j];
        }
    }
}

/* Copies the sums of the slopes to the gradients of the biases, where these are wanted. */
static int32_t NAME(make_bias_gradients)(layer *work, COMPUTE *inner, COMPUTE *outer) {
    if (inner == NULL && outer == NULL) {
        return GN_OK;
    }
    const int64_t hidden = work->hidden;
    COMPUTE *sums = gn_take_items(work->row, sizeof(COMPUTE));
    if (sums == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    layer summed = *work;
    summed.news = sums;
    gn_parallel_for(0, (work->row + SUMMED - 1) / SUMMED, gn_grain(gn_checked(work->rows, SUMMED)),
                    NAME(sum_columns), &summed);
    const size_t size = (size_t)work->gates * sizeof(COMPUTE);
    if (outer != NULL) {
        memcpy(outer, sums, size);
    }
    if (inner != NULL) {
        memcpy(inner, sums, size);
        if (work->mode == GRU) {
            memcpy(inner + 2 * hidden, sums + 3 * hidden, (size_t)hidden * sizeof(COMPUTE));
        }
    }
    gn_give(sums);
    return GN_OK;
}

/* The products of the slopes [place, place + count) of a row with input and input's weights [first, first + count). */
static int32_t NAME(multiply_slopes)(layer *work, int64_t place, int64_t first, int64_t count, COMPUTE *grad_input,
                                     COMPUTE *grad_weight) {
    COMPUTE *slopes = (COMPUTE *)work->slopes + place;
    const int64_t features = work->features;
    int32_t status = GN_OK;
    if (grad_input != NULL) {
        status = NAME(gn_matmul)(work->rows, features, count, slopes, work->row, 1,
                                 (COMPUTE *)work->given[W_IH] + first * features, features, 1, first > 0, grad_input,
                                 features);
    }
    if (grad_weight != NULL && status == GN_OK) {
        status = NAME(gn_matmul)(count, features, work->rows, slopes, 1, work->row, work->given[INPUT], features, 1, 0,
                                 grad_weight + first * features, features);
    }
    return status;
}

/* The gradients of everything but states and cells, from the slopes. */
static int32_t NAME(make_gradients)(layer *work, void *const *grads) {
    const int64_t hidden = work->hidden, width = work->width;
    const int64_t shared = work->mode == GRU ? 2 * hidden : work->gates;
    int32_t status = NAME(multiply_slopes)(work, 0, 0, shared, grads[INPUT], grads[W_IH]);
    if (status == GN_OK && work->mode == GRU) {
        status = NAME(multiply_slopes)(work, 3 * hidden, 2 * hidden, hidden, grads[INPUT], grads[W_IH]);
    }
    if (status == GN_OK && grads[W_HH] != NULL) {
        status = NAME(gn_matmul)(work->gates, width, work->rows, work->slopes, 1, work->row, work->before, width, 1, 0,
                                 grads[W_HH], width);
    }
    if (status == GN_OK && grads[W_HR] != NULL) {
        status = NAME(gn_matmul)(width, hidden, work->rows, work->projected, 1, width, work->news, hidden, 1, 0,
                                 grads[W_HR], hidden);
    }
    return status == GN_OK ? NAME(make_bias_gradients)(work, grads[B_IH], grads[B_HH]) : status;
}

/* `given`, or memory for so many elements, which is stored in *own. */
static void *NAME(given_or_own)(void *given, int64_t rows, int64_t columns, void **own, int32_t *status) {
    if (given == NULL) {
        given = *own = gn_take_items(gn_checked(rows, columns), sizeof(COMPUTE));
        *status = given == NULL ? GN_OUT_OF_MEMORY : *status;
    }
    return given;
}

static int32_t NAME(run_backward)(layer *work, void *const *grads, void *const *given_grads, void **own) {
    const int64_t hidden = work->hidden, width = work->width;
    int32_t status = GN_OK;
    work->row = work->mode == GRU ? 4 * hidden : work->gates;
    work->slopes = NAME(given_or_own)(NULL, work->rows, work->row, &own[0], &status);
    work->states = NAME(given_or_own)(grads[HX], work->sequences, width, &own[1], &status);
    if (work->mode == LSTM) {
        work->cells = NAME(given_or_own)(grads[CX], work->sequences, hidden, &own[2], &status);
    }
    if (grads[W_HH] != NULL) {
        work->before = NAME(given_or_own)(NULL, work->rows, width, &own[3], &status);
    }
    if (grads[W_HR] != NULL) {
        work->projected = NAME(given_or_own)(NULL, work->rows, width, &own[4], &status);
        work->news = NAME(given_or_own)(NULL, work->rows, hidden, &own[5], &status);
    }
    if (status == GN_OK) {
        status = NAME(pack_factor)(work, work->given[W_HH], work->gates, width, width, 1);
    }
    if (status != GN_OK) {
        return status;
    }
    NAME(copy_or_clear)(work->states, given_grads[GRAD_HY], work->sequences * width);
    if (work->mode == LSTM) {
        NAME(copy_or_clear)(work->cells, given_grads[GRAD_CY], work->sequences * hidden);
    }
    const int64_t blocks = (work->sequences + SEQUENCES - 1) / SEQUENCES;
    gn_parallel_for(0, blocks, gn_grain(task_steps(work)), NAME(retreat_blocks), work);
    status = work->status;
    return status == GN_OK ? NAME(make_gradients)(work, grads) : status;
}

/* Without rows there are no states, and without hidden units nothing depends on anything: all gradients are zeros. */
static void NAME(make_no_gradients)(const gn_call *call, void *const *grads) {
    for (int i = 0; i < GIVEN; i++) {
        if (grads[i] != NULL) {
            NAME(copy_or_clear)(grads[i], NULL, gn_numel(&call->tensors[i]));
        }
    }
}

static int32_t NAME(rnn_backward)(const gn_call *call, void *const *data) {
    layer work = sizes_of(call, call->tensors + GIVEN + GRADS);
    operands of;
    int32_t status = take_operands(call, data, CODE, &of);
    if (status != GN_OK) {
        return status;
    }
    void *own[6] = {NULL};
    void *const made[MADE] = {of.data[2 * GIVEN + GRADS], NULL, NULL, of.data[2 * GIVEN + GRADS + 1]};
    work.made = made;
    work.given = of.data + GIVEN + GRADS;
    work.saved = made[work.mode == LSTM || work.mode == GRU ? WORKSPACE : OUTPUT];
    work.arriving = of.data[GIVEN + GRAD_OUTPUT];
    if (work.rows > 0 && work.hidden > 0) {
        status = NAME(run_backward)(&work, of.data, of.data + GIVEN, own);
    } else {
        NAME(make_no_gradients)(call, of.data);
    }
    for (int i = 0; i < 6; i++) {
        gn_give(own[i]);
    }
    gn_give(work.packed);
    give_operands(call, data, CODE, &of, status);
    return status;
}

/* (the gradients of input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx; grad_output, grad_hy, grad_cy, those tensors, output,
 * workspace, some of them absent); integers: batch_sizes, mode, reverse, output_mask. */
int32_t NAME(kernel_rnn_layer_backward)(const gn_call *call, void *const *data) {
    return NAME(rnn_backward)(call, data);
}

#undef SLIVER

#elif IS_HALF

int32_t NAME(kernel_rnn_layer)(const gn_call *call, void *const *data) {
    return rnn_forward_float32(call, data);
}

int32_t NAME(kernel_rnn_layer_backward)(const gn_call *call, void *const *data) {
    return rnn_backward_float32(call, data);
}

#endif
