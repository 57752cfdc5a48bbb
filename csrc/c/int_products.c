/* _int_mm: products of int8 matrices, of which the left one may be uint8, with sums in int32.
 *
 * A word of a packed panel has several places of k.  By VNNI it has four bytes, uint8 on the left and int8 on the right,
 * and one instruction adds their four products to a sum of 32 bits.  An int8 factor on the left is packed as x + 128: a
 * sum then begins at -128 times the sum of the column.  So does a zero point, which is subtracted from the left factor.
 * Without VNNI a word has two int16: the older instruction for bytes adds two products in 16 bits, where they may
 * overflow.  Sums wrap around, and are the same in any order.
 * Otherwise this is the product of gemm_dtype.h. */
#include "int_products.h"
#include "gemm.h"
#include "workspace.h"

#if defined(__x86_64__) && defined(__AVX2__) && GN_HAS_GEMM
#include <cpuid.h>
#include <immintrin.h>
#endif

#if defined(__x86_64__) && defined(__AVX512BW__) && GN_HAS_GEMM
#define LANES 16
#define ROWS GN_GEMM_ROWS
#define EACH_ROWS GN_GEMM_EACH_ROWS
typedef __m512i vector;
#define ZERO _mm512_setzero_si512()
#define READ(from) _mm512_loadu_si512((const void *)(from))
#define WRITE(to, value) _mm512_storeu_si512((void *)(to), value)
#define EACH(pair) _mm512_set1_epi32(pair)
#define ADD(a, b) _mm512_add_epi32(a, b)
#define DOT(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#define BYTES(from) _mm_loadu_si128((const __m128i *)(const void *)(from))
#define WIDE(from) _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(from)))
#define PAIRS(even, odd)                                                                                              \
    _mm512_or_si512(_mm512_and_si512(_mm512_cvtepi8_epi32(even), _mm512_set1_epi32(0xffff)),                          \
                    _mm512_slli_epi32(_mm512_cvtepi8_epi32(odd), 16))
#if defined(__clang__) || __GNUC__ >= 9
#define VNNI __attribute__((target("avx512vnni")))
#define FUSED_DOT(sum, a, b) _mm512_dpbusd_epi32(sum, a, b)
#define SUBTRACT(a, b) _mm512_sub_epi32(a, b)
#endif
#elif defined(__x86_64__) && defined(__AVX2__) && GN_HAS_GEMM
#define LANES 8
#define ROWS GN_GEMM_ROWS
#define EACH_ROWS GN_GEMM_EACH_ROWS
typedef __m256i vector;
#define ZERO _mm256_setzero_si256()
#define READ(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#define WRITE(to, value) _mm256_storeu_si256((__m256i *)(void *)(to), value)
#define EACH(pair) _mm256_set1_epi32(pair)
#define ADD(a, b) _mm256_add_epi32(a, b)
#define DOT(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
/* Both products before both sums: other orders, and compilers' copies of registers, are up to a tenth slower. */
#define DOTS(low, high, pair, left, right)                                                                            \
    do {                                                                                                              \
        vector second_ = (pair), first_;                                                                              \
        __asm__("vpmaddwd %4, %2, %3\n\tvpmaddwd %5, %2, %2\n\tvpaddd %3, %0, %0\n\tvpaddd %2, %1, %1"                 \
                : "+x"(low), "+x"(high), "+x"(second_), "=&x"(first_)                                                 \
                : "x"(left), "x"(right));                                                                             \
    } while (0)
#define BYTES(from) _mm_loadl_epi64((const __m128i *)(const void *)(from))
#define WIDE(from) _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)(from)))
#define PAIRS(even, odd) _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(even, odd))
#if (defined(__clang__) && __clang_major__ >= 12) || (!defined(__clang__) && __GNUC__ >= 11)
#define VNNI __attribute__((target("avxvnni")))
#define FUSED_DOT(sum, a, b) _mm256_dpbusd_avx_epi32(sum, a, b)
#define SUBTRACT(a, b) _mm256_sub_epi32(a, b)
#endif
#else
#define LANES 4
#define ROWS 4
#define EACH_ROWS(X) X(1) X(2) X(3) X(4)
#undef GN_UNROLL
#define GN_UNROLL
typedef struct vector {
    int32_t lane[LANES];
} vector;
#define ZERO ((vector){{0}})
#define READ(from) read_vector(from)
#define WRITE(to, value) write_vector(to, value)
#define EACH(pair) each_lane(pair)
#define ADD(a, b) add_vectors(a, b)
#define DOT(sum, a, b) add_dots(sum, a, b)
#define BYTES(from) (from)
#define WIDE(from) widen_vector(from)
#define PAIRS(even, odd) pair_bytes(even, odd)

static inline vector read_vector(const void *from) {
    vector made;
    memcpy(&made, from, sizeof made);
    return made;
}

static inline void write_vector(void *to, vector value) {
    memcpy(to, &value, sizeof value);
}

static inline vector each_lane(int32_t pair) {
    return (vector){{pair, pair, pair, pair}};
}

static inline vector add_vectors(vector a, vector b) {
    for (int i = 0; i < LANES; i++) {
        a.lane[i] = (int32_t)((uint32_t)a.lane[i] + (uint32_t)b.lane[i]);
    }
    return a;
}

static inline vector widen_vector(const int8_t *from) {
    int16_t numbers[2 * LANES];
    for (int i = 0; i < 2 * LANES; i++) {
        numbers[i] = from[i];
    }
    return read_vector(numbers);
}

/* Words of a pair of numbers each. */
static inline vector pair_bytes(const int8_t *even, const int8_t *odd) {
    vector made;
    for (int i = 0; i < LANES; i++) {
        const int16_t pair[2] = {even[i], odd[i]};
        memcpy(&made.lane[i], pair, sizeof pair);
    }
    return made;
}

static inline vector add_dots(vector sum, vector a, vector b) {
    int16_t left[2 * LANES], right[2 * LANES];
    memcpy(left, &a, sizeof left);
    memcpy(right, &b, sizeof right);
    for (int i = 0; i < LANES; i++) {
        const int32_t dot = left[2 * i] * right[2 * i] + left[2 * i + 1] * right[2 * i + 1];
        sum.lane[i] = (int32_t)((uint32_t)sum.lane[i] + (uint32_t)dot);
    }
    return sum;
}
#endif

/* Keeps the rows of a block in order: if all products came before all sums, registers would not suffice. */
#if LANES > 4
#define HOLD(a, b) __asm__ volatile("" : "+v"(a), "+v"(b))
#else
#define HOLD(a, b) ((void)0)
#endif
/* The products of a word with two vectors of words, added to two sums. */
#define DOTS_BY(ACCUMULATE, low, high, word, left, right)                                                             \
    do {                                                                                                              \
        const vector word_ = (word);                                                                                  \
        low = ACCUMULATE(low, word_, left);                                                                           \
        high = ACCUMULATE(high, word_, right);                                                                        \
        HOLD(low, high);                                                                                              \
    } while (0)
#if !defined(DOTS)
#define DOTS(low, high, word, left, right) DOTS_BY(DOT, low, high, word, left, right)
#endif
#define FUSED_DOTS(low, high, word, left, right) DOTS_BY(FUSED_DOT, low, high, word, left, right)

#define WIDTH (2 * LANES)
/* Words of places of k in a level, and columns in a panel; as many bytes as gemm.h's. */
#define LEVEL (GN_GEMM_DEPTH / 4)
#define LEFT_STEP (GN_GEMM_LEFT_STEP / 4)
#define PANEL (GN_GEMM_COLUMNS / 4 / WIDTH * WIDTH)
/* So few rows are multiplied without packing columns: it would take longer than the products. */
#define FEW 3
/* Rows of the output in the least part of a thread. */
#define SLICE (4 * ROWS)

_Static_assert(WIDTH * sizeof(int32_t) == GN_GEMM_WIDTH, "gn_pack_sliver_float32 makes slivers of this width");

/* `rows` rows of a block, a whole sliver wide: c = a b, or c += a b.  The first WIDTH words of a sliver are what its
 * sums begin at. */
#define MAKE_BLOCK(name, TARGET, ACCUMULATE)                                                                          \
    GN_INLINE TARGET void name(const int rows, int64_t depth, const int32_t *a, const int32_t *b, int adds,           \
                               int32_t *c, int64_t c_row) {                                                           \
        vector sums[ROWS][2];                                                                                         \
        GN_UNROLL                                                                                                     \
        for (int i = 0; i < rows; i++) {                                                                              \
            sums[i][0] = READ(b);                                                                                     \
            sums[i][1] = READ(b + LANES);                                                                             \
        }                                                                                                             \
        for (int64_t p = 0; p < depth; p++) {                                                                         \
            b += WIDTH;                                                                                               \
            const vector left = READ(b);                                                                              \
            const vector right = READ(b + LANES);                                                                     \
            GN_UNROLL                                                                                                 \
            for (int i = 0; i < rows; i++) {                                                                          \
                ACCUMULATE(sums[i][0], sums[i][1], EACH(a[i * LEFT_STEP + p]), left, right);                          \
            }                                                                                                         \
        }                                                                                                             \
        GN_UNROLL                                                                                                     \
        for (int i = 0; i < rows; i++) {                                                                              \
            int32_t *to = c + i * c_row;                                                                              \
            WRITE(to, adds ? ADD(READ(to), sums[i][0]) : sums[i][0]);                                                 \
            WRITE(to + LANES, adds ? ADD(READ(to + LANES), sums[i][1]) : sums[i][1]);                                 \
        }                                                                                                             \
    }

typedef void block(int64_t depth, const int32_t *a, const int32_t *b, int adds, int32_t *c, int64_t c_row);
#define NO_TARGET
MAKE_BLOCK(make_plain, NO_TARGET, DOTS)
#define BLOCK(rows)                                                                                                   \
    static void plain_##rows(int64_t depth, const int32_t *a, const int32_t *b, int adds, int32_t *c, int64_t c_row) { \
        make_plain(rows, depth, a, b, adds, c, c_row);                                                                \
    }
EACH_ROWS(BLOCK)
#undef BLOCK
#define BLOCK(rows) plain_##rows,
static block *const plain_blocks[ROWS] = {EACH_ROWS(BLOCK)};
#undef BLOCK

/* How words are made, and the blocks that multiply them. */
typedef struct dots {
    int64_t places; /* of k in a word */
    block *const *blocks;
} dots;
static const dots pairs = {2, plain_blocks};

#if defined(VNNI)
MAKE_BLOCK(make_fused, VNNI, FUSED_DOTS)
#define BLOCK(rows)                                                                                                  \
    static VNNI void fused_##rows(int64_t depth, const int32_t *a, const int32_t *b, int adds, int32_t *c,           \
                                  int64_t c_row) {                                                                   \
        make_fused(rows, depth, a, b, adds, c, c_row);                                                               \
    }
EACH_ROWS(BLOCK)
#undef BLOCK
#define BLOCK(rows) fused_##rows,
static block *const fused_blocks[ROWS] = {EACH_ROWS(BLOCK)};
#undef BLOCK
static const dots quads = {4, fused_blocks};

/* Whether the processor multiplies and adds four bytes in one instruction: AVX512-VNNI, or AVX-VNNI for shorter vectors,
 * which not all compilers can test. */
static int has_fused_dots(void) {
#if defined(__AVX512BW__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") != 0;
#else
    unsigned int a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1) != 0;
#endif
}

/* By how much the packed bytes of the left factor exceed the numbers that are multiplied. */
static uint8_t excess_of(const gn_int_product *work) {
    return work->is_unsigned ? work->zero_point : 128;
}

/* What the sums of a sliver begin at: -excess times the sums of its columns. */
static VNNI void find_starts(int32_t *sliver, int64_t depth, uint8_t excess) {
    const vector each = EACH((int32_t)(0x01010101U * excess));
    vector low = ZERO, high = ZERO;
    for (int64_t p = 1; p <= depth; p++) {
        low = FUSED_DOT(low, each, READ(sliver + p * WIDTH));
        high = FUSED_DOT(high, each, READ(sliver + p * WIDTH + LANES));
    }
    WRITE(sliver, SUBTRACT(ZERO, low));
    WRITE(sliver + LANES, SUBTRACT(ZERO, high));
}

/* Four places of sixteen adjacent columns, from four rows. */
static void pack_quads(const int8_t *const from[4], int32_t *to) {
    __m128i rows[4];
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm_loadu_si128((const __m128i *)(const void *)from[i]);
    }
    const __m128i lows[2] = {_mm_unpacklo_epi8(rows[0], rows[1]), _mm_unpacklo_epi8(rows[2], rows[3])};
    const __m128i highs[2] = {_mm_unpackhi_epi8(rows[0], rows[1]), _mm_unpackhi_epi8(rows[2], rows[3])};
    __m128i *quarters = (__m128i *)(void *)to;
    _mm_storeu_si128(quarters, _mm_unpacklo_epi16(lows[0], lows[1]));
    _mm_storeu_si128(quarters + 1, _mm_unpackhi_epi16(lows[0], lows[1]));
    _mm_storeu_si128(quarters + 2, _mm_unpacklo_epi16(highs[0], highs[1]));
    _mm_storeu_si128(quarters + 3, _mm_unpackhi_epi16(highs[0], highs[1]));
}
#endif

/* The way of this processor. */
static const dots *find_dots(void) {
#if defined(VNNI)
    /* Asking takes a virtual machine microseconds, so it is done once; two threads may both do it. */
    static _Atomic(const dots *) found;
    const dots *way = atomic_load_explicit(&found, memory_order_relaxed);
    if (way == NULL) {
        way = has_fused_dots() ? &quads : &pairs;
        atomic_store_explicit(&found, way, memory_order_relaxed);
    }
    return way;
#else
    return &pairs;
#endif
}

/* Bytes of a line as int16, less `zero_point`. */
#define WIDEN(TYPE)                                                                                                   \
    static void widen_##TYPE(const TYPE *from, int64_t step, int16_t *to, int64_t count, int16_t zero_point) {        \
        if (step == 1) {                                                                                              \
            for (int64_t i = 0; i < count; i++) {                                                                     \
                to[i] = (int16_t)(from[i] - zero_point);                                                              \
            }                                                                                                         \
            return;                                                                                                   \
        }                                                                                                             \
        for (int64_t i = 0; i < count; i++) {                                                                         \
            to[i] = (int16_t)(from[i * step] - zero_point);                                                           \
        }                                                                                                             \
    }
WIDEN(int8_t)
WIDEN(uint8_t)

/* Bytes of a line, plus `shift`. */
static void copy_bytes(const int8_t *from, int64_t step, uint8_t *to, int64_t count, uint8_t shift) {
    if (step == 1) {
        for (int64_t i = 0; i < count; i++) {
            to[i] = (uint8_t)((uint8_t)from[i] + shift);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        to[i] = (uint8_t)((uint8_t)from[i * step] + shift);
    }
}

/* A line of words, zeros behind the last place. */
static void pack_line(const gn_int_product *work, const dots *way, const int8_t *from, int64_t step, int is_left,
                      int32_t *to, int64_t places) {
    to[(places - 1) / way->places] = 0;
    if (way->places == 4) {
        copy_bytes(from, step, (uint8_t *)(void *)to, places, is_left && !work->is_unsigned ? 128 : 0);
    } else if (is_left && work->is_unsigned) {
        widen_uint8_t((const uint8_t *)(const void *)from, step, (int16_t *)(void *)to, places, work->zero_point);
    } else {
        widen_int8_t(from, step, (int16_t *)(void *)to, places, 0);
    }
}

/* Rows of the left factor: to[row][word]. */
static void pack_left(const gn_int_product *work, const dots *way, int32_t *to, int64_t first, int64_t count,
                      int64_t start, int64_t places) {
    const gn_byte_factor *left = &work->left;
    for (int64_t i = 0; i < count; i++) {
        const int8_t *from = left->data + (first + i) * left->outer + start * left->inner;
        pack_line(work, way, from, left->inner, 1, to + i * LEFT_STEP, places);
    }
}

/* A sliver of columns that are adjacent in memory. */
static void pack_adjacent(const dots *way, const int8_t *from, int64_t inner, int32_t *to, int64_t places) {
    static const int8_t zeros[WIDTH];
#if defined(VNNI)
    for (int64_t p = 0; way->places == 4 && p < places; p += 4, from += 4 * inner, to += WIDTH) {
        for (int64_t column = 0; column < WIDTH; column += 16) {
            const int8_t *rows[4];
            for (int64_t i = 0; i < 4; i++) {
                rows[i] = p + i < places ? from + i * inner + column : zeros;
            }
            pack_quads(rows, to + column);
        }
    }
#endif
    for (int64_t p = 0; way->places == 2 && p < places; p += 2, from += 2 * inner, to += WIDTH) {
        const int8_t *odd = p + 1 < places ? from + inner : zeros;
        WRITE(to, PAIRS(BYTES(from), BYTES(odd)));
        WRITE(to + LANES, PAIRS(BYTES(from + LANES), BYTES(odd + LANES)));
    }
}

/* to[word][column] of a sliver, zeros behind the last column. */
static void transpose_lines(const int32_t *lines, int64_t step, int32_t *to, int64_t columns, int64_t depth) {
#if GN_HAS_GEMM /* a word is moved like a float */
    gn_pack_sliver_float32((float *)(void *)to, (const float *)(const void *)lines, step, 1, columns, depth);
#else
    for (int64_t p = 0; p < depth; p++) {
        for (int64_t column = 0; column < WIDTH; column++) {
            to[p * WIDTH + column] = column < columns ? lines[column * step + p] : 0;
        }
    }
#endif
}

/* Whether each line of bytes is one of aligned words. */
static int are_words(const int8_t *from, int64_t outer, int64_t inner, int64_t places) {
    return inner == 1 && ((uintptr_t)from | (uint64_t)outer | (uint64_t)places) % sizeof(int32_t) == 0;
}

/* Columns of the right factor in slivers: to[sliver][1 + word][column], zeros behind the last column, and before the
 * first word what sums begin at. `lines`: memory for a sliver before it is transposed. */
static void pack_right(const gn_int_product *work, const dots *way, int32_t *to, int64_t first, int64_t count,
                       int64_t start, int64_t places, int32_t *lines) {
    const gn_byte_factor *right = &work->right;
    const int64_t depth = (places + way->places - 1) / way->places;
    for (int64_t j = 0; j < count; j += WIDTH, to += (1 + depth) * WIDTH) {
        const int64_t columns = gn_min(WIDTH, count - j);
        const int8_t *from = right->data + (first + j) * right->outer + start * right->inner;
        if (right->outer == 1 && columns == WIDTH) {
            pack_adjacent(way, from, right->inner, to + WIDTH, places);
        } else if (way->places == 4 && are_words(from, right->outer, right->inner, places)) {
            transpose_lines((const int32_t *)(const void *)from, right->outer / 4, to + WIDTH, columns, depth);
        } else {
            for (int64_t column = 0; column < columns; column++, from += right->outer) {
                pack_line(work, way, from, right->inner, 0, lines + column * LEFT_STEP, places);
            }
            transpose_lines(lines, LEFT_STEP, to + WIDTH, columns, depth);
        }
#if defined(VNNI)
        if (way->places == 4 && excess_of(work) != 0) {
            find_starts(to, depth, excess_of(work));
            continue;
        }
#endif
        memset(to, 0, WIDTH * sizeof *to);
    }
}

/* A block that is no whole sliver wide, or whose columns are not adjacent in the result. */
static void make_edge(const gn_int_product *work, block *make, int64_t rows, int64_t columns, int64_t depth,
                      const int32_t *a, const int32_t *b, int adds, char *out) {
    int32_t whole[ROWS * WIDTH];
    make(depth, a, b, 0, whole, WIDTH);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            int32_t *to = (int32_t *)(void *)(out + i * work->out_row + j * work->out_column);
            *to = (int32_t)((adds ? (uint32_t)*to : 0) + (uint32_t)whole[i * WIDTH + j]);
        }
    }
}

/* Fetches part `part` of `parts` of the columns of a panel, if each is a line of memory, to a near cache. */
static void fetch_columns(const gn_int_product *work, int64_t column, int64_t start, int64_t places, int64_t part,
                          int64_t parts) {
    const int64_t columns = work->right.inner == 1 ? gn_max(0, gn_min(PANEL, work->n - column)) : 0;
    for (int64_t j = columns * part / parts; j < columns * (part + 1) / parts; j++) {
        const int8_t *from = work->right.data + (column + j) * work->right.outer + start;
        for (int64_t p = 0; p < places; p += 64) {
            __builtin_prefetch(from + p, 0, 2);
        }
    }
}

/* A panel of the right factor, which is packed already, and rows [first, last) of the left one.  Meanwhile the next one
 * is fetched. */
static void multiply_panel(const gn_int_product *work, const dots *way, int64_t first, int64_t last, int64_t column,
                           int64_t columns, int64_t start, int64_t places, int32_t *left_panel,
                           const int32_t *right_panel) {
    const int64_t depth = (places + way->places - 1) / way->places;
    const int adds = start > 0;
    const int64_t parts = (last - first + ROWS - 1) / ROWS * ((columns + WIDTH - 1) / WIDTH);
    int64_t part = 0;
    for (int64_t row = first; row < last; row += ROWS) {
        const int64_t rows = gn_min(ROWS, last - row);
        block *const make = way->blocks[rows - 1];
        pack_left(work, way, left_panel, row, rows, start, places);
        for (int64_t j = 0; j < columns; j += WIDTH) {
            char *out = work->out + row * work->out_row + (column + j) * work->out_column;
            const int32_t *sliver = right_panel + j * (1 + depth);
            fetch_columns(work, column + columns, start, places, part++, parts);
            if (columns - j >= WIDTH && work->out_column == (int64_t)sizeof(int32_t)) {
                make(depth, left_panel, sliver, adds, (int32_t *)(void *)out,
                     work->out_row / (int64_t)sizeof(int32_t));
            } else {
                make_edge(work, make, rows, gn_min(WIDTH, columns - j), depth, left_panel, sliver, adds, out);
            }
        }
    }
}

/* The dot products of `rows` packed rows with columns, each of which is a line of memory. */
GN_INLINE void multiply_lines(const gn_int_product *work, const int rows, gn_part_of_product part, int64_t start,
                              int64_t places, const int32_t *a) {
    const int64_t whole = places / (2 * LANES) * (2 * LANES);
    for (int64_t j = part.column; j < part.last_column; j++) {
        const int8_t *from = work->right.data + j * work->right.outer + start;
        vector sums[FEW];
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            sums[i] = ZERO;
        }
        for (int64_t p = 0; p < whole; p += 2 * LANES) {
            const vector numbers = WIDE(from + p);
            GN_UNROLL
            for (int i = 0; i < rows; i++) {
                sums[i] = DOT(sums[i], READ(a + i * LEFT_STEP + p / 2), numbers);
            }
        }
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            const int16_t *left = (const int16_t *)(const void *)(a + i * LEFT_STEP);
            int32_t *to = (int32_t *)(void *)(work->out + (part.row + i) * work->out_row + j * work->out_column);
            int32_t lanes[LANES];
            WRITE(lanes, sums[i]);
            uint32_t sum = start > 0 ? (uint32_t)*to : 0;
            for (int lane = 0; lane < LANES; lane++) {
                sum += (uint32_t)lanes[lane];
            }
            for (int64_t p = whole; p < places; p++) {
                sum += (uint32_t)(left[p] * from[p]);
            }
            *to = (int32_t)sum;
        }
    }
}

/* The same where rows of the right factor are lines of memory: a vector of them at a time. */
GN_INLINE void multiply_columns(const gn_int_product *work, const int rows, gn_part_of_product part, int64_t start,
                                int64_t places, const int32_t *a) {
    const int8_t *const from = work->right.data + start * work->right.inner;
    int32_t sliver[WIDTH];
    for (int64_t j = part.column; j < part.last_column; j += WIDTH) {
        const int64_t columns = gn_min(WIDTH, part.last_column - j);
        vector sums[FEW][2];
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            sums[i][0] = sums[i][1] = ZERO;
        }
        for (int64_t p = 0; p < places; p += 2) {
            int8_t line[2][WIDTH];
            const int8_t *even = from + p * work->right.inner + j;
            const int8_t *odd = p + 1 < places ? even + work->right.inner : even; /* the left factor's place is 0 */
            if (columns < WIDTH) {
                memset(line, 0, sizeof line);
                memcpy(line[0], even, (size_t)columns);
                memcpy(line[1], odd, (size_t)columns);
                even = line[0];
                odd = line[1];
            }
            const vector low = PAIRS(BYTES(even), BYTES(odd));
            const vector high = PAIRS(BYTES(even + LANES), BYTES(odd + LANES));
            GN_UNROLL
            for (int i = 0; i < rows; i++) {
                DOTS_BY(DOT, sums[i][0], sums[i][1], EACH(a[i * LEFT_STEP + p / 2]), low, high);
            }
        }
        GN_UNROLL
        for (int i = 0; i < rows; i++) {
            WRITE(sliver, sums[i][0]);
            WRITE(sliver + LANES, sums[i][1]);
            char *to = work->out + (part.row + i) * work->out_row + j * work->out_column;
            for (int64_t column = 0; column < columns; column++, to += work->out_column) {
                int32_t *sum = (int32_t *)(void *)to;
                *sum = (int32_t)((start > 0 ? (uint32_t)*sum : 0) + (uint32_t)sliver[column]);
            }
        }
    }
}

/* All places of k for a few rows. */
#define MULTIPLY_FEW(rows)                                                                                            \
    case rows:                                                                                                        \
        if (work->right.inner == 1) {                                                                                 \
            multiply_lines(work, rows, part, start, places, left_panel);                                              \
        } else {                                                                                                      \
            multiply_columns(work, rows, part, start, places, left_panel);                                            \
        }                                                                                                             \
        break;
static void multiply_few(const gn_int_product *work, gn_part_of_product part, int32_t *left_panel) {
    for (int64_t start = 0; start < work->k; start += 2 * LEVEL) {
        const int64_t places = gn_min(2 * LEVEL, work->k - start);
        pack_left(work, &pairs, left_panel, part.row, part.last_row - part.row, start, places);
        switch (part.last_row - part.row) {
            MULTIPLY_FEW(1)
            MULTIPLY_FEW(2)
            MULTIPLY_FEW(FEW)
        }
    }
}
#undef MULTIPLY_FEW

/* Part [begin, end) of the slivers or of the slices of rows. */
static gn_part_of_product part_of(const gn_int_product *work, int64_t begin, int64_t end) {
    gn_part_of_product part = {0, work->m, 0, work->n};
    if (work->by_columns) {
        part.column = begin * WIDTH;
        part.last_column = gn_min(end * WIDTH, work->n);
    } else {
        part.row = begin * SLICE;
        part.last_row = gn_min(end * SLICE, work->m);
    }
    return part;
}

static void multiply_part(int64_t begin, int64_t end, void *context) {
    gn_int_product *work = context;
    const gn_part_of_product part = part_of(work, begin, end);
    for (int64_t i = part.row; work->k == 0 && i < part.last_row; i++) {
        for (int64_t j = part.column; j < part.last_column; j++) {
            *(int32_t *)(void *)(work->out + i * work->out_row + j * work->out_column) = 0;
        }
    }
    int32_t *left_panel = gn_take(((ROWS + WIDTH) * LEFT_STEP + PANEL * (1 + LEVEL)) * (int64_t)sizeof(int32_t));
    if (left_panel == NULL) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        return;
    }
    int32_t *lines = left_panel + ROWS * LEFT_STEP;
    int32_t *right_panel = lines + WIDTH * LEFT_STEP;
    const dots *way = find_dots();
    const int is_few = part.last_row - part.row <= FEW && (work->right.inner == 1 || work->right.outer == 1);
    if (is_few) {
        multiply_few(work, part, left_panel);
    }
    for (int64_t column = part.column; !is_few && column < part.last_column; column += PANEL) {
        const int64_t columns = gn_min(PANEL, part.last_column - column);
        for (int64_t start = 0; start < work->k; start += way->places * LEVEL) {
            const int64_t places = gn_min(way->places * LEVEL, work->k - start);
            pack_right(work, way, right_panel, column, columns, start, places, lines);
            multiply_panel(work, way, part.row, part.last_row, column, columns, start, places, left_panel,
                           right_panel);
        }
    }
    gn_give(left_panel);
    if (work->finish != NULL) {
        work->finish(work->context, part);
    }
}

gn_int_product gn_int_product_of(const gn_tensor *left, const void *left_data, const gn_tensor *right,
                                 const void *right_data) {
    return (gn_int_product){
        .m = left->sizes[0],
        .n = right->sizes[1],
        .k = left->sizes[1],
        .left = {left_data, left->strides[0], left->strides[1]},
        .is_unsigned = left->dtype == GN_UINT8,
        .right = {right_data, right->strides[1], right->strides[0]},
    };
}

int32_t gn_multiply_bytes(gn_int_product *work) {
    /* Each thread packs its part of the right factor, and all of it if it has rows of the result. */
    work->by_columns = work->n >= work->m;
    const int64_t unit = work->by_columns ? WIDTH : SLICE, length = work->by_columns ? work->n : work->m;
    const int64_t steps = unit * gn_max(1, gn_min(work->n, work->m)) * gn_max(1, work->k);
    gn_parallel_for(0, (length + unit - 1) / unit, gn_max(1, GN_GRAIN * 8 / steps), multiply_part, work);
    return work->status;
}

int32_t kernel_int_mm(const gn_call *call, void *const *data) {
    gn_int_product work = gn_int_product_of(&call->tensors[1], data[1], &call->tensors[2], data[2]);
    work.out = data[0];
    work.out_row = call->tensors[0].strides[0];
    work.out_column = call->tensors[0].strides[1];
    return gn_multiply_bytes(&work);
}
