/* Fourier transforms of lines whose real and imaginary parts alternate, a vector of them at a time. */
#include "fourier.h"

#include "fourier_vectors.h"
#include "workspace.h"

/* The most points of a line that is transformed so, and the fewest. */
#define MOST_POINTS 2048
#define FEWEST_POINTS 8

/* Bytes of lines that are transformed together. */
#define TOGETHER_BYTES 8192

#define WOVEN 1
#define GN_TEMPLATE "fourier_woven_dtype.h"
#include "each_dtype.h"
