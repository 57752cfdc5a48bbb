/* Cumulative operators along lines.
 *
 * A line that is split into parts is read twice: first for the total of each part; then, when the totals of the parts
 * before it are known, for its elements. A block processes its part tile by tile. */
#include "element.cuh"
#include "lines.cuh"

#define EACH 4 /* adjacent elements of a tile per thread */
#define TILE (LINE_THREADS * EACH)

/* Floats are summed in double. */
#if GN_CUDA_CODE == GN_FLOAT64 || GN_CUDA_CODE == GN_COMPLEX128
/* A sum of float64 or complex128 numbers with its accumulated rounding error. */
struct gn_exact {
    gn_precise sum;
    gn_precise error;
};
/* Knuth's TwoSum. */
static inline gn_exact gn_add_exactly(gn_exact a, gn_exact b) {
    const gn_precise sum = a.sum + b.sum;
    const gn_precise part = sum - a.sum;
    const gn_precise error = (a.sum - (sum - part)) + (b.sum - part);
    return gn_exact{sum, a.error + b.error + error};
}
#endif

struct cumsum_scan {
#if GN_CUDA_CODE == GN_FLOAT64 || GN_CUDA_CODE == GN_COMPLEX128
    typedef gn_exact total;
    static inline total first(void) {
        return gn_exact{0, 0};
    }
    static inline total of(gn_element stored, int64_t place) {
        (void)place;
        return gn_exact{stored, 0};
    }
    static inline total both(total a, total b) {
        return gn_add_exactly(a, b);
    }
    static inline void write(char *value, char *index, total x) {
        (void)index;
        const gn_precise sum = x.sum + x.error; /* an infinite sum has no meaningful error */
        *(gn_element *)value = sum == sum ? sum : x.sum;
    }
#else
    typedef gn_precise total;
    static inline total first(void) {
        return 0;
    }
    static inline total of(gn_element stored, int64_t place) {
        (void)place;
        return (total)gn_load(stored);
    }
    static inline total both(total a, total b) {
        return a + b;
    }
    static inline void write(char *value, char *index, total x) {
        (void)index;
        *(gn_element *)value = gn_rounded(x);
    }
#endif
};

#if GN_IS_FLOATING || GN_IS_COMPLEX
/* value * 2^(512 * scale), so that products of parts cannot overflow or underflow on the way. */
struct gn_scaled_product {
    gn_precise value;
    int64_t scale;
};
/* The size of a number; of a complex one, its larger part. If one part is NaN, the other one is used. */
static inline double gn_largest_part(double x) {
    return fabs(x);
}
static inline double gn_largest_part(gn_complex128 x) {
    return fmax(fabs(x.re), fabs(x.im));
}
static inline gn_scaled_product gn_in_range(gn_scaled_product x) {
    double size = gn_largest_part(x.value);
    if (size != 0 && size - size == 0) {
        for (; size >= 0x1p256; size *= 0x1p-512) {
            x.value = x.value * 0x1p-512;
            x.scale++;
        }
        for (; size < 0x1p-256; size *= 0x1p512) {
            x.value = x.value * 0x1p512;
            x.scale--;
        }
    }
    return x;
}
#endif

struct cumprod_scan {
#if GN_IS_FLOATING || GN_IS_COMPLEX
    typedef gn_scaled_product total;
    static inline total first(void) {
        return gn_scaled_product{1, 0};
    }
    static inline total of(gn_element stored, int64_t place) {
        (void)place;
        return gn_in_range(gn_scaled_product{(gn_precise)gn_load(stored), 0});
    }
    static inline total both(total a, total b) {
        if (a.value == 1 && a.scale == 0) { /* so that complex infinities do not become NaN */
            return b;
        }
        return gn_in_range(gn_scaled_product{a.value * b.value, a.scale + b.scale});
    }
    static inline void write(char *value, char *index, total x) {
        (void)index;
        gn_precise product = x.value;
        const double step = x.scale > 0 ? 0x1p512 : 0x1p-512;
        for (int64_t k = gn_min(x.scale > 0 ? x.scale : -x.scale, 4); k > 0; k--) { /* 4 steps reach inf or 0 */
            product = product * step;
        }
        *(gn_element *)value = gn_rounded(product);
    }
#else
    typedef gn_precise total;
    static inline total first(void) {
        return 1;
    }
    static inline total of(gn_element stored, int64_t place) {
        (void)place;
        return (total)gn_load(stored);
    }
    static inline total both(total a, total b) {
        return a * b;
    }
    static inline void write(char *value, char *index, total x) {
        (void)index;
        *(gn_element *)value = gn_rounded(x);
    }
#endif
};

#if GN_IS_FLOATING || GN_IS_COMPLEX
/* log (exp a + exp b).  Of complex numbers a NaN in one part makes both NaN; the logarithm of 0 has no angle, and
 * infinite sums get theirs from their exponentials. */
static inline double gn_add_exponential(double a, double b) {
    return gn_logaddexp_float64(a, b);
}
static inline gn_complex128 gn_add_exponential(gn_complex128 a, gn_complex128 b) {
    if (a != a || b != b) {
        return gn_complex128((double)NAN, (double)NAN);
    }
    if (b.re == -(double)INFINITY) {
        return a;
    }
    if (a.re == -(double)INFINITY) {
        return b;
    }
    if (a.re == b.re && a.re == (double)INFINITY) {
        return clog(cexp(a) + cexp(b));
    }
    return gn_logaddexp_complex128(a, b);
}
struct logcumsumexp_scan {
    typedef gn_precise total;
    static inline total first(void) {
        return -(double)INFINITY;
    }
    static inline total of(gn_element stored, int64_t place) {
        (void)place;
        return gn_add_exponential(first(), (total)gn_load(stored));
    }
    static inline total both(total a, total b) {
        return gn_add_exponential(a, b);
    }
    static inline void write(char *value, char *index, total x) {
        (void)index;
        *(gn_element *)value = gn_rounded(x);
    }
};
#endif

#if !GN_IS_COMPLEX
/* The extreme so far and its index: the last of equal ones; NaN comes before all numbers. */
struct gn_champion {
    int64_t place; /* -1: none */
    gn_element stored;
};
template <int IS_LEAST> struct gn_champions {
    typedef gn_champion total;
    static inline total first(void) {
        return gn_champion{-1, 0};
    }
    static inline total of(gn_element stored, int64_t place) {
        return gn_champion{place, stored};
    }
    static inline total both(total a, total b) {
        if (a.place < 0 || b.place < 0) {
            return a.place < 0 ? b : a;
        }
        const gn_computed x = gn_load(a.stored);
        const gn_computed y = gn_load(b.stored);
        const bool a_is_nan = gn_isnan(x);
        const bool b_is_nan = gn_isnan(y);
        if (x == y || (a_is_nan && b_is_nan)) {
            return b.place > a.place ? b : a;
        }
        return b_is_nan || (!a_is_nan && (IS_LEAST ? y < x : y > x)) ? b : a;
    }
    static inline void write(char *value, char *index, total x) {
        *(gn_element *)value = x.stored;
        *(int64_t *)index = x.place;
    }
};
typedef gn_champions<0> cummax_scan;
typedef gn_champions<1> cummin_scan;
#endif

/* The addresses of a line in the operands; the memory of `indices` may be null. */
struct gn_ends {
    char *value;
    char *index;
    const char *in;
};
static inline gn_ends gn_ends_of(const gn_view &values, const gn_view &indices, const gn_view &in, int64_t line) {
    const uint64_t number = (uint64_t)line;
    return gn_ends{values.at + gn_offset_of(values, number), indices.at + gn_offset_of(indices, number),
                   in.at + gn_offset_of(in, number)};
}
struct gn_steps {
    int64_t value;
    int64_t index;
    int64_t in;
};

/* One thread per part of a line. TOTALS: writes its total to `totals`. Else writes its elements, continuing from
 * `totals`. */
template <class SCAN, int TOTALS>
__global__ void scan_threads(gn_view values, gn_view indices, gn_view in, gn_steps step, gn_line_parts work,
                             typename SCAN::total *totals) {
    for (int64_t number = gn_thread(); number < work.lines * work.parts; number += gn_threads()) {
        const gn_part mine = gn_part_beside(work, number);
        const gn_ends ends = gn_ends_of(values, indices, in, mine.line);
        const int64_t at = mine.line * work.parts + mine.part;
        typename SCAN::total total = TOTALS || work.parts == 1 ? SCAN::first() : totals[at];
        for (int64_t i = mine.begin; i < mine.end; i++) {
            total = SCAN::both(total, SCAN::of(*(const gn_element *)(ends.in + i * step.in), i));
            if (!TOTALS) {
                SCAN::write(ends.value + i * step.value, ends.index + i * step.index, total);
            }
        }
        if (TOTALS) {
            totals[at] = total;
        }
    }
}

/* One block for the total of each part. */
template <class SCAN>
__global__ void scan_totals(gn_view in, gn_steps step, gn_line_parts work, typename SCAN::total *totals) {
    __shared__ typename SCAN::total shared[LINE_THREADS];
    for (int64_t number = blockIdx.x; number < work.lines * work.parts; number += gridDim.x) {
        const gn_part mine = gn_part_along(work, number);
        const char *const line = in.at + gn_offset_of(in, (uint64_t)mine.line);
        typename SCAN::total total = SCAN::first();
        for (int64_t i = mine.begin + threadIdx.x; i < mine.end; i += LINE_THREADS) {
            total = SCAN::both(total, SCAN::of(*(const gn_element *)(line + i * step.in), i));
        }
        shared[threadIdx.x] = total;
        __syncthreads();
        for (int32_t half = LINE_THREADS / 2; half > 0; half /= 2) {
            if ((int32_t)threadIdx.x < half) {
                shared[threadIdx.x] = SCAN::both(shared[threadIdx.x], shared[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            totals[number] = shared[0];
        }
        __syncthreads();
    }
}

/* Exclusive prefix fold of the totals of each line's parts. */
template <class SCAN> __global__ void scan_parts(gn_line_parts work, typename SCAN::total *totals) {
    for (int64_t line = gn_thread(); line < work.lines; line += gn_threads()) {
        typename SCAN::total total = SCAN::first();
        for (int64_t at = line * work.parts; at < (line + 1) * work.parts; at++) {
            const typename SCAN::total here = totals[at];
            totals[at] = total;
            total = SCAN::both(total, here);
        }
    }
}

/* One block for the elements of each part. */
template <class SCAN>
__global__ void scan_blocks(gn_view values, gn_view indices, gn_view in, gn_steps step, gn_line_parts work,
                            const typename SCAN::total *totals) {
    typedef typename SCAN::total total_of;
    __shared__ total_of shared[TILE];
    __shared__ total_of sums[LINE_THREADS]; /* of each thread's elements, then of all up to these */
    for (int64_t number = blockIdx.x; number < work.lines * work.parts; number += gridDim.x) {
        const gn_part mine = gn_part_along(work, number);
        const gn_ends ends = gn_ends_of(values, indices, in, mine.line);
        total_of before = work.parts == 1 ? SCAN::first() : totals[number];
        for (int64_t tile = mine.begin; tile < mine.end; tile += TILE) {
            for (int32_t slot = threadIdx.x; slot < TILE; slot += LINE_THREADS) {
                const int64_t i = tile + slot;
                shared[slot] = i < mine.end ? SCAN::of(*(const gn_element *)(ends.in + i * step.in), i) : SCAN::first();
            }
            __syncthreads();
            total_of total = SCAN::first();
            for (int32_t k = 0; k < EACH; k++) {
                total = SCAN::both(total, shared[threadIdx.x * EACH + k]);
                shared[threadIdx.x * EACH + k] = total;
            }
            sums[threadIdx.x] = total;
            __syncthreads();
            for (int32_t apart = 1; apart < LINE_THREADS; apart *= 2) {
                const bool has = (int32_t)threadIdx.x >= apart;
                const total_of earlier = has ? sums[threadIdx.x - apart] : SCAN::first();
                __syncthreads();
                if (has) {
                    sums[threadIdx.x] = SCAN::both(earlier, sums[threadIdx.x]);
                }
                __syncthreads();
            }
            for (int32_t slot = threadIdx.x; slot < TILE; slot += LINE_THREADS) {
                const int64_t i = tile + slot;
                const int32_t owner = slot / EACH;
                if (i < mine.end) {
                    const total_of earlier = owner > 0 ? SCAN::both(before, sums[owner - 1]) : before;
                    SCAN::write(ends.value + i * step.value, ends.index + i * step.index,
                                SCAN::both(earlier, shared[slot]));
                }
            }
            before = SCAN::both(before, sums[LINE_THREADS - 1]);
            __syncthreads();
        }
    }
}
