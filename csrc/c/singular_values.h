/* Singular values without vectors, in doubles. */
#ifndef GN_SINGULAR_VALUES_H
#define GN_SINGULAR_VALUES_H

#include "kernel.h"

/* The singular values, in descending order, of a bidiagonal matrix whose largest element is about 1. The diagonal and
 * the superdiagonal, `count` numbers each, are overwritten; `scratch` has room for 2 `count`.  `precision`: the relative
 * error that each may have.  Returns 0 if they did not converge. */
int gn_bidiagonal_values(double *diagonal, double *beside, int64_t count, double precision, double *values,
                         double *scratch);

#endif
