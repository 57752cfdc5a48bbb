/* Combines the elements of picks (index.cu) that have the same destination; and writes a number to picks.
 *
 * The picks are sorted by number, and those of one number by their index, so that the elements that are combined, and
 * the order, depend only on the indices. One thread combines the elements of a destination with few picks; for many
 * picks a block does. */
#include "element.cuh"
#include "order.cuh"
#include "places.cuh"

#define COMBINE_THREADS 256
#define FEW 64 /* the most picks of one number that a thread combines */

struct gn_total {
    static inline gn_precise first(void) {
        return 0;
    }
    static inline gn_precise both(gn_precise a, gn_precise b) {
        return a + b;
    }
};
struct gn_product {
    static inline gn_precise first(void) {
        return 1;
    }
    static inline gn_precise both(gn_precise a, gn_precise b) {
        return a == 1 ? b : a * b; /* so that complex infinities do not become NaN */
    }
};
#if !GN_IS_COMPLEX
struct gn_most {
    static inline gn_precise first(void) {
        return GN_LOWEST_PRECISE;
    }
    static inline gn_precise both(gn_precise a, gn_precise b) {
        return a > b || a != a ? a : b;
    }
};
struct gn_least {
    static inline gn_precise first(void) {
        return GN_HIGHEST_PRECISE;
    }
    static inline gn_precise both(gn_precise a, gn_precise b) {
        return a < b || a != a ? a : b;
    }
};
#endif

/* The divisor of a result: none, or the number of elements that were combined, for the means of scatter_reduce or of
 * embeddings. */
#define UNDIVIDED 0
#define MEAN_OF_PICKS 1
#define MEAN_OF_ROWS 2

/* The number of sorted picks, and the sizes of a pick: `rows` elements in total, of which `inner` are adjacent in the
 * iteration. Picks with a number of at least `limit` are ignored. */
struct gn_combination {
    int64_t picks;
    int64_t rows;
    int64_t inner;
    int64_t limit;
    int32_t with_self;
    int32_t mean;
};

static inline gn_element gn_result(gn_precise total, int64_t met, int32_t mean) {
#if GN_IS_BOOL
    if (mean == MEAN_OF_ROWS) { /* a mean of 0.5 is true, too */
        return gn_rounded(total);
    }
#endif
    if (mean == UNDIVIDED) {
        return gn_rounded(total);
    }
#if GN_IS_FLOATING || GN_IS_COMPLEX
    return gn_rounded(total / (double)met);
#else
    if (mean == MEAN_OF_ROWS) {
        return gn_rounded((gn_precise)((double)(gn_element)total / (double)met));
    }
    const gn_element count = (gn_element)met; /* both wrap around, as in PyTorch */
    return gn_rounded(gn_div_floor_int64((gn_element)total, count == 0 ? 1 : count));
#endif
}

/* An element times the call's Scalar. A scale of 1, which is the default, does not multiply: complex infinities would
 * become NaN. */
static inline gn_precise gn_scaled(const char *place, const gn_precise scale) {
    const gn_precise element = (gn_precise)gn_load(*(const gn_element *)place);
    return scale == 1 ? element : element * scale;
}

/* `out` and `other` have the sizes of a pick's rows; `picked` gives the offset of a number in `out`, `offered` that of
 * a pick in `other`. */
template <class ENTRY, class HOW>
__global__ void combine_few(gn_view out, gn_view other, gn_view picked, gn_view offered, const ENTRY *sorted,
                            gn_combination work, gn_numbers numbers) {
    const gn_precise scale = (gn_precise)gn_load(gn_given_number(&numbers));
    const int64_t count = work.picks * work.rows;
    for (int64_t i = gn_thread(); i < count; i += gn_threads()) {
        const int64_t above = i / work.inner;
        const int64_t place = above % work.picks;
        const int64_t row = above / work.picks * work.inner + i % work.inner;
        const uint64_t number = sorted[place].key();
        const bool is_first = place == 0 || sorted[place - 1].key() != number;
        if ((int64_t)number >= work.limit || !is_first
            || (place + FEW < work.picks && sorted[place + FEW].key() == number)) {
            continue;
        }
        int64_t at[2] = {0, 0};
        gn_add_offsets<uint64_t>(at, (uint64_t)row, out, other);
        char *const to = out.at + at[0] + gn_offset_of(picked, number);
        int64_t met = work.with_self != 0;
        gn_precise total = met ? (gn_precise)gn_load(*(const gn_element *)to) : HOW::first();
        for (int64_t k = place; k < work.picks && sorted[k].key() == number; k++) {
            const char *const from = other.at + at[1] + gn_offset_of(offered, (uint64_t)sorted[k].place());
            total = HOW::both(total, gn_scaled(from, scale));
            met++;
        }
        *(gn_element *)to = gn_result(total, met, work.mean);
    }
}

/* A run of more than FEW picks of one number contains an index that is a multiple of FEW; the first such index
 * represents the run. A block takes the run for `width` adjacent elements, a power of 2. */
template <class ENTRY, class HOW>
__global__ void combine_many(gn_view out, gn_view other, gn_view picked, gn_view offered, const ENTRY *sorted,
                             gn_combination work, gn_numbers numbers, int32_t width) {
    __shared__ gn_precise shared[COMBINE_THREADS];
    const gn_precise scale = (gn_precise)gn_load(gn_given_number(&numbers));
    const int64_t places = (work.picks + FEW - 1) / FEW;
    const int64_t chunks = (work.inner + width - 1) / width;
    const int64_t tasks = work.rows / work.inner * chunks;
    const int32_t column = (int32_t)threadIdx.x % width;
    const int32_t line = (int32_t)threadIdx.x / width;
    for (int64_t task = blockIdx.x; task < places * tasks; task += gridDim.x) {
        const int64_t place = task / tasks * FEW;
        const uint64_t number = sorted[place].key();
        if ((int64_t)number >= work.limit || (place > 0 && sorted[place - FEW].key() == number)) {
            continue;
        }
        const int64_t begin = gn_lower_bound(sorted, gn_max(place - FEW, 0), place, number);
        if (begin + FEW >= work.picks || sorted[begin + FEW].key() != number) {
            continue;
        }
        const int64_t end = gn_lower_bound(sorted, begin + FEW, work.picks, number + 1);
        const int64_t part = task % tasks;
        const int64_t element = part % chunks * width + column;
        int64_t at[2] = {0, 0};
        gn_precise total = HOW::first();
        if (element < work.inner) {
            gn_add_offsets<uint64_t>(at, (uint64_t)(part / chunks * work.inner + element), out, other);
            for (int64_t k = begin + line; k < end; k += COMBINE_THREADS / width) {
                const char *const from = other.at + at[1] + gn_offset_of(offered, (uint64_t)sorted[k].place());
                total = HOW::both(total, gn_scaled(from, scale));
            }
        }
        shared[threadIdx.x] = total;
        __syncthreads();
        for (int32_t half = COMBINE_THREADS / 2; half >= width; half /= 2) {
            if ((int32_t)threadIdx.x < half) {
                shared[threadIdx.x] = HOW::both(shared[threadIdx.x], shared[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (line == 0 && element < work.inner) {
            char *const to = out.at + at[0] + gn_offset_of(picked, number);
            total = shared[threadIdx.x];
            if (work.with_self) {
                total = HOW::both((gn_precise)gn_load(*(const gn_element *)to), total);
            }
            *(gn_element *)to = gn_result(total, end - begin + (work.with_self != 0), work.mean);
        }
        __syncthreads();
    }
}

/* Writes the call's Scalar as an element. */
__global__ void put_number(gn_numbers numbers, char *out) {
    *(gn_element *)out = gn_given_number(&numbers);
}

/* Converts a tensor of one element to this dtype; *fault becomes 1 if the dtype cannot represent it. */
__global__ void convert_number(gn_view value, char *out, int32_t *fault) {
    if (value.dtype != GN_CUDA_CODE && !gn_fits(value.at, value.dtype)) {
        *fault = 1;
    }
    *(gn_element *)out = gn_convert(value.at, value.dtype);
}
