/* Scans along one dimension: cumsum, cumprod, cummax and cummin.
 *
 * A line is the elements of one position of the other dimensions.  Where lines lie side by side, a tile of them goes
 * forward row by row; where each lies in one piece, some go forward together, since one alone would wait for its own
 * last addition. */
#include "direct.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Lines that go forward side by side: their totals stay in the L1 cache. */
#define TILE 256
/* Contiguous lines that go forward together. */
#define TOGETHER 4

/* Sums and products of floats are in double, those of doubles carry their rounding errors along. */
typedef struct precise {
    double sum;
    double error;
} precise;

/* Knuth's TwoSum: the error of each addition, without a branch.  An infinite sum has no meaningful error. */
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

typedef struct scan {
    const gn_call *call;
    void *const *data;
    int64_t dim;
    int64_t length;  /* of a line */
    int64_t columns; /* lines side by side: the last dimension; 1 where lines are done by themselves */
    int64_t tiles;   /* of the columns */
} scan;

/* Prepares a scan of `in` along `dim`; how many tasks it has: lines, or tiles of columns. */
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
