/* grid_sampler over two and three dimensions, its gradients, and second-order gradients.
 *
 * A place is a position of the grid. It has neighbors along each dimension (../c/grid_place.h), and each combination of
 * one neighbor per dimension, called a meeting, is an input element with a weight. Results gather from these elements.
 * The gradient of the input scatters: all meetings are numbered by their element and sorted, so that each element sums
 * its own in the order of places. Sums are in double, rounded once. */
#include "../c/grid_place.h"
#include "number.cuh"
#include "order.cuh"
#include "team.cuh"

#define SAMPLE_THREADS 256
#define FEW 64 /* the most meetings of an element that one thread sums */

/* A tensor of (images, channels, three dimensions); a missing dimension has size 1. Steps are in bytes. The channels of
 * the grid are its coordinates. */
struct gn_planes {
    char *at;
    int64_t steps[2 + SPATIAL];

    inline char *plane(int64_t image, int64_t channel) const {
        return at + image * steps[0] + channel * steps[1];
    }
    inline int64_t offset(const int64_t *position) const {
        return position[0] * steps[2] + position[1] * steps[3] + position[2] * steps[4];
    }
};
static inline double gn_read(const char *place) {
    return (double)gn_load(*(const gn_storage *)place);
}
static inline void gn_write(char *place, double value) {
    *(gn_storage *)place = gn_store((gn_compute)value);
}

/* The last `spatial` dimensions exist. Results are computed `block` channels at a time; each place has `slots` meetings
 * at most. A null operand is skipped, or counts as 0. */
struct gn_sampling {
    int64_t spatial, images, channels, block, slots;
    int64_t in[SPATIAL], out[SPATIAL];
    grid_rule rule;
    gn_planes input, grid, gradient, moved_input, moved_grid;
};

/* The indices of a place in a result. */
struct gn_site {
    int64_t image;
    int64_t at[SPATIAL];
};

static inline int64_t places_of(const gn_sampling &work) {
    return work.out[0] * work.out[1] * work.out[2];
}
static inline int64_t elements_of(const gn_sampling &work) {
    return work.in[0] * work.in[1] * work.in[2];
}

/* The indices of position `number` of sizes; the quotient is the image. */
static inline gn_site site_of(const int64_t *sizes, int64_t number) {
    gn_site made;
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        made.at[dim] = sizes[dim] == 1 ? 0 : gn_split(&number, sizes[dim]);
    }
    made.image = number;
    return made;
}

/* The neighbors of a place; one along a missing dimension. */
static inline place place_at(const gn_sampling &work, const gn_site &site) {
    place found;
    const int64_t missing = SPATIAL - work.spatial;
    for (int dim = 0; dim < SPATIAL; dim++) {
        if (dim < missing) {
            found.count[dim] = 1;
            found.of[dim][0] = neighbour{0, 1, 0, 0};
            continue;
        }
        const char *at = work.grid.plane(site.image, SPATIAL - 1 - dim); /* x is first */
        found.count[dim] =
            find_neighbours(&work.rule, gn_read(at + work.grid.offset(site.at)), work.in[dim], found.of[dim]);
    }
    return found;
}

/* The tangent of a place along each dimension (from `moved_grid`); 0 if there is none. */
static inline void moves_of(const gn_sampling &work, const gn_site &site, double *moves) {
    for (int dim = 0; dim < SPATIAL; dim++) {
        const bool is_moved = work.moved_grid.at != NULL && dim >= SPATIAL - work.spatial;
        const char *at = work.moved_grid.plane(site.image, SPATIAL - 1 - dim);
        moves[dim] = is_moved ? gn_read(at + work.moved_grid.offset(site.at)) : 0;
    }
}

/* One neighbor per dimension, and the indices of the input element. */
struct gn_meeting {
    const neighbour *members[SPATIAL];
    int64_t at[SPATIAL];
};

static inline int64_t meetings_of(const place &here) {
    return here.count[0] * here.count[1] * here.count[2];
}

static inline gn_meeting meet(const place &here, int64_t number) {
    gn_meeting made;
    for (int dim = SPATIAL - 1; dim >= 0; dim--) {
        const int32_t count = (int32_t)here.count[dim];
        made.members[dim] = &here.of[dim][(int32_t)number % count];
        made.at[dim] = made.members[dim]->at;
        number = (int32_t)number / count;
    }
    return made;
}

static inline double weight_of(const gn_meeting &met) {
    return met.members[0]->weight * met.members[1]->weight * met.members[2]->weight;
}

/* The derivative of the weight by the coordinate of a dimension. */
static inline double slope_of(const gn_meeting &met, int dim) {
    double product = 1;
    for (int each = 0; each < SPATIAL; each++) {
        product *= each == dim ? met.members[each]->first : met.members[each]->weight;
    }
    return product;
}

/* The second derivative of the weight, by the coordinates of two dimensions, which may be the same. */
static inline double bend_of(const gn_meeting &met, int dim, int other) {
    double product = 1;
    for (int each = 0; each < SPATIAL; each++) {
        const int times = (each == dim) + (each == other);
        product *= times == 0   ? met.members[each]->weight
                   : times == 1 ? met.members[each]->first
                                : met.members[each]->second;
    }
    return product;
}

/* The derivative of the weight along the tangent of the place. */
static inline double change_of(const gn_sampling &work, const gn_meeting &met, const double *moves) {
    double change = 0;
    for (int dim = (int)(SPATIAL - work.spatial); dim < SPATIAL; dim++) {
        change += moves[dim] * slope_of(met, dim);
    }
    return change;
}

/* The results: one thread for some channels of a place. IS_DOUBLE: their derivative along the tangents of input and
 * grid, which is the second-order gradient with respect to grad_output. */
template <int IS_DOUBLE> __global__ void sample(gn_sampling work, gn_planes out) {
    const int64_t blocks = (work.channels + work.block - 1) / work.block;
    const int64_t places = places_of(work);
    for (int64_t i = gn_thread(); i < work.images * blocks * places; i += gn_threads()) {
        int64_t rest = i;
        const int64_t number = gn_split(&rest, places);
        const int64_t first = gn_split(&rest, blocks) * work.block;
        gn_site site = site_of(work.out, number);
        site.image = rest;
        const place here = place_at(work, site);
        const int32_t count = (int32_t)meetings_of(here);
        double moves[SPATIAL];
        int64_t offsets[MOST_PRODUCTS], moved_offsets[MOST_PRODUCTS];
        double weights[MOST_PRODUCTS], changes[MOST_PRODUCTS];
        if (IS_DOUBLE) {
            moves_of(work, site, moves);
        }
        for (int32_t k = 0; k < count; k++) {
            const gn_meeting met = meet(here, k);
            offsets[k] = work.input.offset(met.at);
            weights[k] = weight_of(met);
            if (IS_DOUBLE) {
                moved_offsets[k] = work.moved_input.offset(met.at);
                changes[k] = change_of(work, met, moves);
            }
        }
        for (int64_t channel = first; channel < gn_min(first + work.block, work.channels); channel++) {
            const char *from = work.input.plane(site.image, channel);
            const char *moved = work.moved_input.plane(site.image, channel);
            double sum = 0;
            for (int32_t k = 0; k < count; k++) {
                if (IS_DOUBLE) {
                    sum += (work.moved_input.at == NULL ? 0 : gn_read(moved + moved_offsets[k])) * weights[k];
                    sum += gn_read(from + offsets[k]) * changes[k];
                } else {
                    sum += gn_read(from + offsets[k]) * weights[k];
                }
            }
            gn_write(out.plane(site.image, channel) + out.offset(site.at), sum);
        }
    }
}

/* The gradient of the grid; IS_DOUBLE: the derivative of that gradient along the tangents, which is the second-order
 * gradient of the grid. A team for each place; its threads divide the channels. */
template <int TEAM, int IS_DOUBLE> __global__ void slopes(gn_sampling work, gn_planes out) {
    for (gn_turns<TEAM> turn(work.images * places_of(work)); turn.any(); turn.next()) {
        double found[SPATIAL] = {0, 0, 0};
        const gn_site site = site_of(work.out, turn.is_there ? turn.row : 0);
        if (turn.is_there) {
            const place here = place_at(work, site);
            const int32_t count = (int32_t)meetings_of(here);
            const int64_t from = work.gradient.offset(site.at);
            double moves[SPATIAL];
            if (IS_DOUBLE) {
                moves_of(work, site, moves);
            }
            for (int32_t k = 0; k < count; k++) {
                const gn_meeting met = meet(here, k);
                double firsts[SPATIAL], bends[SPATIAL];
                for (int dim = 0; dim < SPATIAL; dim++) {
                    firsts[dim] = slope_of(met, dim);
                    bends[dim] = 0;
                    for (int other = 0; IS_DOUBLE && other < SPATIAL; other++) {
                        bends[dim] += moves[other] * bend_of(met, dim, other);
                    }
                }
                const int64_t there = work.input.offset(met.at);
                const int64_t moved_there = work.moved_input.offset(met.at);
                for (int64_t channel = gn_member<TEAM>(); channel < work.channels; channel += TEAM) {
                    const double gradient = gn_read(work.gradient.plane(site.image, channel) + from);
                    const double value = gradient * gn_read(work.input.plane(site.image, channel) + there);
                    if (!IS_DOUBLE) {
                        for (int dim = 0; dim < SPATIAL; dim++) {
                            found[dim] += value * firsts[dim];
                        }
                        continue;
                    }
                    const char *moved = work.moved_input.plane(site.image, channel) + moved_there;
                    const double other = work.moved_input.at == NULL ? 0 : gradient * gn_read(moved);
                    for (int dim = 0; dim < SPATIAL; dim++) {
                        found[dim] += other * firsts[dim] + value * bends[dim];
                    }
                }
            }
        }
        for (int dim = 0; dim < SPATIAL; dim++) {
            found[dim] = gn_team_fold<gn_add, TEAM>(found[dim], (double *)NULL);
            if (turn.is_there && gn_member<TEAM>() == 0 && dim >= SPATIAL - work.spatial) {
                gn_write(out.plane(site.image, SPATIAL - 1 - dim) + out.offset(site.at), found[dim]);
            }
        }
    }
}

/* All meetings of the places of `images` images, beginning at `first`. For each: the number of its element in these
 * images (the number of elements if the slot is unused), and its weight, or with IS_DOUBLE the derivative of that. One
 * thread per place. */
template <int IS_DOUBLE>
__global__ void find_meetings(gn_sampling work, int64_t first, int64_t images, int64_t *numbers, double *weights) {
    const int64_t elements = elements_of(work);
    for (int64_t i = gn_thread(); i < images * places_of(work); i += gn_threads()) {
        gn_site site = site_of(work.out, i);
        const int64_t image = site.image;
        site.image += first;
        const place here = place_at(work, site);
        const int32_t count = (int32_t)meetings_of(here);
        double moves[SPATIAL];
        if (IS_DOUBLE) {
            moves_of(work, site, moves);
        }
        for (int32_t k = 0; k < work.slots; k++) {
            numbers[i * work.slots + k] = images * elements;
            if (k < count) {
                const gn_meeting met = meet(here, k);
                const int64_t at = (met.at[0] * work.in[1] + met.at[1]) * work.in[2] + met.at[2];
                numbers[i * work.slots + k] = image * elements + at;
                weights[i * work.slots + k] = IS_DOUBLE ? change_of(work, met, moves) : weight_of(met);
            }
        }
    }
}

/* What a meeting adds to the gradient of its element. */
static inline double share_of(const gn_sampling &work, const double *weights, int64_t meeting, int64_t first,
                              int64_t channel) {
    const gn_site site = site_of(work.out, meeting / work.slots);
    const char *from = work.gradient.plane(first + site.image, channel) + work.gradient.offset(site.at);
    return gn_read(from) * weights[meeting];
}

/* The gradients of elements with up to FEW meetings: one thread per element. */
template <class ENTRY>
__global__ void sum_few_meetings(gn_sampling work, int64_t first, int64_t images, const ENTRY *sorted,
                                 const int64_t *starts, const double *weights, gn_planes out) {
    const int64_t elements = elements_of(work);
    for (int64_t i = gn_thread(); i < images * work.channels * elements; i += gn_threads()) {
        int64_t image = i;
        const int64_t element = gn_split(&image, elements);
        const int64_t channel = gn_split(&image, work.channels);
        const int64_t begin = starts[image * elements + element];
        const int64_t end = starts[image * elements + element + 1];
        if (end - begin > FEW) {
            continue;
        }
        double sum = 0;
        for (int64_t k = begin; k < end; k++) {
            sum += share_of(work, weights, sorted[k].place(), first, channel);
        }
        const gn_site site = site_of(work.in, element);
        gn_write(out.plane(first + image, channel) + out.offset(site.at), sum);
    }
}

/* The gradients of the other elements: one block for a channel of an element. More than FEW meetings contain an index
 * that is a multiple of FEW; the first such index represents the element. */
template <class ENTRY>
__global__ void sum_many_meetings(gn_sampling work, int64_t first, int64_t images, int64_t count, const ENTRY *sorted,
                                  const int64_t *starts, const double *weights, gn_planes out) {
    __shared__ double shared[SAMPLE_THREADS / GN_WARP];
    const int64_t elements = elements_of(work);
    const int64_t tasks = (count + FEW - 1) / FEW * work.channels;
    for (int64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        const int64_t at = task / work.channels * FEW;
        const int64_t channel = task % work.channels;
        const int64_t number = (int64_t)sorted[at].key();
        if (number >= images * elements) {
            continue;
        }
        const int64_t begin = starts[number];
        const int64_t end = starts[number + 1];
        if (end - begin <= FEW || at - begin >= FEW) {
            continue;
        }
        double sum = 0;
        for (int64_t k = begin + threadIdx.x; k < end; k += SAMPLE_THREADS) {
            sum += share_of(work, weights, sorted[k].place(), first, channel);
        }
        sum = gn_team_fold<gn_add, SAMPLE_THREADS>(sum, shared);
        if (threadIdx.x == 0) {
            const gn_site site = site_of(work.in, number);
            gn_write(out.plane(first + site.image, channel) + out.offset(site.at), sum);
        }
    }
}
