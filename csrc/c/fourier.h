/* Fourier transforms of lines of complex numbers, forward.
 *
 * Real and imaginary parts lie apart on the way, so that vector code need not mix them; a transform back is one of
 * numbers whose parts are exchanged.  Short lines are transformed beside others, elements of the same place side by side.
 * A longer line is taken for a matrix: its columns are transformed, multiplied by roots of unity, and turned to be the
 * rows whose columns are transformed next.  Results depend neither on how many lines are transformed together nor on
 * which thread does it. */
#ifndef GN_FOURIER_H
#define GN_FOURIER_H

#include "kernel.h"

/* Lines beside each other, and columns of a long line that are transformed together: vectors of any length fit. */
#define GN_FOURIER_LINES 16
/* The longest line that is best transformed beside others, wherever its elements lie, and where those of others lie
 * between its own; the longest matrix that stays in the cache. */
#define GN_SHORT_LINE 192
#define GN_CROSSED_LINE 8192
#define GN_LONGEST_MATRIX 32768

/* A complex number of doubles; as in memory. */
typedef struct gn_point {
    double real, imag;
} gn_point;

/* Powers of exp(-2 pi i / length): each is a product of one of either table. */
typedef struct gn_roots {
    int64_t length;
    int32_t shift;
    gn_point *low, *high;
} gn_roots;

/* exp(-2 pi i k / count) for 0 <= k < count, exact at the quarters. */
gn_point gn_root_of_unity(int64_t k, int64_t count);
/* GN_OUT_OF_MEMORY at worst; gn_end_roots gives memory back either way. */
int32_t gn_begin_roots(gn_roots *roots, int64_t length);
void gn_end_roots(gn_roots *roots);

/* Whether no prime factor of a length is large. */
int gn_is_smooth(int64_t length);

/* The most factors of a length. */
#define GN_MOST_FACTORS 64

#define GN_DECLARE_FOURIER(dtype, REAL)                                                                                \
    /* Numbers whose parts lie apart. */                                                                               \
    typedef struct gn_split_##dtype {                                                                                  \
        REAL *real, *imag;                                                                                             \
    } gn_split_##dtype;                                                                                                \
    /* How columns of one length are transformed. */                                                                   \
    typedef struct gn_columns_##dtype {                                                                                \
        int64_t length;                                                                                                \
        int32_t factor_count;                                                                                          \
        int32_t factors[GN_MOST_FACTORS];                                                                              \
        gn_split_##dtype roots;                                                                                        \
    } gn_columns_##dtype;                                                                                              \
    /* How lines are: `rows` is 1 where several are columns beside each other. */                                      \
    typedef struct gn_fourier_##dtype {                                                                                \
        int64_t length, rows, columns;                                                                                 \
        int64_t row_step, column_step; /* of the matrix, and of it turned: room for whole vectors */                   \
        gn_columns_##dtype down, along;                                                                                \
        gn_split_##dtype between; /* roots by which a matrix that is not too long is multiplied */                     \
        gn_roots roots;                                                                                                \
    } gn_fourier_##dtype;                                                                                              \
    /* Prepares transforms of a length that is smooth, of lines beside each other or of one by one.  GN_OUT_OF_MEMORY  \
     * at worst; gn_end_fourier gives memory back either way. */                                                       \
    int32_t gn_begin_fourier_##dtype(gn_fourier_##dtype *plan, int64_t length, int is_beside);                         \
    void gn_end_fourier_##dtype(gn_fourier_##dtype *plan);                                                             \
    /* Elements that `line` and `spare` of a transform have room for, in each part: a multiple of a vector's. */       \
    int64_t gn_fourier_room_##dtype(const gn_fourier_##dtype *plan);                                                   \
    /* Transforms GN_FOURIER_LINES lines beside each other, or one where the plan is for that.  What comes in is in    \
     * `line`, or in `from`, as pairs of a real and an imaginary part; what comes out, in `line`, which may have       \
     * changed places with `spare`, or in `to`, as pairs times `scale`.  Pairs, which are for one line alone, are      \
     * `exchanged` for transforms back.  GN_OUT_OF_MEMORY at worst. */                                                 \
    int32_t gn_transform_##dtype(const gn_fourier_##dtype *plan, const REAL *from, gn_split_##dtype *line,             \
                                 gn_split_##dtype *spare, REAL *to, int exchanged, REAL scale);                        \
    /* Writes the powers factor * i of the roots, for 0 <= i < count; 0 <= factor < length. */                                               \
    void gn_write_roots_##dtype(const gn_roots *roots, int64_t factor, int64_t count, gn_split_##dtype to);
GN_DECLARE_FOURIER(float32, float)
GN_DECLARE_FOURIER(float64, double)

#endif
