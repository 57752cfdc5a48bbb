/* The QR factorization by panels of columns. */
#include "panels.h"

#include <float.h>

#include "lanes.h"
#include "matrix.h"
#include "scalar.h"

/* Columns of a panel, and of its parts, which are factored element by element. */
#define PANEL 64
#define LEAF 16

#define GN_TEMPLATE "panels_dtype.h"
#include "each_dtype.h"
