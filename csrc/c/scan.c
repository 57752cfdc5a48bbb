/* Scans along one dimension: cumsum, cumprod, logcumsumexp, cummax and cummin.
 *
 * A line is the elements of one position of the other dimensions.  If lines are adjacent in memory, a tile of them is
 * scanned row by row; if each line is contiguous, a few are scanned together, since the additions of a single line
 * depend on each other. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Adjacent lines that are scanned together: their totals stay in the L1 cache. */
#define TILE 256
/* Contiguous lines that are scanned together. */
#define TOGETHER 4

/* Sums and products of floats are in double; those of doubles also carry their rounding errors. */
typedef struct precise {
    double sum;
    double error;
} precise;

/* Knuth's TwoSum: the error of each addition, without a branch.  The error of an infinite sum is ignored. */
static inline precise add_precise(precise total, double value) {
    const double sum = total.sum + value;
    const double part = sum - total.sum;
    const double error = (total.sum - (sum - part)) + (value - part);
    const precise result = {sum, total.error + error};
    return result;
}
static inline double round_precise(precise total) {
    const double sum = total.sum + total.error;
    return sum == sum ? sum : total.sum;
}

/* log (exp total + exp x), in double.  Of complex numbers a NaN in one part makes both NaN; the logarithm of 0 has no
 * angle, and infinite sums get theirs from their exponentials. */
static inline double add_exponential(double total, double x) {
    return gn_logaddexp_float64(total, x);
}
static inline gn_complex128 add_exponential_complex(gn_complex128 total, gn_complex128 x) {
    if (total != total || x != x) {
        return gn_complex_of_float64((double)NAN, (double)NAN);
    }
    if (creal(x) == -(double)INFINITY) {
        return total;
    }
    if (creal(x) == creal(total) && creal(x) == (double)INFINITY) {
        return clog(cexp(total) + cexp(x));
    }
    return gn_logaddexp_complex128(total, x);
}

typedef struct scan {
    const gn_call *call;
    void *const *data;
    int64_t dim;
    int64_t length;  /* of a line */
    int64_t columns; /* adjacent lines: the last dimension; 1 if lines are scanned separately */
    int64_t tiles;   /* of the columns */
} scan;

/* Prepares a scan of `in` along `dim`; returns its number of tasks: lines, or tiles of columns. */
static int64_t make_scan(scan *work, const gn_tensor *in, int64_t dim) {
    const int64_t numel = gn_numel(in);
    work->dim = gn_wrap_dim(dim, in->ndim);
    work->length = gn_length(in, work->dim);
    work->columns = 1;
    work->tiles = 1;
    if (numel == 0) {
        return 0;
    }
    const int32_t last = in->ndim - 1;
    if (in->ndim > 1 && work->dim != last && in->sizes[last] >= TOGETHER
        && llabs(in->strides[last]) <= llabs(in->strides[work->dim])) {
        work->columns = in->sizes[last];
        work->tiles = (work->columns + TILE - 1) / TILE;
    }
    return numel / work->length / work->columns * work->tiles;
}

/* Byte offset of line `line`, or with columns of the first line of row `line`. */
static int64_t line_offset(const scan *work, const gn_tensor *tensor, int64_t line) {
    if (work->columns == 1) {
        return gn_offset(tensor, line, work->dim);
    }
    const gn_tensor outer = {tensor->dtype, tensor->ndim - 1, tensor->sizes, tensor->strides};
    return gn_offset(&outer, line, work->dim);
}

#define GN_TEMPLATE "scan_dtype.h"
#include "each_dtype.h"
