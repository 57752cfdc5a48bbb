/* Singular values without vectors, in doubles. */
#ifndef GN_SINGULAR_VALUES_H
#define GN_SINGULAR_VALUES_H

#include "kernel.h"

/* The distance of columns in elements: a whole number of lanes, of which those after `rows` are 0. */
int64_t gn_column_step(int64_t rows);
/* Numbers of scratch memory for a matrix of these sides. */
int64_t gn_singular_scratch(int64_t rows, int64_t count);
/* The singular values, in descending order, of `count` columns of `rows` elements, gn_column_step apart, count <= rows,
 * the largest element about 1.  Columns are overwritten. Returns 0 if they did not converge. */
int gn_singular_values(double *columns, int64_t rows, int64_t count, double *values, double *scratch);

#endif
