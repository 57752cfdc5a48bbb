/* _linalg_eigh, in doubles.
 *
 * Eigenvectors come from Jacobi rotations (Golub and Van Loan, "Matrix Computations", 8.5): rows and columns p and q of
 * a Hermitian matrix are rotated so that element (p, q) is 0, until all are; the diagonal then has the eigenvalues.
 * Pairs are in the reference's order, which gives the same signs.
 *
 * Eigenvalues alone are those of a tridiagonal matrix, to which Householder's reflections reduce the Hermitian one
 * (8.3.1), by QL steps without square roots (Parlett, "The Symmetric Eigenvalue Problem", 8.15: Pal, Walker and
 * Kahan's). */
#include <float.h>

#include "matrix.h"
#include "scalar.h"

/* Jacobi converges quadratically; a handful of sweeps is enough. */
#define SWEEPS 60

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

/* Replaces the diagonal of a real symmetric tridiagonal matrix, whose largest element is about 1, by its eigenvalues,
 * in no order.  `squares` are those of the elements beside the diagonal, `count` numbers, and are overwritten; `eps` is
 * the precision wanted.  Returns 0 if they do not converge. */
static int tridiagonal_values(double *diagonal, double *squares, int64_t count, double eps) {
    for (int64_t first = 0; first < count; first++) {
        for (int step = 0;; step++) {
            int64_t last = first; /* of the block that begins at `first` */
            while (last + 1 < count
                   && squares[last] > eps * eps * fabs(diagonal[last] * diagonal[last + 1])) {
                last++;
            }
            if (last == first) {
                break;
            }
            if (step == SWEEPS) {
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

#define GN_TEMPLATE "eigh_dtype.h"
#include "each_dtype.h"
