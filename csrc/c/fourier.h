/* Fourier transforms of lines of complex numbers, in doubles. */
#ifndef GN_FOURIER_H
#define GN_FOURIER_H

#include "kernel.h"

/* A complex number; as in memory, and so on compilers without C's. */
typedef struct gn_point {
    double real;
    double imag;
} gn_point;

/* The most factors of a length. */
#define GN_MOST_FACTORS 64

/* How lines of one length are transformed. */
typedef struct gn_fourier {
    int64_t length;
    int64_t inner;     /* the length that is cut in factors: `length`, or of the convolution that stands for it */
    int32_t factor_count;
    int32_t factors[GN_MOST_FACTORS];
    gn_point *roots;   /* `inner` of them: powers of exp(-2 pi i / inner), or of its conjugate */
    gn_point *chirp;   /* of Bluestein's algorithm; NULL where the factors of the length are small */
    gn_point *filter;  /* the transform of the chirp that is convolved with */
} gn_fourier;

/* Prepares transforms forward, or back.  GN_OUT_OF_MEMORY at worst; gn_end_fourier gives memory back either way. */
int32_t gn_begin_fourier(gn_fourier *plan, int64_t length, int forward);
void gn_end_fourier(gn_fourier *plan);

/* Lines that are transformed together, so that each of its steps is done for some elements at once. */
#define GN_FOURIER_LINES 4
/* How many lines are best transformed together: GN_FOURIER_LINES, or one. */
int64_t gn_fourier_lines(const gn_fourier *plan);

/* Points of scratch memory that a transform needs, for each line. */
static inline int64_t gn_fourier_scratch(const gn_fourier *plan) {
    return 2 * plan->inner;
}

/* Transforms up to gn_fourier_lines(plan) lines in place, whose elements of the same place lie side by side. */
void gn_transform(const gn_fourier *plan, gn_point *line, gn_point *scratch, int64_t lines);

#endif
