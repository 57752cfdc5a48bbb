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

/* Transposes SQUARE by SQUARE elements, whose rows are so many bytes apart. */
#define SQUARE_OF_ELEMENTS(TYPE)                                                                                  \
    GN_INLINE void square_##TYPE(const char *in, int64_t in_row, char *out, int64_t out_row) {                    \
        enum { SQUARE = 16 / sizeof(TYPE) };                                                                      \
        for (int64_t row = 0; row < SQUARE; row++) {                                                              \
            TYPE piece[SQUARE];                                                                                   \
            for (int64_t column = 0; column < SQUARE; column++) {                                                 \
                piece[column] = ((const TYPE *)(in + column * in_row))[row];                                      \
            }                                                                                                     \
            memcpy(out + row * out_row, piece, sizeof piece);                                                     \
        }                                                                                                         \
    }
SQUARE_OF_ELEMENTS(uint8_t)
SQUARE_OF_ELEMENTS(uint16_t)
SQUARE_OF_ELEMENTS(pair)
#if defined(__AVX2__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLES
#endif
#endif
#ifdef HAS_SHUFFLES
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
typedef uint32_t words __attribute__((vector_size(32)));
typedef uint64_t long_words __attribute__((vector_size(32)));

GN_INLINE void square_uint64_t(const char *in, int64_t in_row, char *out, int64_t out_row) {
    long_words row[4], half[4];
    for (int i = 0; i < 4; i++) {
        memcpy(row + i, in + i * in_row, sizeof row[i]);
    }
    for (int i = 0; i < 4; i += 2) {
        half[i] = SHUFFLE(row[i], row[i + 1], 0, 4, 2, 6);
        half[i + 1] = SHUFFLE(row[i], row[i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; i++) {
        row[i] = SHUFFLE(half[i], half[i + 2], 0, 1, 4, 5);
        row[i + 2] = SHUFFLE(half[i], half[i + 2], 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i++) {
        memcpy(out + i * out_row, row + i, sizeof row[i]);
    }
}

GN_INLINE void square_uint32_t(const char *in, int64_t in_row, char *out, int64_t out_row) {
    words row[8], pairs[8], fours[8];
    for (int i = 0; i < 8; i++) {
        memcpy(row + i, in + i * in_row, sizeof row[i]);
    }
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = SHUFFLE(row[i], row[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = SHUFFLE(row[i], row[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) { /* columns 0 and 4, 1 and 5, 2 and 6, 3 and 7 of four rows */
        for (int j = 0; j < 2; j++) {
            fours[i + 2 * j] = SHUFFLE(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            fours[i + 2 * j + 1] = SHUFFLE(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        row[i] = SHUFFLE(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[i + 4] = SHUFFLE(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < 8; i++) {
        memcpy(out + i * out_row, row + i, sizeof row[i]);
    }
}
#else
SQUARE_OF_ELEMENTS(uint32_t)
SQUARE_OF_ELEMENTS(uint64_t)
#endif
#undef SQUARE_OF_ELEMENTS

/* The side of such a square. */
#ifdef HAS_SHUFFLES
#define SQUARE_OF(TYPE) (sizeof(TYPE) == 4 || sizeof(TYPE) == 8 ? 32 / sizeof(TYPE) : 16 / sizeof(TYPE))
#else
#define SQUARE_OF(TYPE) (16 / sizeof(TYPE))
#endif

#define TRANSPOSE(TYPE, SIDE)                                                                                     \
    /* transposes `height` rows and `width` columns of a block */                                                    \
    GN_INLINE void turn_##TYPE(TYPE (*block)[SIDE], char *out, int64_t out_row, int64_t height, int64_t width) {  \
        enum { SQUARE = SQUARE_OF(TYPE) };                                                                        \
        const int64_t whole = width / SQUARE * SQUARE;                                                            \
        const int64_t high = height / SQUARE * SQUARE;                                                            \
        for (int64_t row = 0; row < high; row += SQUARE) {                                                        \
            for (int64_t column = 0; column < whole; column += SQUARE) {                                          \
                square_##TYPE((const char *)&block[column][row], sizeof block[0],                                 \
                              out + row * out_row + column * (int64_t)sizeof(TYPE), out_row);                     \
            }                                                                                                     \
        }                                                                                                         \
        for (int64_t row = 0; row < height; row++) {                                                              \
            TYPE *to = (TYPE *)(out + row * out_row);                                                             \
            for (int64_t column = row < high ? whole : 0; column < width; column++) {                             \
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
