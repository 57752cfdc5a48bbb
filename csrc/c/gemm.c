/* Matrix products by the library's own kernel. */
#include "gemm.h"
#include "workspace.h"

#if GN_HAS_GEMM

/* Prefetch distance, in steps of k, for the right factor, so that it arrives from the L2 cache in time. */
#define PREFETCH_AHEAD 8
/* With fewer columns, packing the left factor costs more than reading its distant rows. */
#define LEFT_DIRECT_COLUMNS 128
/* With fewer rows, packing a right factor with adjacent columns costs more than reading it. */
#define RIGHT_DIRECT_ROWS 32

/* Elements of a vector of the dtype `code`. */
#define LANES_OF(code) (GN_GEMM_BYTES / ((code) == GN_FLOAT64 ? 8 : 4))
/* Bytes of a cache line. */
#define LINE 64
/* An integer whose value the compiler does not know, so that it cannot combine it with others. */
#define OPAQUE(x) __asm__("" : "+r"(x))

#define GN_TEMPLATE "gemm_dtype.h"
#include "each_dtype.h"

#endif
