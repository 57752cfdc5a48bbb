/* Products of bfloat16 matrices; see gemm_bfloat16.h.
 *
 * k is processed in pairs: a word of a panel is a pair of elements. Otherwise this is the product of gemm_dtype.h, with
 * panels of as many bytes. */
#include "gemm_bfloat16.h"

#if defined(__x86_64__) && defined(__AVX512F__) && GN_HAS_GEMM && (defined(__clang__) || __GNUC__ >= 10)
#define HAS_PAIRS 1
#include <immintrin.h>
#else
#define HAS_PAIRS 0
#endif

#define NO_EXPONENT 4096

int32_t gn_least_exponent(const uint16_t *data, int64_t rows, int64_t columns, int64_t row, int64_t column) {
    if (column != 1 && row == 1) { /* iterate along adjacent elements */
        return gn_least_exponent(data, columns, rows, column, row);
    }
    uint16_t least = UINT16_MAX; /* of magnitude - 1, where 0 wraps to the largest */
    for (int64_t i = 0; i < rows; i++) {
        const uint16_t *line = data + i * row;
        if (column == 1) {
            for (int64_t j = 0; j < columns; j++) {
                const uint16_t below = (uint16_t)((line[j] & 0x7fff) - 1);
                least = below < least ? below : least;
            }
        } else {
            for (int64_t j = 0; j < columns; j++) {
                const uint16_t below = (uint16_t)((line[j * column] & 0x7fff) - 1);
                least = below < least ? below : least;
            }
        }
    }
    if (least == UINT16_MAX) {
        return NO_EXPONENT;
    }
    const int32_t biased = (least + 1) >> 7;
    return biased == 0 ? -NO_EXPONENT : biased - 127;
}

#if HAS_PAIRS

/* Pairs of places of k in a level, and of columns in a panel; as many bytes as gemm.h's. */
#define LEVEL (GN_GEMM_DEPTH / 4)
#define LEFT_STEP (GN_GEMM_LEFT_STEP / 4)
#define PANEL (GN_GEMM_COLUMNS / 4 / WIDTH * WIDTH)
#define LANES 16
#define WIDTH (2 * LANES)
/* Pairs of a column that are read at a time where its places of k are adjacent. */
#define PIECE 64

int gn_has_bfloat16_products(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
}

/* `rows` rows of a block, a whole sliver wide: c = alpha a b + beta from. */
GN_INLINE __attribute__((target("avx512bf16"))) void make_block(const int rows, int64_t depth, const uint32_t *a,
                                                                const uint32_t *b, float alpha, float beta,
                                                                const float *from, int64_t from_row, float *c,
                                                                int64_t c_row) {
    __m512 sums[GN_GEMM_ROWS][2];
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        sums[i][0] = sums[i][1] = _mm512_setzero_ps();
    }
    for (int64_t p = 0; p < depth; p++) {
        const __m512i left = _mm512_loadu_si512((const void *)(b + p * WIDTH));
        const __m512i right = _mm512_loadu_si512((const void *)(b + p * WIDTH + LANES));
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            const __m512i pair = _mm512_set1_epi32((int)a[i * LEFT_STEP + p]);
            sums[i][0] = _mm512_dpbf16_ps(sums[i][0], (__m512bh)pair, (__m512bh)left);
            sums[i][1] = _mm512_dpbf16_ps(sums[i][1], (__m512bh)pair, (__m512bh)right);
        }
    }
    GN_UNROLL
    for (int i = 0; i < rows; i++) {
        GN_UNROLL
        for (int v = 0; v < 2; v++) {
            __m512 result = _mm512_mul_ps(_mm512_set1_ps(alpha), sums[i][v]);
            if (from != NULL) {
                const __m512 added = _mm512_loadu_ps(from + i * from_row + v * LANES);
                result = _mm512_fmadd_ps(_mm512_set1_ps(beta), added, result);
            }
            _mm512_storeu_ps(c + i * c_row + v * LANES, result);
        }
    }
}

typedef void block(int64_t depth, const uint32_t *a, const uint32_t *b, float alpha, float beta, const float *from,
                   int64_t from_row, float *c, int64_t c_row);
#define BLOCK(rows)                                                                                                  \
    static __attribute__((target("avx512bf16"))) void block_##rows(int64_t depth, const uint32_t *a,                 \
                                                                   const uint32_t *b, float alpha, float beta,       \
                                                                   const float *from, int64_t from_row, float *c,    \
                                                                   int64_t c_row) {                                  \
        make_block(rows, depth, a, b, alpha, beta, from, from_row, c, c_row);                                        \
    }
GN_GEMM_EACH_ROWS(BLOCK)
#undef BLOCK
#define BLOCK(rows) block_##rows,
static block *const blocks[GN_GEMM_ROWS] = {GN_GEMM_EACH_ROWS(BLOCK)};
#undef BLOCK

/* Two elements along k as a word; the second one is zero if k is odd. */
static inline uint32_t pair_of(const uint16_t *first, int64_t step, int has_second) {
    return first[0] | (uint32_t)(has_second ? first[step] : 0) << 16;
}

/* Rows of a left factor: to[row][pair]. */
static void pack_left(const gn_factor *left, uint32_t *to, int64_t first, int64_t count, int64_t start,
                      int64_t places) {
    for (int64_t i = 0; i < count; i++) {
        const uint16_t *from = (const uint16_t *)left->data + (first + i) * left->outer + start * left->inner;
        uint32_t *row = to + i * LEFT_STEP;
        if (left->inner == 1) {
            memcpy(row, from, (size_t)(places / 2) * sizeof *row);
        } else {
            for (int64_t p = 0; p < places / 2; p++) {
                row[p] = pair_of(from + 2 * p * left->inner, left->inner, 1);
            }
        }
        if (places % 2 != 0) {
            row[places / 2] = pair_of(from + (places - 1) * left->inner, 0, 0);
        }
    }
}

/* Columns of a right factor in slivers: to[sliver][pair][column], zeros behind the last column. */
static void pack_right(const gn_factor *right, uint32_t *to, int64_t first, int64_t count, int64_t start,
                       int64_t places) {
    const uint16_t *from = (const uint16_t *)right->data + first * right->outer + start * right->inner;
    const int64_t depth = (places + 1) / 2;
    for (int64_t j = 0; j < count; j += WIDTH) {
        const int64_t columns = gn_min(WIDTH, count - j);
        const uint16_t *corner = from + j * right->outer;
        uint32_t *sliver = to + j * depth;
        if (right->inner == 1) { /* pieces of the columns, which are then transposed as words */
            for (int64_t p = 0; p < depth; p += PIECE) {
                uint32_t piece[WIDTH * PIECE] = {0};
                const int64_t length = gn_min(PIECE, depth - p);
                for (int64_t column = 0; column < columns; column++) {
                    const int64_t halves = gn_min(2 * length, places - 2 * p);
                    memcpy(piece + column * PIECE, corner + column * right->outer + 2 * p, (size_t)halves * 2);
                }
                gn_pack_sliver_float32((float *)(void *)(sliver + p * WIDTH), (const float *)(const void *)piece, PIECE,
                                       1, columns, length);
            }
            continue;
        }
        for (int64_t p = 0; p < depth; p++) {
            const uint16_t *line = corner + 2 * p * right->inner;
            uint32_t *row = sliver + p * WIDTH;
            const int has_second = 2 * p + 1 < places;
            if (right->outer == 1 && has_second && columns == WIDTH) {
                for (int64_t column = 0; column < WIDTH; column++) {
                    row[column] = pair_of(line + column, right->inner, 1);
                }
                continue;
            }
            for (int64_t column = 0; column < columns; column++) {
                row[column] = pair_of(line + column * right->outer, right->inner, has_second);
            }
            memset(row + columns, 0, (size_t)(WIDTH - columns) * sizeof *row);
        }
    }
}

/* A block whose columns do not fill a sliver: computed as a full one in a buffer. */
static void make_edge(int64_t rows, int64_t columns, int64_t depth, const uint32_t *a, const uint32_t *b, float alpha,
                      float beta, const float *from, int64_t from_row, float *c, int64_t c_row) {
    float whole[GN_GEMM_ROWS * WIDTH] = {0};
    for (int64_t i = 0; from != NULL && i < rows; i++) {
        memcpy(whole + i * WIDTH, from + i * from_row, (size_t)columns * sizeof *from);
    }
    blocks[rows - 1](depth, a, b, alpha, beta, from == NULL ? NULL : whole, WIDTH, whole, WIDTH);
    for (int64_t i = 0; i < rows; i++) {
        memcpy(c + i * c_row, whole + i * WIDTH, (size_t)columns * sizeof *c);
    }
}

int32_t gn_gemm_bfloat16(int64_t m, int64_t n, int64_t k, float alpha, const gn_factor *left, const gn_factor *right,
                         float beta, const float *from, int64_t from_row, float *c, int64_t c_row) {
    uint32_t *left_panel = gn_take((GN_GEMM_ROWS * LEFT_STEP + PANEL * LEVEL) * (int64_t)sizeof(uint32_t));
    if (left_panel == NULL) {
        return GN_OUT_OF_MEMORY;
    }
    uint32_t *right_panel = left_panel + GN_GEMM_ROWS * LEFT_STEP;
    for (int64_t column = 0; column < n; column += PANEL) {
        const int64_t columns = gn_min(PANEL, n - column);
        for (int64_t start = 0; start < k; start += 2 * LEVEL) {
            const int64_t places = gn_min(2 * LEVEL, k - start);
            const int64_t depth = (places + 1) / 2;
            const float *added = start == 0 ? from : c;
            const int64_t added_row = start == 0 ? from_row : c_row;
            const float share = start == 0 ? beta : 1;
            pack_right(right, right_panel, column, columns, start, places);
            for (int64_t row = 0; row < m; row += GN_GEMM_ROWS) {
                const int64_t rows = gn_min(GN_GEMM_ROWS, m - row);
                pack_left(left, left_panel, row, rows, start, places);
                for (int64_t j = 0; j < columns; j += WIDTH) {
                    const float *add = added == NULL ? NULL : added + row * added_row + column + j;
                    float *to = c + row * c_row + column + j;
                    if (columns - j >= WIDTH) {
                        blocks[rows - 1](depth, left_panel, right_panel + j * depth, alpha, share, add, added_row, to,
                                         c_row);
                    } else {
                        make_edge(rows, columns - j, depth, left_panel, right_panel + j * depth, alpha, share, add,
                                  added_row, to, c_row);
                    }
                }
            }
        }
    }
    gn_give(left_panel);
    return GN_OK;
}

#else

int gn_has_bfloat16_products(void) {
    return 0;
}

int32_t gn_gemm_bfloat16(int64_t m, int64_t n, int64_t k, float alpha, const gn_factor *left, const gn_factor *right,
                         float beta, const float *from, int64_t from_row, float *c, int64_t c_row) {
    return GN_NOT_IMPLEMENTED;
}

#endif
