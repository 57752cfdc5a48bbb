/* Where a coordinate of a grid lies in an input: its neighbours along a dimension, with weights and their derivatives, for
 * the C backend and for CUDA.
 *
 * Source of the coordinates' meaning: GridSampler.h; Keys (1981) for the cubic, with a = -0.75. */
#ifndef GN_GRID_PLACE_H
#define GN_GRID_PLACE_H

#include "kernel.h"

#define SPATIAL 3
#define MODE_NEAREST 1
#define MODE_BICUBIC 2
#define PADDING_ZEROS 0
#define PADDING_REFLECTION 2
/* Neighbours along a dimension, and products of them. */
#define MOST 4
#define MOST_PRODUCTS 16

/* How coordinates are taken: the operators' interpolation_mode, padding_mode and align_corners. */
typedef struct grid_rule {
    int64_t mode, padding, align_corners;
} grid_rule;

typedef struct neighbour {
    int64_t at;
    double weight, first, second;
} neighbour;

/* The neighbours of one place, outermost dimension first. */
typedef struct place {
    int64_t count[SPATIAL];
    neighbour of[SPATIAL][MOST];
} place;

/* A position mirrored at the border, or at its elements' middles, until it is inside, and the derivative. */
static inline double reflect(double position, int64_t size, int64_t align_corners, double *slope) {
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
static inline double pad(double position, int64_t size, const grid_rule *rule, double *slope) {
    *slope = 1;
    if (rule->padding == PADDING_REFLECTION) {
        position = reflect(position, size, rule->align_corners, slope);
    }
    if (rule->padding != PADDING_ZEROS) {
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

static inline void cubic_near(double x, double *found) {
    const double a = -0.75;
    found[0] = ((a + 2) * x - (a + 3)) * x * x + 1;
    found[1] = (3 * (a + 2) * x - 2 * (a + 3)) * x;
    found[2] = 6 * (a + 2) * x - 2 * (a + 3);
}
static inline void cubic_far(double x, double *found) {
    const double a = -0.75;
    found[0] = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    found[1] = (3 * a * x - 10 * a) * x + 8 * a;
    found[2] = 6 * a * x - 10 * a;
}

/* Appends a neighbour, unless it is outside. */
static inline int64_t append(neighbour *of, int64_t count, double at, int64_t size, double weight, double first,
                             double second) {
    if (!(at >= 0 && at < (double)size)) {
        return count;
    }
    const neighbour made = {(int64_t)at, weight, first, second};
    of[count] = made;
    return count + 1;
}

/* Who is looked at along one dimension; those outside count as 0 and are left out.  Returns how many. */
static inline int64_t find_neighbours(const grid_rule *rule, double coordinate, int64_t size, neighbour *of) {
    double position;
    double slope;
    if (rule->align_corners) {
        position = (coordinate + 1) / 2 * (double)(size - 1);
        slope = (double)(size - 1) / 2;
    } else {
        position = ((coordinate + 1) * (double)size - 1) / 2;
        slope = (double)size / 2;
    }
    double moved;
    int64_t count = 0;
    if (rule->mode != MODE_BICUBIC) {
        position = pad(position, size, rule, &moved);
        slope *= moved;
    }
    if (position - position != 0) {
        return rule->mode == MODE_NEAREST ? 0 : append(of, 0, 0, size, NAN, NAN, NAN);
    }
    if (rule->mode == MODE_NEAREST) {
        return append(of, 0, rint(position), size, 1, 0, 0);
    }
    const double left = floor(position);
    const double share = position - left;
    if (rule->mode != MODE_BICUBIC) {
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
        const double at = trunc(pad(left - 1 + number, size, rule, &moved));
        count = append(of, count, at, size, found[0], found[1] * slope, found[2] * slope * slope);
    }
    return count;
}

#endif
