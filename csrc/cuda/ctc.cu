/* _ctc_loss and its gradient. Equation numbers are those of Graves et al., "Connectionist Temporal Classification"
 * (2006). Probabilities are stored as logarithms and summed in double.
 *
 * A sequence of S classes has 2 S + 1 states: its classes, with a blank before, between and after them. A block takes a
 * sequence, one time step after the other; its threads divide the states. */
#include "number.cuh"
#include "places.cuh"
#include "team.cuh"

#define CTC_THREADS 256
#define MOST_SHARED 1024 /* up to so many states, two rows of them are kept in shared memory */

/* Steps are in bytes: of log_probs and its gradient along time, sequence and class; of log_alpha along sequence, time
 * and state. The lengths, and the offset of each target in `targets`, are tables of int64. `width` is the number of
 * states of the longest target. */
struct gn_ctc {
    int64_t batch, times, classes, width, blank, zero_infinity;
    char *targets;
    int64_t targets_dtype, target_step;
    const int64_t *input_lengths, *target_lengths, *target_offsets;
    char *log_probs;
    int64_t probs_steps[3], alpha_steps[3];
    double *rows; /* two rows of states per sequence */
    int32_t *fault;
};

/* One sequence of the batch. */
struct gn_sequence {
    int64_t number, times, states;
};

static inline gn_sequence sequence_of(const gn_ctc &work, int64_t number) {
    return gn_sequence{number, work.input_lengths[number], 2 * work.target_lengths[number] + 1};
}

/* The class of a state. An invalid class sets *fault and is replaced by the blank. */
static inline int64_t class_of(const gn_ctc &work, int64_t number, int64_t state) {
    if (state % 2 == 0) {
        return work.blank;
    }
    const char *at = work.targets + work.target_offsets[number] + state / 2 * work.target_step;
    const int64_t found = gn_index_in(at, (int32_t)work.targets_dtype);
    if (found < 0 || found >= work.classes) {
        *work.fault = 1;
        return work.blank;
    }
    return found;
}

/* Whether a state can be reached from the one two before it, skipping the blank between them. */
static inline bool skips(const gn_ctc &work, int64_t number, int64_t state) {
    return state >= 2 && class_of(work, number, state) != class_of(work, number, state - 2);
}

/* The logarithm of the sum of up to three numbers, given their logarithms. */
static inline double log_total(const double *logarithms, int count) {
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

static inline double log_prob(const gn_ctc &work, int64_t time, int64_t number, int64_t label) {
    const int64_t *steps = work.probs_steps;
    const char *at = work.log_probs + time * steps[0] + number * steps[1] + label * steps[2];
    return (double)gn_load(*(const gn_storage *)at);
}

static inline char *alpha_at(const gn_ctc &work, char *alpha, int64_t number, int64_t time, int64_t state) {
    return alpha + number * work.alpha_steps[0] + time * work.alpha_steps[1] + state * work.alpha_steps[2];
}

/* Equations 5 to 8: log probabilities of the paths that reach each state at each time; -inf after the end of a
 * sequence. */
__global__ void ctc_forward(gn_ctc work, char *losses, char *alpha) {
    __shared__ double shared[2 * MOST_SHARED];
    for (int64_t number = blockIdx.x; number < work.batch; number += gridDim.x) {
        const gn_sequence here = sequence_of(work, number);
        double *before = work.width <= MOST_SHARED ? shared : work.rows + number * 2 * work.width;
        double *reached = before + work.width;
        for (int64_t i = threadIdx.x; i < work.times * work.width; i += CTC_THREADS) {
            const int64_t state = i % work.width;
            if (i / work.width >= here.times || state >= here.states) {
                *(gn_storage *)alpha_at(work, alpha, number, i / work.width, state) = gn_store((gn_compute)-INFINITY);
            }
        }
        for (int64_t time = 0; time < here.times; time++) {
            double *const other = before;
            before = reached;
            reached = other;
            for (int64_t state = threadIdx.x; state < here.states; state += CTC_THREADS) {
                double sum = state < 2 ? 0 : -INFINITY;
                if (time > 0) {
                    double paths[3] = {before[state], 0, 0};
                    int found = 1;
                    if (state > 0) {
                        paths[0] = before[state - 1];
                        paths[found++] = before[state];
                    }
                    if (skips(work, number, state)) {
                        paths[found++] = before[state - 2];
                    }
                    sum = log_total(paths, found);
                }
                reached[state] = sum + log_prob(work, time, number, class_of(work, number, state));
                *(gn_storage *)alpha_at(work, alpha, number, time, state) = gn_store((gn_compute)reached[state]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            double loss = here.states == 1 ? 0 : -INFINITY; /* without a time step: only an empty target is possible */
            if (here.times > 0) {
                loss = here.states == 1 ? reached[0] : log_total(reached + here.states - 2, 2);
            }
            *(gn_storage *)(losses + number * (int64_t)sizeof(gn_storage)) = gn_store((gn_compute)-loss);
        }
        __syncthreads();
    }
}

/* The maximum; NaN if either is NaN. */
struct gn_greater_or_nan {
    static inline double of(double a, double b) {
        return a != a ? a : b > a || b != b ? b : a;
    }
};

/* Workspace of the gradient: for each state the next state of the same class (or the number of states if there is
 * none), whether it is the first of its class, and the log probability of the paths through it; for each class that of
 * all paths. */
struct gn_ctc_paths {
    int64_t *next;
    uint8_t *is_first;
    double *through;
    double *totals;
};

/* The first state of the same class after `state`, or the number of states if there is none. */
static inline int64_t next_of_class(const gn_ctc &work, const gn_sequence &here, int64_t state) {
    const int64_t label = class_of(work, here.number, state);
    for (int64_t other = state + 2; other < here.states; other += 2) {
        if (class_of(work, here.number, other) == label) {
            return other;
        }
    }
    return here.states;
}
static inline bool is_first_of_class(const gn_ctc &work, const gn_sequence &here, int64_t state) {
    const int64_t label = class_of(work, here.number, state);
    for (int64_t other = state - 2; other >= 0; other -= 2) {
        if (class_of(work, here.number, other) == label) {
            return false;
        }
    }
    return true;
}

/* Equations 10 to 16. The whole block sums the paths through the blank, which has the most states. Those through
 * another class are summed by the thread of the first state of that class. */
__global__ void ctc_backward(gn_ctc work, gn_ctc_paths paths, char *alpha, const char *losses, int64_t loss_step,
                             const char *gradient, int64_t gradient_step, gn_storage *out) {
    __shared__ double shared[2 * MOST_SHARED];
    __shared__ double partial[CTC_THREADS / GN_WARP];
    for (int64_t number = blockIdx.x; number < work.batch; number += gridDim.x) {
        const gn_sequence here = sequence_of(work, number);
        const double loss = (double)gn_load(*(const gn_storage *)(losses + number * loss_step));
        const double factor = (double)gn_load(*(const gn_storage *)(gradient + number * gradient_step));
        const bool left_out = work.zero_infinity && loss == INFINITY;
        double *after = work.width <= MOST_SHARED ? shared : work.rows + number * 2 * work.width;
        double *ahead = after + work.width;
        int64_t *const next = paths.next + number * work.width;
        uint8_t *const is_first = paths.is_first + number * work.width;
        double *const through = paths.through + number * work.width;
        double *const totals = paths.totals + number * work.classes;
        for (int64_t state = 1 + 2 * (int64_t)threadIdx.x; state < here.states; state += 2 * CTC_THREADS) {
            next[state] = next_of_class(work, here, state);
            is_first[state] = is_first_of_class(work, here, state);
        }
        for (int64_t time = work.times - 1; time >= 0; time--) {
            gn_storage *const row = out + (time * work.batch + number) * work.classes;
            if (left_out || time >= here.times) {
                for (int64_t label = threadIdx.x; label < work.classes; label += CTC_THREADS) {
                    row[label] = gn_store(0);
                }
                continue;
            }
            double *const other = after;
            after = ahead;
            ahead = other;
            double largest = -INFINITY;
            for (int64_t label = threadIdx.x; label < work.classes; label += CTC_THREADS) {
                totals[label] = -INFINITY;
            }
            for (int64_t state = threadIdx.x; state < here.states; state += CTC_THREADS) {
                double total = state >= here.states - 2 ? 0 : -INFINITY;
                if (time < here.times - 1) {
                    double found[3] = {after[state], 0, 0};
                    int count = 1;
                    if (state + 1 < here.states) {
                        found[count++] = after[state + 1];
                    }
                    if (state + 2 < here.states && skips(work, number, state + 2)) {
                        found[count++] = after[state + 2];
                    }
                    total = log_total(found, count);
                }
                const int64_t label = class_of(work, number, state);
                ahead[state] = total + log_prob(work, time, number, label);
                const char *reached = alpha_at(work, alpha, number, time, state);
                through[state] = (double)gn_load(*(const gn_storage *)reached) + ahead[state];
                if (label == work.blank) {
                    largest = gn_greater_or_nan::of(largest, through[state]);
                }
            }
            largest = gn_team_fold<gn_greater_or_nan, CTC_THREADS>(largest, partial); /* also a barrier */
            double sum = 0;
            for (int64_t state = threadIdx.x; state < here.states; state += CTC_THREADS) {
                const int64_t label = class_of(work, number, state);
                if (label == work.blank) {
                    sum += largest > -INFINITY ? exp(through[state] - largest) : 0;
                } else if (is_first[state]) {
                    double most = -INFINITY;
                    for (int64_t each = state; each < here.states; each = next[each]) {
                        most = gn_greater_or_nan::of(most, through[each]);
                    }
                    double mine = 0;
                    for (int64_t each = state; each < here.states && most > -INFINITY; each = next[each]) {
                        mine += exp(through[each] - most);
                    }
                    totals[label] = mine > 0 || mine != mine ? most + log(mine) : most;
                }
            }
            sum = gn_team_fold<gn_add, CTC_THREADS>(sum, partial);
            if (threadIdx.x == 0) {
                totals[work.blank] = sum > 0 || sum != sum ? largest + log(sum) : largest;
            }
            __syncthreads();
            for (int64_t label = threadIdx.x; label < work.classes; label += CTC_THREADS) {
                const double likely = log_prob(work, time, number, label);
                const double share = exp(totals[label] + loss - likely);
                row[label] = gn_store((gn_compute)((exp(likely) - share) * factor));
            }
            __syncthreads();
        }
        __syncthreads();
    }
}
