/* Layer, group and batch normalization, and their gradients.
 *
 * Sums are in double. Mean and variance of floats take one pass over differences from an element of the group: with n
 * elements the variance loses at most log2(n) of the 53 bits, since an element is at most sqrt(n) standard deviations
 * from the mean. double takes a second pass, with differences from the mean. */
#include "flat.h"
#include "scalar.h"
#include "threads.h"
#include "workspace.h"

/* Partial sums of a line, so that its loop vectorises. */
#define LANES 16

/* Elements that are summed in their own type before double: BLOCK_LANES sums of 16 each. */
#define BLOCK 512
#define BLOCK_LANES 32
/* Elements whose mean is the first guess for a row: some LANES spread over it. */
#define GUESSED 64
/* If a sum of squares of floats is between these, no square overflowed, and none that matters underflowed. */
#define QUICK_MOST 1e36
#define QUICK_LEAST 1e-24

/* Adds up the lanes. */
static double lane_total(double *lanes) {
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0];
}

/* Mean and biased variance of n elements, from the sum and the sum of squares of differences from `shift`. */
static void finish_moments(double shift, double sum, double squares, int64_t n, double *mean, double *variance) {
    const double share = sum / (double)n;
    const double found = (squares - sum * share) / (double)n;
    *mean = shift + share;
    *variance = found < 0 ? 0 : found;
}

/* Rows of `size` elements, each normalized by itself, with a weight for each place. */
typedef struct layer_norm {
    int64_t rows, size;
    const void *in, *gradient, *weight, *bias, *mean, *rstd;
    void *out, *out_mean, *out_rstd;
    double eps;
    int64_t block;    /* rows in a task of the gradients */
    double *partials; /* of each task: the sums for the weight, then those for the bias */
    gn_status status;
} layer_norm;

/* Rows whose gradients are summed in COMPUTE before they are added to the sums in double. */
#define FLUSH_ROWS 16
/* Tasks of the gradients, and the most elements of their sums. */
#define GRADIENT_TASKS 16
#define GRADIENT_ELEMENTS (1 << 20)

/* (images, channels, size) in planes of `size` elements.  Batch normalization: the planes of a channel are a group;
 * group normalization: `share` consecutive planes. */
typedef struct channel_norm {
    int64_t planes, channels, size, share, groups;
    const void *in, *gradient, *weight, *bias;
    void *out;
    double *mean, *rstd, *variance;  /* of a group */
    int64_t *pass;                   /* of a group: its next pass */
    double *mean_grad, *mean_product; /* of a group: what is subtracted from its gradient */
    double *first, *second;          /* partial sums of a plane */
    double *lost;                    /* of a group: what the sum of its planes' sums has lost by rounding */
    double eps;
    int is_constant; /* mean and rstd do not depend on the input: its gradient is only scaled */
    gn_status status;
} channel_norm;

/* Passes over a group for its mean and variance: with sums in the elements' own type, the same with differences from a
 * better guess of the mean, with sums in double, none. */
#define QUICK_PASS 0
#define QUICK_AGAIN 1
#define PRECISE_PASS 2
#define NO_PASS 3

static inline int64_t group_of(const channel_norm *work, int64_t plane) {
    return work->share == 0 ? plane % work->channels : plane / work->share;
}

/* Elements of a group: none if there are no channels, although `share` is then 1. */
static inline int64_t group_count(const channel_norm *work) {
    if (work->planes == 0) {
        return 0;
    }
    return work->share == 0 ? work->planes / gn_max(1, work->channels) * work->size : work->share * work->size;
}

/* The sizes of batch normalization of (N, C, *), or of group normalization, where integers are N, C, HxW, group. */
static channel_norm make_batch(const gn_tensor *in) {
    channel_norm work;
    memset(&work, 0, sizeof work);
    work.channels = in->sizes[1];
    work.planes = in->sizes[0] * in->sizes[1];
    work.size = 1;
    for (int32_t dim = 2; dim < in->ndim; dim++) {
        work.size *= in->sizes[dim];
    }
    work.groups = work.channels;
    return work;
}

static channel_norm make_group(const int64_t *integers) {
    channel_norm work;
    memset(&work, 0, sizeof work);
    work.channels = integers[1];
    work.planes = integers[0] * integers[1];
    work.size = integers[2];
    work.groups = integers[0] * integers[3];
    work.share = gn_max(1, integers[1] / integers[3]);
    return work;
}

/* Memory for the sums of groups and planes, freed by gn_give(work->mean). */
static int32_t take_sums(channel_norm *work) {
    work->mean = gn_take_items(gn_checked(7, work->groups) + gn_checked(2, work->planes), sizeof(double));
    if (work->mean == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    work->rstd = work->mean + work->groups;
    work->mean_grad = work->rstd + work->groups;
    work->mean_product = work->mean_grad + work->groups;
    work->variance = work->mean_product + work->groups;
    work->pass = (int64_t *)(work->variance + work->groups);
    work->first = work->variance + 2 * work->groups;
    work->second = work->first + work->planes;
    work->lost = work->second + work->planes;
    return GN_OK;
}

static void run_planes(channel_norm *work, gn_task *task) {
    gn_parallel_for(0, work->planes, gn_grain(work->size), task, work);
}

/* Batch normalization of planes of one element: vectorized over channels. */
static inline int is_matrix(const channel_norm *work) {
    return work->size == 1 && work->share == 0 && work->planes > 0;
}

/* Channels that share a cache line are on one thread. */
static void run_columns(channel_norm *work, gn_task *task) {
    const int64_t rows = work->planes / gn_max(1, work->channels);
    gn_parallel_for(0, work->channels, gn_max(64, gn_grain(rows)), task, work);
}

static void run_rows(channel_norm *work, gn_task *task) {
    gn_parallel_for(0, work->planes / work->channels, gn_grain(work->channels), task, work);
}

/* The planes' sums added up for each group, in order; NULL weights are 1.  With many small planes roundings add up, so
 * they are added separately (Neumaier, 1974). */
static void add_to_groups(const channel_norm *work, const double *of_plane, const double *weights, double *of_group) {
    memset(of_group, 0, (size_t)work->groups * sizeof(double));
    memset(work->lost, 0, (size_t)work->groups * sizeof(double));
    for (int64_t plane = 0; plane < work->planes; plane++) {
        const double weight = weights == NULL ? 1 : weights[plane % work->channels];
        const int64_t group = group_of(work, plane);
        const double value = weight * of_plane[plane], before = of_group[group], sum = before + value;
        work->lost[group] += fabs(before) >= fabs(value) ? (before - sum) + value : (value - sum) + before;
        of_group[group] = sum;
    }
    for (int64_t group = 0; group < work->groups; group++) {
        const double whole = of_group[group] + work->lost[group];
        of_group[group] = isnan(whole) ? of_group[group] : whole; /* what an infinite sum lost is NaN */
    }
}

#define GN_TEMPLATE "layer_norm_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "column_norm_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "channel_norm_dtype.h"
#include "each_dtype.h"
