/* The minimum or maximum of each line and its index: the first of equal ones; NaN comes before all numbers.
 *
 * Elements are compared by keys (element.cuh): the result has the greatest key, and the smallest index among equal
 * keys. */
#include "element.cuh"
#include "lines.cuh"

struct gn_candidate {
    uint64_t key;
    int64_t place;
};

static inline gn_candidate gn_better(gn_candidate a, gn_candidate b) {
    return b.key > a.key || (b.key == a.key && b.place < a.place) ? b : a;
}
/* Worse than all others. */
static inline gn_candidate gn_no_candidate(void) {
    return gn_candidate{0, INT64_MAX};
}

template <int IS_LEAST> static inline gn_candidate gn_candidate_of(const char *line, int64_t step, int64_t place) {
    const uint64_t key = gn_key_of(*(const gn_element *)(line + place * step));
    const bool is_nan = GN_IS_FLOATING && key == gn_key_mask;
    return gn_candidate{IS_LEAST && !is_nan ? key ^ gn_key_mask : key, place};
}

/* Writes the value and the index; either is skipped if the memory of its view is null. */
static inline void gn_report(const gn_view &values, const gn_view &indices, const gn_view &in, int64_t step, int64_t line,
                             int64_t place) {
    if (values.at != NULL) {
        const char *const from = in.at + gn_offset_of(in, (uint64_t)line) + place * step;
        *(gn_element *)(values.at + gn_offset_of(values, (uint64_t)line)) = *(const gn_element *)from;
    }
    if (indices.at != NULL) {
        *(int64_t *)(indices.at + gn_offset_of(indices, (uint64_t)line)) = place;
    }
}

/* One thread per part of a line. `in` views the first element of each line. Candidates are written to `found` if there
 * are several parts. */
template <int IS_LEAST>
__global__ void search_threads(gn_view values, gn_view indices, gn_view in, int64_t step, gn_line_parts work,
                               gn_candidate *found) {
    for (int64_t number = gn_thread(); number < work.lines * work.parts; number += gn_threads()) {
        const gn_part mine = gn_part_beside(work, number);
        const char *const line = in.at + gn_offset_of(in, (uint64_t)mine.line);
        gn_candidate best = gn_no_candidate();
        for (int64_t i = mine.begin; i < mine.end; i++) {
            best = gn_better(best, gn_candidate_of<IS_LEAST>(line, step, i));
        }
        if (work.parts == 1) {
            gn_report(values, indices, in, step, mine.line, best.place);
        } else {
            found[mine.line * work.parts + mine.part] = best;
        }
    }
}

/* One block per part of a line. */
template <int IS_LEAST>
__global__ void search_blocks(gn_view values, gn_view indices, gn_view in, int64_t step, gn_line_parts work,
                              gn_candidate *found) {
    __shared__ gn_candidate shared[LINE_THREADS];
    for (int64_t number = blockIdx.x; number < work.lines * work.parts; number += gridDim.x) {
        const gn_part mine = gn_part_along(work, number);
        const char *const line = in.at + gn_offset_of(in, (uint64_t)mine.line);
        gn_candidate best = gn_no_candidate();
        for (int64_t i = mine.begin + threadIdx.x; i < mine.end; i += LINE_THREADS) {
            best = gn_better(best, gn_candidate_of<IS_LEAST>(line, step, i));
        }
        shared[threadIdx.x] = best;
        __syncthreads();
        for (int32_t half = LINE_THREADS / 2; half > 0; half /= 2) {
            if ((int32_t)threadIdx.x < half) {
                shared[threadIdx.x] = gn_better(shared[threadIdx.x], shared[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            if (work.parts == 1) {
                gn_report(values, indices, in, step, mine.line, shared[0].place);
            } else {
                found[number] = shared[0];
            }
        }
        __syncthreads();
    }
}

/* The best candidate of the parts of each line. */
__global__ void search_parts(gn_view values, gn_view indices, gn_view in, int64_t step, gn_line_parts work,
                             const gn_candidate *found) {
    for (int64_t line = gn_thread(); line < work.lines; line += gn_threads()) {
        gn_candidate best = gn_no_candidate();
        for (int64_t part = 0; part < work.parts; part++) {
            best = gn_better(best, found[line * work.parts + part]);
        }
        gn_report(values, indices, in, step, line, best.place);
    }
}
