/* _linalg_eigh, in doubles: Householder's reflections reduce a Hermitian matrix to a real tridiagonal one (Golub and Van
 * Loan, "Matrix Computations", 8.3.1). Its eigenvalues alone are found by QL steps without square roots (Parlett, "The
 * Symmetric Eigenvalue Problem", 8.15: Pal, Walker and Kahan's); with eigenvectors, by implicit QL steps, whose
 * rotations are applied to the product of the reflections (Dubrulle, Martin and Wilkinson, "The implicit QL algorithm",
 * 1968), or, for large matrices, by LAPACK's divide and conquer, if there is a LAPACK. */
#include <float.h>

#include "halves.h"
#include "lapack.h"
#include "matrix.h"
#include "reflections.h"
#include "rotations.h"
#include "scalar.h"
#include "tridiagonal.h"

/* Squares of numbers below this may be subnormal, and so not exact; beside a largest element of about 1 such numbers do
 * not matter. */
#define LEAST 0x1p-450
/* The most steps for an eigenvalue; two are usual. */
#define STEPS 60

typedef struct diagonalization {
    const gn_call *call;
    void *const *data;
    gn_status status;
} diagonalization;

/* The order of `values`, ascending and stable. */
static void order_ascending(const double *values, int64_t *order, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        int64_t place = i;
        while (place > 0 && values[order[place - 1]] > values[i]) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i;
    }
}

/* Rotations that are recorded before they are applied, for each row; there are sequences of at least one. */
#define RECORDED 8

/* Numbers of scratch memory of diagonalize. */
static int64_t diagonalize_scratch(int64_t count) {
    return (2 + (int64_t)(sizeof(gn_sweep) / sizeof(double))) * RECORDED * count;
}

/* Diagonalizes a real symmetric tridiagonal matrix, whose largest element is about 1: replaces the diagonal by the
 * eigenvalues, in no order, and `count` rows of `width` numbers, in strips (rotations.h), by their combinations, of which
 * row k belongs to eigenvalue k.  `beside`, of `count` numbers, is overwritten; `eps` is the precision wanted.  Returns 0
 * if it does not converge. */
static int diagonalize(double *diagonal, double *beside, int64_t count, double *strips, int64_t width, double eps,
                       double *scratch) {
    double *const pairs = scratch;
    gn_sweep *const sweeps = (gn_sweep *)(scratch + 2 * RECORDED * count);
    int64_t rotations = 0, recorded = 0;
    for (int64_t first = 0; first < count; first++) {
        for (int step = 0;; step++) {
            int64_t last = first; /* of the block that begins at `first` */
            while (last + 1 < count
                   && fabs(beside[last]) > LEAST + eps * (fabs(diagonal[last]) + fabs(diagonal[last + 1]))) {
                last++;
            }
            if (last == first) {
                break;
            }
            if (step == STEPS) {
                return 0;
            }
            if (rotations + (last - first) > RECORDED * count) {
                gn_turn_strips(strips, count, width, sweeps, recorded, pairs);
                rotations = recorded = 0;
            }
            /* Wilkinson's shift: the eigenvalue of the first two rows that is closer to the first element */
            const double half = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first]);
            const double shift = diagonal[first] - beside[first] / (half + copysign(sqrt(half * half + 1), half));
            double g = diagonal[last] - shift;
            double sine = 1, cosine = 1, moved = 0;
            int64_t i = last - 1;
            double *pair = pairs + 2 * rotations;
            for (; i >= first; i--) {
                const double f = sine * beside[i];
                const double b = cosine * beside[i];
                const double length = sqrt(f * f + g * g);
                beside[i + 1] = length;
                if (length < LEAST) { /* the block is in two parts already */
                    beside[i + 1] = 0;
                    diagonal[i + 1] -= moved;
                    break;
                }
                const double inverse = 1 / length;
                sine = f * inverse;
                cosine = g * inverse;
                const double rest = diagonal[i + 1] - moved;
                const double turned = (diagonal[i] - rest) * sine + 2 * cosine * b;
                moved = sine * turned;
                diagonal[i + 1] = rest + moved;
                g = cosine * turned - b;
                *pair++ = cosine;
                *pair++ = sine;
            }
            if (i < last - 1) {
                sweeps[recorded++] = (gn_sweep){last, last - 1 - i, -1};
                rotations += last - 1 - i;
            }
            if (i < first) {
                diagonal[first] -= moved;
                beside[first] = g;
            }
            beside[last] = 0;
        }
    }
    gn_turn_strips(strips, count, width, sweeps, recorded, pairs);
    return 1;
}

/* Replaces the diagonal of a real symmetric tridiagonal matrix, whose largest element is about 1, by its eigenvalues,
 * in no order.  `squares` are those of the elements beside the diagonal, `count` numbers, and are overwritten; `eps` is
 * the precision wanted.  Returns 0 if they do not converge. */
static int tridiagonal_values(double *diagonal, double *squares, int64_t count, double eps) {
    for (int64_t first = 0; first < count; first++) {
        for (int step = 0;; step++) {
            int64_t last = first; /* of the block that begins at `first` */
            while (last + 1 < count
                   && squares[last] > LEAST * LEAST + eps * eps * fabs(diagonal[last] * diagonal[last + 1])) {
                last++;
            }
            if (last == first) {
                break;
            }
            if (step == STEPS) {
                return 0;
            }
            /* Wilkinson's shift: the eigenvalue of the first two rows that is closer to the first element */
            const double beside = sqrt(squares[first]);
            const double half = (diagonal[first + 1] - diagonal[first]) / (2 * beside);
            const double shift = diagonal[first] - beside / (half + copysign(sqrt(half * half + 1), half));
            double cosine = 1, sine = 0; /* squares of those of the last rotation */
            double gamma = diagonal[last] - shift;
            double square = gamma * gamma;
            for (int64_t i = last - 1; i >= first; i--) {
                const double below = squares[i];
                const double length = square + below;
                squares[i + 1] = sine * length;
                const double inverse = 1 / length;
                const double ratio = length / square; /* 1 / cosine */
                const double before = cosine;
                const double passed = gamma;
                cosine = square * inverse;
                sine = below * inverse;
                gamma = cosine * (diagonal[i] - shift) - sine * passed;
                diagonal[i + 1] = passed + (diagonal[i] - gamma);
                square = cosine != 0 ? gamma * gamma * ratio : before * below;
            }
            squares[first] = sine * square;
            diagonal[first] = shift + gamma;
            squares[last] = 0;
        }
    }
    return 1;
}

/* Reduces a real symmetric matrix to a tridiagonal one by reflections (reflections.h): v of reflection k replaces what
 * follows the diagonal in column k of `a`. Columns are gn_column_step apart. The change A - v w^T - w v^T is made in the
 * sweep that multiplies A by the next v. */
static void tridiagonalize(double *a, int64_t count, double *diagonal, double *beside, double *factors,
                           double *scratch) {
    const int64_t step = gn_column_step(count);
    double *v = scratch;
    double *next = v + step;
    double *w = next + step;
    double *products = w + step;
    memset(scratch, 0, (size_t)(3 * step) * sizeof(double));
    for (int64_t k = 0; k < count; k++) {
        double *column = a + k * step;
        for (int64_t i = k; i < count; i++) {
            column[i] -= w[k] * v[i] + v[k] * w[i];
        }
        diagonal[k] = column[k];
        beside[k] = factors[k] = 0;
        if (k + 1 == count) {
            break;
        }
        beside[k] = gn_reflect(column + k + 1, count - k - 1, &factors[k]);
        memset(next, 0, (size_t)(k + 1) * sizeof(double));
        memcpy(next + k + 1, column + k + 1, (size_t)(count - k - 1) * sizeof(double));
        const gn_reduction work = {a, step, v, w, w, v};
        gn_update_all(&work, k + 1, count, 1, (k + 1) / GN_COLUMN_LANES * GN_COLUMN_LANES, next, products);
        double overlap = 0;
        for (int64_t i = k + 1; i < count; i++) {
            overlap += products[i] * next[i];
        }
        const double half = 0.5 * factors[k] * factors[k] * overlap;
        for (int64_t i = 0; i < count; i++) {
            w[i] = i <= k ? 0 : factors[k] * products[i] - half * next[i];
        }
        double *other = v;
        v = next;
        next = other;
    }
}

#define GN_TEMPLATE "eigh_dtype.h"
#include "each_dtype.h"
