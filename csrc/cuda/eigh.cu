/* _linalg_eigh by Jacobi rotations, in double (Golub and Van Loan, "Matrix Computations", 8.5): rows and columns p and q
 * of a Hermitian matrix are rotated so that element (p, q) is 0, until all are; the diagonal then has the eigenvalues.
 *
 * The signs of the eigenvectors equal those of the C backend if pairs with a common index are rotated in its order, which
 * is row by row of (p, q). All pairs with one sum p + q have no index in common, and are rotated at the same time;
 * processing the sums in increasing order preserves that order. */
#include "matrix.cuh"

#define SWEEPS 60 /* Jacobi converges quadratically; a few sweeps are enough */

/* The number in double. */
static inline double widened(double x) {
    return x;
}
template <class T> static inline gn_complex128 widened(gn_complex<T> x) {
    return gn_complex128((double)x.re, (double)x.im);
}
typedef decltype(widened(gn_compute())) gn_wide;

/* The rotation of a pair of rows and columns, and their diagonal elements after it; without one `cosine` is 0. */
struct gn_rotation {
    gn_wide phase;
    double cosine, sine, first, second;
};

/* The workspace of a block. Row k of `vectors` is eigenvector k. */
struct gn_workspace {
    gn_wide *a, *vectors;
    gn_rotation *rotations; /* of the pairs of a sum */
    double *values;
    int64_t *order;

    inline gn_workspace(char *room, int64_t count) {
        a = (gn_wide *)room;
        vectors = a + count * count;
        rotations = (gn_rotation *)(vectors + count * count);
        values = (double *)(rotations + count / 2);
        order = (int64_t *)(values + count);
    }
};

/* x, y = cosine * phase * x - sine * y, sine * phase * x + cosine * y. */
static inline void rotate(gn_wide *x, gn_wide *y, gn_wide phase, double cosine, double sine) {
    const gn_wide p = phase * *x;
    const gn_wide q = *y;
    *x = p * cosine - q * sine;
    *y = p * sine + q * cosine;
}

/* The rotation that makes element (p, q) 0, if it is larger than `least`. */
static inline gn_rotation rotation_of(const gn_wide *a, int64_t count, int64_t p, int64_t q, double least) {
    const gn_wide element = a[p * count + q];
    const double size = (double)gn_abs(element);
    if (!(size > least)) {
        return gn_rotation{gn_wide(1), 0, 0, 0, 0};
    }
    const double first = gn_real_of(a[p * count + p]);
    const double second = gn_real_of(a[q * count + q]);
    const double zeta = (second - first) / (2 * size);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    const double cosine = 1 / hypot(1.0, tangent);
    return gn_rotation{element / size, cosine, cosine * tangent, first - tangent * size, second + tangent * size};
}

/* Rotates all pairs until a sweep finds all elements beside the diagonal at most `least`. */
template <int THREADS>
static inline void diagonalize(const gn_workspace &here, int64_t count, double least, bool with_vectors) {
    __shared__ int32_t shared[THREADS / GN_WARP];
    int32_t is_turned = 1;
    for (int sweep = 0; sweep < SWEEPS && is_turned; sweep++) {
        is_turned = 0;
        for (int64_t sum = 1; sum <= 2 * count - 3; sum++) {
            const int64_t lowest = gn_max(0, sum - count + 1);
            const int64_t pairs = (sum + 1) / 2 - lowest;
            __syncthreads();
            for (int64_t each = threadIdx.x; each < pairs; each += THREADS) {
                here.rotations[each] = rotation_of(here.a, count, lowest + each, sum - lowest - each, least);
                is_turned |= here.rotations[each].cosine != 0;
            }
            __syncthreads();
            for (int64_t index = threadIdx.x; index < pairs * count; index += THREADS) { /* rows */
                int64_t each = index;
                const int64_t k = gn_split(&each, count);
                const gn_rotation turn = here.rotations[each];
                const int64_t p = lowest + each, q = sum - p;
                if (turn.cosine != 0) {
                    rotate(here.a + p * count + k, here.a + q * count + k, gn_conjugate(turn.phase), turn.cosine, turn.sine);
                }
                if (turn.cosine != 0 && with_vectors) {
                    rotate(here.vectors + p * count + k, here.vectors + q * count + k, turn.phase, turn.cosine, turn.sine);
                }
            }
            __syncthreads();
            for (int64_t index = threadIdx.x; index < pairs * count; index += THREADS) { /* columns */
                int64_t each = index;
                const int64_t k = gn_split(&each, count);
                const gn_rotation turn = here.rotations[each];
                const int64_t p = lowest + each, q = sum - p;
                if (turn.cosine == 0) {
                    continue;
                }
                gn_wide *const row = here.a + k * count;
                if (k == p || k == q) { /* known exactly */
                    row[p] = gn_wide(k == p ? turn.first : 0);
                    row[q] = gn_wide(k == q ? turn.second : 0);
                } else {
                    rotate(row + p, row + q, turn.phase, turn.cosine, turn.sine);
                }
            }
        }
        is_turned = gn_team_fold<gn_greater, THREADS>(is_turned, shared);
    }
    __syncthreads();
}

/* Reads the lower triangle as a Hermitian matrix, scaled by a power of two so that squares stay in range and no digit is
 * lost; conjugated on demand. Returns false if it is not finite, else sets `least` to what counts as 0. */
template <int THREADS>
static inline bool read_hermitian(const gn_matrices &in, int64_t matrix, int64_t count, bool conjugated, gn_wide *a,
                                  int *exponent, double *least) {
    __shared__ double shared[THREADS / GN_WARP];
    char *const from = in.of(matrix);
    double largest = 0;
    for (int64_t index = threadIdx.x; index < count * count; index += THREADS) {
        int64_t i = index;
        const int64_t j = gn_split(&i, count);
        gn_wide x = widened(gn_load(in.element(from, gn_max(i, j), gn_min(i, j))));
        x = i == j ? gn_wide(gn_real_of(x)) : (j > i) != conjugated ? gn_conjugate(x) : x;
        a[index] = x;
        largest = gn_parts_are_finite(x) ? fmax(largest, gn_largest_part(x)) : (double)INFINITY;
        if (largest == (double)INFINITY) {
            break;
        }
    }
    largest = gn_team_fold<gn_greater, THREADS>(largest, shared);
    if (largest == (double)INFINITY) {
        return false;
    }
    frexp(largest, exponent);
    const double down = ldexp(1.0, -*exponent / 2);
    const double rest = ldexp(1.0, -*exponent - -*exponent / 2);
    double squares = 0;
    for (int64_t index = threadIdx.x; index < count * count; index += THREADS) {
        const gn_wide x = a[index] * down * rest;
        a[index] = x;
        squares += gn_real_of(x) * gn_real_of(x) + gn_imaginary_of(x) * gn_imaginary_of(x);
    }
    *least = 1e-17 * sqrt(gn_team_fold<gn_add, THREADS>(squares, shared));
    return true;
}

/* The steps of `in` are those of the transposes if the upper triangle is read: then it is the lower one, conjugated. A
 * matrix that is not finite is refused. */
template <int THREADS>
__global__ void eigh(gn_batch batch, gn_matrices values, gn_matrices out, gn_matrices in, int64_t count, int32_t conjugated,
                     int32_t with_vectors) {
    const gn_workspace here(batch.room(), count);
    for (int64_t matrix = blockIdx.x; matrix < batch.count; matrix += gridDim.x) {
        int exponent = 0;
        double least = 0;
        if (!read_hermitian<THREADS>(in, matrix, count, conjugated, here.a, &exponent, &least)) {
            if (threadIdx.x == 0) {
                batch.refuse();
            }
            __syncthreads();
            continue;
        }
        for (int64_t index = threadIdx.x; index < count * count; index += THREADS) {
            here.vectors[index] = gn_wide(index % (count + 1) == 0 ? 1 : 0);
        }
        diagonalize<THREADS>(here, count, least, with_vectors);
        for (int64_t k = threadIdx.x; k < count; k += THREADS) {
            here.values[k] = gn_real_of(here.a[k * (count + 1)]);
        }
        __syncthreads();
        char *const values_at = values.of(matrix);
        for (int64_t k = threadIdx.x; k < count; k += THREADS) {
            int64_t place = 0; /* ascending; equal ones keep their order */
            for (int64_t other = 0; other < count; other++) {
                place += here.values[other] < here.values[k] || (here.values[other] == here.values[k] && other < k);
            }
            here.order[place] = k;
            *(gn_magnitude *)(values_at + place * values.column) = (gn_magnitude)ldexp(here.values[k], exponent);
        }
        __syncthreads();
        char *const to = out.of(matrix);
        for (int64_t index = threadIdx.x; index < count * count && with_vectors; index += THREADS) {
            int64_t i = index;
            const int64_t k = gn_split(&i, count);
            out.element(to, i, k) = gn_store((gn_compute)here.vectors[here.order[k] * count + i]);
        }
        __syncthreads();
    }
}
