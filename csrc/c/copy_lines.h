/* Copies of short rows, for which a call of memcpy per row takes longer than moving the bytes. */
#ifndef GN_COPY_LINES_H
#define GN_COPY_LINES_H

#include "kernel.h"

/* One row, by copies of a size that the compiler knows.  `to` and `from` must not overlap. */
GN_INLINE void gn_copy_row(char *to, const char *from, int64_t nbytes) {
    int64_t at = 0;
    for (; at + 64 <= nbytes; at += 64) {
        memcpy(to + at, from + at, 64);
    }
    for (; at + 8 <= nbytes; at += 8) {
        memcpy(to + at, from + at, 8);
    }
    for (; at < nbytes; at++) {
        to[at] = from[at];
    }
}

/* Copies tensors[1] to tensors[0] of an iterated call of two tensors of one dtype.  GN_NOT_IMPLEMENTED, and nothing is
 * written, if its rows have an unusual layout or are long, or the tensors overlap. */
int32_t gn_copy_lines(const gn_call *call, void *const *data);

#endif
