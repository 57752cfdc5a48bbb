/* The QR factorization of large matrices, by panels of columns (Schreiber and Van Loan, "A Storage-Efficient WY
 * Representation for Products of Householder Transformations", 1989): the reflections of a panel are applied to the rest as
 * one, I - V T V^T, by matrix products, of whose columns threads take parts. */
#ifndef GN_PANELS_H
#define GN_PANELS_H

#include "kernel.h"

/* Rows and columns from which on matrices are factored by panels. */
#define GN_PANELS 128

/* Replaces A, row-major with rows `step` elements apart, by R and, below its diagonal, the vectors of the reflections; taus
 * become their factors. GN_OK or GN_OUT_OF_MEMORY. */
int32_t gn_triangulate_panels_float32(float *a, int64_t step, int64_t rows, int64_t columns, float *taus);
int32_t gn_triangulate_panels_float64(double *a, int64_t step, int64_t rows, int64_t columns, double *taus);

#endif
