/* _linalg_svd by one-sided Jacobi rotations, in double (Demmel & Veselic, "Jacobi's method is more accurate than QR",
 * 1992): pairs of columns are rotated until all columns are orthogonal; their norms are then the singular values.
 *
 * One block per matrix. The signs of the singular vectors equal those of the C backend if each column is rotated with
 * the others in the same order, which is row by row of the pairs (i, j). All pairs with one sum i + j have no column in
 * common and can be rotated in parallel, one warp per pair; processing the sums in increasing order preserves that
 * order. */
#include "number.cuh"
#include "places.cuh"
#include "team.cuh"

#define SVD_THREADS 256
#define SVD_WARPS (SVD_THREADS / GN_WARP)
#define SWEEPS 60 /* Jacobi converges quadratically; a few sweeps are enough */
/* A column shorter than this counts as zero: its products may be subnormal, and so not exact. Beside a largest element of
 * about 1 it does not matter. */
#define LEAST 0x1p-400
#define EPSILON 2.220446049250313e-16

/* A complex number. */
struct gn_pair {
    double real, imag;
};

static inline double times(double a, double b) {
    return a * b;
}
static inline gn_pair times(gn_pair a, gn_pair b) {
    return gn_pair{a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}
static inline gn_pair times(gn_pair a, double b) {
    return gn_pair{a.real * b, a.imag * b};
}
static inline double plus(double a, double b) {
    return a + b;
}
static inline gn_pair plus(gn_pair a, gn_pair b) {
    return gn_pair{a.real + b.real, a.imag + b.imag};
}
static inline double over(double a, double b) {
    return a / b;
}
static inline gn_pair over(gn_pair a, double b) {
    return gn_pair{a.real / b, a.imag / b};
}
static inline double conjugate(double a) {
    return a;
}
static inline gn_pair conjugate(gn_pair a) {
    return gn_pair{a.real, -a.imag};
}
static inline double size_of(double a) {
    return fabs(a);
}
static inline double size_of(gn_pair a) {
    return hypot(a.real, a.imag);
}
static inline double square_of(double a) {
    return a * a;
}
static inline double square_of(gn_pair a) {
    return a.real * a.real + a.imag * a.imag;
}
static inline bool is_finite(double a) {
    return a - a == 0;
}
static inline bool is_finite(gn_pair a) {
    return is_finite(a.real) && is_finite(a.imag);
}
static inline double largest_part(double a) {
    return fabs(a);
}
static inline double largest_part(gn_pair a) {
    return fmax(fabs(a.real), fabs(a.imag));
}
static inline void read(const char *at, double *to) {
    *to = (double)gn_load(*(const gn_storage *)at);
}
static inline void read(const char *at, gn_pair *to) {
    *to = gn_pair{(double)gn_load(((const gn_storage *)at)[0]), (double)gn_load(((const gn_storage *)at)[1])};
}
static inline void write(char *at, double x) {
    *(gn_storage *)at = gn_store((gn_compute)x);
}
static inline void write(char *at, gn_pair x) {
    ((gn_storage *)at)[0] = gn_store((gn_compute)x.real);
    ((gn_storage *)at)[1] = gn_store((gn_compute)x.imag);
}

/* The sum over a warp, returned in each lane. */
static inline double sum_of_warp(double x) {
    return gn_team_fold<gn_add, GN_WARP>(x, (double *)NULL);
}
static inline gn_pair sum_of_warp(gn_pair x) {
    return gn_pair{sum_of_warp(x.real), sum_of_warp(x.imag)};
}

/* Matrices of `rows` and `columns`: decomposed directly if `tall`, else as adjoints. The views have the batch
 * dimensions; the steps of the last two dimensions are in bytes. `wanted` is the number of left vectors. */
struct gn_svd {
    int64_t matrices, rows, columns, wanted;
    gn_view in, u, values, vh;
    int64_t in_steps[2], u_steps[2], value_step, vh_steps[2];
    int32_t tall, with_vectors;
    char *memory; /* `memory_bytes` per block */
    int64_t memory_bytes;
    int32_t *fault;
};

/* The workspace of a block: the columns, contiguous; the accumulated rotations; the left vectors; projections
 * (`shares`); norms and the order of columns. */
template <class SCALAR> struct gn_workspace {
    SCALAR *columns, *turns, *left, *shares;
    double *lengths;
    int64_t *order;

    inline gn_workspace(char *memory, int64_t rows, int64_t count, int64_t wanted) {
        columns = (SCALAR *)memory;
        turns = columns + rows * count;
        left = turns + count * count;
        shares = left + rows * wanted;
        lengths = (double *)(shares + rows);
        order = (int64_t *)(lengths + count);
    }
};

/* The sum of conj(a) * b, computed by a warp and returned in each lane. */
template <class SCALAR> static inline SCALAR inner(const SCALAR *a, const SCALAR *b, int64_t count) {
    SCALAR sum = {};
    for (int64_t i = gn_member<GN_WARP>(); i < count; i += GN_WARP) {
        sum = plus(sum, times(conjugate(a[i]), b[i]));
    }
    return sum_of_warp(sum);
}
template <class SCALAR> static inline double length_of(const SCALAR *a, int64_t count) {
    double sum = 0;
    for (int64_t i = gn_member<GN_WARP>(); i < count; i += GN_WARP) {
        sum += square_of(a[i]);
    }
    return sqrt(sum_of_warp(sum));
}

/* x, y = cosine * phase * x - sine * y, sine * phase * x + cosine * y. */
template <class SCALAR>
static inline void turn(SCALAR *x, SCALAR *y, int64_t count, SCALAR phase, double cosine, double sine) {
    const SCALAR left = times(phase, cosine);
    const SCALAR right = times(phase, sine);
    for (int64_t i = gn_member<GN_WARP>(); i < count; i += GN_WARP) {
        const SCALAR p = x[i];
        const SCALAR q = y[i];
        x[i] = plus(times(left, p), times(q, -sine));
        y[i] = plus(times(right, p), times(q, cosine));
    }
}

/* Rotates columns a and b so that they are orthogonal, and u and v by the same rotation; false if they were orthogonal.
 * Called by a warp. */
template <class SCALAR>
static inline bool rotate(SCALAR *a, SCALAR *b, int64_t rows, SCALAR *u, SCALAR *v, int64_t count) {
    const SCALAR overlap = inner(a, b, rows);
    const double size = size_of(overlap);
    const double alpha = length_of(a, rows);
    const double beta = length_of(b, rows);
    if (alpha < LEAST || beta < LEAST || size <= sqrt((double)rows) * EPSILON * alpha * beta) {
        return false;
    }
    const double zeta = (beta - alpha) * (beta + alpha) / (2 * size);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    const double cosine = 1 / hypot(1.0, tangent);
    turn(a, b, rows, over(overlap, size), cosine, cosine * tangent);
    turn(u, v, count, over(overlap, size), cosine, cosine * tangent);
    return true;
}

/* Reads a matrix, scaled by a power of two so that squares stay in range; false if it is not finite. Called by a
 * block. */
template <class SCALAR>
static inline bool read_matrix(const gn_svd &work, int64_t matrix, int64_t rows, int64_t count, SCALAR *columns,
                               int *exponent) {
    __shared__ double largest[SVD_WARPS];
    const char *from = work.in.at + gn_offset_of(work.in, (uint64_t)matrix);
    double mine = 0;
    for (int64_t i = threadIdx.x; i < rows * count; i += SVD_THREADS) {
        int64_t j = i;
        const int64_t k = gn_split(&j, rows);
        SCALAR x;
        read(from + (work.tall ? k : j) * work.in_steps[0] + (work.tall ? j : k) * work.in_steps[1], &x);
        columns[i] = work.tall ? x : conjugate(x);
        mine = is_finite(x) ? fmax(mine, largest_part(x)) : (double)INFINITY;
        if (mine == INFINITY) {
            break;
        }
    }
    mine = gn_team_fold<gn_greater, SVD_THREADS>(mine, largest);
    if (mine == INFINITY) {
        return false;
    }
    frexp(mine, exponent);
    const double down = ldexp(1.0, -*exponent / 2);
    const double rest = ldexp(1.0, -*exponent - -*exponent / 2);
    for (int64_t i = threadIdx.x; i < rows * count; i += SVD_THREADS) {
        columns[i] = times(times(columns[i], down), rest);
    }
    return true;
}

/* Rotates all pairs of columns until a sweep finds all of them orthogonal. Called by a block. */
template <class SCALAR> static inline void turn_all(const gn_workspace<SCALAR> &here, int64_t rows, int64_t count) {
    __shared__ int32_t turned[SVD_WARPS];
    const int32_t warp = (int32_t)threadIdx.x / GN_WARP;
    for (int64_t i = threadIdx.x; i < count * count; i += SVD_THREADS) {
        here.turns[i] = SCALAR{};
        if (i / count == i % count) {
            *(double *)&here.turns[i] = 1;
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool is_turned = false;
        for (int64_t sum = 1; sum <= 2 * count - 3; sum++) {
            __syncthreads();
            for (int64_t i = gn_max(0, sum - count + 1) + warp; 2 * i < sum; i += SVD_WARPS) {
                const int64_t j = sum - i;
                is_turned |= rotate(here.columns + i * rows, here.columns + j * rows, rows, here.turns + i * count,
                                    here.turns + j * count, count);
            }
        }
        __syncthreads();
        if (gn_member<GN_WARP>() == 0) {
            turned[warp] = is_turned;
        }
        __syncthreads();
        bool any = false;
        for (int32_t each = 0; each < SVD_WARPS; each++) {
            any |= turned[each] != 0;
        }
        if (!any) {
            break;
        }
    }
}

/* Extends `held` orthonormal columns of `size` elements to `wanted` ones (Gram and Schmidt, twice). Called by a
 * block. */
template <class SCALAR>
static inline void complete(SCALAR *columns, SCALAR *shares, int64_t held, int64_t wanted, int64_t size) {
    const int32_t warp = (int32_t)threadIdx.x / GN_WARP;
    for (int64_t axis = 0; axis < size && held < wanted; axis++) {
        SCALAR *const candidate = columns + held * size;
        for (int64_t i = threadIdx.x; i < size; i += SVD_THREADS) {
            candidate[i] = SCALAR{};
            if (i == axis) {
                *(double *)&candidate[i] = 1;
            }
        }
        for (int round = 0; round < 2; round++) {
            __syncthreads();
            for (int64_t each = warp; each < held; each += SVD_WARPS) {
                const SCALAR share = inner(columns + each * size, candidate, size);
                if (gn_member<GN_WARP>() == 0) {
                    shares[each] = share;
                }
            }
            __syncthreads();
            for (int64_t i = threadIdx.x; i < size; i += SVD_THREADS) {
                SCALAR rest = candidate[i];
                for (int64_t each = 0; each < held; each++) {
                    rest = plus(rest, times(times(shares[each], columns[each * size + i]), -1.0));
                }
                candidate[i] = rest;
            }
        }
        __syncthreads();
        const double length = length_of(candidate, size); /* the same in each warp */
        __syncthreads();
        if (length > 0.5 / sqrt((double)size)) {
            for (int64_t i = threadIdx.x; i < size; i += SVD_THREADS) {
                candidate[i] = over(candidate[i], length);
            }
            held++;
        }
    }
    __syncthreads();
}

/* Writes columns, in the given order if there is one, as columns of U or as conjugated rows of Vh. */
template <class SCALAR>
static inline void write_columns(char *to, const int64_t *steps, const SCALAR *columns, const int64_t *order, int64_t count,
                                 int64_t size, bool as_rows) {
    for (int64_t i = threadIdx.x; i < count * size; i += SVD_THREADS) {
        int64_t j = i;
        const int64_t k = gn_split(&j, size);
        const SCALAR x = columns[(order == NULL ? j : order[j]) * size + k];
        write(to + (as_rows ? j : k) * steps[0] + (as_rows ? k : j) * steps[1], as_rows ? conjugate(x) : x);
    }
}

/* *fault becomes 1 if a matrix is not finite. */
template <class SCALAR> __global__ void decompose(gn_svd work) {
    const int64_t rows = gn_max(work.rows, work.columns);
    const int64_t count = gn_min(work.rows, work.columns);
    const int32_t warp = (int32_t)threadIdx.x / GN_WARP;
    const gn_workspace<SCALAR> here(work.memory + blockIdx.x * work.memory_bytes, rows, count, work.wanted);
    for (int64_t matrix = blockIdx.x; matrix < work.matrices; matrix += gridDim.x) {
        int exponent = 0;
        if (!read_matrix(work, matrix, rows, count, here.columns, &exponent)) {
            if (threadIdx.x == 0) {
                *work.fault = 1;
            }
            continue;
        }
        turn_all(here, rows, count);
        __syncthreads();
        for (int64_t i = warp; i < count; i += SVD_WARPS) {
            const double length = length_of(here.columns + i * rows, rows);
            if (gn_member<GN_WARP>() == 0) {
                here.lengths[i] = length;
            }
        }
        __syncthreads();
        char *const values = work.values.at + gn_offset_of(work.values, (uint64_t)matrix);
        for (int64_t i = threadIdx.x; i < count; i += SVD_THREADS) {
            int64_t place = 0; /* descending; equal ones keep their order */
            for (int64_t other = 0; other < count; other++) {
                place += here.lengths[other] > here.lengths[i] || (here.lengths[other] == here.lengths[i] && other < i);
            }
            here.order[place] = i;
            write(values + place * work.value_step, ldexp(here.lengths[i], exponent));
        }
        __syncthreads();
        if (!work.with_vectors) {
            continue;
        }
        int64_t held = 0;
        while (held < count && here.lengths[here.order[held]] >= LEAST) {
            held++;
        }
        for (int64_t i = threadIdx.x; i < held * rows; i += SVD_THREADS) {
            int64_t j = i;
            const int64_t k = gn_split(&j, rows);
            here.left[i] = over(here.columns[here.order[j] * rows + k], here.lengths[here.order[j]]);
        }
        complete(here.left, here.shares, held, work.wanted, rows);
        char *const u = work.u.at + gn_offset_of(work.u, (uint64_t)matrix);
        char *const vh = work.vh.at + gn_offset_of(work.vh, (uint64_t)matrix);
        const int64_t *no_order = NULL;
        write_columns(work.tall ? u : vh, work.tall ? work.u_steps : work.vh_steps, here.left, no_order, work.wanted, rows,
                      !work.tall);
        write_columns(work.tall ? vh : u, work.tall ? work.vh_steps : work.u_steps, here.turns, here.order, count, count,
                      work.tall != 0);
        __syncthreads();
    }
}
