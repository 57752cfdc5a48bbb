/* _rnn_layer and its gradients: a recurrent layer in one direction.
 *
 * The input's products of all time steps are one matrix product, as are the gradients of the weights.  Between them, a
 * task is a block of sequences, which it follows through all time steps without waiting for others.  The factor of the
 * state's product is packed once for all steps. */
#include "direct.h"
#include "gemm.h"
#include "matmul.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* The modes: see ops/nn/recurrent_layer.py. */
enum { RELU, TANH, LSTM, GRU };

/* Sequences of a task: fixed, so that results do not depend on the number of threads. */
#define SEQUENCES 16
/* Columns that are summed together. */
#define SUMMED 64

/* The tensors of both operators, after their outputs and incoming gradients. */
enum { INPUT, W_IH, W_HH, B_IH, B_HH, W_HR, HX, CX, GIVEN };
/* The outputs of the layer, and its tensors. */
enum { OUTPUT, HY, CY, WORKSPACE, MADE };
/* The incoming gradients. */
enum { GRAD_OUTPUT, GRAD_HY, GRAD_CY, GRADS };

#define MOST_TENSORS (2 * GIVEN + GRADS + 2)

/* Tensors as contiguous elements of one dtype: in place where they are so, else copies.  NULL only if absent: those
 * without elements are `nothing`. */
typedef struct operands {
    void *data[MOST_TENSORS];
    void *owned[MOST_TENSORS];
    double nothing;
} operands;

static void give_operands(const gn_call *call, void *const *data, int32_t dtype, operands *of, int32_t status) {
    for (int32_t i = 0; i < call->tensor_count; i++) {
        if (status == GN_OK && i < call->output_count && of->owned[i] != NULL) {
            gn_spread(&call->tensors[i], data[i], dtype, of->owned[i]);
        }
        gn_give(of->owned[i]);
    }
}

/* On GN_OUT_OF_MEMORY there is nothing to free. */
static int32_t take_operands(const gn_call *call, void *const *data, int32_t dtype, operands *of) {
    memset(of, 0, sizeof *of);
    for (int32_t i = 0; i < call->tensor_count; i++) {
        const gn_tensor *tensor = &call->tensors[i];
        if (tensor->dtype == GN_NO_DTYPE) {
            continue;
        }
        if (gn_numel(tensor) == 0) {
            of->data[i] = &of->nothing;
            continue;
        }
        if (i >= call->output_count) {
            of->data[i] = gn_compact(tensor, data[i], dtype, &of->owned[i]);
        } else if (tensor->dtype == dtype && gn_is_contiguous(tensor)) {
            of->data[i] = data[i];
        } else {
            of->data[i] = of->owned[i] = gn_take_items(gn_numel(tensor), (size_t)gn_itemsize(dtype));
        }
        if (of->data[i] == NULL) {
            give_operands(call, data, dtype, of, GN_OUT_OF_MEMORY);
            return GN_OUT_OF_MEMORY;
        }
    }
    return GN_OK;
}

/* One call of either operator. */
typedef struct layer {
    int64_t mode, reverse, train;
    int64_t rows, features, hidden, width, sequences, steps;
    int64_t gates;        /* columns of all preactivations */
    int64_t row;          /* columns from a row of `slopes` (or of `saved`) to the next */
    const int64_t *counts; /* sequences of each time step */
    void *const *given;   /* INPUT and so on */
    void *const *made;    /* OUTPUT and so on; of the gradients, only OUTPUT and WORKSPACE */
    void *saved;          /* the gates of all rows: the workspace, or memory like it */
    void *packed;         /* the state's factor, in slivers */
    void *states, *cells; /* so far; or their gradients */
    void *slopes;         /* the gradients of preactivations */
    void *before;         /* the states before each row; NULL if not needed */
    void *arriving;       /* the gradient of the output, or NULL */
    void *projected;      /* the gradients of projected states, and the states before the projection */
    void *news;
    gn_status status;
} layer;

/* Gates of a mode, as rows of the weights over the hidden size. */
static int64_t gates_of(int64_t mode) {
    return mode == LSTM ? 4 : mode == GRU ? 3 : 1;
}

/* The sizes of a call whose tensors INPUT and so on start at `given`. */
static layer sizes_of(const gn_call *call, const gn_tensor *given) {
    layer work;
    memset(&work, 0, sizeof work);
    const int64_t *cursor = call->integers;
    work.steps = *cursor++;
    work.counts = cursor;
    cursor += work.steps;
    work.mode = cursor[0];
    work.reverse = cursor[1];
    work.train = cursor[2];
    work.rows = given[INPUT].sizes[0];
    work.features = given[INPUT].sizes[1];
    work.gates = given[W_HH].sizes[0];
    work.hidden = work.gates / gates_of(work.mode);
    work.sequences = given[HX].sizes[0];
    work.width = given[HX].sizes[1];
    return work;
}

/* A time step: its first row, the sequences of it that a task has, and the same of the step computed before it. */
typedef struct step {
    int64_t first, count, first_before, count_before;
} step;

/* Step `index` in the order of computation, for the sequences from `from` to before `to`.  `row` is the first row of
 * the step, which the caller keeps. */
static step step_of(const layer *work, int64_t index, int64_t row, int64_t from, int64_t to) {
    const int64_t time = work->reverse ? work->steps - 1 - index : index;
    const int64_t time_before = work->reverse ? time + 1 : time - 1;
    step found = {row, gn_max(0, gn_min(to, work->counts[time]) - from), 0, 0};
    if (index > 0) {
        found.first_before = work->reverse ? row + work->counts[time] : row - work->counts[time_before];
        found.count_before = gn_max(0, gn_min(to, work->counts[time_before]) - from);
    }
    return found;
}

static int64_t count_of(const layer *work, int64_t index) {
    return work->counts[work->reverse ? work->steps - 1 - index : index];
}

/* The first rows of steps, in the order of computation: that of step 0, and of the step after or before one. */
static int64_t row_of_first(const layer *work) {
    return work->reverse ? work->rows - count_of(work, 0) : 0;
}
static int64_t row_after(const layer *work, int64_t index, int64_t row) {
    if (index + 1 == work->steps) {
        return row;
    }
    return work->reverse ? row - count_of(work, index + 1) : row + count_of(work, index);
}
static int64_t row_of_last(const layer *work) {
    return work->reverse ? 0 : work->rows - count_of(work, work->steps - 1);
}
static int64_t row_before(const layer *work, int64_t index, int64_t row) {
    if (index == 0) {
        return row;
    }
    return work->reverse ? row + count_of(work, index) : row - count_of(work, index - 1);
}

/* Elementary steps of a task. */
static int64_t task_steps(const layer *work) {
    return gn_checked(gn_checked(work->steps, SEQUENCES), gn_checked(work->gates, work->width / 8 + 1));
}

#define GN_TEMPLATE "rnn_dtype.h"
#include "each_dtype.h"
