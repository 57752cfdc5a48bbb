/* Makes entries, which order.cu sorts line by line, from elements; and results from sorted entries. */
#include "element.cuh"
#include "order.cuh"
#include "places.cuh"

/* Lines of `length` elements, `step` bytes apart; `in` views the first element of each line. */
struct gn_sorting {
    int64_t lines;
    int64_t length;
    int64_t step;
    int32_t is_descending;
};

static inline const gn_element *gn_element_at(const gn_view &in, const gn_sorting &work, int64_t line, int64_t place) {
    return (const gn_element *)(in.at + gn_offset_of(in, (uint64_t)line) + place * work.step);
}

template <class ENTRY> __global__ void enter_elements(gn_view in, gn_sorting work, ENTRY *entries) {
    const int64_t count = work.lines * work.length;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t line = i / work.length;
        const int64_t place = i - line * work.length;
        const uint64_t key = gn_key_of(*gn_element_at(in, work, line, place));
        entries[i] = ENTRY::of(work.is_descending ? key ^ gn_key_mask : key, place);
    }
}

/* The first `kept` values of each line and their indices. `values` and `indices` view the first element of each
 * line. */
template <class ENTRY>
__global__ void leave_sorted(gn_view values, gn_view indices, gn_view in, gn_sorting work, const ENTRY *entries,
                             int64_t kept, int64_t value_step, int64_t index_step) {
    const int64_t count = work.lines * kept;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t line = i / kept;
        const int64_t rank = i - line * kept;
        const int64_t place = entries[line * work.length + rank].place();
        *(gn_element *)(values.at + gn_offset_of(values, (uint64_t)line) + rank * value_step) =
            *gn_element_at(in, work, line, place);
        *(int64_t *)(indices.at + gn_offset_of(indices, (uint64_t)line) + rank * index_step) = place;
    }
}

/* The element wanted from a sorted line: that of a rank; the median, or the first NaN if there is one; the median of
 * the elements that are not NaN, if any. */
#define OF_RANK 0
#define MIDDLE 1
#define MIDDLE_NUMBER 2

/* One element of each line, and its index unless the memory of `indices` is null. */
template <class ENTRY>
__global__ void leave_ranked(gn_view values, gn_view indices, gn_view in, gn_sorting work, const ENTRY *entries,
                             int32_t wanted, int64_t rank) {
    for (int64_t line = gn_thread(); line < work.lines; line += gn_threads()) {
        const ENTRY *const sorted = entries + line * work.length;
        int64_t chosen = rank;
        if (wanted != OF_RANK) {
            const int64_t ordered = GN_IS_FLOATING ? gn_lower_bound(sorted, 0, work.length, gn_key_mask) : work.length;
            chosen = wanted == MIDDLE && ordered < work.length ? ordered : gn_max(ordered - 1, 0) / 2;
        }
        const int64_t place = sorted[chosen].place();
        *(gn_element *)(values.at + gn_offset_of(values, (uint64_t)line)) = *gn_element_at(in, work, line, place);
        if (indices.at != NULL) {
            *(int64_t *)(indices.at + gn_offset_of(indices, (uint64_t)line)) = place;
        }
    }
}

#define MODE_THREADS 256

/* A run of equal elements: its length and the rank of its last element. */
struct gn_streak {
    int64_t length;
    int64_t last;
};
static inline gn_streak gn_longer(gn_streak a, gn_streak b) {
    return b.length > a.length || (b.length == a.length && b.last < a.last) ? b : a;
}

/* The longest run of each line, the first of equally long ones: writes its last element, and the index of that. Each
 * NaN is a run of its own. One block per line. */
template <class ENTRY>
__global__ void leave_modes(gn_view values, gn_view indices, gn_view in, gn_sorting work, const ENTRY *entries) {
    __shared__ gn_streak shared[MODE_THREADS];
    for (int64_t line = blockIdx.x; line < work.lines; line += gridDim.x) {
        const ENTRY *const sorted = entries + line * work.length;
        gn_streak longest = {0, INT64_MAX};
        for (int64_t i = threadIdx.x; i < work.length; i += MODE_THREADS) {
            const uint64_t key = sorted[i].key();
            const bool is_nan = GN_IS_FLOATING && key == gn_key_mask;
            if (is_nan || i + 1 == work.length || sorted[i + 1].key() != key) {
                const int64_t first = is_nan ? i : gn_lower_bound(sorted, 0, i, key);
                longest = gn_longer(longest, gn_streak{i - first + 1, i});
            }
        }
        shared[threadIdx.x] = longest;
        __syncthreads();
        for (int32_t half = MODE_THREADS / 2; half > 0; half /= 2) {
            if ((int32_t)threadIdx.x < half) {
                shared[threadIdx.x] = gn_longer(shared[threadIdx.x], shared[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            const int64_t place = sorted[shared[0].last].place();
            *(gn_element *)(values.at + gn_offset_of(values, (uint64_t)line)) = *gn_element_at(in, work, line, place);
            *(int64_t *)(indices.at + gn_offset_of(indices, (uint64_t)line)) = place;
        }
        __syncthreads();
    }
}

/* The median of no elements: NaN, converted as copy_ does. */
__global__ void leave_nan(gn_view value) {
    const double nan = NAN;
    *(gn_element *)value.at = gn_convert((const char *)&nan, GN_FLOAT64);
}

/* searchsorted: the insertion positions of numbers in sorted rows. */
struct gn_bisection {
    int64_t length; /* of a row */
    int64_t width;  /* numbers that are searched in one row */
    int32_t is_right;
    int32_t is_short; /* results are int32 */
};

/* Checks the sorter, the indices that sort each row; *fault becomes 1 if one is out of range. */
__global__ void check_sorter(gn_view sorter, int64_t length, int32_t *fault) {
    const int64_t count = gn_count(sorter);
    int faults = 0;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t place = gn_index_in(sorter.at + gn_offset_of(sorter, (uint64_t)i), sorter.dtype);
        faults |= place < 0 || place >= length;
    }
    if (faults) {
        *fault = 1;
    }
}

/* The first index whose element is not less than (with is_right: is greater than) each number; NaN is greater than all
 * numbers. The rows are the last dimension of `sequence`, in the order of `sorter` unless its memory is null. Elements
 * of other dtypes are converted. */
__global__ void bisect(gn_view out, gn_view sequence, gn_view numbers, gn_view sorter, gn_bisection work) {
    const int64_t count = gn_count(numbers);
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const char *const at = numbers.at + gn_offset_of(numbers, (uint64_t)i);
        const gn_computed number = gn_load(gn_convert(at, numbers.dtype));
        const int64_t row = i / work.width * work.length;
        int64_t low = 0;
        int64_t high = work.length;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            int64_t place = row + middle;
            if (sorter.at != NULL) {
                place = row + gn_index_in(sorter.at + gn_offset_of(sorter, (uint64_t)place), sorter.dtype);
            }
            const char *const from = sequence.at + gn_offset_of(sequence, (uint64_t)place);
            const gn_computed x = gn_load(gn_convert(from, sequence.dtype));
            if (work.is_right ? x > number : x >= number) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        char *const to = out.at + gn_offset_of(out, (uint64_t)i);
        if (work.is_short) {
            *(int32_t *)to = (int32_t)low;
        } else {
            *(int64_t *)to = low;
        }
    }
}
