/* Products of matrices by a kernel of our own. */
#include "gemm.h"
#include "workspace.h"

#if GN_HAS_GEMM

/* Places of k by which the right factor is asked for in advance, so that it comes from the second cache in time. */
#define PREFETCH_AHEAD 8
/* Fewer columns than this make packing the left factor dearer than its rows' far places. */
#define LEFT_DIRECT_COLUMNS 128
/* Fewer rows than this make packing the right factor, where its columns are adjacent, dearer than reading it. */
#define RIGHT_DIRECT_ROWS 32

/* Elements of a vector of the dtype `code`. */
#define LANES_OF(code) (GN_GEMM_BYTES / ((code) == GN_FLOAT64 ? 8 : 4))
/* Bytes of a line of the caches. */
#define LINE 64
/* An integer whose value the compiler does not know, and so can not take together with others. */
#define OPAQUE(x) __asm__("" : "+r"(x))

#define GN_TEMPLATE "gemm_dtype.h"
#include "each_dtype.h"

#endif
