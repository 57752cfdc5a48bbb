/* LU factors of small matrices, as many beside each other as a vector has lanes: one matrix in each.  The results are those
 * of a matrix alone, bit by bit. */
#ifndef GN_LU_BESIDE_H
#define GN_LU_BESIDE_H

#include "kernel.h"

/* Rows and columns up to which matrices are factored so, and the most lanes of a vector. */
#define GN_BESIDE_SIDE 32
#define GN_BESIDE_LANES 16

/* How matrices of one size are in memory: lines of `length` elements, `step` bytes apart, whose elements are `unit` bytes
 * apart; and which vector has each element. */
typedef struct gn_beside_order {
    int64_t lines, length, step, unit;
    int32_t places[GN_BESIDE_SIDE * GN_BESIDE_SIDE];
} gn_beside_order;

/* The order of matrices whose rows and columns are so many bytes apart. */
void gn_begin_beside_order(gn_beside_order *order, int64_t itemsize, int64_t rows, int64_t columns, int64_t row,
                           int64_t column);

/* The number of vectors of a matrix. */
static inline int64_t gn_beside_vectors(int64_t rows, int64_t columns) {
    return (rows | 1) * columns; /* an odd distance of columns: those of a row are in different sets of a cache */
}

#define GN_LU_BESIDE(dtype, TYPE)                                                                                     \
    /* The lanes of a vector; 1 where vectors are narrow. */                                                          \
    int64_t gn_lu_lanes_##dtype(void);                                                                                \
    /* Copies a matrix to each lane of the vectors at `a`, from as many addresses. */                                 \
    void gn_load_beside_order_##dtype(const gn_beside_order *order, const char *const *from, TYPE *a);                \
    /* The reverse, for the first `count` lanes. */                                                                   \
    void gn_store_beside_order_##dtype(const gn_beside_order *order, const TYPE *a, int64_t count, char *const *to);  \
    /* Replaces each matrix by L and U, with pivots counted from 1, of all lanes beside each other; the info of a     \
     * lane becomes its first pivot of 0, or 0. */                                                                    \
    void gn_factor_beside_##dtype(TYPE *a, int64_t rows, int64_t columns, int32_t *pivots, int32_t *info);
GN_LU_BESIDE(float32, float)
GN_LU_BESIDE(float64, double)
#undef GN_LU_BESIDE

#endif
