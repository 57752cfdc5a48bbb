/* The QR factorization by panels of columns. */
#include "panels.h"

#include <float.h>

#include "lanes.h"
#include "matrix.h"
#include "scalar.h"

/* Columns of a panel, and of its parts, which are factored element by element. */
#define PANEL 64
#define LEAF 16

/* Columns that a thread applies reflections to, and multiply-adds from which on threads share them. */
#define SHARED_COLUMNS 64
#define LEAST_SHARED (1 << 20)

#define GN_TEMPLATE "panels_dtype.h"
#include "each_dtype.h"
