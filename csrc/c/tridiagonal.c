/* The reduction of symmetric matrices to tridiagonal ones, by panels. */
#include "tridiagonal.h"

#include <float.h>

#include "matrix.h"
#include "scalar.h"

/* Columns of a panel, and reflections that are applied together to eigenvectors. */
#define PANEL 32
#define TOGETHER 64
/* Lines of which products with a vector are computed together, and those that a matrix product updates together. */
#define LINES 4
#define BLOCK 96

#define GN_TEMPLATE "tridiagonal_dtype.h"
#include "each_dtype.h"
