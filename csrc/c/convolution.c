/* Convolution over one to three spatial dimensions, its gradients, and the transposed kind, which is the
 * gradient of another convolution with respect to its input.
 *
 * All of them are matrix products with the patches of the input: patches (K, P) holds, for each of the P
 * positions of the output, the K = channels * kernel elements that meet there.  They are made a tile of
 * positions at a time, so that memory stays bounded.  Tiles depend on the shapes alone.  Half types compute in
 * float and round at the end. */
#include "direct.h"
#include "gemm.h"
#include "matmul.h"
#include "threads.h"

#define SPATIAL 3
/* Elements of a tile of patches: 2 MiB of floats.  Smaller ones lie nearer, but a BLAS packs the weights for each. */
#define TILE_ELEMENTS (512 * 1024)
/* Tasks wanted where the batch and the groups do not give as many. */
#define TASKS 8

/* A convolution y = w * x: x is (batch, groups * channels, in...), w (groups * features, channels, kernel...) and
 * y (batch, groups * features, out...), all contiguous; a missing spatial dimension has size 1. */
typedef struct geometry {
    int64_t batch, groups, channels, features;
    int64_t in[SPATIAL], out[SPATIAL], kernel[SPATIAL];
    int64_t stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    int64_t in_numel, out_numel, kernel_numel; /* of the spatial dimensions */
    int64_t depth;                             /* channels * kernel_numel */
} geometry;

/* A kernel element: where it meets the input of position 0, and the columns [low, high) of the output for which that is
 * inside the row. */
typedef struct kernel_tap {
    int64_t at[SPATIAL];
    int64_t low, high;
} kernel_tap;

/* Whether the blocked product of gemm.h is used, with patches packed as it reads them.  Without fused multiply-adds it
 * is half as fast as a BLAS that has them, and patches as a matrix cost less than that. */
#if defined(__FMA__) || defined(__AVX512F__)
#define PACKS 1
#else
#define PACKS !gn_has_blas()
#endif
/* Elements of a band, 2 MiB of floats; and those behind it that are read where a vector's last lanes are of no use. */
#define BAND_ELEMENTS (512 * 1024)
#define BAND_SLACK (GN_GEMM_BYTES / 4)
/* Multiplications below which a second thread costs more than it saves. */
#define PACKED_GRAIN (8 * GN_GRAIN)

/* What some rows of an output's plane meet, with the padding around it: image[channel][kernel's plane][row][remainder
 * of the stride][column]. */
typedef struct band {
    const geometry *of;
    void *image;
    int64_t *offsets; /* of the patches' rows: where the first position meets each kernel element of each channel */
    int64_t channels;
    int64_t out_rows; /* at most, of the output */
    int64_t rows, columns;
} band;

/* The three matrices, and the piece of work at hand. */
typedef struct convolution {
    geometry of;
    const char *x;
    const char *y;
    const char *w;
    char *result;
    const char *bias; /* (groups * features), or NULL */
    kernel_tap *taps; /* of a depthwise convolution */
    int64_t tile;     /* positions, channels or rows in a task */
    int64_t rows;     /* of the output in a band */
    int32_t status;
} convolution;

static void report(convolution *work, int32_t status) {
    if (status != GN_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        work->status = status;
    }
}

/* The arguments of the operators, read from the call's integers. */
typedef struct arguments {
    int64_t stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    int64_t transposed;
    int64_t groups;
} arguments;

/* Reads stride, padding, dilation, transposed, output_padding and groups; *cursor is moved behind them.
 * `spatial` dimensions are given; those before them are of size 1. */
static arguments read_arguments(const int64_t **cursor, int64_t spatial) {
    arguments read;
    int64_t ignored[SPATIAL];
    for (int64_t i = 0; i < SPATIAL; i++) {
        read.stride[i] = 1;
        read.padding[i] = 0;
        read.dilation[i] = 1;
    }
    const int64_t missing = SPATIAL - spatial;
    gn_read_list(cursor, read.stride + missing, spatial);
    gn_read_list(cursor, read.padding + missing, spatial);
    gn_read_list(cursor, read.dilation + missing, spatial);
    read.transposed = *(*cursor)++;
    gn_read_list(cursor, ignored, spatial);
    read.groups = *(*cursor)++;
    return read;
}

/* The geometry of the convolution from x to y with weights w. */
static geometry make_geometry(const arguments *given, const gn_tensor *x, const gn_tensor *w, const gn_tensor *y) {
    geometry made;
    const int32_t spatial = x->ndim - 2;
    made.batch = x->sizes[0];
    made.groups = given->groups;
    made.channels = w->sizes[1];
    made.features = w->sizes[0] / given->groups;
    made.in_numel = 1;
    made.out_numel = 1;
    made.kernel_numel = 1;
    for (int32_t i = 0; i < SPATIAL; i++) {
        const int32_t dim = i - (SPATIAL - spatial) + 2;
        made.in[i] = dim < 2 ? 1 : x->sizes[dim];
        made.out[i] = dim < 2 ? 1 : y->sizes[dim];
        made.kernel[i] = dim < 2 ? 1 : w->sizes[dim];
        made.stride[i] = given->stride[i];
        made.padding[i] = given->padding[i];
        made.dilation[i] = given->dilation[i];
        made.in_numel *= made.in[i];
        made.out_numel *= made.out[i];
        made.kernel_numel *= made.kernel[i];
    }
    made.depth = made.channels * made.kernel_numel;
    return made;
}

/* Whether the patches are the input itself.  Its sizes are looked at too: where the output of a transposed convolution
 * is padded, there is more of it than the patches have. */
static int is_pointwise(const geometry *of) {
    for (int i = 0; i < SPATIAL; i++) {
        if (of->kernel[i] != 1 || of->stride[i] != 1 || of->padding[i] != 0 || of->in[i] != of->out[i]) {
            return 0;
        }
    }
    return 1;
}

/* Positions in a tile whose patches have `depth` rows. */
static int64_t tile_positions(int64_t depth, int64_t positions) {
    return gn_max(1, gn_min(positions, gn_max(64, TILE_ELEMENTS / gn_max(1, depth))));
}

/* Channels in a task, so that `others` times as many tasks are TASKS. */
static int64_t task_channels(int64_t channels, int64_t others) {
    const int64_t parts = gn_min(channels, gn_max(1, TASKS / gn_max(1, others)));
    return gn_max(1, (channels + parts - 1) / gn_max(1, parts));
}

/* Whether no position is left out. */
static int is_dense(const geometry *of) {
    return of->stride[0] == 1 && of->stride[1] == 1 && of->stride[2] == 1;
}

/* Whether every group has one channel: products would then be of vectors. */
static int is_depthwise(const geometry *of) {
    return of->channels == 1 && of->groups > 1;
}

static void fill_taps(const geometry *of, kernel_tap *taps) {
    const int64_t stride = of->stride[2];
    for (int64_t element = 0; element < of->kernel_numel; element++) {
        kernel_tap *tap = &taps[element];
        int64_t rest = element;
        for (int dim = SPATIAL - 1; dim >= 0; dim--) {
            tap->at[dim] = rest % of->kernel[dim] * of->dilation[dim] - of->padding[dim];
            rest /= of->kernel[dim];
        }
        const int64_t room = of->in[2] - 1 - tap->at[2];
        tap->high = room < 0 ? 0 : gn_min(room / stride + 1, of->out[2]);
        tap->low = tap->at[2] >= 0 ? 0 : gn_min((stride - 1 - tap->at[2]) / stride, tap->high);
    }
}

/* Shares out the tasks of a depthwise product, each of `steps` elementary steps. */
static int32_t run_depthwise(convolution *work, int64_t tasks, int64_t steps, gn_task *task) {
    work->taps = gn_take(work->of.kernel_numel * (int64_t)sizeof(kernel_tap));
    if (work->taps == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    fill_taps(&work->of, work->taps);
    gn_parallel(tasks, gn_max(1, GN_GRAIN / gn_max(1, steps)), task, work);
    gn_give(work->taps);
    return GN_OK;
}

/* Partial sums of a row's gradient of a weight. */
#define DEPTHWISE_LANES 16

#define GN_TEMPLATE "depthwise_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "patches_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "convolution_packed_dtype.h"
#include "each_dtype.h"

#define GN_TEMPLATE "convolution_dtype.h"
#include "each_dtype.h"
