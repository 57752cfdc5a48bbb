/* grid_sampler over two and three dimensions, its gradients, and those of these.
 *
 * A place has neighbours along each dimension, with weights and the weights' first and second derivatives by the
 * coordinate, all in double; the result is the sum over all products of neighbours.  Results per place are split over
 * threads by places; sums in the input are split by blocks of channels, each of which loops over all places. */
#include "flat.h"
#include "grid_place.h"
#include "threads.h"
#include "workspace.h"

/* Channels in a task. */
#define BLOCK 16

/* A combination of one neighbour in each dimension: its offset, its weight, and the weight's first and second
 * derivatives by the coordinates of each dimension. */
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
    grid_rule rule;
    const void *grid, *input, *gradient, *moved_input, *moved_grid;
    void *to_gradient, *to_input, *to_grid;
} sampling;

/* The number of combinations of a place: the product of its counts. */
static int64_t meeting_count(const sampling *work, const place *here) {
    int64_t count = 1;
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        count *= here->count[dim];
    }
    return count;
}

/* Combination `number`, with derivatives up to `order`. */
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
    work.rule.mode = options[0];
    work.rule.padding = options[1];
    work.rule.align_corners = options[2];
    return work;
}

/* Splits the places of all images over threads. */
static void run_places(sampling *work, gn_task *task) {
    gn_parallel_for(0, work->images * work->places_numel, gn_grain(64 + work->channels * 8), task, work);
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
    gn_parallel_for(0, work->images * block_count(work), gn_grain(steps), task, work);
}

#define GN_TEMPLATE "grid_sample_dtype.h"
#include "each_dtype.h"
