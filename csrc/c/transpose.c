/* Transposes rectangles of elements.
 *
 * A block of SIDE by SIDE elements is read column by column, some cache lines of each, into a buffer that is transposed
 * when it is written, so that each cache line of either side is accessed once. With a power-of-two stride all columns
 * map to a few cache sets, and would be evicted before the next row needs them. */
#include "transpose.h"

#include "copy_lines.h"

/* 16 bytes, as a complex128. */
typedef struct pair {
    uint64_t words[2];
} pair;

/* Elements that are written together, as four vectors of four. */
#define PIECE_BYTES 16

#define TRANSPOSE(TYPE, SIDE)                                                                                     \
    /* transposes `height` rows and `width` columns of a block */                                                    \
    GN_INLINE void turn_##TYPE(TYPE (*block)[SIDE], char *out, int64_t out_row, int64_t height, int64_t width) {  \
        enum { PIECE = PIECE_BYTES / sizeof(TYPE) };                                                              \
        const int64_t whole = width / PIECE * PIECE;                                                              \
        for (int64_t row = 0; row < height; row++) {                                                              \
            TYPE *to = (TYPE *)(out + row * out_row);                                                             \
            for (int64_t column = 0; column < whole; column += PIECE) {                                           \
                TYPE piece[PIECE];                                                                                \
                for (int64_t each = 0; each < PIECE; each++) {                                                    \
                    piece[each] = block[column + each][row];                                                      \
                }                                                                                                 \
                memcpy(to + column, piece, sizeof piece);                                                         \
            }                                                                                                     \
            for (int64_t column = whole; column < width; column++) {                                              \
                to[column] = block[column][row];                                                                  \
            }                                                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    static void transpose_##TYPE(int64_t rows, int64_t columns, const char *in, int64_t in_column, char *out,     \
                                 int64_t out_row) {                                                               \
        TYPE block[SIDE][SIDE];                                                                                   \
        for (int64_t row = 0; row < rows; row += SIDE) {                                                          \
            const int64_t height = gn_min(SIDE, rows - row);                                                      \
            for (int64_t column = 0; column < columns; column += SIDE) {                                          \
                const int64_t width = gn_min(SIDE, columns - column);                                             \
                const char *from = in + column * in_column + row * (int64_t)sizeof(TYPE);                         \
                char *to = out + row * out_row + column * (int64_t)sizeof(TYPE);                                  \
                if (height == SIDE && width == SIDE) { /* with compile-time sizes */                     \
                    for (int64_t each = 0; each < SIDE; each++) {                                                 \
                        memcpy(block[each], from + each * in_column, sizeof block[each]);                         \
                    }                                                                                             \
                    turn_##TYPE(block, to, out_row, SIDE, SIDE);                                                  \
                    continue;                                                                                     \
                }                                                                                                 \
                for (int64_t each = 0; each < width; each++) {                                                    \
                    gn_copy_row((char *)block[each], from + each * in_column, height * (int64_t)sizeof(TYPE));    \
                }                                                                                                 \
                turn_##TYPE(block, to, out_row, height, width);                                                   \
            }                                                                                                     \
        }                                                                                                         \
    }
TRANSPOSE(uint8_t, 64)
TRANSPOSE(uint16_t, 64)
TRANSPOSE(uint32_t, 64)
TRANSPOSE(uint64_t, 32)
TRANSPOSE(pair, 16)

void gn_transpose(int64_t itemsize, int64_t rows, int64_t columns, const char *in, int64_t in_column, char *out,
             int64_t out_row) {
    switch (itemsize) {
    case 1:
        transpose_uint8_t(rows, columns, in, in_column, out, out_row);
        break;
    case 2:
        transpose_uint16_t(rows, columns, in, in_column, out, out_row);
        break;
    case 4:
        transpose_uint32_t(rows, columns, in, in_column, out, out_row);
        break;
    case 8:
        transpose_uint64_t(rows, columns, in, in_column, out, out_row);
        break;
    default:
        transpose_pair(rows, columns, in, in_column, out, out_row);
        break;
    }
}
