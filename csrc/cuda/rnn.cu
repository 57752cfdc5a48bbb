/* The pointwise parts of _rnn_layer and of its gradients: one launch per time step, between matrix products. Half types
 * are computed as floats: operands are converted. */
#include "number.cuh"

/* The modes: see ops/nn/recurrent_layer.py. */
enum { RELU, TANH, LSTM, GRU };

/* A matrix; steps count elements. A null pointer is zeros. */
struct gn_rnn_rows {
    gn_storage *at;
    int64_t row, column;

    inline gn_compute operator()(int64_t i, int64_t j) const {
        return at == NULL ? 0 : gn_load(at[i * row + j * column]);
    }
};

/* A time step: so many sequences, the first `known` of which have a step before. Rows of `saved` and of `slopes` are the
 * parts of the C backend's (csrc/c/rnn_dtype.h). Null operands are zeros, or not wanted. */
struct gn_rnn_step {
    int64_t mode, hidden, sequences, known;
    gn_rnn_rows saved;    /* the gates, which are the input's products first */
    gn_rnn_rows products; /* of the state */
    gn_rnn_rows inner_bias, outer_bias;
    gn_rnn_rows states, cells; /* so far, or their gradients */
    gn_rnn_rows output, news;  /* of this step; the states before the projection */
    gn_rnn_rows before, first; /* the states of the step before, and the first ones */
    gn_rnn_rows cells_before, first_cells;
    gn_rnn_rows grads, slopes, kept; /* gradients of `news`; slopes; `before` of this step is copied to `kept` */
    int64_t keeps_cells;
};

/* The preactivation of a gate, and its parts. */
static inline gn_compute inner_of(const gn_rnn_step &step, int64_t row, int64_t column, int64_t gate_column) {
    return step.saved(row, column) + step.inner_bias(0, gate_column);
}
static inline gn_compute outer_of(const gn_rnn_step &step, int64_t row, int64_t column) {
    return step.products(row, column) + step.outer_bias(0, column);
}
static inline gn_compute sum_of(const gn_rnn_step &step, int64_t row, int64_t column) {
    return inner_of(step, row, column, column) + outer_of(step, row, column);
}
static inline void put(const gn_rnn_rows &rows, int64_t i, int64_t j, gn_compute value) {
    if (rows.at != NULL) {
        rows.at[i * rows.row + j * rows.column] = gn_store(value);
    }
}

/* The gates, the new cell and the new state of each sequence and hidden unit. */
template <int UNUSED> __global__ void rnn_advance(gn_rnn_step step) {
    const int64_t hidden = step.hidden;
    for (int64_t index = gn_thread(); index < step.sequences * hidden; index += gn_threads()) {
        int64_t row = index;
        const int64_t u = gn_split(&row, hidden);
        gn_compute made;
        if (step.mode == LSTM) {
            const gn_compute let_in = gn_sigmoid(sum_of(step, row, u));
            const gn_compute forget = gn_sigmoid(sum_of(step, row, hidden + u));
            const gn_compute fresh = gn_tanh(sum_of(step, row, 2 * hidden + u));
            const gn_compute let_out = gn_sigmoid(sum_of(step, row, 3 * hidden + u));
            const gn_compute cell = forget * step.cells(row, u) + let_in * fresh;
            put(step.saved, row, u, let_in);
            put(step.saved, row, hidden + u, forget);
            put(step.saved, row, 2 * hidden + u, fresh);
            put(step.saved, row, 3 * hidden + u, let_out);
            if (step.keeps_cells) {
                put(step.saved, row, 4 * hidden + u, cell);
            }
            put(step.cells, row, u, cell);
            made = let_out * gn_tanh(cell);
        } else if (step.mode == GRU) {
            const gn_compute reset = gn_sigmoid(sum_of(step, row, u));
            const gn_compute update = gn_sigmoid(sum_of(step, row, hidden + u));
            const gn_compute outer = outer_of(step, row, 2 * hidden + u);
            const gn_compute fresh = gn_tanh(inner_of(step, row, 3 * hidden + u, 2 * hidden + u) + reset * outer);
            put(step.saved, row, u, reset);
            put(step.saved, row, hidden + u, update);
            put(step.saved, row, 2 * hidden + u, outer);
            put(step.saved, row, 3 * hidden + u, fresh);
            made = (step.states(row, u) - fresh) * update + fresh;
        } else {
            const gn_compute sum = sum_of(step, row, u);
            made = step.mode == TANH ? gn_tanh(sum) : sum <= 0 ? 0 : sum;
        }
        put(step.states, row, u, made);
        put(step.output, row, u, made);
        put(step.news, row, u, made);
    }
}

/* The gradients of the preactivations of each sequence and hidden unit, and those of the cell before. */
template <int UNUSED> __global__ void rnn_retreat(gn_rnn_step step) {
    const int64_t hidden = step.hidden;
    for (int64_t index = gn_thread(); index < step.sequences * hidden; index += gn_threads()) {
        int64_t row = index;
        const int64_t u = gn_split(&row, hidden);
        const gn_compute grad = step.grads(row, u);
        const int is_known = row < step.known;
        if (step.mode == LSTM) {
            const gn_compute let_in = step.saved(row, u);
            const gn_compute forget = step.saved(row, hidden + u);
            const gn_compute fresh = step.saved(row, 2 * hidden + u);
            const gn_compute let_out = step.saved(row, 3 * hidden + u);
            const gn_compute bounded = gn_tanh(step.saved(row, 4 * hidden + u));
            const gn_compute cell_before = is_known ? step.cells_before(row, u) : step.first_cells(row, u);
            const gn_compute of_cell = step.cells(row, u) + grad * let_out * (1 - bounded * bounded);
            put(step.slopes, row, u, of_cell * fresh * let_in * (1 - let_in));
            put(step.slopes, row, hidden + u, of_cell * cell_before * forget * (1 - forget));
            put(step.slopes, row, 2 * hidden + u, of_cell * let_in * (1 - fresh * fresh));
            put(step.slopes, row, 3 * hidden + u, grad * bounded * let_out * (1 - let_out));
            put(step.cells, row, u, of_cell * forget);
            put(step.news, row, u, let_out * bounded);
        } else if (step.mode == GRU) {
            const gn_compute reset = step.saved(row, u);
            const gn_compute update = step.saved(row, hidden + u);
            const gn_compute outer = step.saved(row, 2 * hidden + u);
            const gn_compute fresh = step.saved(row, 3 * hidden + u);
            const gn_compute before = is_known ? step.before(row, u) : step.first(row, u);
            const gn_compute for_fresh = grad * (1 - update) * (1 - fresh * fresh);
            put(step.slopes, row, u, for_fresh * outer * reset * (1 - reset));
            put(step.slopes, row, hidden + u, grad * (before - fresh) * update * (1 - update));
            put(step.slopes, row, 2 * hidden + u, for_fresh * reset);
            put(step.slopes, row, 3 * hidden + u, for_fresh);
            put(step.states, row, u, grad * update);
        } else {
            const gn_compute made = step.output(row, u);
            put(step.slopes, row, u, grad * (step.mode == TANH ? 1 - made * made : (gn_compute)(made > 0)));
        }
    }
}

/* Copies the states before a step, where they are wanted. */
template <int UNUSED> __global__ void rnn_keep(gn_rnn_step step, int64_t width) {
    for (int64_t index = gn_thread(); index < step.sequences * width; index += gn_threads()) {
        int64_t row = index;
        const int64_t u = gn_split(&row, width);
        put(step.kept, row, u, row < step.known ? step.before(row, u) : step.first(row, u));
    }
}

/* to = from, plus to if `adds`. */
template <int UNUSED> __global__ void rnn_copy(gn_rnn_rows to, gn_rnn_rows from, int64_t rows, int64_t columns, int64_t adds) {
    for (int64_t index = gn_thread(); index < rows * columns; index += gn_threads()) {
        int64_t i = index;
        const int64_t j = gn_split(&i, columns);
        put(to, i, j, from(i, j) + (adds ? to(i, j) : 0));
    }
}

/* The sums of columns, in double. */
template <int UNUSED> __global__ void rnn_sum(gn_rnn_rows to, gn_rnn_rows from, int64_t rows, int64_t columns) {
    for (int64_t j = gn_thread(); j < columns; j += gn_threads()) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            sum += from(i, j);
        }
        put(to, 0, j, (gn_compute)sum);
    }
}

/* Copies to a contiguous matrix of floats, and back. */
template <int UNUSED> __global__ void rnn_widen(float *to, gn_rnn_rows from, int64_t rows, int64_t columns) {
    for (int64_t index = gn_thread(); index < rows * columns; index += gn_threads()) {
        int64_t i = index;
        const int64_t j = gn_split(&i, columns);
        to[index] = (float)from(i, j);
    }
}
template <int UNUSED> __global__ void rnn_narrow(gn_rnn_rows to, const float *from, int64_t rows, int64_t columns) {
    for (int64_t index = gn_thread(); index < rows * columns; index += gn_threads()) {
        int64_t i = index;
        const int64_t j = gn_split(&i, columns);
        put(to, i, j, (gn_compute)from[index]);
    }
}
