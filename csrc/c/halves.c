/* LU factors and triangular systems by halves. */
#include "halves.h"

#include "matrix.h"
#include "scalar.h"

/* Rows of a triangle, and columns of a factor, that are treated element by element. */
#define LEAF 32
#define LEAF_COLUMNS 16
/* Rows that are subtracted from together, and vectors of each. */
#define ROWS 4
#define VECTORS 4

/* The fewest columns that a thread solves for, and multiply-adds from which on threads share a system. */
#define SHARED_COLUMNS 64
#define LEAST_SHARED (1 << 20)

/* The columns of a unit that a thread solves for, of a system with so many steps. */
static int64_t shared_unit(int64_t steps, int64_t width) {
    const int64_t usual = width < 4 * SHARED_COLUMNS ? SHARED_COLUMNS : 2 * SHARED_COLUMNS;
    return steps < LEAST_SHARED ? width : usual;
}

#define GN_TEMPLATE "halves_dtype.h"
#include "each_dtype.h"
