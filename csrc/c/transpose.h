/* Transposes rectangles of elements: rows become columns. */
#ifndef GN_TRANSPOSE_H
#define GN_TRANSPOSE_H

#include "kernel.h"

/* The best number of rows to transpose together, for any element size: some cache lines. */
#define GN_TRANSPOSE_ROWS 64

/* out[row][column] = in[column][row] for elements of `itemsize` bytes (1, 2, 4, 8 or 16); the elements of a row of
 * `out` are adjacent, and those of a column of `in`; strides in bytes. */
void gn_transpose(int64_t itemsize, int64_t rows, int64_t columns, const char *in, int64_t in_column, char *out,
             int64_t out_row);

#endif
