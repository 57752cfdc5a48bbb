/* grid_sampler over two and three dimensions, its gradients, and those of these.
 *
 * A place has neighbours along each dimension, with weights and the weights' first and second derivatives by the
 * coordinate, all in double; the result is the sum over all products of neighbours.  What belongs to places is shared
 * out by places, what is added up in the input by blocks of its channels, each of which goes through all places.
 *
 * Source of the coordinates' meaning: GridSampler.h; Keys (1981) for the cubic, with a = -0.75. */
#include "flat.h"
#include "threads.h"

#define SPATIAL 3
#define MODE_NEAREST 1
#define MODE_BICUBIC 2
#define PADDING_ZEROS 0
#define PADDING_REFLECTION 2
/* Neighbours along a dimension, and products of them. */
#define MOST 4
#define MOST_PRODUCTS 16
/* Channels in a task. */
#define BLOCK 16

typedef struct neighbour {
    int64_t at;
    double weight, first, second;
} neighbour;

/* The neighbours of one place, outermost dimension first. */
typedef struct place {
    int64_t count[SPATIAL];
    neighbour of[SPATIAL][MOST];
} place;

/* Where one neighbour in each dimension meet, its weight, and the weight's first derivatives and second ones by the
 * coordinates of each dimension. */
typedef struct meeting {
    int64_t at;
    double weight;
    double first[SPATIAL];
    double second[SPATIAL][SPATIAL];
} meeting;

typedef struct sampling {
    int64_t spatial, images, channels;
    int64_t in[SPATIAL];
    int64_t in_numel, places_numel; /* of an image's channel, and of its result's */
    int64_t mode, padding, align_corners;
    const void *grid, *input, *gradient, *moved_input, *moved_grid;
    void *to_gradient, *to_input, *to_grid;
} sampling;

/* The meetings that a place has in all: the product of its counts. */
static int64_t meeting_count(const sampling *work, const place *here) {
    int64_t count = 1;
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        count *= here->count[dim];
    }
    return count;
}

/* Meeting number `number`; derivatives up to `order`. */
static meeting meet(const sampling *work, const place *here, int64_t number, int order) {
    meeting made;
    const neighbour *members[SPATIAL];
    for (int64_t dim = work->spatial - 1; dim >= 0; dim--) {
        members[dim] = &here->of[dim][number % here->count[dim]];
        number /= here->count[dim];
    }
    made.at = 0;
    made.weight = 1;
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        made.at = made.at * work->in[dim] + members[dim]->at;
        made.weight *= members[dim]->weight;
    }
    for (int64_t dim = 0; dim < work->spatial && order > 0; dim++) {
        made.first[dim] = 1;
        for (int64_t each = 0; each < work->spatial; each++) {
            made.first[dim] *= each == dim ? members[each]->first : members[each]->weight;
        }
        for (int64_t other = 0; other < work->spatial && order > 1; other++) {
            double product = 1;
            for (int64_t each = 0; each < work->spatial; each++) {
                const int times = (each == dim) + (each == other);
                product *= times == 0   ? members[each]->weight
                           : times == 1 ? members[each]->first
                                        : members[each]->second;
            }
            made.second[dim][other] = product;
        }
    }
    return made;
}

/* A position mirrored at the border, or at its elements' middles, until it is inside, and the derivative. */
static double reflect(double position, int64_t size, int64_t align_corners, double *slope) {
    const double low = align_corners ? 0 : -0.5;
    const double span = align_corners ? (double)(size - 1) : (double)size;
    *slope = 0;
    if (span == 0) {
        return 0;
    }
    if (position - position != 0) {
        return NAN;
    }
    const double sign = position < low ? -1 : 1;
    const double distance = fabs(position - low);
    const double extra = fmod(distance, span);
    const double flips = rint((distance - extra) / span);
    if (fmod(flips, 2) == 0) {
        *slope = sign;
        return extra + low;
    }
    *slope = -sign;
    return span - extra + low;
}

/* A position moved to where its value comes from, and the derivative of that. */
static double pad(double position, int64_t size, const sampling *work, double *slope) {
    *slope = 1;
    if (work->padding == PADDING_REFLECTION) {
        position = reflect(position, size, work->align_corners, slope);
    }
    if (work->padding != PADDING_ZEROS) {
        if (!(position > 0)) { /* NaN too */
            *slope = 0;
            return 0;
        }
        if (position >= (double)(size - 1)) {
            *slope = 0;
            return (double)(size - 1);
        }
    }
    return position;
}

static void cubic_near(double x, double *found) {
    const double a = -0.75;
    found[0] = ((a + 2) * x - (a + 3)) * x * x + 1;
    found[1] = (3 * (a + 2) * x - 2 * (a + 3)) * x;
    found[2] = 6 * (a + 2) * x - 2 * (a + 3);
}
static void cubic_far(double x, double *found) {
    const double a = -0.75;
    found[0] = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    found[1] = (3 * a * x - 10 * a) * x + 8 * a;
    found[2] = 6 * a * x - 10 * a;
}

/* Appends a neighbour, unless it is outside. */
static int64_t append(neighbour *of, int64_t count, double at, int64_t size, double weight, double first,
                      double second) {
    if (!(at >= 0 && at < (double)size)) {
        return count;
    }
    const neighbour made = {(int64_t)at, weight, first, second};
    of[count] = made;
    return count + 1;
}

/* Who is looked at along one dimension; those outside count as 0 and are left out.  Returns how many. */
static int64_t find_neighbours(const sampling *work, double coordinate, int64_t size, neighbour *of) {
    double position;
    double slope;
    if (work->align_corners) {
        position = (coordinate + 1) / 2 * (double)(size - 1);
        slope = (double)(size - 1) / 2;
    } else {
        position = ((coordinate + 1) * (double)size - 1) / 2;
        slope = (double)size / 2;
    }
    double moved;
    int64_t count = 0;
    if (work->mode != MODE_BICUBIC) {
        position = pad(position, size, work, &moved);
        slope *= moved;
    }
    if (position - position != 0) {
        return work->mode == MODE_NEAREST ? 0 : append(of, 0, 0, size, NAN, NAN, NAN);
    }
    if (work->mode == MODE_NEAREST) {
        return append(of, 0, rint(position), size, 1, 0, 0);
    }
    const double left = floor(position);
    const double share = position - left;
    if (work->mode != MODE_BICUBIC) {
        count = append(of, count, left, size, 1 - share, -slope, 0);
        return append(of, count, left + 1, size, share, slope, 0);
    }
    for (int number = 0; number < 4; number++) {
        double found[3];
        const double distance = number < 2 ? share + 1 - number : number - 1 - share;
        if (number == 1 || number == 2) {
            cubic_near(distance, found);
        } else {
            cubic_far(distance, found);
        }
        found[1] = number < 2 ? found[1] : -found[1];
        const double at = trunc(pad(left - 1 + number, size, work, &moved));
        count = append(of, count, at, size, found[0], found[1] * slope, found[2] * slope * slope);
    }
    return count;
}

/* The work for tensors of these shapes; integers from `options` on: interpolation_mode, padding_mode,
 * align_corners. */
static sampling make_sampling(const gn_tensor *input, const gn_tensor *grid, const int64_t *options) {
    sampling work;
    memset(&work, 0, sizeof work);
    work.spatial = input->ndim - 2;
    work.images = input->sizes[0];
    work.channels = input->sizes[1];
    work.in_numel = 1;
    work.places_numel = 1;
    for (int64_t dim = 0; dim < work.spatial; dim++) {
        work.in[dim] = input->sizes[2 + dim];
        work.in_numel *= work.in[dim];
        work.places_numel *= grid->sizes[1 + dim];
    }
    work.mode = options[0];
    work.padding = options[1];
    work.align_corners = options[2];
    return work;
}

/* Shares out the places of all images. */
static void run_places(sampling *work, gn_task *task) {
    gn_parallel(work->images * work->places_numel, gn_max(1, GN_GRAIN / (64 + work->channels * 8)), task, work);
}

/* Blocks of channels, and which channels [*begin, *end) of which image a task's are. */
static int64_t block_count(const sampling *work) {
    return (work->channels + BLOCK - 1) / BLOCK;
}
static int64_t find_block(const sampling *work, int64_t task, int64_t *begin, int64_t *end) {
    *begin = task % block_count(work) * BLOCK;
    *end = gn_min(*begin + BLOCK, work->channels);
    return task / block_count(work);
}

static void run_blocks(sampling *work, gn_task *task) {
    const int64_t steps = gn_max(1, work->places_numel * (64 + 8 * gn_min(BLOCK, work->channels)));
    gn_parallel(work->images * block_count(work), gn_max(1, GN_GRAIN / steps), task, work);
}

#define GN_TEMPLATE "grid_sample_dtype.h"
#include "each_dtype.h"
