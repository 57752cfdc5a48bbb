/* _ctc_loss and its gradient: Graves et al., "Connectionist Temporal Classification" (2006); equation numbers refer to
 * it.  Probabilities are summed in double, from their logarithms.
 *
 * A sequence of S classes has 2 S + 1 states: its classes with a blank before, between and after them. */
#include "flat.h"
#include "threads.h"
#include "workspace.h"

typedef struct ctc {
    int64_t batch, times, classes, longest; /* the longest target */
    const int64_t *input_lengths, *target_lengths;
    int64_t zero_infinity;
    int64_t alpha_times, alpha_states; /* sizes of log_alpha, which may be larger than needed */
    int64_t *states; /* (batch, 2 longest + 1): the class of each state */
    const void *log_probs, *losses, *alpha, *gradient;
    void *out, *out_alpha;
    gn_status status;
} ctc;

/* The logarithm of the sum of up to three numbers that have these logarithms. */
static double log_total(const double *logarithms, int count) {
    double largest = logarithms[0];
    for (int i = 1; i < count; i++) {
        largest = logarithms[i] > largest ? logarithms[i] : largest;
    }
    if (largest == -INFINITY || largest != largest) {
        return largest;
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += exp(logarithms[i] - largest);
    }
    return largest + log(sum);
}

/* May a state follow the one before the last, without the blank between them? */
static int skips(const int64_t *states, int64_t state) {
    return state >= 2 && states[state] != states[state - 2];
}

/* Whether the lengths and the targets fit the batch; the meta function of the gradient does not check them. */
static int lengths_fit(const ctc *work, const gn_call *call, const gn_tensor *targets) {
    if (call->integers[0] != work->batch || work->target_lengths[-1] != work->batch) {
        return 0;
    }
    int64_t sum = 0;
    int64_t longest = 0;
    for (int64_t i = 0; i < work->batch; i++) {
        if (work->input_lengths[i] < 0 || work->input_lengths[i] > work->times || work->target_lengths[i] < 0) {
            return 0;
        }
        sum += work->target_lengths[i];
        longest = gn_max(longest, work->target_lengths[i]);
    }
    if (targets->ndim == 1) {
        return targets->sizes[0] >= sum;
    }
    return targets->ndim == 2 && targets->sizes[0] >= work->batch && targets->sizes[1] >= longest;
}

/* Reads the lengths, and lays out the states.  GN_BAD_VALUE for a target that is not a class.  The caller frees
 * work->states. */
static int32_t make_ctc(ctc *work, const gn_call *call, const gn_tensor *log_probs, const gn_tensor *targets,
                        const void *target_data) {
    memset(work, 0, sizeof *work);
    work->times = log_probs->sizes[0];
    work->batch = log_probs->sizes[1];
    work->classes = log_probs->sizes[2];
    const int64_t *cursor = call->integers;
    work->input_lengths = cursor + 1;
    cursor += 1 + *cursor;
    work->target_lengths = cursor + 1;
    cursor += 1 + *cursor;
    const int64_t blank = cursor[0];
    work->zero_infinity = cursor[1];
    if (!lengths_fit(work, call, targets) || blank < 0 || blank >= work->classes) {
        return GN_NOT_IMPLEMENTED;
    }
    for (int64_t i = 0; i < work->batch; i++) {
        work->longest = gn_max(work->longest, work->target_lengths[i]);
    }
    const int64_t width = 2 * work->longest + 1;
    work->states = gn_take_items(gn_checked(work->batch, width), sizeof(int64_t));
    if (work->states == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    int64_t start = 0;
    for (int64_t i = 0; i < work->batch; i++) {
        int64_t *states = work->states + i * width;
        states[0] = blank;
        for (int64_t place = 0; place < work->target_lengths[i]; place++) {
            const int64_t offset = targets->ndim == 1 ? (start + place) * targets->strides[0]
                                                      : i * targets->strides[0] + place * targets->strides[1];
            const int64_t class = gn_index_at((const char *)target_data + offset, targets->dtype);
            if (class < 0 || class >= work->classes) {
                return GN_BAD_VALUE;
            }
            states[2 * place + 1] = class;
            states[2 * place + 2] = blank;
        }
        start += work->target_lengths[i];
    }
    return GN_OK;
}

#define GN_TEMPLATE "ctc_dtype.h"
#include "each_dtype.h"

/* The meta function refuses all dtypes but float32 and float64. */
int32_t kernel_ctc_loss(const gn_call *call, void *const *data) {
    return call->tensors[2].dtype == GN_FLOAT64 ? ctc_loss_float64(call, data) : ctc_loss_float32(call, data);
}

int32_t kernel_ctc_loss_backward(const gn_call *call, void *const *data) {
    return call->tensors[2].dtype == GN_FLOAT64 ? ctc_loss_backward_float64(call, data)
                                                : ctc_loss_backward_float32(call, data);
}
