/* Convolution over one to three spatial dimensions, its gradients, and the transposed kind, which is the
 * gradient of another convolution with respect to its input.
 *
 * All of them are matrix products with the patches of the input: patches (K, P) holds, for each of the P positions of
 * the output, the K = channels * kernel elements that contribute to it. They are built one tile of positions at a time,
 * so that memory is bounded.  Tiles depend on the shapes alone.  Half types compute in float and round at the end. */
#include "direct.h"
#include "gemm.h"
#include "matmul.h"
#include "threads.h"
#include "transpose.h"
#include "workspace.h"

#define SPATIAL 3
/* Elements of a tile of patches: 2 MiB of floats.  Smaller ones fit closer caches, but a BLAS packs the weights for
 * each. */
#define TILE_ELEMENTS (512 * 1024)
/* The number of tasks to reach where batch and groups give fewer. */
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

/* A kernel element: the input element that it multiplies at position 0, and the output columns [low, high) for which
 * that element is inside the row. */
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
/* Elements of a band, 2 MiB of floats; and those after it that may be read into unused lanes of the last vector. */
#define BAND_ELEMENTS (512 * 1024)
#define BAND_SLACK (GN_GEMM_BYTES / 4)
/* The largest size of a scratch image, as a multiple of the original's elements. */
#define MOST_SLACK 8
/* Multiplications below which a second thread costs more than it saves. */
#define PACKED_GRAIN (8 * GN_GRAIN)

/* Products of several images at once: the most positions; the least depth k for which that saves more time than
 * distributing the results costs; and the vectors of positions above which it saves nothing. */
#define MOST_POSITIONS 1024
#define LEAST_DEPTH 32
#define MOST_VECTORS 64

/* The input that some rows of an output's plane depend on, including padding: image[image][channel][kernel's
 * plane][row] [remainder of the stride][column].  Of several images, all rows of each. */
typedef struct band {
    const geometry *of;
    void *image;
    int64_t *offsets; /* of the patches' rows (kernel elements, channels): the first position's input */
    int64_t channels;
    int64_t images;
    int64_t image_numel; /* of the copy of an image */
    int64_t out_rows; /* at most, of the output */
    int64_t rows, columns;
} band;

/* The layout of an image, or a gradient, for a depthwise convolution over whole planes: it has `parts`, one for each
 * remainder modulo the strides, of these sizes. A part has `numel` elements; the first `count` are those of the
 * results, in `rows` rows of `columns`. Computed results have rows of made_row. */
typedef struct planes {
    int64_t parts;
    int64_t sizes[SPATIAL];
    int64_t numel, count;
    int64_t rows, columns, made_row;
    int64_t hop;           /* rows between the inputs of a kernel element and of the next one in its column */
    int64_t lead[SPATIAL]; /* elements before a gradient */
    /* Of each kernel element: where it meets the first result, and backward, of which part; which one it is; and how many
     * from here on lie `hop` rows apart, and are added together. */
    int64_t *offsets;
    int64_t *part_of;
    int64_t *order;
    int64_t *together;
} planes;

/* The three matrices, and the piece of work at hand. */
typedef struct convolution {
    geometry of;
    const char *x;
    const char *y;
    const char *w;
    char *result;
    const char *bias; /* (groups * features), or NULL */
    kernel_tap *taps; /* of a depthwise convolution */
    planes lie;       /* the same */
    int64_t tile;     /* positions, channels or rows in a task */
    int64_t images;   /* of which a product is made */
    int64_t parts;    /* of the features, for one band or image */
    int64_t rows;     /* of the output in a band */
    gn_status status;
} convolution;

/* Which of them is computed from the other two. */
typedef enum matrix { THE_INPUT, THE_OUTPUT, THE_WEIGHT } matrix;

/* The arguments of the operators, read from the call's integers. */
typedef struct arguments {
    int64_t stride[SPATIAL], padding[SPATIAL], dilation[SPATIAL];
    int64_t transposed;
    int64_t groups;
} arguments;

/* Reads stride, padding, dilation, transposed, output_padding and groups; *cursor is moved past them. `spatial`
 * dimensions are given; those before them have size 1. */
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
        /* a stride or dilation between single positions or kernel elements has no effect, and may be 2**63 - 1 */
        made.stride[i] = made.out[i] == 1 ? 1 : given->stride[i];
        made.padding[i] = given->padding[i];
        made.dilation[i] = made.kernel[i] == 1 ? 1 : given->dilation[i];
        made.in_numel *= made.in[i];
        made.out_numel *= made.out[i];
        made.kernel_numel *= made.kernel[i];
    }
    made.depth = made.channels * made.kernel_numel;
    return made;
}

/* Whether the patches are the input itself.  Its sizes are compared, too: if the output of a transposed convolution is
 * padded, it has more elements than the patches. */
static int is_pointwise(const geometry *of) {
    for (int i = 0; i < SPATIAL; i++) {
        if (of->kernel[i] != 1 || of->stride[i] != 1 || of->padding[i] != 0 || of->in[i] != of->out[i]) {
            return 0;
        }
    }
    return 1;
}

/* Whether the tensor in memory is a matrix of positions of all images and their channels, row by row. */
static int is_channels_last(const gn_tensor *tensor) {
    int64_t expected = gn_itemsize(tensor->dtype);
    for (int32_t each = tensor->ndim; each > 0; each--) { /* the channels, then the last dimension to the first */
        const int32_t dim = each == tensor->ndim ? 1 : each == 1 ? 0 : each;
        if (tensor->sizes[dim] != 1 && tensor->strides[dim] != expected) {
            return 0;
        }
        expected *= tensor->sizes[dim];
    }
    return 1;
}

/* Whether a convolution of x to y is a product of matrices as they lie in memory, channels last. */
static int is_product_of_pixels(const arguments *given, const gn_tensor *x, const gn_tensor *w, const gn_tensor *y) {
    const int is_empty = gn_numel(x) == 0 || gn_numel(y) == 0;
    if (is_empty || given->transposed || given->groups != 1 || (gn_is_contiguous(x) && gn_is_contiguous(y))) {
        return 0;
    }
    const geometry of = make_geometry(given, x, w, y);
    return is_pointwise(&of) && is_channels_last(x) && is_channels_last(y);
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

/* Whether a band (convolution_packed_dtype.h) for `rows` rows of the image is worth its memory, which grows with
 * stride, dilation and padding. */
static int is_worth_bands(const geometry *of, int64_t rows) {
    const double reach = (double)(of->kernel[2] - 1) * (double)of->dilation[2] + 1;
    const double line = (double)of->out[2] * (double)of->stride[2] + reach;
    const double image = (double)of->channels * (double)of->kernel[0] * (double)rows * line;
    return image <= MOST_SLACK * (BAND_ELEMENTS + (double)of->channels * (double)(of->in_numel + of->out_numel));
}

/* Rows of the image that one row of the output depends on. */
static int64_t band_rows(const geometry *of) {
    return (of->kernel[1] - 1) * of->dilation[1] + 1;
}

/* Whether each image is one patch, for the only position of its output. */
static int is_whole(const geometry *of) {
    for (int i = 0; i < SPATIAL; i++) {
        if (of->out[i] != 1 || of->in[i] != of->kernel[i] || of->padding[i] != 0 || of->dilation[i] != 1) {
            return 0;
        }
    }
    return 1;
}

/* Whether a gradient of the input that is computed by a convolution of y would mostly multiply padding. */
static int is_mostly_padding(const geometry *of) {
    return of->in_numel > 2 * of->out_numel * of->stride[0] * of->stride[1] * of->stride[2];
}

/* A phase: the positions of an input with the same remainders modulo the strides, each `stride` after the one before,
 * and the kernel elements that use them.  Their gradient is that of a convolution with stride 1. */
#define MOST_PHASES 16
typedef struct phase {
    int64_t first[SPATIAL], out[SPATIAL];        /* positions */
    int64_t first_tap[SPATIAL], kernel[SPATIAL]; /* kernel elements */
    int64_t padding[SPATIAL];
} phase;

/* The phases along the last dimension, for one phase along the others, and where the gradient of each was computed. */
typedef struct phases {
    const geometry *of;
    const phase *parts;
    const int64_t *starts;
    const char *made;
    char *result;
} phases;

/* The phase of the positions from `first` on. */
static phase find_phase(const geometry *of, const int64_t *first) {
    phase made;
    for (int i = 0; i < SPATIAL; i++) {
        const int64_t stride = of->stride[i];
        const int64_t place = first[i] + of->padding[i]; /* the input of kernel element 0 at position place / stride */
        made.first[i] = first[i];
        made.out[i] = first[i] < of->in[i] ? (of->in[i] - first[i] - 1) / stride + 1 : 0;
        made.first_tap[i] = place % stride;
        made.kernel[i] = made.first_tap[i] < of->kernel[i] ? (of->kernel[i] - made.first_tap[i] - 1) / stride + 1 : 0;
        made.padding[i] = (made.kernel[i] - 1) * of->dilation[i] - place / stride;
    }
    return made;
}

/* The convolution of y that computes the gradient at a phase's positions. */
static geometry phase_geometry(const geometry *of, const phase *part) {
    geometry made = *of;
    made.channels = of->features;
    made.features = of->channels;
    made.in_numel = of->out_numel;
    made.out_numel = made.kernel_numel = 1;
    for (int i = 0; i < SPATIAL; i++) {
        made.in[i] = of->out[i];
        made.out[i] = part->out[i];
        made.kernel[i] = part->kernel[i];
        made.padding[i] = part->padding[i];
        made.stride[i] = 1;
        made.out_numel *= made.out[i];
        made.kernel_numel *= made.kernel[i];
    }
    made.depth = made.channels * made.kernel_numel;
    return made;
}

/* The weights of a phase, to be transposed: `count` kernel elements of each, which are at taps[...] of all. */
typedef struct turning {
    const geometry *of;
    const char *w;
    char *made;
    const int64_t *taps;
    int64_t count;
} turning;

/* The kernel elements of a phase in reverse order: the last one belongs to its first position. */
static void list_taps(const geometry *of, const phase *part, int64_t *taps) {
    const int64_t *size = part->kernel;
    for (int64_t i0 = size[0] - 1; i0 >= 0; i0--) {
        for (int64_t i1 = size[1] - 1; i1 >= 0; i1--) {
            for (int64_t i2 = size[2] - 1; i2 >= 0; i2--) {
                const int64_t k0 = part->first_tap[0] + i0 * of->stride[0];
                const int64_t k1 = part->first_tap[1] + i1 * of->stride[1];
                const int64_t k2 = part->first_tap[2] + i2 * of->stride[2];
                *taps++ = (k0 * of->kernel[1] + k1) * of->kernel[2] + k2;
            }
        }
    }
}

/* Channels whose weights are transposed together, so that what is read and written stays in the caches. */
static int64_t turned_rows(const geometry *of) {
    return of->kernel_numel == 1 ? GN_TRANSPOSE_ROWS : 16;
}

/* Whether the gradient of the input is computed phase by phase: if there are few phases, and each has kernel elements
 * and is worth its bands. */
static int has_phases(const geometry *of) {
    int64_t count = 1;
    for (int i = 0; i < SPATIAL; i++) {
        if (of->stride[i] > MOST_PHASES || of->stride[i] > of->kernel[i] || (of->stride[i] > 1 && of->dilation[i] > 1)) {
            return 0;
        }
        count *= of->stride[i];
    }
    if (count > MOST_PHASES) {
        return 0;
    }
    for (int64_t number = 0; number < count; number++) {
        const int64_t rest = number / of->stride[2];
        const int64_t first[SPATIAL] = {rest / of->stride[1], rest % of->stride[1], number % of->stride[2]};
        const phase part = find_phase(of, first);
        const geometry made = phase_geometry(of, &part);
        if (!is_worth_bands(&made, band_rows(&made))) {
            return 0;
        }
    }
    return 1;
}

/* Whether every group has one channel: the products would then be vector products. */
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
        tap->low = tap->at[2] >= 0 ? 0 : gn_min((-tap->at[2] - 1) / stride + 1, tap->high);
    }
}

/* The products of place `place` of a result's plane are counted by kernel elements, those of the weight by positions.
 * Finds at[matrix] of product `number`, in planes of each; 0 where it would read padding, or an element that a stride
 * skips. */
static int find_meeting(const geometry *of, matrix result, int64_t place, int64_t number, int64_t *at) {
    const matrix counted = result == THE_WEIGHT ? THE_OUTPUT : THE_WEIGHT;
    const matrix found = result == THE_INPUT ? THE_OUTPUT : THE_INPUT;
    int64_t steps[] = {1, 1, 1};
    at[THE_INPUT] = at[THE_OUTPUT] = at[THE_WEIGHT] = 0;
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        const int64_t sizes[] = {of->in[dim], of->out[dim], of->kernel[dim]};
        int64_t along[3];
        along[result] = place % sizes[result];
        along[counted] = number % sizes[counted];
        const int64_t shift = along[THE_WEIGHT] * of->dilation[dim] - of->padding[dim];
        if (found == THE_INPUT) {
            along[THE_INPUT] = along[THE_OUTPUT] * of->stride[dim] + shift;
        } else if ((along[THE_INPUT] - shift) % of->stride[dim] == 0) {
            along[THE_OUTPUT] = (along[THE_INPUT] - shift) / of->stride[dim];
        } else {
            return 0;
        }
        if (along[found] < 0 || along[found] >= sizes[found]) {
            return 0;
        }
        for (int each = THE_INPUT; each <= THE_WEIGHT; each++) {
            at[each] += along[each] * steps[each];
            steps[each] *= sizes[each];
        }
        place /= sizes[result];
        number /= sizes[counted];
    }
    return 1;
}

/* The largest number of parts for which planes are copied to a scratch image. */
#define MOST_PARTS 64
#define LEAST_SLACK 4096
/* Multiplications below which a second thread costs more than it saves. */
#define PLANES_GRAIN (4 * GN_GRAIN)

/* Rows and vectors of results that are computed together, kernel elements of a column that are added together, and
 * partial sums of a gradient of the weight. A row of results has whole vectors. */
#define LINE_ROWS 4
#define LINE_VECTORS 4
#define LINE_TAPS 7
#define LINE_SUMS 9
#define LINE_FEW_SUMS 3
#define MADE_STEP 16
/* Kernel elements above which their order takes too long to find. */
#define MOST_ELEMENTS 1024

/* a / b rounded down; b > 0. */
static inline int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Whether planes of these sizes are worth their memory; they may be as large as strides and padding are. */
static int is_worth_planes(const planes *lie, int64_t numel) {
    double all = (double)lie->parts;
    for (int i = 0; i < SPATIAL; i++) {
        all *= (double)lie->sizes[i];
    }
    return all <= (double)MOST_SLACK * (double)numel + LEAST_SLACK;
}

/* Sizes that follow from those of the planes, and from how many results there are. */
static void finish_planes(const geometry *of, planes *lie, const int64_t *results) {
    const int64_t dilation = of->dilation[1];
    const int64_t stride = of->stride[1];
    lie->numel = lie->sizes[0] * lie->sizes[1] * lie->sizes[2];
    lie->rows = (results[0] - 1) * lie->sizes[1] + results[1];
    lie->columns = results[2];
    lie->count = (lie->rows - 1) * lie->sizes[2] + results[2];
    lie->made_row = (results[2] + MADE_STEP - 1) / MADE_STEP * MADE_STEP;
    lie->hop = dilation % stride == 0 ? dilation / stride : 1;
    if (lie->hop >= lie->rows) {
        lie->hop = 1;
    }
}

static void swap_numbers(int64_t *a, int64_t *b) {
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Orders kernel elements so that those of a part are next to each other, and of them those that lie `hop` rows apart, as
 * many as LINE_TAPS, which are then `together`. */
static void order_elements(planes *lie, int64_t count) {
    const int64_t row = lie->hop * lie->sizes[2];
    for (int64_t element = 0; element < count; element++) {
        lie->order[element] = element;
    }
    for (int64_t done = 0; done < count;) {
        int64_t taps = 0;
        for (int64_t part = lie->part_of[done]; taps < LINE_TAPS && done + taps < count; taps++) {
            int64_t found = -1; /* the smallest one of the smallest part; then its successor */
            for (int64_t k = done + taps; k < count; k++) {
                const int follows = taps > 0 && lie->part_of[k] == part
                                    && lie->offsets[k] == lie->offsets[done + taps - 1] + row;
                const int is_less = taps == 0
                                    && (found < 0 || lie->part_of[k] < lie->part_of[found]
                                        || (lie->part_of[k] == lie->part_of[found]
                                            && lie->offsets[k] < lie->offsets[found]));
                found = follows || is_less ? k : found;
            }
            if (found < 0) {
                break;
            }
            swap_numbers(&lie->offsets[done + taps], &lie->offsets[found]);
            swap_numbers(&lie->part_of[done + taps], &lie->part_of[found]);
            swap_numbers(&lie->order[done + taps], &lie->order[found]);
            part = lie->part_of[done];
        }
        lie->together[done] = taps;
        done += taps;
    }
}

/* The layout of the image for y = w * x; 0 where planes are not worth it. */
static int lay_image(const geometry *of, planes *lie) {
    lie->parts = 1;
    for (int i = 0; i < SPATIAL; i++) {
        if (of->stride[i] > MOST_PARTS || (double)of->out[i] * (double)of->stride[i] > 0x1p40
            || (double)of->kernel[i] * (double)of->dilation[i] > 0x1p40) {
            return 0;
        }
        lie->parts *= of->stride[i];
        const int64_t reach = (of->out[i] - 1) * of->stride[i] + (of->kernel[i] - 1) * of->dilation[i] + 1;
        lie->sizes[i] = (reach + of->stride[i] - 1) / of->stride[i];
    }
    if (lie->parts > MOST_PARTS || !is_worth_planes(lie, of->in_numel + of->out_numel)) {
        return 0;
    }
    finish_planes(of, lie, of->out);
    for (int64_t element = 0; element < of->kernel_numel; element++) {
        int64_t rest = element;
        int64_t offset = 0;
        int64_t part = 0;
        int64_t step = 1;
        int64_t parts = 1;
        for (int i = SPATIAL - 1; i >= 0; i--) {
            const int64_t place = rest % of->kernel[i] * of->dilation[i];
            offset += place / of->stride[i] * step;
            part += place % of->stride[i] * parts;
            step *= lie->sizes[i];
            parts *= of->stride[i];
            rest /= of->kernel[i];
        }
        lie->offsets[element] = part * lie->numel + offset;
        lie->part_of[element] = part;
    }
    order_elements(lie, of->kernel_numel);
    return 1;
}

/* The layout of the gradient for that of x; 0 where planes are not worth it. Kernel element k contributes to i = j *
 * stride + k * dilation - padding, in part i % stride, so that j is i / stride minus a constant of k. */
static int lay_gradient(const geometry *of, planes *lie) {
    int64_t results[SPATIAL];
    lie->parts = 1;
    for (int i = 0; i < SPATIAL; i++) {
        if (of->stride[i] > MOST_PARTS || (double)of->kernel[i] * (double)of->dilation[i] > 0x1p40
            || (double)of->padding[i] > 0x1p40) {
            return 0;
        }
        lie->parts *= of->stride[i];
        results[i] = (of->in[i] + of->stride[i] - 1) / of->stride[i];
        int64_t least = 0;
        for (int64_t k = 0; k < of->kernel[i]; k++) {
            const int64_t less = floor_divide(k * of->dilation[i] - of->padding[i], of->stride[i]);
            lie->lead[i] = k == 0 ? less : gn_max(lie->lead[i], less);
            least = k == 0 ? less : gn_min(least, less);
        }
        lie->sizes[i] = results[i] - least + lie->lead[i];
    }
    if (lie->parts > MOST_PARTS || !is_worth_planes(lie, of->in_numel + of->out_numel)) {
        return 0;
    }
    finish_planes(of, lie, results);
    for (int64_t element = 0; element < of->kernel_numel; element++) {
        int64_t rest = element;
        int64_t step = 1;
        int64_t parts = 1;
        lie->offsets[element] = 0;
        lie->part_of[element] = 0;
        for (int i = SPATIAL - 1; i >= 0; i--) {
            const int64_t place = rest % of->kernel[i] * of->dilation[i] - of->padding[i];
            const int64_t less = floor_divide(place, of->stride[i]);
            lie->offsets[element] += (lie->lead[i] - less) * step;
            lie->part_of[element] += (place - less * of->stride[i]) * parts;
            step *= lie->sizes[i];
            parts *= of->stride[i];
            rest /= of->kernel[i];
        }
    }
    order_elements(lie, of->kernel_numel);
    return 1;
}

/* Runs the tasks of a depthwise product, each of `steps` elementary steps: `task` by rows, or `over_planes` (NULL:
 * there is none) if `lay` finds a layout. */
static int32_t run_depthwise(convolution *work, int64_t tasks, int64_t steps, gn_task *task,
                             int (*lay)(const geometry *, planes *), gn_task *over_planes) {
    const int64_t elements = work->of.kernel_numel;
    work->taps = gn_take_items(elements, sizeof(kernel_tap) + 4 * sizeof(int64_t));
    if (work->taps == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    fill_taps(&work->of, work->taps);
    work->lie.offsets = (int64_t *)(work->taps + elements);
    work->lie.part_of = work->lie.offsets + elements;
    work->lie.order = work->lie.part_of + elements;
    work->lie.together = work->lie.order + elements;
    if (over_planes != NULL && elements <= MOST_ELEMENTS && lay(&work->of, &work->lie)) {
        gn_parallel_for(0, tasks, gn_max(1, PLANES_GRAIN / gn_max(1, steps)), over_planes, work);
    } else {
        gn_parallel_for(0, tasks, gn_grain(steps), task, work);
    }
    gn_give(work->taps);
    return work->status;
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
