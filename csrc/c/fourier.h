/* Fourier transforms of lines of complex numbers, forward.
 *
 * There are four ways.  Lines whose pairs of a real and an imaginary part are adjacent, if a vector's pairs divide their
 * length, are matrices whose rows are vectors (fourier_woven.c).  Other short lines, and lines whose elements lie between
 * those of others, are transformed as many at a time as a vector has elements (fourier_beside.c).  So are several lines of
 * a prime length, as convolutions (fourier_prime.c).  Longer lines are matrices whose columns are transformed, multiplied
 * by roots of unity, and turned to be the rows whose columns are transformed next (fourier.c).  In the last three, real and
 * imaginary parts lie apart on the way, so that vector code need not mix them, and a transform back is one of numbers whose
 * parts are exchanged.  Results depend neither on which thread computes them nor, unless there are so few that another way
 * is faster, on how many lines are transformed together.
 */
#ifndef GN_FOURIER_H
#define GN_FOURIER_H

#include "kernel.h"

/* The most lines beside each other, and the columns of a long line that are transformed together: vectors of any length
 * fit. */
#define GN_FOURIER_LINES 16
/* The longest line that is best transformed beside others where its elements are adjacent, and where those of others lie
 * between them; the longest matrix that stays in the cache. */
#define GN_SHORT_LINE 1100
#define GN_CROSSED_LINE 8192
#define GN_LONGEST_MATRIX 32768
/* The longest line of a prime length that is transformed beside others, and the fewest of them. */
#define GN_LONGEST_PRIME 4200
#define GN_FEWEST_PRIME 4

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

/* The most factors of a length. */
#define GN_MOST_FACTORS 64
/* Factors of `length`: those with a specialized stage, largest first, and small primes.  Returns how many; 0 if another
 * factor is left. */
int32_t gn_factorize(int64_t length, int32_t *factors);
/* Whether no prime factor of a length is large. */
int gn_is_smooth(int64_t length);
/* Whether lines of a length can be transformed as those of a prime number. */
int gn_is_prime_beside(int64_t length);

/* Some lines in memory: the places of their first elements, and the distances in bytes to the next element and to an
 * element's second part, if it has two. */
typedef struct gn_lines {
    char *places[GN_FOURIER_LINES];
    int64_t count, step, second;
    int32_t dtype, parts;
} gn_lines;

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
    /* How a line is transformed, as a matrix. */                                                                      \
    typedef struct gn_fourier_##dtype {                                                                                \
        int64_t length, rows, columns;                                                                                 \
        int64_t row_step, column_step; /* of the matrix, and of it turned: room for whole vectors */                   \
        gn_columns_##dtype down, along;                                                                                \
        gn_split_##dtype between; /* roots by which a matrix that is not too long is multiplied */                     \
        gn_roots roots;                                                                                                \
    } gn_fourier_##dtype;                                                                                              \
    /* Prepares transforms of a length that is smooth.  GN_OUT_OF_MEMORY at worst; gn_end_fourier gives memory back     \
     * either way. */                                                                                                  \
    int32_t gn_begin_fourier_##dtype(gn_fourier_##dtype *plan, int64_t length);                                        \
    void gn_end_fourier_##dtype(gn_fourier_##dtype *plan);                                                             \
    /* Elements that `line` and `spare` of a transform have room for, in each part: a multiple of a vector's. */       \
    int64_t gn_fourier_room_##dtype(const gn_fourier_##dtype *plan);                                                   \
    /* Transforms a line.  What comes in is in `line`, or in `from`, as pairs of a real and an imaginary part; what     \
     * comes out, in `line`, which may have changed places with `spare`, or in `to`, as pairs times `scale`.  Pairs are \
     * `exchanged` for transforms back.  GN_OUT_OF_MEMORY at worst. */                                                 \
    int32_t gn_transform_##dtype(const gn_fourier_##dtype *plan, const REAL *from, gn_split_##dtype *line,             \
                                 gn_split_##dtype *spare, REAL *to, int exchanged, REAL scale);                        \
    /* Writes the powers factor * i of the roots, for 0 <= i < count; 0 <= factor < length. */                         \
    void gn_write_roots_##dtype(const gn_roots *roots, int64_t factor, int64_t count, gn_split_##dtype to);            \
    /* Writes the roots exp(-2 pi i k / length) times `scale`, for 0 <= k < count <= length. */                        \
    void gn_write_circle_##dtype(int64_t length, int64_t count, REAL scale, gn_split_##dtype to);                      \
    /* How lines beside each other are transformed, in place: each point is a vector of real parts and one of          \
     * imaginary parts, an element of each line. */                                                                    \
    typedef struct gn_beside_##dtype {                                                                                 \
        int64_t length, lines;                                                                                         \
        int64_t half_of; /* the length of real lines whose pairs are the points, or 0 */                               \
        int64_t block;   /* from the points of the first factor to the next */                                         \
        int64_t room;    /* numbers of all points */                                                                   \
        int32_t factor_count;                                                                                          \
        int32_t factors[GN_MOST_FACTORS];                                                                              \
        int64_t lengths[GN_MOST_FACTORS + 1]; /* of the blocks of each stage */                                        \
        int64_t known[GN_MOST_FACTORS];       /* the number of those blocks */                                         \
        gn_split_##dtype roots, halves;                                                                                \
        int32_t *before, *after; /* where element k is, before the transform and after it */                           \
    } gn_beside_##dtype;                                                                                               \
    /* Prepares transforms of a length that is smooth; with `is_back` of real lines, roots to fold them.               \
     * GN_OUT_OF_MEMORY at worst; gn_end_beside gives memory back either way. */                                       \
    int32_t gn_begin_beside_##dtype(gn_beside_##dtype *plan, int64_t length, int64_t half_of, int is_back);            \
    void gn_end_beside_##dtype(gn_beside_##dtype *plan);                                                               \
    /* Reads `count` elements of each line, with parts `exchanged` or not. */                                          \
    void gn_load_beside_##dtype(const gn_beside_##dtype *plan, const gn_lines *lines, int64_t count, int exchanged,    \
                                REAL *points);                                                                         \
    /* Makes points, with parts exchanged, of the first half of a line of conjugates. */                               \
    void gn_fold_beside_##dtype(const gn_beside_##dtype *plan, REAL *points);                                          \
    void gn_transform_beside_##dtype(const gn_beside_##dtype *plan, REAL *points);                                     \
    /* Makes the first half of the transforms of real lines. */                                                        \
    void gn_unfold_beside_##dtype(const gn_beside_##dtype *plan, REAL *points);                                        \
    /* Writes `count` elements of each line times `scale`; what lies beyond half of real lines as conjugates. Returns   \
     * whether all are finite. */                                                                                      \
    int gn_store_beside_##dtype(const gn_beside_##dtype *plan, const REAL *points, int64_t count, int exchanged,       \
                                REAL scale, const gn_lines *lines);                                                \
    /* How lines of a prime length are transformed beside each other, by convolutions of `inner` points: `lines` loads \
     * and stores them. */                                                                                             \
    typedef struct gn_prime_##dtype {                                                                                  \
        gn_beside_##dtype inner, lines;                                                                                \
        gn_split_##dtype filter;                                                                                       \
        REAL *numbers;                                                                                                 \
        int32_t *places;                                                                                               \
    } gn_prime_##dtype;                                                                                                \
    /* Prepares transforms of a length of which gn_is_prime_beside is true.  GN_OUT_OF_MEMORY at worst; gn_end_prime   \
     * gives memory back either way. */                                                                                \
    int32_t gn_begin_prime_##dtype(gn_prime_##dtype *plan, int64_t length);                                            \
    void gn_end_prime_##dtype(gn_prime_##dtype *plan);                                                                 \
    /* Returns where the results are in the memory of the points, with parts exchanged. */                             \
    REAL *gn_transform_prime_##dtype(const gn_prime_##dtype *plan, REAL *points);                                      \
    /* How a line is transformed whose pairs are adjacent, and stay so: as a matrix whose rows are vectors of           \
     * them. */                                                                                                        \
    typedef struct gn_woven_##dtype {                                                                                  \
        int64_t length, rows, together; /* lines at most */                                                            \
        int64_t half_of; /* the length of a real line whose pairs are the points, or 0 */                              \
        int64_t room;    /* numbers of the memory for those lines */                                                    \
        int32_t factor_count, is_back;                                                                                 \
        int32_t factors[GN_MOST_FACTORS];                                                                              \
        int64_t lengths[GN_MOST_FACTORS + 1], known[GN_MOST_FACTORS];                                                  \
        gn_split_##dtype roots;                  /* of the rows */                                                     \
        gn_split_##dtype inner, between, halves; /* vectors of each of these; of the matrix; for half a line */        \
        int32_t *after;                          /* where row k is after the transform of columns */                   \
    } gn_woven_##dtype;                                                                                                \
    /* Whether lines of so many points can be transformed so, and best are. */                                         \
    int gn_can_weave_##dtype(int64_t length);                                                                          \
    /* Prepares transforms, whose results are multiplied by `scale`.  GN_OUT_OF_MEMORY at worst; gn_end_woven gives     \
     * memory back either way. */                                                                                      \
    int32_t gn_begin_woven_##dtype(gn_woven_##dtype *plan, int64_t length, int64_t half_of, int is_back, REAL scale);  \
    void gn_end_woven_##dtype(gn_woven_##dtype *plan);                                                                 \
    /* Transforms some lines, complex ones, or real ones of an even length in one direction and the halves of lines of  \
     * conjugates in the other.  With `is_whole` the other half is written too. */                                     \
    void gn_transform_woven_##dtype(const gn_woven_##dtype *plan, const REAL *from, int64_t from_step, REAL *to,       \
                                    int64_t to_step, int64_t lines, int is_whole, REAL *memory);                       \
    /* Whether all results since gn_begin_lines, in the same memory, were finite. */                                   \
    void gn_begin_lines_##dtype(REAL *memory);                                                                         \
    int gn_are_finite_##dtype(const REAL *memory);
GN_DECLARE_FOURIER(float32, float)
GN_DECLARE_FOURIER(float64, double)

#endif
