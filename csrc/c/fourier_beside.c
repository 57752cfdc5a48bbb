/* Fourier transforms of short lines, as many beside each other as a vector has elements. */
#include "fourier.h"

#include "fourier_vectors.h"
#include "workspace.h"

/* Bytes of points that stay in the fastest cache while all factors are gone through. */
#define FAST_BYTES 16384

#define WOVEN 0
#define GN_TEMPLATE "fourier_beside_dtype.h"
#include "each_dtype.h"
