/* Separable maps of ([N,] C, *spatial): along each dimension, an output position is a weighted sum of input positions.
 * Padding and upsampling are such maps, and their gradients the transposed ones. */
#ifndef GN_RESAMPLE_H
#define GN_RESAMPLE_H

#include "flat.h"

#define GN_SPATIAL 3

/* Along one dimension: output position i is the sum of the input positions at[k] with weight[k], for k from start[i] to
 * start[i + 1]. */
typedef struct gn_taps {
    int64_t in;
    int64_t out;
    int64_t *start; /* out + 1 of them; one allocation with the other two */
    int64_t *at;
    double *weight;
    int keeps; /* the identity: nothing is to be done */
    int shift; /* how often weights that are integers were doubled */
    int64_t run_begin, run_end; /* where the longest run of positions is, each the next one; 0 if that is not known */
} gn_taps;

/* Uninitialized taps, with room for `count` in all; allocated by gn_take_taps, freed by gn_give_taps. */
int32_t gn_take_taps(gn_taps *taps, int64_t in, int64_t out, int64_t count);
void gn_give_taps(gn_taps *taps, int64_t spatial);

/* Taps with the one position at[i], weight 1, for each i. */
int32_t gn_take_positions(gn_taps *taps, int64_t in, int64_t out);

/* The taps of the transposed map, each list in the order of the positions. */
int32_t gn_transpose_taps(const gn_taps *taps, gn_taps *made);

/* Computes positions [begin, end) of the output along one dimension with these taps, in (outer, dimension, inner)
 * order; `in` has `rows` positions of that dimension, from position `low` on. */
typedef void gn_stage(const gn_taps *taps, int64_t outer, int64_t rows, int64_t low, int64_t inner, int64_t begin,
                      int64_t end, const void *in, void *out);

gn_stage gn_stage_float32, gn_stage_float64, gn_stage_complex64, gn_stage_complex128;

/* The stage for a dtype; NULL where there is none. */
gn_stage *gn_stage_of(int32_t dtype);

/* out = the map of in, both `planes` times the spatial dimensions, whose taps are taps[0] (outermost) to
 * taps[spatial - 1]; the last dimension goes first.  GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_resample(const gn_taps *taps, int64_t spatial, int64_t planes, int64_t itemsize, gn_stage *stage,
                    const void *in, void *out);

/* The same where every output position is one input position, of elements of `itemsize` bytes that are copied. */
void gn_gather_planes(const gn_taps *taps, int64_t spatial, int64_t planes, int64_t itemsize, const void *in,
                      void *out);

/* Elements in front of the `spatial` last dimensions. */
static inline int64_t gn_planes(const gn_tensor *tensor, int64_t spatial) {
    int64_t planes = 1;
    for (int64_t dim = 0; dim < tensor->ndim - spatial; dim++) {
        planes *= tensor->sizes[dim];
    }
    return planes;
}

#endif
